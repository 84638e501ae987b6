// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @scatter_nd_replace{{$}}
// CHECK-NEXT:    tensor<3x2xf32> {{\[\[}}2, 3], [3, 4], [0.5, 7]]
func.func @scatter_nd_replace() -> tensor<3x2xf32> {
  %x = dhlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %i = dhlo.constant dense<[[2], [0], [2]]> : tensor<3x1xi64>
  %u = dhlo.constant dense<[[10.0, -10.0], [2.0, 3.0], [0.5, 7.0]]> : tensor<3x2xf32>
  %y = dhlo.scatter_nd %x, %i, %u replace : (tensor<3x2xf32>, tensor<3x1xi64>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}

// CHECK-LABEL: @scatter_nd_add{{$}}
// CHECK-NEXT:    tensor<3x2xf32> {{\[\[}}3, 5], [3, 4], [15.5, 3]]
func.func @scatter_nd_add() -> tensor<3x2xf32> {
  %x = dhlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %i = dhlo.constant dense<[[2], [0], [2]]> : tensor<3x1xi64>
  %u = dhlo.constant dense<[[10.0, -10.0], [2.0, 3.0], [0.5, 7.0]]> : tensor<3x2xf32>
  %y = dhlo.scatter_nd %x, %i, %u add : (tensor<3x2xf32>, tensor<3x1xi64>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}

// CHECK-LABEL: @scatter_nd_mul{{$}}
// CHECK-NEXT:    tensor<3x2xf32> {{\[\[}}2, 6], [3, 4], [25, -420]]
func.func @scatter_nd_mul() -> tensor<3x2xf32> {
  %x = dhlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %i = dhlo.constant dense<[[2], [0], [2]]> : tensor<3x1xi64>
  %u = dhlo.constant dense<[[10.0, -10.0], [2.0, 3.0], [0.5, 7.0]]> : tensor<3x2xf32>
  %y = dhlo.scatter_nd %x, %i, %u mul : (tensor<3x2xf32>, tensor<3x1xi64>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}

// CHECK-LABEL: @scatter_nd_max{{$}}
// CHECK-NEXT:    tensor<3x2xf32> {{\[\[}}2, 3], [3, 4], [10, 7]]
func.func @scatter_nd_max() -> tensor<3x2xf32> {
  %x = dhlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %i = dhlo.constant dense<[[2], [0], [2]]> : tensor<3x1xi64>
  %u = dhlo.constant dense<[[10.0, -10.0], [2.0, 3.0], [0.5, 7.0]]> : tensor<3x2xf32>
  %y = dhlo.scatter_nd %x, %i, %u max : (tensor<3x2xf32>, tensor<3x1xi64>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}

// CHECK-LABEL: @scatter_nd_min{{$}}
// CHECK-NEXT:    tensor<3x2xf32> {{\[\[}}1, 2], [3, 4], [0.5, -10]]
func.func @scatter_nd_min() -> tensor<3x2xf32> {
  %x = dhlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %i = dhlo.constant dense<[[2], [0], [2]]> : tensor<3x1xi64>
  %u = dhlo.constant dense<[[10.0, -10.0], [2.0, 3.0], [0.5, 7.0]]> : tensor<3x2xf32>
  %y = dhlo.scatter_nd %x, %i, %u min : (tensor<3x2xf32>, tensor<3x1xi64>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}

// An update out of range is dropped.
// CHECK-LABEL: @scatter_nd_out_of_range{{$}}
// CHECK-NEXT:    tensor<2x2xi8> {{\[\[}}1, 2], [3, 50]]
// CHECK-NEXT:    dhlo.scatter_nd: index out of range
func.func @scatter_nd_out_of_range() -> tensor<2x2xi8> {
  %x = dhlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>
  %i = dhlo.constant dense<[[0, 2], [-1, -1]]> : tensor<2x2xi64>
  %u = dhlo.constant dense<[100, 50]> : tensor<2xi8>
  %y = dhlo.scatter_nd %x, %i, %u replace : (tensor<2x2xi8>, tensor<2x2xi64>, tensor<2xi8>) -> tensor<2x2xi8>
  return %y : tensor<2x2xi8>
}
