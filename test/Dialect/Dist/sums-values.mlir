// Sums over divided axes have the same bits with 1, 2, 4 and 8 ranks, in blocks or gathered, of any
// rank, and with 3 ranks, which gather. They are not those of one chain.
//
// RUN: dyn-opt %s --dist-propagate=segments=8 --dist-partition --canonicalize --cse --dhlo-verify-dims -o %t.1.mlir
// RUN: sed 's/"m" = 1/"m" = 2/' %s | dyn-opt --dist-propagate=segments=8 --dist-partition --canonicalize --cse --dhlo-verify-dims -o %t.2.mlir
// RUN: sed 's/"m" = 1/"m" = 4/' %s | dyn-opt --dist-propagate=segments=8 --dist-partition --canonicalize --cse --dhlo-verify-dims -o %t.4.mlir
// RUN: sed 's/"m" = 1/"m" = 8/' %s | dyn-opt --dist-propagate=segments=8 --dist-partition --canonicalize --cse --dhlo-verify-dims -o %t.8.mlir
// RUN: sed 's/"m" = 1/"m" = 3/' %s | dyn-opt --dist-propagate=segments=8 --dist-partition --canonicalize --cse --dhlo-verify-dims -o %t.3.mlir
// RUN: dyn-run %t.1.mlir --reference --entry main --input x=random:5x48 --output=%t.1.npz
// RUN: dyn-run %t.2.mlir --reference --entry main --input x=random:5x48 --output=%t.2.npz
// RUN: dyn-run %t.4.mlir --reference --entry main --input x=random:5x48 --output=%t.4.npz
// RUN: dyn-run %t.8.mlir --reference --entry main_7 --input x=random:5x48 --output=%t.8.npz
// RUN: dyn-run %t.3.mlir --reference --entry main_2 --input x=random:5x48 --output=%t.3.npz
// RUN: dyn-run %s --reference --input x=random:5x48 --output=%t.0.npz
// RUN: cmp %t.1.npz %t.2.npz
// RUN: cmp %t.1.npz %t.4.npz
// RUN: cmp %t.1.npz %t.8.npz
// RUN: cmp %t.1.npz %t.3.npz
// RUN: not cmp %t.1.npz %t.0.npz

dist.mesh @mesh ["m" = 1, "data" = 2]
dhlo.dim @N

func.func @main(%x: tensor<?x48xf32, #dhlo.dims<N>> {dhlo.name = "x"})
    -> (tensor<?x?xf32, #dhlo.dims<N, N>> {dhlo.name = "rows"}, tensor<f32> {dhlo.name = "scalar"},
        tensor<?x?xf32, #dhlo.dims<N, N>> {dhlo.name = "blocks"}, tensor<?x?xf16, #dhlo.dims<N, N>> {dhlo.name = "half"},
        tensor<1x6xf32> {dhlo.name = "pairs"})
    attributes {dhlo.entry} {
  // A divided activation, by rows and by sums.
  %0 = dhlo.tanh %x : tensor<?x48xf32, #dhlo.dims<N>>
  %1 = dist.reshard %0 : tensor<?x48xf32, #dhlo.dims<N>> to <@mesh, [["data"], ["m"]]>
  %2 = dist.reshard %0 : tensor<?x48xf32, #dhlo.dims<N>> to <@mesh, [[], ["m"]]>
  %rows = dhlo.dot_general %1, %2 batch = 0 lhs_contract = [1] rhs_contract = [1]
      : (tensor<?x48xf32, #dhlo.dims<N>>, tensor<?x48xf32, #dhlo.dims<N>>) -> tensor<?x?xf32, #dhlo.dims<N, N>>
  // No axis.
  %3 = dhlo.reduce max %2 axes = [0] : (tensor<?x48xf32, #dhlo.dims<N>>) -> tensor<48xf32>
  %scalar = dhlo.dot_general %3, %3 batch = 0 lhs_contract = [0] rhs_contract = [0]
      : (tensor<48xf32>, tensor<48xf32>) -> tensor<f32>
  // A sum that stays divided by the axis of its sums.
  %4 = dhlo.dot_general %2, %2 batch = 0 lhs_contract = [1] rhs_contract = [1]
      : (tensor<?x48xf32, #dhlo.dims<N>>, tensor<?x48xf32, #dhlo.dims<N>>) -> tensor<?x?xf32, #dhlo.dims<N, N>>
  %5 = dist.reshard %4 : tensor<?x?xf32, #dhlo.dims<N, N>> to <@mesh, [[], ["m"]]>
  %blocks = dhlo.exp %5 : tensor<?x?xf32, #dhlo.dims<N, N>>
  // Sums are rounded to the type of the result, as they are added.
  %6 = dhlo.convert %2 : (tensor<?x48xf32, #dhlo.dims<N>>) -> tensor<?x48xf16, #dhlo.dims<N>>
  %half = dhlo.dot_general %6, %6 batch = 0 lhs_contract = [1] rhs_contract = [1]
      : (tensor<?x48xf16, #dhlo.dims<N>>, tensor<?x48xf16, #dhlo.dims<N>>) -> tensor<?x?xf16, #dhlo.dims<N, N>>
  // Two contracted axes, of which the second one is divided; one row.
  %7 = dhlo.constant dense<[[[0.1, 1.3, -0.7, 0.3, 2.1, 0.9, -1.1, 0.6], [0.2, 1.7, -0.1, 0.7, 3.1, 0.3, -2.1, 0.4]]]> : tensor<1x2x8xf32>
  %8 = dhlo.slice %3 starts = [0] strides = [1] : (tensor<48xf32>) -> tensor<48xf32>
  %9 = dhlo.broadcast %8 axes = [2] : (tensor<48xf32>) -> tensor<2x6x48xf32>
  %10 = dhlo.slice %9 starts = [0, 0, 3] strides = [1, 1, 5] : (tensor<2x6x48xf32>) -> tensor<2x6x8xf32>
  %11 = dist.reshard %7 : tensor<1x2x8xf32> to <@mesh, [[], [], ["m"]]>
  %12 = dist.reshard %10 : tensor<2x6x8xf32> to <@mesh, [[], [], ["m"]]>
  %pairs = dhlo.dot_general %11, %12 batch = 0 lhs_contract = [1, 2] rhs_contract = [0, 2]
      : (tensor<1x2x8xf32>, tensor<2x6x8xf32>) -> tensor<1x6xf32>
  return %rows, %scalar, %blocks, %half, %pairs : tensor<?x?xf32, #dhlo.dims<N, N>>, tensor<f32>,
      tensor<?x?xf32, #dhlo.dims<N, N>>, tensor<?x?xf16, #dhlo.dims<N, N>>, tensor<1x6xf32>
}
