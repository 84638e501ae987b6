// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

dhlo.dim @K in [0, ?]

// CHECK-LABEL: @nonzero{{$}}
// CHECK-NEXT:    tensor<3x2xi64> {{\[\[}}0, 1], [1, 0], [1, 2]]
func.func @nonzero() -> tensor<?x2xi64, #dhlo.dims<K>> {
  %x = dhlo.constant dense<[[0.0, 1.0, -0.0], [0x7FC00000, 0.0, -2.0]]> : tensor<2x3xf32>
  %i = dhlo.nonzero %x binds @K : (tensor<2x3xf32>) -> tensor<?x2xi64, #dhlo.dims<K>>
  return %i : tensor<?x2xi64, #dhlo.dims<K>>
}

// CHECK-LABEL: @nonzero_none{{$}}
// CHECK-NEXT:    tensor<0x1xi64> []
func.func @nonzero_none() -> tensor<?x1xi64, #dhlo.dims<K>> {
  %x = dhlo.constant dense<false> : tensor<3xi1>
  %i = dhlo.nonzero %x binds @K : (tensor<3xi1>) -> tensor<?x1xi64, #dhlo.dims<K>>
  return %i : tensor<?x1xi64, #dhlo.dims<K>>
}

// A scalar has index vectors without elements.
// CHECK-LABEL: @nonzero_scalar{{$}}
// CHECK-NEXT:    tensor<1x0xi64> {{\[\[}}]]
func.func @nonzero_scalar() -> tensor<?x0xi64, #dhlo.dims<K>> {
  %x = dhlo.constant dense<3> : tensor<i32>
  %i = dhlo.nonzero %x binds @K : (tensor<i32>) -> tensor<?x0xi64, #dhlo.dims<K>>
  return %i : tensor<?x0xi64, #dhlo.dims<K>>
}
