// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @gather_nd{{$}}
// CHECK-NEXT:    tensor<2xf32> [2, 3]
// CHECK-NEXT:    tensor<2x2xf32> {{\[\[}}3, 4], [1, 2]]
func.func @gather_nd() -> (tensor<2xf32>, tensor<2x2xf32>) {
  %x = dhlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %i = dhlo.constant dense<[[0, 1], [-1, -2]]> : tensor<2x2xi64>
  %y = dhlo.gather_nd %x, %i batch = 0 : (tensor<2x2xf32>, tensor<2x2xi64>) -> tensor<2xf32>
  %j = dhlo.constant dense<[[1], [0]]> : tensor<2x1xi64>
  %z = dhlo.gather_nd %x, %j batch = 0 : (tensor<2x2xf32>, tensor<2x1xi64>) -> tensor<2x2xf32>
  return %y, %z : tensor<2xf32>, tensor<2x2xf32>
}

// CHECK-LABEL: @gather_nd_batch{{$}}
// CHECK-NEXT:    tensor<2xf32> [2, 3]
func.func @gather_nd_batch() -> tensor<2xf32> {
  %x = dhlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %i = dhlo.constant dense<[[1], [0]]> : tensor<2x1xi64>
  %y = dhlo.gather_nd %x, %i batch = 1 : (tensor<2x2xf32>, tensor<2x1xi64>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// CHECK-LABEL: @gather_nd_out_of_range{{$}}
// CHECK-NEXT:    tensor<1xf32> [3]
// CHECK-NEXT:    dhlo.gather_nd: index out of range
func.func @gather_nd_out_of_range() -> tensor<1xf32> {
  %x = dhlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %i = dhlo.constant dense<[[7, 0]]> : tensor<1x2xi64>
  %y = dhlo.gather_nd %x, %i batch = 0 : (tensor<2x2xf32>, tensor<1x2xi64>) -> tensor<1xf32>
  return %y : tensor<1xf32>
}
