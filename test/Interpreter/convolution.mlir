// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @plain{{$}}
// CHECK-NEXT:    tensor<1x1x3xf32> {{\[\[}}[-2, -2, -2]]]
func.func @plain() -> tensor<1x1x3xf32> {
  %x = dhlo.constant dense<[[[1.0, 2.0, 3.0, 4.0, 5.0]]]> : tensor<1x1x5xf32>
  %w = dhlo.constant dense<[[[1.0, 0.0, -1.0]]]> : tensor<1x1x3xf32>
  %y = dhlo.convolution %x, %w channels_first strides = [1] low = [0] high = [0]
      input_dilation = [1] filter_dilation = [1] groups = 1
      : (tensor<1x1x5xf32>, tensor<1x1x3xf32>) -> tensor<1x1x3xf32>
  return %y : tensor<1x1x3xf32>
}

// CHECK-LABEL: @strided{{$}}
// CHECK-NEXT:    tensor<1x1x3xf32> {{\[\[}}[210, 432, 54]]]
func.func @strided() -> tensor<1x1x3xf32> {
  %x = dhlo.constant dense<[[[1.0, 2.0, 3.0, 4.0, 5.0]]]> : tensor<1x1x5xf32>
  %w = dhlo.constant dense<[[[1.0, 10.0, 100.0]]]> : tensor<1x1x3xf32>
  %y = dhlo.convolution %x, %w channels_first strides = [2] low = [1] high = [1]
      input_dilation = [1] filter_dilation = [1] groups = 1
      : (tensor<1x1x5xf32>, tensor<1x1x3xf32>) -> tensor<1x1x3xf32>
  return %y : tensor<1x1x3xf32>
}

// CHECK-LABEL: @dilated{{$}}
// CHECK-NEXT:    tensor<1x1x2xf32> {{\[\[}}[41, 52]]]
func.func @dilated() -> tensor<1x1x2xf32> {
  %x = dhlo.constant dense<[[[1.0, 2.0, 3.0, 4.0, 5.0]]]> : tensor<1x1x5xf32>
  %w = dhlo.constant dense<[[[1.0, 10.0]]]> : tensor<1x1x2xf32>
  %y = dhlo.convolution %x, %w channels_first strides = [1] low = [0] high = [0]
      input_dilation = [1] filter_dilation = [3] groups = 1
      : (tensor<1x1x5xf32>, tensor<1x1x2xf32>) -> tensor<1x1x2xf32>
  return %y : tensor<1x1x2xf32>
}

// Zeros between the elements.
// CHECK-LABEL: @transposed{{$}}
// CHECK-NEXT:    tensor<1x1x5xf32> {{\[\[}}[100, 10, 201, 20, 2]]]
func.func @transposed() -> tensor<1x1x5xf32> {
  %x = dhlo.constant dense<[[[1.0, 2.0]]]> : tensor<1x1x2xf32>
  %w = dhlo.constant dense<[[[1.0, 10.0, 100.0]]]> : tensor<1x1x3xf32>
  %y = dhlo.convolution %x, %w channels_first strides = [1] low = [2] high = [2]
      input_dilation = [2] filter_dilation = [1] groups = 1
      : (tensor<1x1x2xf32>, tensor<1x1x3xf32>) -> tensor<1x1x5xf32>
  return %y : tensor<1x1x5xf32>
}

// The formula of the result's size holds for no elements, too.
// CHECK-LABEL: @transposed_empty{{$}}
// CHECK-NEXT:    tensor<1x1x1xf32> {{\[\[}}[0]]]
func.func @transposed_empty() -> tensor<1x1x1xf32> {
  %x = dhlo.constant dense<> : tensor<1x1x0xf32>
  %w = dhlo.constant dense<[[[1.0, 10.0, 100.0]]]> : tensor<1x1x3xf32>
  %y = dhlo.convolution %x, %w channels_first strides = [1] low = [2] high = [2]
      input_dilation = [2] filter_dilation = [1] groups = 1
      : (tensor<1x1x0xf32>, tensor<1x1x3xf32>) -> tensor<1x1x1xf32>
  return %y : tensor<1x1x1xf32>
}

// CHECK-LABEL: @cut{{$}}
// CHECK-NEXT:    tensor<1x1x2xf32> {{\[\[}}[2, 3]]]
func.func @cut() -> tensor<1x1x2xf32> {
  %x = dhlo.constant dense<[[[1.0, 2.0, 3.0, 4.0, 5.0]]]> : tensor<1x1x5xf32>
  %w = dhlo.constant dense<[[[1.0]]]> : tensor<1x1x1xf32>
  %y = dhlo.convolution %x, %w channels_first strides = [1] low = [-1] high = [-2]
      input_dilation = [1] filter_dilation = [1] groups = 1
      : (tensor<1x1x5xf32>, tensor<1x1x1xf32>) -> tensor<1x1x2xf32>
  return %y : tensor<1x1x2xf32>
}

// CHECK-LABEL: @groups{{$}}
// CHECK-NEXT:    tensor<1x4x2xf32> {{\[\[}}[1, 2], [10, 20], [300, 400], [-3, -4]]]
func.func @groups() -> tensor<1x4x2xf32> {
  %x = dhlo.constant dense<[[[1.0, 2.0], [3.0, 4.0]]]> : tensor<1x2x2xf32>
  %w = dhlo.constant dense<[[[1.0]], [[10.0]], [[100.0]], [[-1.0]]]> : tensor<4x1x1xf32>
  %y = dhlo.convolution %x, %w channels_first strides = [1] low = [0] high = [0]
      input_dilation = [1] filter_dilation = [1] groups = 2
      : (tensor<1x2x2xf32>, tensor<4x1x1xf32>) -> tensor<1x4x2xf32>
  return %y : tensor<1x4x2xf32>
}

// CHECK-LABEL: @channels_last{{$}}
// CHECK-NEXT:    tensor<1x2x2xf32> {{\[\[}}[31, 2], [42, 2]]]
func.func @channels_last() -> tensor<1x2x2xf32> {
  %x = dhlo.constant dense<[[[1.0, 3.0], [2.0, 4.0]]]> : tensor<1x2x2xf32>
  %w = dhlo.constant dense<[[[1.0, -1.0], [10.0, 1.0]]]> : tensor<1x2x2xf32>
  %y = dhlo.convolution %x, %w channels_last strides = [1] low = [0] high = [0]
      input_dilation = [1] filter_dilation = [1] groups = 1
      : (tensor<1x2x2xf32>, tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
  return %y : tensor<1x2x2xf32>
}

// CHECK-LABEL: @two_axes{{$}}
// CHECK-NEXT:    tensor<1x1x2x2xf32> {{\[\[}}{{\[\[}}11, 6], [30, 14]]]]
func.func @two_axes() -> tensor<1x1x2x2xf32> {
  %x = dhlo.constant dense<[[[[1.0, 2.0], [3.0, 4.0]]]]> : tensor<1x1x2x2xf32>
  %w = dhlo.constant dense<[[[[1.0, 2.0], [3.0, 4.0]]]]> : tensor<1x1x2x2xf32>
  %y = dhlo.convolution %x, %w channels_first strides = [1, 1] low = [1, 0] high = [0, 1]
      input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32>
  return %y : tensor<1x1x2x2xf32>
}

// CHECK-LABEL: @empty_batch{{$}}
// CHECK-NEXT:    tensor<0x1x3xf32> []
func.func @empty_batch() -> tensor<0x1x3xf32> {
  %x = dhlo.constant dense<> : tensor<0x1x3xf32>
  %w = dhlo.constant dense<[[[1.0]]]> : tensor<1x1x1xf32>
  %y = dhlo.convolution %x, %w channels_first strides = [1] low = [0] high = [0]
      input_dilation = [1] filter_dilation = [1] groups = 1
      : (tensor<0x1x3xf32>, tensor<1x1x1xf32>) -> tensor<0x1x3xf32>
  return %y : tensor<0x1x3xf32>
}

// CHECK-LABEL: @padding_alone{{$}}
// CHECK-NEXT:    tensor<1x1x1xf32> {{\[\[}}[0]]]
func.func @padding_alone() -> tensor<1x1x1xf32> {
  %x = dhlo.constant dense<> : tensor<1x1x0xf32>
  %w = dhlo.constant dense<[[[1.0, 1.0]]]> : tensor<1x1x2xf32>
  %y = dhlo.convolution %x, %w channels_first strides = [1] low = [1] high = [1]
      input_dilation = [1] filter_dilation = [1] groups = 1
      : (tensor<1x1x0xf32>, tensor<1x1x2xf32>) -> tensor<1x1x1xf32>
  return %y : tensor<1x1x1xf32>
}

// CHECK-LABEL: @half{{$}}
// CHECK-NEXT:    tensor<1x1x1xf16> {{\[\[}}[2050]]]
func.func @half() -> tensor<1x1x1xf16> {
  %x = dhlo.constant dense<[[[2048.0, 1.0, 1.0]]]> : tensor<1x1x3xf16>
  %w = dhlo.constant dense<[[[1.0, 1.0, 1.0]]]> : tensor<1x1x3xf16>
  %y = dhlo.convolution %x, %w channels_first strides = [1] low = [0] high = [0]
      input_dilation = [1] filter_dilation = [1] groups = 1
      : (tensor<1x1x3xf16>, tensor<1x1x3xf16>) -> tensor<1x1x1xf16>
  return %y : tensor<1x1x1xf16>
}

// Image 0 is in no range, 1 and 2 have filter 0, none filter 1, 3 filter 2, 4 again none.
// CHECK-LABEL: @offsets{{$}}
// CHECK-NEXT:    tensor<5x1x2xf32> {{\[\[}}[0, 0]], {{\[}}[3, 4]], {{\[}}[5, 6]], {{\[}}[700, 800]], {{\[}}[0, 0]]]
func.func @offsets() -> tensor<5x1x2xf32> {
  %x = dhlo.constant dense<[[[1.0, 2.0]], [[3.0, 4.0]], [[5.0, 6.0]], [[7.0, 8.0]], [[9.0, 10.0]]]> : tensor<5x1x2xf32>
  %w = dhlo.constant dense<[[[[1.0]]], [[[10.0]]], [[[100.0]]]]> : tensor<3x1x1x1xf32>
  %o = dhlo.constant dense<[1, 3, 3, 4]> : tensor<4xi64>
  %y = dhlo.grouped_convolution %x, %w, %o channels_first strides = [1] low = [0] high = [0]
      input_dilation = [1] filter_dilation = [1] groups = 1
      : (tensor<5x1x2xf32>, tensor<3x1x1x1xf32>, tensor<4xi64>) -> tensor<5x1x2xf32>
  return %y : tensor<5x1x2xf32>
}

// Channels last; filter 1 adds adjacent pixels. Offsets are clamped to 0, 1, 1.
// CHECK-LABEL: @bad_offsets{{$}}
// CHECK-NEXT:    tensor<2x1x2xf32> {{\[\[}}[3, 30]], {{\[}}[0, 0]]]
// CHECK-NEXT:    dhlo.grouped_convolution: index out of range
func.func @bad_offsets() -> tensor<2x1x2xf32> {
  %x = dhlo.constant dense<[[[1.0], [2.0]], [[3.0], [4.0]]]> : tensor<2x2x1xf32>
  %w = dhlo.constant dense<[[[[1.0, 10.0]], [[1.0, 10.0]]], [[[5.0, 5.0]], [[5.0, 5.0]]]]> : tensor<2x2x1x2xf32>
  %o = dhlo.constant dense<[-3, 1, 0]> : tensor<3xi64>
  %y = dhlo.grouped_convolution %x, %w, %o channels_last strides = [1] low = [0] high = [0]
      input_dilation = [1] filter_dilation = [1] groups = 1
      : (tensor<2x2x1xf32>, tensor<2x2x1x2xf32>, tensor<3xi64>) -> tensor<2x1x2xf32>
  return %y : tensor<2x1x2xf32>
}
