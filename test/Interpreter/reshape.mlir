// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @reshape{{$}}
// CHECK-NEXT:    tensor<3x2xf32> {{\[\[}}1, 2], [3, 4], [5, 6]]
func.func @reshape() -> tensor<3x2xf32> {
  %x = dhlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %y = dhlo.reshape %x : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}

// CHECK-LABEL: @reshape_scalar{{$}}
// CHECK-NEXT:    tensor<f32> 4
func.func @reshape_scalar() -> tensor<f32> {
  %x = dhlo.constant dense<[[4.0]]> : tensor<1x1xf32>
  %y = dhlo.reshape %x : (tensor<1x1xf32>) -> tensor<f32>
  return %y : tensor<f32>
}

// CHECK-LABEL: @reshape_empty{{$}}
// CHECK-NEXT:    tensor<5x0xf32> {{\[\[}}], [], [], [], []]
func.func @reshape_empty() -> tensor<5x0xf32> {
  %x = dhlo.constant dense<> : tensor<0x3xf32>
  %y = dhlo.reshape %x : (tensor<0x3xf32>) -> tensor<5x0xf32>
  return %y : tensor<5x0xf32>
}
