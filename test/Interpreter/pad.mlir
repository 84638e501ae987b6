// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @constant{{$}}
// CHECK-NEXT:    tensor<6xf32> [9, 9, 1, 2, 3, 9]
func.func @constant() -> tensor<6xf32> {
  %x = dhlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %v = dhlo.constant dense<9.0> : tensor<f32>
  %y = dhlo.pad %x, %v constant low = [2] high = [1] : (tensor<3xf32>, tensor<f32>) -> tensor<6xf32>
  return %y : tensor<6xf32>
}

// CHECK-LABEL: @cut{{$}}
// CHECK-NEXT:    tensor<3xf32> [2, 3, 9]
func.func @cut() -> tensor<3xf32> {
  %x = dhlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %v = dhlo.constant dense<9.0> : tensor<f32>
  %y = dhlo.pad %x, %v constant low = [-1] high = [1] : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// CHECK-LABEL: @cut_all{{$}}
// CHECK-NEXT:    tensor<2xf32> [9, 9]
func.func @cut_all() -> tensor<2xf32> {
  %x = dhlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %v = dhlo.constant dense<9.0> : tensor<f32>
  %y = dhlo.pad %x, %v constant low = [-3] high = [2] : (tensor<3xf32>, tensor<f32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// CHECK-LABEL: @empty{{$}}
// CHECK-NEXT:    tensor<2xf32> [9, 9]
func.func @empty() -> tensor<2xf32> {
  %x = dhlo.constant dense<> : tensor<0xf32>
  %v = dhlo.constant dense<9.0> : tensor<f32>
  %y = dhlo.pad %x, %v constant low = [1] high = [1] : (tensor<0xf32>, tensor<f32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// CHECK-LABEL: @reflect{{$}}
// CHECK-NEXT:    tensor<7xf32> [3, 2, 1, 2, 3, 2, 1]
func.func @reflect() -> tensor<7xf32> {
  %x = dhlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %v = dhlo.constant dense<9.0> : tensor<f32>
  %y = dhlo.pad %x, %v reflect low = [2] high = [2] : (tensor<3xf32>, tensor<f32>) -> tensor<7xf32>
  return %y : tensor<7xf32>
}

// Mirrors of the mirror image.
// CHECK-LABEL: @reflect_far{{$}}
// CHECK-NEXT:    tensor<8xf32> [2, 1, 2, 3, 2, 1, 2, 3]
func.func @reflect_far() -> tensor<8xf32> {
  %x = dhlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %v = dhlo.constant dense<9.0> : tensor<f32>
  %y = dhlo.pad %x, %v reflect low = [5] high = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// CHECK-LABEL: @reflect_one{{$}}
// CHECK-NEXT:    tensor<4xf32> [1, 1, 1, 1]
func.func @reflect_one() -> tensor<4xf32> {
  %x = dhlo.constant dense<[1.0]> : tensor<1xf32>
  %v = dhlo.constant dense<9.0> : tensor<f32>
  %y = dhlo.pad %x, %v reflect low = [2] high = [1] : (tensor<1xf32>, tensor<f32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: @edge{{$}}
// CHECK-NEXT:    tensor<6xf32> [1, 1, 1, 2, 3, 3]
func.func @edge() -> tensor<6xf32> {
  %x = dhlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %v = dhlo.constant dense<9.0> : tensor<f32>
  %y = dhlo.pad %x, %v edge low = [2] high = [1] : (tensor<3xf32>, tensor<f32>) -> tensor<6xf32>
  return %y : tensor<6xf32>
}

// CHECK-LABEL: @wrap{{$}}
// CHECK-NEXT:    tensor<8xf32> [3, 1, 2, 3, 1, 2, 3, 1]
func.func @wrap() -> tensor<8xf32> {
  %x = dhlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %v = dhlo.constant dense<9.0> : tensor<f32>
  %y = dhlo.pad %x, %v wrap low = [4] high = [1] : (tensor<3xf32>, tensor<f32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// CHECK-LABEL: @two_axes{{$}}
// CHECK-NEXT:    tensor<3x3xi8> {{\[\[}}0, 0, 0], [1, 2, 0], [0, 0, 0]]
func.func @two_axes() -> tensor<3x3xi8> {
  %x = dhlo.constant dense<[[1, 2]]> : tensor<1x2xi8>
  %v = dhlo.constant dense<0> : tensor<i8>
  %y = dhlo.pad %x, %v constant low = [1, 0] high = [1, 1] : (tensor<1x2xi8>, tensor<i8>) -> tensor<3x3xi8>
  return %y : tensor<3x3xi8>
}
