// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @max{{$}}
// CHECK-NEXT:    tensor<4xf32> [4, 4, 3, 3]
func.func @max() -> tensor<4xf32> {
  %x = dhlo.constant dense<[1.0, 4.0, 2.0, 3.0, 0.0]> : tensor<5xf32>
  %y = dhlo.reduce_window max %x window = [2] strides = [1] dilations = [1] low = [0] high = [0]
      : (tensor<5xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: @sum_strided{{$}}
// CHECK-NEXT:    tensor<3xf32> [1, 6, 3]
func.func @sum_strided() -> tensor<3xf32> {
  %x = dhlo.constant dense<[1.0, 4.0, 2.0, 3.0, 0.0]> : tensor<5xf32>
  %y = dhlo.reduce_window sum %x window = [2] strides = [2] dilations = [1] low = [1] high = [0]
      : (tensor<5xf32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// CHECK-LABEL: @dilated{{$}}
// CHECK-NEXT:    tensor<3xi32> [4, 6, 8]
func.func @dilated() -> tensor<3xi32> {
  %x = dhlo.constant dense<[1, 2, 3, 4, 5]> : tensor<5xi32>
  %y = dhlo.reduce_window sum %x window = [2] strides = [1] dilations = [2] low = [0] high = [0]
      : (tensor<5xi32>) -> tensor<3xi32>
  return %y : tensor<3xi32>
}

// Padding is neutral: a window of padding alone gives it.
// CHECK-LABEL: @padding_alone{{$}}
// CHECK-NEXT:    tensor<3xf32> [-inf, -5, -inf]
func.func @padding_alone() -> tensor<3xf32> {
  %x = dhlo.constant dense<[-5.0]> : tensor<1xf32>
  %y = dhlo.reduce_window max %x window = [1] strides = [1] dilations = [1] low = [1] high = [1]
      : (tensor<1xf32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// CHECK-LABEL: @int_padding{{$}}
// CHECK-NEXT:    tensor<2xi8> [5, 5]
func.func @int_padding() -> tensor<2xi8> {
  %x = dhlo.constant dense<[5]> : tensor<1xi8>
  %y = dhlo.reduce_window min %x window = [2] strides = [1] dilations = [1] low = [1] high = [1]
      : (tensor<1xi8>) -> tensor<2xi8>
  return %y : tensor<2xi8>
}

// CHECK-LABEL: @cut{{$}}
// CHECK-NEXT:    tensor<1xf32> [2]
func.func @cut() -> tensor<1xf32> {
  %x = dhlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %y = dhlo.reduce_window sum %x window = [1] strides = [1] dilations = [1] low = [-1] high = [-1]
      : (tensor<3xf32>) -> tensor<1xf32>
  return %y : tensor<1xf32>
}

// CHECK-LABEL: @too_large{{$}}
// CHECK-NEXT:    tensor<0xf32> []
func.func @too_large() -> tensor<0xf32> {
  %x = dhlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %y = dhlo.reduce_window sum %x window = [3] strides = [1] dilations = [1] low = [0] high = [0]
      : (tensor<2xf32>) -> tensor<0xf32>
  return %y : tensor<0xf32>
}

// CHECK-LABEL: @two_axes{{$}}
// CHECK-NEXT:    tensor<1x2x2xf32> {{\[\[}}[12, 16], [24, 28]]]
func.func @two_axes() -> tensor<1x2x2xf32> {
  %x = dhlo.constant dense<[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]]> : tensor<1x3x3xf32>
  %y = dhlo.reduce_window sum %x window = [1, 2, 2] strides = [1, 1, 1] dilations = [1, 1, 1] low = [0, 0, 0] high = [0, 0, 0]
      : (tensor<1x3x3xf32>) -> tensor<1x2x2xf32>
  return %y : tensor<1x2x2xf32>
}
