// RUN: dyn-opt %s -split-input-file -dhlo-propagate-layout | FileCheck %s

// Convolutions of dilated inputs become convolutions of the inputs themselves.

// Windows lie side by side along one axis: a matmul, and nothing moves.
// CHECK-LABEL: func.func @one_axis(
// CHECK: dhlo.reverse %{{.*}} axes = [3] : tensor<1x1x1x3x16x1x16xf32>
// CHECK: dhlo.convolution %{{.*}} low = [0, 0] high = [0, 0] input_dilation = [1, 1] {{.*}} -> tensor<1x5x5x48xf32>
// CHECK-NEXT: dhlo.reshape %{{.*}} -> tensor<1x5x15x16xf32>
// CHECK-NEXT: dhlo.transpose %{{.*}} permutation = [0, 3, 1, 2]
// CHECK-NEXT: return
func.func @one_axis(%x: tensor<1x16x5x5xf32>, %w: tensor<16x16x1x3xf32>) -> tensor<1x16x5x15xf32> {
  %0 = dhlo.convolution %x, %w channels_first strides = [1, 1] low = [0, 2] high = [0, 2] input_dilation = [1, 3] filter_dilation = [1, 1] groups = 1
      : (tensor<1x16x5x5xf32>, tensor<16x16x1x3xf32>) -> tensor<1x16x5x15xf32>
  return %0 : tensor<1x16x5x15xf32>
}

// -----

// Along both axes, the pixels of blocks are moved.
// CHECK-LABEL: func.func @blocks(
// CHECK: dhlo.convolution %{{.*}} -> tensor<1x5x5x64xf32>
// CHECK-NEXT: dhlo.reshape %{{.*}} -> tensor<1x5x5x2x2x16xf32>
// CHECK-NEXT: dhlo.transpose %{{.*}} permutation = [0, 1, 3, 2, 4, 5]
// CHECK-NEXT: dhlo.reshape %{{.*}} -> tensor<1x10x10x16xf32>
// CHECK-NOT: dhlo.slice
// CHECK: return
func.func @blocks(%x: tensor<1x16x5x5xf32>, %w: tensor<16x16x2x2xf32>) -> tensor<1x16x10x10xf32> {
  %0 = dhlo.convolution %x, %w channels_first strides = [1, 1] low = [1, 1] high = [1, 1] input_dilation = [2, 2] filter_dilation = [1, 1] groups = 1
      : (tensor<1x16x5x5xf32>, tensor<16x16x2x2xf32>) -> tensor<1x16x10x10xf32>
  return %0 : tensor<1x16x10x10xf32>
}

// -----

// A border is cut off, at the end of one axis and at the begin of the other.
// CHECK-LABEL: func.func @borders(
// CHECK: dhlo.convolution %{{.*}} -> tensor<1x5x5x64xf32>
// CHECK: dhlo.reshape %{{.*}} -> tensor<1x10x10x16xf32>
// CHECK-NEXT: dhlo.slice %{{.*}} starts = [0, 0, 1, 0] {{.*}} -> tensor<1x9x9x16xf32>
func.func @borders(%x: tensor<1x16x5x5xf32>, %w: tensor<16x16x2x2xf32>) -> tensor<1x16x9x9xf32> {
  %0 = dhlo.convolution %x, %w channels_first strides = [1, 1] low = [1, 0] high = [0, 1] input_dilation = [2, 2] filter_dilation = [1, 1] groups = 1
      : (tensor<1x16x5x5xf32>, tensor<16x16x2x2xf32>) -> tensor<1x16x9x9xf32>
  return %0 : tensor<1x16x9x9xf32>
}

// -----

// Windows of four taps overlap by two: each phase has two. A block more is computed than the result
// has.
// CHECK-LABEL: func.func @overlap(
// CHECK: dhlo.reshape %{{.*}} -> tensor<2x2x2x2x16x1x16xf32>
// CHECK-NEXT: dhlo.reverse %{{.*}} axes = [1, 3]
// CHECK-NEXT: dhlo.transpose %{{.*}} permutation = [0, 2, 4, 5, 1, 3, 6] : {{.*}} -> tensor<2x2x16x1x2x2x16xf32>
// CHECK-NEXT: dhlo.reshape %{{.*}} -> tensor<2x2x16x64xf32>
// CHECK: dhlo.convolution %{{.*}} low = [1, 1] high = [1, 1] input_dilation = [1, 1] {{.*}} -> tensor<1x31x31x64xf32>
// CHECK-NOT: dhlo.convolution
// CHECK: dhlo.slice %{{.*}} starts = [0, 1, 1, 0] {{.*}} -> tensor<1x60x60x16xf32>
func.func @overlap(%x: tensor<1x16x30x30xf32>, %w: tensor<16x16x4x4xf32>) -> tensor<1x16x60x60xf32> {
  %0 = dhlo.convolution %x, %w channels_first strides = [1, 1] low = [2, 2] high = [2, 2] input_dilation = [2, 2] filter_dilation = [1, 1] groups = 1
      : (tensor<1x16x30x30xf32>, tensor<16x16x4x4xf32>) -> tensor<1x16x60x60xf32>
  return %0 : tensor<1x16x60x60xf32>
}

// -----

// A block more would be many of a small image: phases of two blocks are separate.
// CHECK-LABEL: func.func @small(
// CHECK-COUNT-4: dhlo.convolution {{.*}} -> tensor<1x4x4x16xf32>
// CHECK-NOT: dhlo.convolution
// CHECK-NOT: dhlo.slice
// CHECK: dhlo.transpose %{{.*}} permutation = [0, 1, 3, 2, 4, 5]
func.func @small(%x: tensor<1x16x4x4xf32>, %w: tensor<16x16x4x4xf32>) -> tensor<1x16x8x8xf32> {
  %0 = dhlo.convolution %x, %w channels_first strides = [1, 1] low = [2, 2] high = [2, 2] input_dilation = [2, 2] filter_dilation = [1, 1] groups = 1
      : (tensor<1x16x4x4xf32>, tensor<16x16x4x4xf32>) -> tensor<1x16x8x8xf32>
  return %0 : tensor<1x16x8x8xf32>
}

// -----

// Of three taps, a phase has one or two.
// CHECK-LABEL: func.func @odd(
// CHECK: dhlo.pad %{{.*}} high = [1, 1, 0, 0] {{.*}} -> tensor<4x4x16x16xf32>
// CHECK: dhlo.slice %{{.*}} starts = [0, 0, 0, 0, 0, 0, 0] {{.*}} -> tensor<1x1x1x1x16x1x16xf32>
// CHECK: dhlo.slice %{{.*}} starts = [0, 0, 0, 1, 0, 0, 0] {{.*}} -> tensor<1x1x2x1x16x1x16xf32>
// CHECK: %[[ONE:.*]] = dhlo.concat %{{.*}} axis = 4 : {{.*}} -> tensor<1x5x5x1x2x16xf32>
// CHECK: dhlo.slice %{{.*}} starts = [0, 1, 0, 0, 0, 0, 0] {{.*}} -> tensor<2x1x1x1x16x1x16xf32>
// CHECK: dhlo.slice %{{.*}} starts = [0, 1, 0, 1, 0, 0, 0] {{.*}} -> tensor<2x1x2x1x16x1x16xf32>
// CHECK: %[[TWO:.*]] = dhlo.concat %{{.*}} axis = 4 : {{.*}} -> tensor<1x5x5x1x2x16xf32>
// CHECK: dhlo.concat %[[ONE]], %[[TWO]] axis = 3 : {{.*}} -> tensor<1x5x5x2x2x16xf32>
func.func @odd(%x: tensor<1x16x5x5xf32>, %w: tensor<16x16x3x3xf32>) -> tensor<1x16x10x10xf32> {
  %0 = dhlo.convolution %x, %w channels_first strides = [1, 1] low = [1, 1] high = [2, 2] input_dilation = [2, 2] filter_dilation = [1, 1] groups = 1
      : (tensor<1x16x5x5xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x10x10xf32>
  return %0 : tensor<1x16x10x10xf32>
}

// -----

// The phases of few filters fill a vector together, some with taps of zeros.
// CHECK-LABEL: func.func @few_filters(
// CHECK: dhlo.convolution %{{.*}} low = [0, 0] high = [1, 1] {{.*}} -> tensor<1x5x5x12xf32>
// CHECK-NOT: dhlo.convolution
// CHECK: return
func.func @few_filters(%x: tensor<1x16x5x5xf32>, %w: tensor<3x16x3x3xf32>) -> tensor<1x3x10x10xf32> {
  %0 = dhlo.convolution %x, %w channels_first strides = [1, 1] low = [1, 1] high = [2, 2] input_dilation = [2, 2] filter_dilation = [1, 1] groups = 1
      : (tensor<1x16x5x5xf32>, tensor<3x16x3x3xf32>) -> tensor<1x3x10x10xf32>
  return %0 : tensor<1x3x10x10xf32>
}

// -----

// A window that is shorter than its steps leaves zeros.
// CHECK-LABEL: func.func @short_window(
// CHECK: dhlo.convolution %{{.*}} -> tensor<1x5x32xf32>
// CHECK: dhlo.pad %{{.*}} low = [0, 0, 1, 0] high = [0, 0, 0, 0] : {{.*}} -> tensor<1x5x3x16xf32>
// CHECK-NEXT: dhlo.reshape %{{.*}} -> tensor<1x15x16xf32>
// CHECK-NEXT: dhlo.slice %{{.*}} starts = [0, 1, 0]
func.func @short_window(%x: tensor<1x16x5xf32>, %w: tensor<16x16x2xf32>) -> tensor<1x16x14xf32> {
  %0 = dhlo.convolution %x, %w channels_first strides = [1] low = [1] high = [1] input_dilation = [3] filter_dilation = [1] groups = 1
      : (tensor<1x16x5xf32>, tensor<16x16x2xf32>) -> tensor<1x16x14xf32>
  return %0 : tensor<1x16x14xf32>
}

// -----

// The gaps of a filter are filled with zeros, but not along an axis without phases.
// CHECK-LABEL: func.func @gaps(
// CHECK: dhlo.pad %{{.*}} high = [0, 0, 0, 1, 0, 0] {{.*}} -> tensor<3x1x2x2x16x16xf32>
// CHECK: dhlo.pad %{{.*}} high = [0, -1, 0, 0] {{.*}} -> tensor<3x3x16x16xf32>
// CHECK: dhlo.convolution %{{.*}} low = [0, 0] high = [0, 0] input_dilation = [1, 1] filter_dilation = [2, 1] {{.*}} -> tensor<1x5x8x48xf32>
func.func @gaps(%x: tensor<1x16x9x8xf32>, %w: tensor<16x16x3x2xf32>) -> tensor<1x16x5x24xf32> {
  %0 = dhlo.convolution %x, %w channels_first strides = [1, 1] low = [0, 2] high = [0, 2] input_dilation = [1, 3] filter_dilation = [2, 2] groups = 1
      : (tensor<1x16x9x8xf32>, tensor<16x16x3x2xf32>) -> tensor<1x16x5x24xf32>
  return %0 : tensor<1x16x5x24xf32>
}

// -----

// A filter of one tap may have any gaps.
// CHECK-LABEL: func.func @gaps_of_one_tap(
// CHECK: dhlo.convolution %{{.*}} -> tensor<1x5x5x32xf32>
func.func @gaps_of_one_tap(%x: tensor<1x16x5x5xf32>, %w: tensor<16x16x1x2xf32>) -> tensor<1x16x5x10xf32> {
  %0 = dhlo.convolution %x, %w channels_first strides = [1, 1] low = [0, 1] high = [0, 1] input_dilation = [1, 2] filter_dilation = [4, 1] groups = 1
      : (tensor<1x16x5x5xf32>, tensor<16x16x1x2xf32>) -> tensor<1x16x5x10xf32>
  return %0 : tensor<1x16x5x10xf32>
}

// -----

// Padding that cuts off pixels of the input.
// CHECK-LABEL: func.func @padding_outside(
// CHECK: dhlo.convolution %{{.*}} low = [-1] high = [-1] {{.*}} -> tensor<1x28x32xf32>
func.func @padding_outside(%x: tensor<1x16x30xf32>, %w: tensor<16x16x2xf32>) -> tensor<1x16x56xf32> {
  %0 = dhlo.convolution %x, %w channels_first strides = [1] low = [-1] high = [-1] input_dilation = [2] filter_dilation = [1] groups = 1
      : (tensor<1x16x30xf32>, tensor<16x16x2xf32>) -> tensor<1x16x56xf32>
  return %0 : tensor<1x16x56xf32>
}

// -----

// Along another axis, windows may move by any steps.
// CHECK-LABEL: func.func @strided_axis(
// CHECK: dhlo.convolution %{{.*}} strides = [2, 1] low = [1, 0] high = [1, 0] {{.*}} -> tensor<1x5x5x32xf32>
func.func @strided_axis(%x: tensor<1x16x9x5xf32>, %w: tensor<16x16x3x2xf32>) -> tensor<1x16x5x10xf32> {
  %0 = dhlo.convolution %x, %w channels_first strides = [2, 1] low = [1, 1] high = [1, 1] input_dilation = [1, 2] filter_dilation = [1, 1] groups = 1
      : (tensor<1x16x9x5xf32>, tensor<16x16x3x2xf32>) -> tensor<1x16x5x10xf32>
  return %0 : tensor<1x16x5x10xf32>
}

// -----

// Groups of channels have their phases side by side.
// CHECK-LABEL: func.func @groups(
// CHECK: dhlo.transpose %{{.*}} permutation = [0, 2, 4, 5, 1, 3, 6] : {{.*}} -> tensor<1x1x16x2x2x2x16xf32>
// CHECK: dhlo.convolution %{{.*}} groups = 2 {{.*}} -> tensor<1x5x5x128xf32>
// CHECK-NEXT: dhlo.reshape %{{.*}} -> tensor<1x5x5x2x2x2x16xf32>
// CHECK-NEXT: dhlo.transpose %{{.*}} permutation = [0, 1, 4, 2, 5, 3, 6]
// CHECK-NEXT: dhlo.reshape %{{.*}} -> tensor<1x10x10x32xf32>
func.func @groups(%x: tensor<1x32x5x5xf32>, %w: tensor<32x16x2x2xf32>) -> tensor<1x32x10x10xf32> {
  %0 = dhlo.convolution %x, %w channels_first strides = [1, 1] low = [1, 1] high = [1, 1] input_dilation = [2, 2] filter_dilation = [1, 1] groups = 2
      : (tensor<1x32x5x5xf32>, tensor<32x16x2x2xf32>) -> tensor<1x32x10x10xf32>
  return %0 : tensor<1x32x10x10xf32>
}

// -----

// Channels with a filter each are repeated, so that all have one.
// CHECK-LABEL: func.func @depthwise(
// CHECK: dhlo.broadcast %{{.*}} axes = [0, 1, 2, 4] : {{.*}} -> tensor<1x5x5x4x32xf32>
// CHECK: dhlo.reshape %{{.*}} -> tensor<1x5x5x128xf32>
// CHECK: dhlo.convolution %{{.*}} groups = 128 : (tensor<1x5x5x128xf32>, tensor<1x1x1x128xf32>) -> tensor<1x5x5x128xf32>
// CHECK-NEXT: dhlo.reshape %{{.*}} -> tensor<1x5x5x2x2x32xf32>
func.func @depthwise(%x: tensor<1x32x5x5xf32>, %w: tensor<32x1x2x2xf32>) -> tensor<1x32x10x10xf32> {
  %0 = dhlo.convolution %x, %w channels_first strides = [1, 1] low = [1, 1] high = [1, 1] input_dilation = [2, 2] filter_dilation = [1, 1] groups = 32
      : (tensor<1x32x5x5xf32>, tensor<32x1x2x2xf32>) -> tensor<1x32x10x10xf32>
  return %0 : tensor<1x32x10x10xf32>
}

// -----

// Blocks of dynamic sizes.
// CHECK: dhlo.dim @d = @H + 1
// CHECK: dhlo.dim @d_1 = @W + 1
// CHECK: dhlo.dim @d_2 = 2 * @H + 2
// CHECK-LABEL: func.func @sizes(
// CHECK: dhlo.convolution %{{.*}} low = [1, 1] high = [1, 1] {{.*}} -> tensor<1x?x?x64xf32, #dhlo.dims<d, d_1>>
// CHECK: dhlo.reshape %{{.*}} -> tensor<1x?x?x16xf32, #dhlo.dims<d_2, d_3>>
// CHECK-NEXT: dhlo.slice %{{.*}} starts = [0, 1, 1, 0] {{.*}} -> tensor<1x?x?x16xf32, #dhlo.dims<P, Q>>
dhlo.dim @H
dhlo.dim @W
dhlo.dim @P = 2 * @H
dhlo.dim @Q = 2 * @W
func.func @sizes(%x: tensor<1x16x?x?xf32, #dhlo.dims<H, W>>, %w: tensor<16x16x4x4xf32>) -> tensor<1x16x?x?xf32, #dhlo.dims<P, Q>> {
  %0 = dhlo.convolution %x, %w channels_first strides = [1, 1] low = [2, 2] high = [2, 2] input_dilation = [2, 2] filter_dilation = [1, 1] groups = 1
      : (tensor<1x16x?x?xf32, #dhlo.dims<H, W>>, tensor<16x16x4x4xf32>) -> tensor<1x16x?x?xf32, #dhlo.dims<P, Q>>
  return %0 : tensor<1x16x?x?xf32, #dhlo.dims<P, Q>>
}

// -----

// A filter for each group of images.
// CHECK-LABEL: func.func @several_filters(
// CHECK: dhlo.reverse %{{.*}} axes = [2, 4] : tensor<3x1x2x1x2x16x1x16xf32>
// CHECK: dhlo.grouped_convolution %{{.*}} input_dilation = [1, 1] {{.*}} -> tensor<4x5x5x64xf32>
func.func @several_filters(%x: tensor<4x16x5x5xf32>, %w: tensor<3x16x16x2x2xf32>, %o: tensor<4xi64>) -> tensor<4x16x10x10xf32> {
  %0 = dhlo.grouped_convolution %x, %w, %o channels_first strides = [1, 1] low = [1, 1] high = [1, 1] input_dilation = [2, 2] filter_dilation = [1, 1] groups = 1
      : (tensor<4x16x5x5xf32>, tensor<3x16x16x2x2xf32>, tensor<4xi64>) -> tensor<4x16x10x10xf32>
  return %0 : tensor<4x16x10x10xf32>
}

// -----

// Every third pixel of the result is not computed by phases.
// CHECK-LABEL: func.func @strided(
// CHECK-NOT: dhlo.reverse
// CHECK: dhlo.convolution %{{.*}} strides = [3] {{.*}} input_dilation = [2]
func.func @strided(%x: tensor<1x16x5xf32>, %w: tensor<16x16x2xf32>) -> tensor<1x16x4xf32> {
  %0 = dhlo.convolution %x, %w channels_first strides = [3] low = [1] high = [1] input_dilation = [2] filter_dilation = [1] groups = 1
      : (tensor<1x16x5xf32>, tensor<16x16x2xf32>) -> tensor<1x16x4xf32>
  return %0 : tensor<1x16x4xf32>
}

// -----

// The phases depend on the padding.
// CHECK-LABEL: func.func @padding_by_size(
// CHECK-NOT: dhlo.reverse
// CHECK: dhlo.convolution %{{.*}} low = [@L] {{.*}} input_dilation = [2]
dhlo.dim @L in [0, 4]
dhlo.dim @M = @L + 9
func.func @padding_by_size(%x: tensor<1x16x5xf32>, %w: tensor<16x16x2xf32>) -> tensor<1x16x?xf32, #dhlo.dims<M>> {
  %0 = dhlo.convolution %x, %w channels_first strides = [1] low = [@L] high = [1] input_dilation = [2] filter_dilation = [1] groups = 1
      : (tensor<1x16x5xf32>, tensor<16x16x2xf32>) -> tensor<1x16x?xf32, #dhlo.dims<M>>
  return %0 : tensor<1x16x?xf32, #dhlo.dims<M>>
}

// -----

// A window of one pixel that moves by one is a matmul as it is.
// CHECK-LABEL: func.func @pointwise(
// CHECK-NOT: dhlo.reverse
// CHECK: dhlo.convolution %{{.*}} -> tensor<1x5x5x16xf32>
// CHECK-NOT: dhlo.reverse
// CHECK: return
func.func @pointwise(%x: tensor<1x16x5x5xf32>, %w: tensor<16x16x1x1xf32>) -> tensor<1x16x5x5xf32> {
  %0 = dhlo.convolution %x, %w channels_first strides = [1, 1] low = [0, 0] high = [0, 0] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<1x16x5x5xf32>, tensor<16x16x1x1xf32>) -> tensor<1x16x5x5xf32>
  return %0 : tensor<1x16x5x5xf32>
}
