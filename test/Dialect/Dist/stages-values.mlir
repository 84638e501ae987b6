// RUN: dyn-opt %s --dist-propagate --dist-partition --dhlo-verify-dims --dhlo-interpret -o /dev/null \
// RUN:   | FileCheck %s

// Blocks of two ranks go to blocks of three, by rows and by columns; a scalar and a whole value go to all, and
// a value that stage reads again is sent once. All ranks have both results.

dist.mesh @early ["a" = 2]
dist.mesh @late ["a" = 3] first = 2

// CHECK-COUNT-5: tensor<5x4xf32> {{\[\[}}21, 27, 33, 39], [37, 49, 61, 73], [53, 71, 89, 107], [69, 93, 117, 141], [85, 115, 145, 175]]{{[[:space:]]+}}tensor<f32> 4
func.func @main() -> (tensor<5x4xf32>, tensor<f32>) attributes {dhlo.entry} {
  %x = dhlo.constant dense<[[1.0, 2.0], [2.0, 4.0], [3.0, 6.0], [4.0, 8.0], [5.0, 10.0]]> : tensor<5x2xf32>
  %w = dhlo.constant dense<[[1.0, 2.0, 3.0, 4.0], [2.0, 3.0, 4.0, 5.0]]> : tensor<2x4xf32>
  %c = dhlo.constant dense<2.0> : tensor<f32>
  %0 = dist.reshard %x : tensor<5x2xf32> to <@early, [["a"], []]>
  %1 = dhlo.add %0, %0 : tensor<5x2xf32>
  %2 = dist.reshard %c : tensor<f32> to <@early, []>
  %3 = dhlo.add %2, %2 : tensor<f32>
  %4 = dhlo.broadcast %3 axes = [] : (tensor<f32>) -> tensor<5x4xf32>
  %5 = dist.reshard %1 : tensor<5x2xf32> to <@late, [[], ["a"]]>
  %6 = dist.reshard %1 : tensor<5x2xf32> to <@late, [["a"], []]>
  %7 = dhlo.dot_general %6, %w batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<5x2xf32>, tensor<2x4xf32>) -> tensor<5x4xf32>
  %8 = dhlo.reduce sum %5 axes = [1] : (tensor<5x2xf32>) -> tensor<5xf32>
  %9 = dhlo.broadcast %8 axes = [0] : (tensor<5xf32>) -> tensor<5x4xf32>
  %10 = dhlo.add %7, %4 : tensor<5x4xf32>
  %11 = dhlo.add %10, %9 : tensor<5x4xf32>
  %one = dhlo.constant dense<1.0> : tensor<f32>
  %ones = dhlo.broadcast %one axes = [] : (tensor<f32>) -> tensor<5x4xf32>
  %12 = dhlo.add %11, %ones : tensor<5x4xf32>
  return %12, %3 : tensor<5x4xf32>, tensor<f32>
}
