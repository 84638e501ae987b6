// RUN: dyn-opt %s -dhlo-propagate-layout | FileCheck %s

// When a transposed convolution is a matmul: its windows lie side by side. Each function but the
// first two has windows that overlap, have gaps between them, or leave a border.

// Along one of the axes alone, by three.
// CHECK-LABEL: func.func @one_axis
// CHECK: dhlo.convolution {{.*}} input_dilation = [1, 1] {{.*}} -> tensor<1x5x5x48xf32>
// CHECK: dhlo.reshape {{.*}} -> tensor<1x5x15x16xf32>
func.func @one_axis(%x: tensor<1x16x5x5xf32>, %w: tensor<16x16x1x3xf32>) -> tensor<1x16x5x15xf32> {
  %0 = dhlo.convolution %x, %w channels_first strides = [1, 1] low = [0, 2] high = [0, 2] input_dilation = [1, 3] filter_dilation = [1, 1] groups = 1
      : (tensor<1x16x5x5xf32>, tensor<16x16x1x3xf32>) -> tensor<1x16x5x15xf32>
  return %0 : tensor<1x16x5x15xf32>
}

// A filter of one tap may have any gaps.
// CHECK-LABEL: func.func @gaps_of_one_tap
// CHECK: dhlo.convolution {{.*}} input_dilation = [1, 1] {{.*}} -> tensor<1x5x5x32xf32>
func.func @gaps_of_one_tap(%x: tensor<1x16x5x5xf32>, %w: tensor<16x16x1x2xf32>) -> tensor<1x16x5x10xf32> {
  %0 = dhlo.convolution %x, %w channels_first strides = [1, 1] low = [0, 1] high = [0, 1] input_dilation = [1, 2] filter_dilation = [4, 1] groups = 1
      : (tensor<1x16x5x5xf32>, tensor<16x16x1x2xf32>) -> tensor<1x16x5x10xf32>
  return %0 : tensor<1x16x5x10xf32>
}

// A window of three moves by two.
// CHECK-LABEL: func.func @overlap
// CHECK-NOT: dhlo.reverse
// CHECK: dhlo.convolution {{.*}} input_dilation = [2, 2]
func.func @overlap(%x: tensor<1x16x5x5xf32>, %w: tensor<16x16x3x3xf32>) -> tensor<1x16x11x11xf32> {
  %0 = dhlo.convolution %x, %w channels_first strides = [1, 1] low = [2, 2] high = [2, 2] input_dilation = [2, 2] filter_dilation = [1, 1] groups = 1
      : (tensor<1x16x5x5xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x11x11xf32>
  return %0 : tensor<1x16x11x11xf32>
}

// The border is cut off, on either side.
// CHECK-LABEL: func.func @borders
// CHECK-NOT: dhlo.reverse
// CHECK-COUNT-2: dhlo.convolution {{.*}} input_dilation = [2, 2]
func.func @borders(%x: tensor<1x16x5x5xf32>, %w: tensor<16x16x2x2xf32>) -> (tensor<1x16x9x10xf32>, tensor<1x16x10x9xf32>) {
  %0 = dhlo.convolution %x, %w channels_first strides = [1, 1] low = [0, 1] high = [1, 1] input_dilation = [2, 2] filter_dilation = [1, 1] groups = 1
      : (tensor<1x16x5x5xf32>, tensor<16x16x2x2xf32>) -> tensor<1x16x9x10xf32>
  %1 = dhlo.convolution %x, %w channels_first strides = [1, 1] low = [1, 1] high = [1, 0] input_dilation = [2, 2] filter_dilation = [1, 1] groups = 1
      : (tensor<1x16x5x5xf32>, tensor<16x16x2x2xf32>) -> tensor<1x16x10x9xf32>
  return %0, %1 : tensor<1x16x9x10xf32>, tensor<1x16x10x9xf32>
}

// Every second pixel of the result.
// CHECK-LABEL: func.func @strided
// CHECK-NOT: dhlo.reverse
// CHECK: dhlo.convolution {{.*}} strides = [2, 2] {{.*}} input_dilation = [2, 2]
func.func @strided(%x: tensor<1x16x5x5xf32>, %w: tensor<16x16x2x2xf32>) -> tensor<1x16x5x5xf32> {
  %0 = dhlo.convolution %x, %w channels_first strides = [2, 2] low = [1, 1] high = [1, 1] input_dilation = [2, 2] filter_dilation = [1, 1] groups = 1
      : (tensor<1x16x5x5xf32>, tensor<16x16x2x2xf32>) -> tensor<1x16x5x5xf32>
  return %0 : tensor<1x16x5x5xf32>
}

// Groups of channels have a matrix each.
// CHECK-LABEL: func.func @groups
// CHECK-NOT: dhlo.reverse
// CHECK: dhlo.convolution {{.*}} input_dilation = [2, 2] {{.*}} groups = 2
func.func @groups(%x: tensor<1x32x5x5xf32>, %w: tensor<32x16x2x2xf32>) -> tensor<1x32x10x10xf32> {
  %0 = dhlo.convolution %x, %w channels_first strides = [1, 1] low = [1, 1] high = [1, 1] input_dilation = [2, 2] filter_dilation = [1, 1] groups = 2
      : (tensor<1x32x5x5xf32>, tensor<32x16x2x2xf32>) -> tensor<1x32x10x10xf32>
  return %0 : tensor<1x32x10x10xf32>
}

// A window of one pixel that moves by one is a matmul as it is: nothing is reversed.
// CHECK-LABEL: func.func @pointwise
// CHECK-NOT: dhlo.reverse
// CHECK: dhlo.convolution {{.*}} -> tensor<1x5x5x16xf32>
// CHECK-NOT: dhlo.reverse
// CHECK: return
func.func @pointwise(%x: tensor<1x16x5x5xf32>, %w: tensor<16x16x1x1xf32>) -> tensor<1x16x5x5xf32> {
  %0 = dhlo.convolution %x, %w channels_first strides = [1, 1] low = [0, 0] high = [0, 0] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<1x16x5x5xf32>, tensor<16x16x1x1xf32>) -> tensor<1x16x5x5xf32>
  return %0 : tensor<1x16x5x5xf32>
}
