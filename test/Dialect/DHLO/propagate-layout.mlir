// RUN: dyn-opt %s -dhlo-propagate-layout -split-input-file | FileCheck %s


// A residual block: one transpose before, one behind.
dhlo.dim @N
dhlo.dim @H
dhlo.dim @W
// CHECK-LABEL: func.func @residual
// CHECK-COUNT-2: dhlo.transpose
// CHECK: dhlo.convolution {{.*}} channels_last
// CHECK-NOT: dhlo.transpose %{{.*}} : (tensor<?x
// CHECK: dhlo.add
// CHECK: dhlo.convolution {{.*}} channels_last
// CHECK: %[[SUM:.*]] = dhlo.add {{.*}} : tensor<?x?x?x16xf32, #dhlo.dims<N, H, W>>
// CHECK: %[[OUT:.*]] = dhlo.transpose %[[SUM]] permutation = [0, 3, 1, 2]
// CHECK: return %[[OUT]]
func.func @residual(%x: tensor<?x16x?x?xf32, #dhlo.dims<N, H, W>>, %w: tensor<16x16x3x3xf32>, %b: tensor<16xf32>)
    -> tensor<?x16x?x?xf32, #dhlo.dims<N, H, W>> {
  %0 = dhlo.convolution %x, %w channels_first strides = [1, 1] low = [1, 1] high = [1, 1]
      input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<?x16x?x?xf32, #dhlo.dims<N, H, W>>, tensor<16x16x3x3xf32>) -> tensor<?x16x?x?xf32, #dhlo.dims<N, H, W>>
  %1 = dhlo.broadcast %b axes = [1] : (tensor<16xf32>) -> tensor<?x16x?x?xf32, #dhlo.dims<N, H, W>>
  %2 = dhlo.add %0, %1 : tensor<?x16x?x?xf32, #dhlo.dims<N, H, W>>
  %3 = dhlo.convolution %2, %w channels_first strides = [1, 1] low = [1, 1] high = [1, 1]
      input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<?x16x?x?xf32, #dhlo.dims<N, H, W>>, tensor<16x16x3x3xf32>) -> tensor<?x16x?x?xf32, #dhlo.dims<N, H, W>>
  %4 = dhlo.add %3, %2 : tensor<?x16x?x?xf32, #dhlo.dims<N, H, W>>
  return %4 : tensor<?x16x?x?xf32, #dhlo.dims<N, H, W>>
}

// -----

// Pooling, concatenation and a global average go along.
// CHECK-LABEL: func.func @pool
// CHECK: dhlo.reduce_window max {{.*}} window = [1, 2, 2, 1] strides = [1, 2, 2, 1]
// CHECK: dhlo.concat {{.*}} axis = 3
// CHECK: dhlo.reduce sum {{.*}} axes = [1, 2]
// CHECK-NEXT: return
func.func @pool(%x: tensor<1x8x4x4xf32>, %w: tensor<8x8x1x1xf32>) -> tensor<1x16xf32> {
  %0 = dhlo.convolution %x, %w channels_first strides = [1, 1] low = [0, 0] high = [0, 0]
      input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<1x8x4x4xf32>, tensor<8x8x1x1xf32>) -> tensor<1x8x4x4xf32>
  %1 = dhlo.reduce_window max %0 window = [1, 1, 2, 2] strides = [1, 1, 2, 2]
      dilations = [1, 1, 1, 1] low = [0, 0, 0, 0] high = [0, 0, 0, 0]
      : (tensor<1x8x4x4xf32>) -> tensor<1x8x2x2xf32>
  %2 = dhlo.concat %1, %1 axis = 1 : (tensor<1x8x2x2xf32>, tensor<1x8x2x2xf32>) -> tensor<1x16x2x2xf32>
  %3 = dhlo.reduce sum %2 axes = [2, 3] : (tensor<1x16x2x2xf32>) -> tensor<1x16xf32>
  return %3 : tensor<1x16xf32>
}

// -----

// Cells that are images: what chooses some of them goes along. Where indices have
// more axes it stays.
dhlo.dim @N
dhlo.dim @R
// CHECK-LABEL: func.func @cells
// CHECK: %[[FIRST:.*]] = dhlo.convolution {{.*}} channels_last
// CHECK: %[[BACK:.*]] = dhlo.transpose %[[FIRST]] permutation = [0, 3, 1, 2]
// CHECK: %[[CELLS:.*]] = dhlo.gather %[[FIRST]], %{{.*}} axis = 0 batch = 0
// CHECK-SAME: -> tensor<?x4x4x16xf32, #dhlo.dims<R>>
// CHECK: dhlo.convolution %[[CELLS]], %{{.*}} channels_last
// CHECK: dhlo.gather %[[FIRST]], %{{.*}} axis = 3 batch = 0
// CHECK-SAME: -> tensor<?x4x4x3xf32, #dhlo.dims<N>>
// CHECK: dhlo.gather %[[BACK]], %{{.*}} axis = 1 batch = 0
// CHECK-SAME: -> tensor<?x2x3x4x4xf32, #dhlo.dims<N>>
func.func @cells(%x: tensor<?x16x4x4xf32, #dhlo.dims<N>>, %w: tensor<16x16x3x3xf32>, %i: tensor<?xi64, #dhlo.dims<R>>,
    %c: tensor<3xi64>, %m: tensor<2x3xi64>)
    -> (tensor<?x16x4x4xf32, #dhlo.dims<R>>, tensor<?x3x4x4xf32, #dhlo.dims<N>>, tensor<?x2x3x4x4xf32, #dhlo.dims<N>>) {
  %0 = dhlo.convolution %x, %w channels_first strides = [1, 1] low = [1, 1] high = [1, 1]
      input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<?x16x4x4xf32, #dhlo.dims<N>>, tensor<16x16x3x3xf32>) -> tensor<?x16x4x4xf32, #dhlo.dims<N>>
  %1 = dhlo.gather %0, %i axis = 0 batch = 0
      : (tensor<?x16x4x4xf32, #dhlo.dims<N>>, tensor<?xi64, #dhlo.dims<R>>) -> tensor<?x16x4x4xf32, #dhlo.dims<R>>
  %2 = dhlo.convolution %1, %w channels_first strides = [1, 1] low = [1, 1] high = [1, 1]
      input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<?x16x4x4xf32, #dhlo.dims<R>>, tensor<16x16x3x3xf32>) -> tensor<?x16x4x4xf32, #dhlo.dims<R>>
  %3 = dhlo.gather %0, %c axis = 1 batch = 0
      : (tensor<?x16x4x4xf32, #dhlo.dims<N>>, tensor<3xi64>) -> tensor<?x3x4x4xf32, #dhlo.dims<N>>
  %4 = dhlo.gather %0, %m axis = 1 batch = 0
      : (tensor<?x16x4x4xf32, #dhlo.dims<N>>, tensor<2x3xi64>) -> tensor<?x2x3x4x4xf32, #dhlo.dims<N>>
  return %2, %3, %4 : tensor<?x16x4x4xf32, #dhlo.dims<R>>, tensor<?x3x4x4xf32, #dhlo.dims<N>>, tensor<?x2x3x4x4xf32, #dhlo.dims<N>>
}

// -----

// Sizes that may be 1 are broadcast in either layout; the sum stays below.
dhlo.dim @N
dhlo.dim @H
dhlo.dim @W
dhlo.dim @U
dhlo.dim @V
dhlo.dim @X = broadcast(@H, @U)
dhlo.dim @Y = broadcast(@W, @V)
// CHECK-LABEL: func.func @maybe
// CHECK-NOT: dhlo.transpose %{{.*}} -> tensor<?x16x
// CHECK: dhlo.broadcast %{{.*}} axes = [0, 1, 2, 3] : (tensor<?x?x?x16xf32, #dhlo.dims<N, H, W>>) -> tensor<?x?x?x16xf32, #dhlo.dims<N, X, Y>>
// CHECK: dhlo.broadcast %{{.*}} axes = [0, 1, 2, 3] : (tensor<?x?x?x16xf32, #dhlo.dims<N, U, V>>) -> tensor<?x?x?x16xf32, #dhlo.dims<N, X, Y>>
// CHECK: %[[SUM:.*]] = dhlo.add
// CHECK: dhlo.transpose %[[SUM]] permutation = [0, 3, 1, 2]
func.func @maybe(%x: tensor<?x16x?x?xf32, #dhlo.dims<N, H, W>>, %y: tensor<?x16x?x?xf32, #dhlo.dims<N, U, V>>, %w: tensor<16x16x1x1xf32>)
    -> tensor<?x16x?x?xf32, #dhlo.dims<N, X, Y>> {
  %0 = dhlo.convolution %x, %w channels_first strides = [1, 1] low = [0, 0] high = [0, 0]
      input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<?x16x?x?xf32, #dhlo.dims<N, H, W>>, tensor<16x16x1x1xf32>) -> tensor<?x16x?x?xf32, #dhlo.dims<N, H, W>>
  %1 = dhlo.convolution %y, %w channels_first strides = [1, 1] low = [0, 0] high = [0, 0]
      input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<?x16x?x?xf32, #dhlo.dims<N, U, V>>, tensor<16x16x1x1xf32>) -> tensor<?x16x?x?xf32, #dhlo.dims<N, U, V>>
  %2 = dhlo.broadcast %0 axes = [0, 1, 2, 3] : (tensor<?x16x?x?xf32, #dhlo.dims<N, H, W>>) -> tensor<?x16x?x?xf32, #dhlo.dims<N, X, Y>>
  %3 = dhlo.broadcast %1 axes = [0, 1, 2, 3] : (tensor<?x16x?x?xf32, #dhlo.dims<N, U, V>>) -> tensor<?x16x?x?xf32, #dhlo.dims<N, X, Y>>
  %4 = dhlo.add %2, %3 : tensor<?x16x?x?xf32, #dhlo.dims<N, X, Y>>
  return %4 : tensor<?x16x?x?xf32, #dhlo.dims<N, X, Y>>
}

// -----

// Filters of groups of images: the axis of filters stays in front.
dhlo.dim @N
// CHECK-LABEL: func.func @grouped
// CHECK: %[[W:.*]] = dhlo.transpose %{{.*}} permutation = [0, 3, 4, 2, 1] : (tensor<2x32x24x3x3xf32>) -> tensor<2x3x3x24x32xf32>
// CHECK: dhlo.grouped_convolution %{{.*}}, %[[W]], %{{.*}} channels_last
func.func @grouped(%x: tensor<?x24x8x8xf32, #dhlo.dims<N>>, %w: tensor<2x32x24x3x3xf32>, %o: tensor<3xi64>)
    -> tensor<?x32x8x8xf32, #dhlo.dims<N>> {
  %0 = dhlo.grouped_convolution %x, %w, %o channels_first strides = [1, 1] low = [1, 1] high = [1, 1]
      input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<?x24x8x8xf32, #dhlo.dims<N>>, tensor<2x32x24x3x3xf32>, tensor<3xi64>) -> tensor<?x32x8x8xf32, #dhlo.dims<N>>
  return %0 : tensor<?x32x8x8xf32, #dhlo.dims<N>>
}

// -----

// With few channels vectors are pixels: channels stay first in the whole network, in that of 16, too.
dhlo.dim @N
dhlo.dim @W
// CHECK-LABEL: func.func @few
// CHECK-NOT: dhlo.transpose
// CHECK-COUNT-3: dhlo.convolution {{.*}} channels_first
// CHECK-NOT: dhlo.transpose
// CHECK-NOT: dhlo.layout
// CHECK: return
func.func @few(%x: tensor<?x3x16x?xf32, #dhlo.dims<N, W>>, %u: tensor<8x3x3x3xf32>, %v: tensor<16x8x3x3xf32>, %w: tensor<3x16x3x3xf32>)
    -> tensor<?x3x16x?xf32, #dhlo.dims<N, W>> {
  %0 = dhlo.convolution %x, %u channels_first strides = [1, 1] low = [1, 1] high = [1, 1]
      input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<?x3x16x?xf32, #dhlo.dims<N, W>>, tensor<8x3x3x3xf32>) -> tensor<?x8x16x?xf32, #dhlo.dims<N, W>>
  %1 = dhlo.tanh %0 : tensor<?x8x16x?xf32, #dhlo.dims<N, W>>
  %2 = dhlo.convolution %1, %v channels_first strides = [1, 1] low = [1, 1] high = [1, 1]
      input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<?x8x16x?xf32, #dhlo.dims<N, W>>, tensor<16x8x3x3xf32>) -> tensor<?x16x16x?xf32, #dhlo.dims<N, W>>
  %3 = dhlo.convolution %2, %w channels_first strides = [1, 1] low = [1, 1] high = [1, 1]
      input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<?x16x16x?xf32, #dhlo.dims<N, W>>, tensor<3x16x3x3xf32>) -> tensor<?x3x16x?xf32, #dhlo.dims<N, W>>
  return %3 : tensor<?x3x16x?xf32, #dhlo.dims<N, W>>
}

// -----

// One of them moves along lines in steps: channels come last in all.
// CHECK-LABEL: func.func @step
// CHECK-COUNT-2: dhlo.convolution {{.*}} channels_last
func.func @step(%x: tensor<1x3x32x32xf32>, %u: tensor<8x3x3x3xf32>, %v: tensor<8x8x3x3xf32>) -> tensor<1x8x16x16xf32> {
  %0 = dhlo.convolution %x, %u channels_first strides = [1, 1] low = [1, 1] high = [1, 1]
      input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<1x3x32x32xf32>, tensor<8x3x3x3xf32>) -> tensor<1x8x32x32xf32>
  %1 = dhlo.convolution %0, %v channels_first strides = [2, 2] low = [1, 1] high = [1, 1]
      input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<1x8x32x32xf32>, tensor<8x8x3x3xf32>) -> tensor<1x8x16x16xf32>
  return %1 : tensor<1x8x16x16xf32>
}

// -----

// Lines of 4 pixels fill vectors less than 8 channels do.
// CHECK-LABEL: func.func @short
// CHECK: dhlo.convolution {{.*}} channels_last
func.func @short(%x: tensor<1x8x4x4xf32>, %w: tensor<8x8x3x3xf32>) -> tensor<1x8x4x4xf32> {
  %0 = dhlo.convolution %x, %w channels_first strides = [1, 1] low = [1, 1] high = [1, 1]
      input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<1x8x4x4xf32>, tensor<8x8x3x3xf32>) -> tensor<1x8x4x4xf32>
  return %0 : tensor<1x8x4x4xf32>
}
