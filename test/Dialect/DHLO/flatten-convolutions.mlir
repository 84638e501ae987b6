// RUN: dyn-opt %s -dhlo-flatten-convolutions | FileCheck %s

dhlo.dim @N
dhlo.dim @D
dhlo.dim @H
dhlo.dim @W

// Planes are images; the depth's attributes are gone.
// CHECK-LABEL: func.func @planes
// CHECK: %[[X:.*]] = dhlo.reshape %arg0 : {{.*}} -> tensor<?x?x?x3xf32, #dhlo.dims<[[P:.*]], H, W>>
// CHECK: %[[F:.*]] = dhlo.reshape %arg1 : (tensor<1x3x5x3x16xf32>) -> tensor<3x5x3x16xf32>
// CHECK: %[[C:.*]] = dhlo.convolution %[[X]], %[[F]] channels_last strides = [1, 1] low = [1, 2] high = [1, 2] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1 : {{.*}} -> tensor<?x?x?x16xf32, #dhlo.dims<[[P]], H, W>>
// CHECK: dhlo.reshape %[[C]] : {{.*}} -> tensor<?x?x?x?x16xf32, #dhlo.dims<N, D, H, W>>
func.func @planes(%x: tensor<?x?x?x?x3xf32, #dhlo.dims<N, D, H, W>>, %w: tensor<1x3x5x3x16xf32>) -> tensor<?x?x?x?x16xf32, #dhlo.dims<N, D, H, W>> {
  %0 = dhlo.convolution %x, %w channels_last strides = [1, 1, 1] low = [0, 1, 2] high = [0, 1, 2] input_dilation = [1, 1, 1] filter_dilation = [1, 1, 1] groups = 1 : (tensor<?x?x?x?x3xf32, #dhlo.dims<N, D, H, W>>, tensor<1x3x5x3x16xf32>) -> tensor<?x?x?x?x16xf32, #dhlo.dims<N, D, H, W>>
  return %0 : tensor<?x?x?x?x16xf32, #dhlo.dims<N, D, H, W>>
}

// The pixels of a plane are an image row; groups stay.
// CHECK-LABEL: func.func @depth
// CHECK: %[[X:.*]] = dhlo.reshape %arg0 : (tensor<2x9x4x5x4xf32>) -> tensor<2x9x20x4xf32>
// CHECK: %[[F:.*]] = dhlo.reshape %arg1 : (tensor<3x1x1x2x16xf32>) -> tensor<3x1x2x16xf32>
// CHECK: %[[C:.*]] = dhlo.convolution %[[X]], %[[F]] channels_last strides = [2, 1] low = [1, 0] high = [1, 0] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 2 : {{.*}} -> tensor<2x5x20x16xf32>
// CHECK: dhlo.reshape %[[C]] : {{.*}} -> tensor<2x5x4x5x16xf32>
func.func @depth(%x: tensor<2x9x4x5x4xf32>, %w: tensor<3x1x1x2x16xf32>) -> tensor<2x5x4x5x16xf32> {
  %0 = dhlo.convolution %x, %w channels_last strides = [2, 1, 1] low = [1, 0, 0] high = [1, 0, 0] input_dilation = [1, 1, 1] filter_dilation = [1, 1, 1] groups = 2 : (tensor<2x9x4x5x4xf32>, tensor<3x1x1x2x16xf32>) -> tensor<2x5x4x5x16xf32>
  return %0 : tensor<2x5x4x5x16xf32>
}

// These stay: a window of two axes, a stride or padding along an axis of one element of the window,
// channels first, images.
// CHECK-LABEL: func.func @volumes
// CHECK-NOT: dhlo.reshape
func.func @volumes(%x: tensor<2x4x5x6x3xf32>, %a: tensor<2x1x2x3x8xf32>, %b: tensor<1x2x2x3x8xf32>, %y: tensor<2x3x4x5x6xf32>, %c: tensor<8x3x1x1x1xf32>, %z: tensor<2x5x6x3xf32>, %d: tensor<1x2x3x8xf32>)
    -> (tensor<2x3x5x5x8xf32>, tensor<2x2x4x5x8xf32>, tensor<2x5x4x5x8xf32>, tensor<2x8x4x5x6xf32>, tensor<2x5x5x8xf32>) {
  %0 = dhlo.convolution %x, %a channels_last strides = [1, 1, 1] low = [0, 0, 0] high = [0, 0, 0] input_dilation = [1, 1, 1] filter_dilation = [1, 1, 1] groups = 1 : (tensor<2x4x5x6x3xf32>, tensor<2x1x2x3x8xf32>) -> tensor<2x3x5x5x8xf32>
  %1 = dhlo.convolution %x, %b channels_last strides = [2, 1, 1] low = [0, 0, 0] high = [0, 0, 0] input_dilation = [1, 1, 1] filter_dilation = [1, 1, 1] groups = 1 : (tensor<2x4x5x6x3xf32>, tensor<1x2x2x3x8xf32>) -> tensor<2x2x4x5x8xf32>
  %2 = dhlo.convolution %x, %b channels_last strides = [1, 1, 1] low = [1, 0, 0] high = [0, 0, 0] input_dilation = [1, 1, 1] filter_dilation = [1, 1, 1] groups = 1 : (tensor<2x4x5x6x3xf32>, tensor<1x2x2x3x8xf32>) -> tensor<2x5x4x5x8xf32>
  %3 = dhlo.convolution %y, %c channels_first strides = [1, 1, 1] low = [0, 0, 0] high = [0, 0, 0] input_dilation = [1, 1, 1] filter_dilation = [1, 1, 1] groups = 1 : (tensor<2x3x4x5x6xf32>, tensor<8x3x1x1x1xf32>) -> tensor<2x8x4x5x6xf32>
  %4 = dhlo.convolution %z, %d channels_last strides = [1, 1] low = [0, 0] high = [0, 0] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1 : (tensor<2x5x6x3xf32>, tensor<1x2x3x8xf32>) -> tensor<2x5x5x8xf32>
  return %0, %1, %2, %3, %4 : tensor<2x3x5x5x8xf32>, tensor<2x2x4x5x8xf32>, tensor<2x5x4x5x8xf32>, tensor<2x8x4x5x6xf32>, tensor<2x5x5x8xf32>
}
