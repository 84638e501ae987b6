// RUN: dyn-opt %s --dhlo-interpret=float64=true -o /dev/null | FileCheck %s
// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s --check-prefix=AS-IS
// With float64 every float is one of 64 bits, constants and conversions to floats
// too; integers stay what they are.

// CHECK-LABEL: @tenth{{$}}
// CHECK-NEXT:    tensor<1xf64> [0.30000000447034836]
// AS-IS-LABEL: @tenth{{$}}
// AS-IS-NEXT:    tensor<1xf32> [0.3]
func.func @tenth() -> tensor<1xf32> {
  %x = dhlo.constant dense<0.1> : tensor<1xf32>
  %y = dhlo.constant dense<0.2> : tensor<1xf32>
  %z = dhlo.add %x, %y : tensor<1xf32>
  return %z : tensor<1xf32>
}

// CHECK-LABEL: @half{{$}}
// CHECK-NEXT:    tensor<f64> 2049
// AS-IS-LABEL: @half{{$}}
// AS-IS-NEXT:    tensor<f16> 2048
func.func @half() -> tensor<f16> {
  %x = dhlo.constant dense<2048> : tensor<i32>
  %y = dhlo.convert %x : (tensor<i32>) -> tensor<f16>
  %one = dhlo.constant dense<1.0> : tensor<f16>
  %z = dhlo.add %y, %one : tensor<f16>
  return %z : tensor<f16>
}

// CHECK-LABEL: @integers{{$}}
// CHECK-NEXT:    tensor<2xi8> [-128, 3]
func.func @integers() -> tensor<2xi8> {
  %x = dhlo.constant dense<[127, 2]> : tensor<2xi8>
  %one = dhlo.constant dense<1> : tensor<2xi8>
  %z = dhlo.add %x, %one : tensor<2xi8>
  return %z : tensor<2xi8>
}

// Sums keep what f32 loses.
// CHECK-LABEL: @sum{{$}}
// CHECK-NEXT:    tensor<f64> 1
// AS-IS-LABEL: @sum{{$}}
// AS-IS-NEXT:    tensor<f32> 0
func.func @sum() -> tensor<f32> {
  %x = dhlo.constant dense<[1.0e8, 1.0, -1.0e8]> : tensor<3xf32>
  %y = dhlo.reduce sum %x axes = [0] : (tensor<3xf32>) -> tensor<f32>
  return %y : tensor<f32>
}

// CHECK-LABEL: @matmul{{$}}
// CHECK-NEXT:    tensor<1x1xf64> {{\[\[}}1]]
// AS-IS-LABEL: @matmul{{$}}
// AS-IS-NEXT:    tensor<1x1xf32> {{\[\[}}0]]
func.func @matmul() -> tensor<1x1xf32> {
  %x = dhlo.constant dense<[[1.0e8, 1.0, -1.0e8]]> : tensor<1x3xf32>
  %w = dhlo.constant dense<1.0> : tensor<3x1xf32>
  %y = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<1x3xf32>, tensor<3x1xf32>) -> tensor<1x1xf32>
  return %y : tensor<1x1xf32>
}
