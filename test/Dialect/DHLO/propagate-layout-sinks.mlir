// RUN: dyn-opt %s -dhlo-propagate-layout -split-input-file | FileCheck %s

// What transposes behind convolutions pass and what stops them. Each function has one convolution
// with enough channels that they come last, and one operation behind it.

// Without a convolution nothing is done, not even to a transpose that moves axes of size 1.
// CHECK-LABEL: func.func @no_convolution
// CHECK: dhlo.transpose
func.func @no_convolution(%x: tensor<1x8x1xf32>) -> tensor<8x1x1xf32> {
  %0 = dhlo.transpose %x permutation = [1, 0, 2] : (tensor<1x8x1xf32>) -> tensor<8x1x1xf32>
  return %0 : tensor<8x1x1xf32>
}

// -----

// Channels that are last already stay, and no transpose is made.
// CHECK-LABEL: func.func @last_already
// CHECK-NOT: dhlo.transpose
// CHECK: dhlo.convolution %arg0, %arg1 channels_last
// CHECK-NOT: dhlo.transpose
// CHECK: return
func.func @last_already(%x: tensor<1x4x4x16xf32>, %w: tensor<1x1x16x16xf32>) -> tensor<1x4x4x16xf32> {
  %0 = dhlo.convolution %x, %w channels_last strides = [1, 1] low = [0, 0] high = [0, 0] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<1x4x4x16xf32>, tensor<1x1x16x16xf32>) -> tensor<1x4x4x16xf32>
  return %0 : tensor<1x4x4x16xf32>
}

// -----

// One and three axes of an image.
// CHECK-LABEL: func.func @axes
// CHECK-DAG: dhlo.transpose %arg0 permutation = [0, 2, 1]
// CHECK-DAG: dhlo.transpose %arg1 permutation = [2, 1, 0]
// CHECK: %[[A:.*]] = dhlo.convolution {{.*}} channels_last {{.*}} -> tensor<2x5x16xf32>
// CHECK: dhlo.transpose %[[A]] permutation = [0, 2, 1]
// CHECK-DAG: dhlo.transpose %arg2 permutation = [0, 2, 3, 4, 1]
// CHECK-DAG: dhlo.transpose %arg3 permutation = [2, 3, 4, 1, 0]
// CHECK: %[[B:.*]] = dhlo.convolution {{.*}} channels_last {{.*}} -> tensor<2x3x4x5x16xf32>
// CHECK: dhlo.transpose %[[B]] permutation = [0, 4, 1, 2, 3]
func.func @axes(%x: tensor<2x16x5xf32>, %w: tensor<16x16x1xf32>, %y: tensor<2x16x3x4x5xf32>, %v: tensor<16x16x1x1x1xf32>)
    -> (tensor<2x16x5xf32>, tensor<2x16x3x4x5xf32>) {
  %0 = dhlo.convolution %x, %w channels_first strides = [1] low = [0] high = [0] input_dilation = [1] filter_dilation = [1] groups = 1
      : (tensor<2x16x5xf32>, tensor<16x16x1xf32>) -> tensor<2x16x5xf32>
  %1 = dhlo.convolution %y, %v channels_first strides = [1, 1, 1] low = [0, 0, 0] high = [0, 0, 0] input_dilation = [1, 1, 1] filter_dilation = [1, 1, 1] groups = 1
      : (tensor<2x16x3x4x5xf32>, tensor<16x16x1x1x1xf32>) -> tensor<2x16x3x4x5xf32>
  return %0, %1 : tensor<2x16x5xf32>, tensor<2x16x3x4x5xf32>
}

// -----

// Padding has an element for each axis, its value none: both go along.
// CHECK-LABEL: func.func @pad
// CHECK: %[[C:.*]] = dhlo.convolution
// CHECK: %[[P:.*]] = dhlo.pad %[[C]], %arg2 constant low = [0, 1, 2, 0] high = [0, 3, 4, 0] {{.*}} -> tensor<1x8x10x16xf32>
// CHECK: %[[T:.*]] = dhlo.transpose %[[P]] permutation = [0, 3, 1, 2]
// CHECK: return %[[T]]
func.func @pad(%x: tensor<1x16x4x4xf32>, %w: tensor<16x16x1x1xf32>, %v: tensor<f32>) -> tensor<1x16x8x10xf32> {
  %0 = dhlo.convolution %x, %w channels_first strides = [1, 1] low = [0, 0] high = [0, 0] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<1x16x4x4xf32>, tensor<16x16x1x1xf32>) -> tensor<1x16x4x4xf32>
  %1 = dhlo.pad %0, %v constant low = [0, 0, 1, 2] high = [0, 0, 3, 4] : (tensor<1x16x4x4xf32>, tensor<f32>) -> tensor<1x16x8x10xf32>
  return %1 : tensor<1x16x8x10xf32>
}

// -----

// A slice and a softmax of channels name axes.
// CHECK-LABEL: func.func @named_axes
// CHECK: %[[C:.*]] = dhlo.convolution
// CHECK: %[[S:.*]] = dhlo.slice %[[C]] starts = [0, 1, 2, 3] strides = [1, 1, 1, 1] {{.*}} -> tensor<1x2x2x8xf32>
// CHECK: %[[M:.*]] = dhlo.softmax %[[S]] axis = 3
// CHECK: dhlo.transpose %[[M]] permutation = [0, 3, 1, 2]
func.func @named_axes(%x: tensor<1x16x4x4xf32>, %w: tensor<16x16x1x1xf32>) -> tensor<1x8x2x2xf32> {
  %0 = dhlo.convolution %x, %w channels_first strides = [1, 1] low = [0, 0] high = [0, 0] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<1x16x4x4xf32>, tensor<16x16x1x1xf32>) -> tensor<1x16x4x4xf32>
  %1 = dhlo.slice %0 starts = [0, 3, 1, 2] strides = [1, 1, 1, 1] : (tensor<1x16x4x4xf32>) -> tensor<1x8x2x2xf32>
  %2 = dhlo.softmax %1 axis = 1 : tensor<1x8x2x2xf32>
  return %2 : tensor<1x8x2x2xf32>
}

// -----

// A resize has a scale for each axis.
// CHECK-LABEL: func.func @resize
// CHECK: %[[C:.*]] = dhlo.convolution
// CHECK: %[[R:.*]] = dhlo.resize nearest asymmetric floor %[[C]] scales = [1.000000e+00, 2.000000e+00, 3.000000e+00, 1.000000e+00]
// CHECK-SAME: -> tensor<1x8x12x16xf32>
// CHECK: dhlo.transpose %[[R]] permutation = [0, 3, 1, 2]
func.func @resize(%x: tensor<1x16x4x4xf32>, %w: tensor<16x16x1x1xf32>) -> tensor<1x16x8x12xf32> {
  %0 = dhlo.convolution %x, %w channels_first strides = [1, 1] low = [0, 0] high = [0, 0] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<1x16x4x4xf32>, tensor<16x16x1x1xf32>) -> tensor<1x16x4x4xf32>
  %1 = dhlo.resize nearest asymmetric floor %0 scales = [1.0, 1.0, 2.0, 3.0] coefficient = -0.75 : (tensor<1x16x4x4xf32>) -> tensor<1x16x8x12xf32>
  return %1 : tensor<1x16x8x12xf32>
}

// -----

// A norm of the last axes and a reversal move axes in ways of their own: the transpose stays
// before them.
// CHECK-LABEL: func.func @stops
// CHECK: %[[C:.*]] = dhlo.convolution
// CHECK: %[[T:.*]] = dhlo.transpose %[[C]] permutation = [0, 3, 1, 2]
// CHECK: dhlo.layer_norm %[[T]]
// CHECK: dhlo.reverse %[[T]] axes = [3]
func.func @stops(%x: tensor<1x16x4x4xf32>, %w: tensor<16x16x1x1xf32>, %g: tensor<4x4xf32>) -> (tensor<1x16x4x4xf32>, tensor<1x16x4x4xf32>) {
  %0 = dhlo.convolution %x, %w channels_first strides = [1, 1] low = [0, 0] high = [0, 0] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<1x16x4x4xf32>, tensor<16x16x1x1xf32>) -> tensor<1x16x4x4xf32>
  %1 = dhlo.layer_norm %0, %g axis = 2 eps = 1.0e-5 : (tensor<1x16x4x4xf32>, tensor<4x4xf32>) -> tensor<1x16x4x4xf32>
  %2 = dhlo.reverse %0 axes = [3] : tensor<1x16x4x4xf32>
  return %1, %2 : tensor<1x16x4x4xf32>, tensor<1x16x4x4xf32>
}

// -----

// A splat and a broadcast are made in the other layout; a scale of each image and channel is
// transposed before it is repeated, since it is smaller than the image.
// CHECK-LABEL: func.func @free
// CHECK-DAG: %[[TWO:.*]] = dhlo.constant dense<2.000000e+00> : tensor<2x4x4x16xf32>
// CHECK-DAG: %[[C:.*]] = dhlo.convolution
// CHECK: %[[A:.*]] = dhlo.add %[[C]], %[[TWO]]
// CHECK: %[[B:.*]] = dhlo.broadcast %arg2 axes = [0, 3] : (tensor<2x16xf32>) -> tensor<2x4x4x16xf32>
// CHECK: %[[M:.*]] = dhlo.mul %[[A]], %[[B]]
// CHECK: %[[P:.*]] = dhlo.transpose %arg3 permutation = [1, 2, 0] : (tensor<16x4x4xf32>) -> tensor<4x4x16xf32>
// CHECK: %[[Q:.*]] = dhlo.broadcast %[[P]] axes = [1, 2, 3]
// CHECK: %[[S:.*]] = dhlo.sub %[[M]], %[[Q]]
// CHECK: dhlo.transpose %[[S]] permutation = [0, 3, 1, 2]
func.func @free(%x: tensor<2x16x4x4xf32>, %w: tensor<16x16x1x1xf32>, %s: tensor<2x16xf32>, %p: tensor<16x4x4xf32>) -> tensor<2x16x4x4xf32> {
  %0 = dhlo.convolution %x, %w channels_first strides = [1, 1] low = [0, 0] high = [0, 0] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<2x16x4x4xf32>, tensor<16x16x1x1xf32>) -> tensor<2x16x4x4xf32>
  %c = dhlo.constant dense<2.0> : tensor<2x16x4x4xf32>
  %1 = dhlo.add %0, %c : tensor<2x16x4x4xf32>
  %2 = dhlo.broadcast %s axes = [0, 1] : (tensor<2x16xf32>) -> tensor<2x16x4x4xf32>
  %3 = dhlo.mul %1, %2 : tensor<2x16x4x4xf32>
  %4 = dhlo.broadcast %p axes = [1, 2, 3] : (tensor<16x4x4xf32>) -> tensor<2x16x4x4xf32>
  %5 = dhlo.sub %3, %4 : tensor<2x16x4x4xf32>
  return %5 : tensor<2x16x4x4xf32>
}

// -----

// One image in each layout: a transpose behind the sum would need another before it.
// CHECK-LABEL: func.func @as_many
// CHECK: %[[C:.*]] = dhlo.convolution
// CHECK: %[[T:.*]] = dhlo.transpose %[[C]] permutation = [0, 3, 1, 2]
// CHECK: dhlo.add %[[T]], %arg2
func.func @as_many(%x: tensor<1x16x4x4xf32>, %w: tensor<16x16x1x1xf32>, %y: tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32> {
  %0 = dhlo.convolution %x, %w channels_first strides = [1, 1] low = [0, 0] high = [0, 0] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<1x16x4x4xf32>, tensor<16x16x1x1xf32>) -> tensor<1x16x4x4xf32>
  %1 = dhlo.add %0, %y : tensor<1x16x4x4xf32>
  return %1 : tensor<1x16x4x4xf32>
}

// -----

// A reduction sorts its axes, and what it keeps is transposed if its order is another one.
// CHECK-LABEL: func.func @reductions
// CHECK: %[[C:.*]] = dhlo.convolution
// CHECK: dhlo.reduce max %[[C]] axes = [3] : (tensor<2x4x5x16xf32>) -> tensor<2x4x5xf32>
// CHECK: %[[R:.*]] = dhlo.reduce max %[[C]] axes = [1] : (tensor<2x4x5x16xf32>) -> tensor<2x5x16xf32>
// CHECK: dhlo.transpose %[[R]] permutation = [0, 2, 1] : (tensor<2x5x16xf32>) -> tensor<2x16x5xf32>
// CHECK: dhlo.reduce max %[[C]] axes = [1, 3] : (tensor<2x4x5x16xf32>) -> tensor<2x5xf32>
func.func @reductions(%x: tensor<2x16x4x5xf32>, %w: tensor<16x16x1x1xf32>) -> (tensor<2x4x5xf32>, tensor<2x16x5xf32>, tensor<2x5xf32>) {
  %0 = dhlo.convolution %x, %w channels_first strides = [1, 1] low = [0, 0] high = [0, 0] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<2x16x4x5xf32>, tensor<16x16x1x1xf32>) -> tensor<2x16x4x5xf32>
  %1 = dhlo.reduce max %0 axes = [1] : (tensor<2x16x4x5xf32>) -> tensor<2x4x5xf32>
  %2 = dhlo.reduce max %0 axes = [2] : (tensor<2x16x4x5xf32>) -> tensor<2x16x5xf32>
  %3 = dhlo.reduce max %0 axes = [1, 2] : (tensor<2x16x4x5xf32>) -> tensor<2x5xf32>
  return %1, %2, %3 : tensor<2x4x5xf32>, tensor<2x16x5xf32>, tensor<2x5xf32>
}

// -----

// A reshape of an image's pixels keeps images and channels apart; one that merges channels with
// pixels, or images with channels, does not, and neither does one to a matrix.
// CHECK-LABEL: func.func @reshapes
// CHECK: %[[C:.*]] = dhlo.convolution
// CHECK: %[[T:.*]] = dhlo.transpose %[[C]] permutation = [0, 3, 1, 2]
// CHECK: %[[R:.*]] = dhlo.reshape %[[C]] : (tensor<2x4x4x16xf32>) -> tensor<2x16x16xf32>
// CHECK: dhlo.transpose %[[R]] permutation = [0, 2, 1]
// CHECK: dhlo.reshape %[[T]] : (tensor<2x16x4x4xf32>) -> tensor<2x64x4xf32>
// CHECK: dhlo.reshape %[[T]] : (tensor<2x16x4x4xf32>) -> tensor<32x4x4xf32>
// CHECK: dhlo.reshape %[[T]] : (tensor<2x16x4x4xf32>) -> tensor<2x256xf32>
func.func @reshapes(%x: tensor<2x16x4x4xf32>, %w: tensor<16x16x1x1xf32>) -> (tensor<2x16x16xf32>, tensor<2x64x4xf32>, tensor<32x4x4xf32>, tensor<2x256xf32>) {
  %0 = dhlo.convolution %x, %w channels_first strides = [1, 1] low = [0, 0] high = [0, 0] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<2x16x4x4xf32>, tensor<16x16x1x1xf32>) -> tensor<2x16x4x4xf32>
  %1 = dhlo.reshape %0 : (tensor<2x16x4x4xf32>) -> tensor<2x16x16xf32>
  %2 = dhlo.reshape %0 : (tensor<2x16x4x4xf32>) -> tensor<2x64x4xf32>
  %3 = dhlo.reshape %0 : (tensor<2x16x4x4xf32>) -> tensor<32x4x4xf32>
  %4 = dhlo.reshape %0 : (tensor<2x16x4x4xf32>) -> tensor<2x256xf32>
  return %1, %2, %3, %4 : tensor<2x16x16xf32>, tensor<2x64x4xf32>, tensor<32x4x4xf32>, tensor<2x256xf32>
}

// -----

// The model's own transpose to channels last cancels with the pass's; another one is composed with
// it to one. A transpose of its own that has nothing to do with images stays.
// CHECK-LABEL: func.func @own_transposes
// CHECK: %[[O:.*]] = dhlo.transpose %arg2 permutation = [1, 0] : (tensor<3x5xf32>) -> tensor<5x3xf32>
// CHECK: %[[C:.*]] = dhlo.convolution
// CHECK: %[[T:.*]] = dhlo.transpose %[[C]] permutation = [3, 0, 1, 2] : (tensor<2x4x5x16xf32>) -> tensor<16x2x4x5xf32>
// CHECK: return %[[C]], %[[T]], %[[O]]
func.func @own_transposes(%x: tensor<2x16x4x5xf32>, %w: tensor<16x16x1x1xf32>, %m: tensor<3x5xf32>) -> (tensor<2x4x5x16xf32>, tensor<16x2x4x5xf32>, tensor<5x3xf32>) {
  %o = dhlo.transpose %m permutation = [1, 0] : (tensor<3x5xf32>) -> tensor<5x3xf32>
  %0 = dhlo.convolution %x, %w channels_first strides = [1, 1] low = [0, 0] high = [0, 0] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<2x16x4x5xf32>, tensor<16x16x1x1xf32>) -> tensor<2x16x4x5xf32>
  %1 = dhlo.transpose %0 permutation = [0, 2, 3, 1] : (tensor<2x16x4x5xf32>) -> tensor<2x4x5x16xf32>
  %2 = dhlo.transpose %0 permutation = [1, 0, 2, 3] : (tensor<2x16x4x5xf32>) -> tensor<16x2x4x5xf32>
  return %1, %2, %o : tensor<2x4x5x16xf32>, tensor<16x2x4x5xf32>, tensor<5x3xf32>
}

// -----

// An image of one pixel has the same elements in both layouts: reshapes, no transposes. The axis
// of a size that may be 1 counts as one that has elements.
dhlo.dim @N
dhlo.dim @H in [1, 8]
// CHECK-LABEL: func.func @pixel
// CHECK: %[[R:.*]] = dhlo.reshape %arg0 : (tensor<?x16x1x1xf32, #dhlo.dims<N>>) -> tensor<?x1x1x16xf32, #dhlo.dims<N>>
// CHECK: dhlo.convolution %[[R]]
// CHECK: dhlo.transpose %arg1 permutation = [0, 2, 3, 1]
func.func @pixel(%x: tensor<?x16x1x1xf32, #dhlo.dims<N>>, %y: tensor<?x16x?x1xf32, #dhlo.dims<N, H>>, %w: tensor<16x16x1x1xf32>)
    -> (tensor<?x16x1x1xf32, #dhlo.dims<N>>, tensor<?x16x?x1xf32, #dhlo.dims<N, H>>) {
  %0 = dhlo.convolution %x, %w channels_first strides = [1, 1] low = [0, 0] high = [0, 0] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<?x16x1x1xf32, #dhlo.dims<N>>, tensor<16x16x1x1xf32>) -> tensor<?x16x1x1xf32, #dhlo.dims<N>>
  %1 = dhlo.convolution %y, %w channels_first strides = [1, 1] low = [0, 0] high = [0, 0] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<?x16x?x1xf32, #dhlo.dims<N, H>>, tensor<16x16x1x1xf32>) -> tensor<?x16x?x1xf32, #dhlo.dims<N, H>>
  return %0, %1 : tensor<?x16x1x1xf32, #dhlo.dims<N>>, tensor<?x16x?x1xf32, #dhlo.dims<N, H>>
}
