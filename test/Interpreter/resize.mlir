// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @nearest_floor{{$}}
// CHECK-NEXT:    tensor<6xf32> [1, 1, 2, 2, 4, 4]
func.func @nearest_floor() -> tensor<6xf32> {
  %x = dhlo.constant dense<[1.0, 2.0, 4.0]> : tensor<3xf32>
  %y = dhlo.resize nearest asymmetric floor %x scales = [2.0] coefficient = -0.75 : (tensor<3xf32>) -> tensor<6xf32>
  return %y : tensor<6xf32>
}

// CHECK-LABEL: @nearest_ceil{{$}}
// CHECK-NEXT:    tensor<6xf32> [1, 2, 2, 4, 4, 4]
func.func @nearest_ceil() -> tensor<6xf32> {
  %x = dhlo.constant dense<[1.0, 2.0, 4.0]> : tensor<3xf32>
  %y = dhlo.resize nearest asymmetric ceil %x scales = [2.0] coefficient = -0.75 : (tensor<3xf32>) -> tensor<6xf32>
  return %y : tensor<6xf32>
}

// CHECK-LABEL: @nearest_half{{$}}
// CHECK-NEXT:    tensor<5xf32> [1, 1, 2, 4, 4]
func.func @nearest_half() -> tensor<5xf32> {
  %x = dhlo.constant dense<[1.0, 2.0, 4.0]> : tensor<3xf32>
  %y = dhlo.resize nearest half_pixel round_prefer_floor %x scales = [0.0] coefficient = -0.75 : (tensor<3xf32>) -> tensor<5xf32>
  return %y : tensor<5xf32>
}

// CHECK-LABEL: @nearest_prefer_ceil{{$}}
// CHECK-NEXT:    tensor<2xf32> [2, 4]
func.func @nearest_prefer_ceil() -> tensor<2xf32> {
  %x = dhlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %y = dhlo.resize nearest half_pixel round_prefer_ceil %x scales = [0.0] coefficient = -0.75 : (tensor<4xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// CHECK-LABEL: @nearest_prefer_floor{{$}}
// CHECK-NEXT:    tensor<2xf32> [1, 3]
func.func @nearest_prefer_floor() -> tensor<2xf32> {
  %x = dhlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %y = dhlo.resize nearest half_pixel round_prefer_floor %x scales = [0.0] coefficient = -0.75 : (tensor<4xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// CHECK-LABEL: @linear_half{{$}}
// CHECK-NEXT:    tensor<6xf32> [1, 1.25, 1.75, 2.5, 3.5, 4]
func.func @linear_half() -> tensor<6xf32> {
  %x = dhlo.constant dense<[1.0, 2.0, 4.0]> : tensor<3xf32>
  %y = dhlo.resize linear half_pixel floor %x scales = [0.0] coefficient = -0.75 : (tensor<3xf32>) -> tensor<6xf32>
  return %y : tensor<6xf32>
}

// CHECK-LABEL: @linear_align{{$}}
// CHECK-NEXT:    tensor<5xf32> [1, 1.5, 2, 3, 4]
func.func @linear_align() -> tensor<5xf32> {
  %x = dhlo.constant dense<[1.0, 2.0, 4.0]> : tensor<3xf32>
  %y = dhlo.resize linear align_corners floor %x scales = [0.0] coefficient = -0.75 : (tensor<3xf32>) -> tensor<5xf32>
  return %y : tensor<5xf32>
}

// CHECK-LABEL: @linear_pytorch{{$}}
// CHECK-NEXT:    tensor<1xf32> [1]
func.func @linear_pytorch() -> tensor<1xf32> {
  %x = dhlo.constant dense<[1.0, 2.0, 4.0]> : tensor<3xf32>
  %y = dhlo.resize linear pytorch_half_pixel floor %x scales = [0.0] coefficient = -0.75 : (tensor<3xf32>) -> tensor<1xf32>
  return %y : tensor<1xf32>
}

// CHECK-LABEL: @linear_down{{$}}
// CHECK-NEXT:    tensor<2xf32> [1.5, 3.5]
func.func @linear_down() -> tensor<2xf32> {
  %x = dhlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %y = dhlo.resize linear half_pixel floor %x scales = [0.0] coefficient = -0.75 : (tensor<4xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// The scale that the model states, 2.5, is not the ratio of the sizes, 7/3.
// CHECK-LABEL: @stated_scale{{$}}
// CHECK-NEXT:    tensor<7xf32> [1, 1.4, 1.8, 2.4, 3.2, 4, 4]
func.func @stated_scale() -> tensor<7xf32> {
  %x = dhlo.constant dense<[1.0, 2.0, 4.0]> : tensor<3xf32>
  %y = dhlo.resize linear asymmetric floor %x scales = [2.5] coefficient = -0.75 : (tensor<3xf32>) -> tensor<7xf32>
  return %y : tensor<7xf32>
}

// CHECK-LABEL: @cubic{{$}}
// CHECK-NEXT:    tensor<6xf32> [0.89453125, 1.15625, 1.5625, 2.5585938, 3.5820312, 4.2109375]
func.func @cubic() -> tensor<6xf32> {
  %x = dhlo.constant dense<[1.0, 2.0, 4.0]> : tensor<3xf32>
  %y = dhlo.resize cubic half_pixel floor %x scales = [0.0] coefficient = -0.75 : (tensor<3xf32>) -> tensor<6xf32>
  return %y : tensor<6xf32>
}

// CHECK-LABEL: @integers{{$}}
// CHECK-NEXT:    tensor<4xi32> [1, 1, 3, 4]
func.func @integers() -> tensor<4xi32> {
  %x = dhlo.constant dense<[1, 4]> : tensor<2xi32>
  %y = dhlo.resize linear half_pixel floor %x scales = [0.0] coefficient = -0.75 : (tensor<2xi32>) -> tensor<4xi32>
  return %y : tensor<4xi32>
}

// CHECK-LABEL: @one{{$}}
// CHECK-NEXT:    tensor<3xf32> [3, 3, 3]
func.func @one() -> tensor<3xf32> {
  %x = dhlo.constant dense<[3.0]> : tensor<1xf32>
  %y = dhlo.resize linear half_pixel floor %x scales = [0.0] coefficient = -0.75 : (tensor<1xf32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// CHECK-LABEL: @two_axes{{$}}
// CHECK-NEXT:    tensor<3x3xf32> {{\[\[}}1, 1.5, 2], [2, 2.5, 3], [3, 3.5, 4]]
func.func @two_axes() -> tensor<3x3xf32> {
  %x = dhlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %y = dhlo.resize linear align_corners floor %x scales = [0.0, 0.0] coefficient = -0.75 : (tensor<2x2xf32>) -> tensor<3x3xf32>
  return %y : tensor<3x3xf32>
}
