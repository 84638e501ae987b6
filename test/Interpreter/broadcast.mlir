// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

dhlo.dim @N in [1, 8]

// CHECK-LABEL: @broadcast{{$}}
// CHECK-NEXT:    tensor<2x3xf32> {{\[\[}}1, 2, 3], [1, 2, 3]]
func.func @broadcast() -> tensor<2x3xf32> {
  %x = dhlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %y = dhlo.broadcast %x axes = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: @broadcast_one{{$}}
// CHECK-NEXT:    tensor<2x3xi8> {{\[\[}}1, 1, 1], [2, 2, 2]]
func.func @broadcast_one() -> tensor<2x3xi8> {
  %x = dhlo.constant dense<[[1], [2]]> : tensor<2x1xi8>
  %y = dhlo.broadcast %x axes = [0, 1] : (tensor<2x1xi8>) -> tensor<2x3xi8>
  return %y : tensor<2x3xi8>
}

// CHECK-LABEL: @broadcast_scalar{{$}}
// CHECK-NEXT:    tensor<2x0xf64> {{\[\[}}], []]
func.func @broadcast_scalar() -> tensor<2x0xf64> {
  %x = dhlo.constant dense<1.0> : tensor<f64>
  %y = dhlo.broadcast %x axes = [] : (tensor<f64>) -> tensor<2x0xf64>
  return %y : tensor<2x0xf64>
}

// Whether a symbolic size is 1 is known at run time only.
// CHECK-LABEL: @broadcast_symbol{{$}}
// CHECK-NEXT:    tensor<3xf32> [7, 7, 7]
func.func @broadcast_symbol() -> tensor<3xf32> {
  %n = dhlo.constant dense<1> : tensor<i64>
  dhlo.bind @N = %n : tensor<i64>
  %x = dhlo.iota axis = 0 start = [7] step = [1] : tensor<?xf32, #dhlo.dims<N>>
  %y = dhlo.broadcast %x axes = [0] : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}
