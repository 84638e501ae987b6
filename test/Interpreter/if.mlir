// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

dhlo.dim @N in [0, ?]
dhlo.dim @N2 = 2 * @N
dhlo.dim @K in [0, ?]

// CHECK-LABEL: @if_then{{$}}
// CHECK-NEXT:    tensor<2xf32> [1, 2]
func.func @if_then() -> tensor<2xf32> {
  %p = dhlo.constant dense<true> : tensor<i1>
  %a = dhlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %r = dhlo.if %p -> (tensor<2xf32>) {
    dhlo.yield %a : tensor<2xf32>
  } else {
    %b = dhlo.neg %a : tensor<2xf32>
    dhlo.yield %b : tensor<2xf32>
  }
  return %r : tensor<2xf32>
}

// The branches differ in size: @K is bound when one is chosen.
// CHECK-LABEL: @if_else_size{{$}}
// CHECK-NEXT:    tensor<4xi64> [10, 11, 12, 13]
func.func @if_else_size() -> tensor<?xi64, #dhlo.dims<K>> {
  %n = dhlo.constant dense<2> : tensor<i64>
  dhlo.bind @N = %n : tensor<i64>
  %p = dhlo.constant dense<false> : tensor<i1>
  %r = dhlo.if %p binds [@K] then_dims [@N] else_dims [2 * @N] -> (tensor<?xi64, #dhlo.dims<K>>) {
    %a = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xi64, #dhlo.dims<N>>
    dhlo.yield %a : tensor<?xi64, #dhlo.dims<N>>
  } else {
    %b = dhlo.iota axis = 0 start = [10] step = [1] : tensor<?xi64, #dhlo.dims<N2>>
    dhlo.yield %b : tensor<?xi64, #dhlo.dims<N2>>
  }
  return %r : tensor<?xi64, #dhlo.dims<K>>
}

// What a branch binds is checked against the symbol's facts, and goes on as it
// is: the tensor has that size.
dhlo.dim @Few in [1, 3] multiple_of 3
// CHECK-LABEL: @if_against_facts{{$}}
// CHECK-NEXT:    tensor<2xi64> [0, 1]
// CHECK-NEXT:    dhlo.if: size negative or outside its declared range
func.func @if_against_facts() -> tensor<?xi64, #dhlo.dims<Few>> {
  %p = dhlo.constant dense<true> : tensor<i1>
  %r = dhlo.if %p binds [@Few] then_dims [2] else_dims [3] -> (tensor<?xi64, #dhlo.dims<Few>>) {
    %a = dhlo.constant dense<[0, 1]> : tensor<2xi64>
    dhlo.yield %a : tensor<2xi64>
  } else {
    %b = dhlo.constant dense<[1, 2, 3]> : tensor<3xi64>
    dhlo.yield %b : tensor<3xi64>
  }
  return %r : tensor<?xi64, #dhlo.dims<Few>>
}
