// RUN: dyn-opt %s --dist-propagate --dist-partition --dhlo-verify-dims --dhlo-interpret -o /dev/null \
// RUN:   | FileCheck %s

// More ranks than rows, and than columns: blocks that are short, or empty.

dist.mesh @mesh ["a" = 3, "b" = 2]

// CHECK-COUNT-6: tensor<2x5xf32> {{\[\[}}12, 9, 6, 3, 0], [30, 22.5, 15, 7.5, 0]]
func.func @main() -> tensor<2x5xf32> attributes {dhlo.entry} {
  %x = dhlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %w = dhlo.constant dense<[[2.0, 1.5, 1.0, 0.5, 0.0], [2.0, 1.5, 1.0, 0.5, 0.0], [2.0, 1.5, 1.0, 0.5, 0.0]]> : tensor<3x5xf32>
  %0 = dist.reshard %x : tensor<2x3xf32> to <@mesh, [["a"], []]>
  %1 = dist.reshard %w : tensor<3x5xf32> to <@mesh, [[], ["b"]]>
  %2 = dhlo.dot_general %0, %1 batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
  %3 = dist.reshard %2 : tensor<2x5xf32> to <@mesh, [[], ["a", "b"]]>
  return %3 : tensor<2x5xf32>
}
