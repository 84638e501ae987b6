// RUN: dyn-opt %s --dlhlo-hoist-constants --dlhlo-pack-constants | FileCheck %s
// RUN: echo '{"cpu": {"winogradChannels": 32}}' > %t.json
// RUN: dyn-opt %s --dlhlo-hoist-constants --dlhlo-pack-constants=target-info=%t.json | FileCheck %s --check-prefix=MORE

// Which filters are packed for Winograd's algorithm: each function but the first has one property
// for which there is none.

// MORE-NOT: winograd4,

// Windows of 3 x 3 on 16 channels.
// CHECK-LABEL: func.func @sixteen(
// CHECK: dlhlo.get_constant {{.*}} : tensor<3x3x16x16xf32, #dlhlo.packed<winograd4, batch = 0, rows = 3>>
func.func @sixteen(%x: tensor<2x8x8x16xf32>) -> tensor<2x8x8x16xf32> attributes {dhlo.entry} {
  %f = dhlo.weight <"m", offset = 0, length = 9216, key = "sixteen"> : tensor<3x3x16x16xf32>
  %0 = dhlo.convolution %x, %f channels_last strides = [1, 1] low = [1, 1] high = [1, 1] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<2x8x8x16xf32>, tensor<3x3x16x16xf32>) -> tensor<2x8x8x16xf32>
  return %0 : tensor<2x8x8x16xf32>
}

// Fifteen channels of the image.
// CHECK-LABEL: func.func @channels(
// CHECK: dlhlo.get_constant {{.*}} : tensor<3x3x15x16xf32, #dlhlo.packed<panels16, batch = 0, rows = 3>>
func.func @channels(%x: tensor<2x8x8x15xf32>) -> tensor<2x8x8x16xf32> attributes {dhlo.entry} {
  %f = dhlo.weight <"m", offset = 0, length = 8640, key = "channels"> : tensor<3x3x15x16xf32>
  %0 = dhlo.convolution %x, %f channels_last strides = [1, 1] low = [1, 1] high = [1, 1] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<2x8x8x15xf32>, tensor<3x3x15x16xf32>) -> tensor<2x8x8x16xf32>
  return %0 : tensor<2x8x8x16xf32>
}

// Windows of 3 x 5.
// CHECK-LABEL: func.func @wide(
// CHECK: dlhlo.get_constant {{.*}} : tensor<3x5x16x16xf32, #dlhlo.packed<panels16, batch = 0, rows = 3>>
func.func @wide(%x: tensor<2x8x8x16xf32>) -> tensor<2x8x8x16xf32> attributes {dhlo.entry} {
  %f = dhlo.weight <"m", offset = 0, length = 15360, key = "wide"> : tensor<3x5x16x16xf32>
  %0 = dhlo.convolution %x, %f channels_last strides = [1, 1] low = [1, 2] high = [1, 2] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<2x8x8x16xf32>, tensor<3x5x16x16xf32>) -> tensor<2x8x8x16xf32>
  return %0 : tensor<2x8x8x16xf32>
}

// Windows of one pixel.
// CHECK-LABEL: func.func @points(
// CHECK: dlhlo.get_constant {{.*}} : tensor<1x1x16x16xf32, #dlhlo.packed<panels16, batch = 0, rows = 3>>
func.func @points(%x: tensor<2x8x8x16xf32>) -> tensor<2x8x8x16xf32> attributes {dhlo.entry} {
  %f = dhlo.weight <"m", offset = 0, length = 1024, key = "points"> : tensor<1x1x16x16xf32>
  %0 = dhlo.convolution %x, %f channels_last strides = [1, 1] low = [0, 0] high = [0, 0] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<2x8x8x16xf32>, tensor<1x1x16x16xf32>) -> tensor<2x8x8x16xf32>
  return %0 : tensor<2x8x8x16xf32>
}

// Windows with gaps.
// CHECK-LABEL: func.func @gaps(
// CHECK: dlhlo.get_constant {{.*}} : tensor<3x3x16x16xf32, #dlhlo.packed<panels16, batch = 0, rows = 3>>
func.func @gaps(%x: tensor<2x8x8x16xf32>) -> tensor<2x8x8x16xf32> attributes {dhlo.entry} {
  %f = dhlo.weight <"m", offset = 0, length = 9216, key = "gaps"> : tensor<3x3x16x16xf32>
  %0 = dhlo.convolution %x, %f channels_last strides = [1, 1] low = [2, 2] high = [2, 2] input_dilation = [1, 1] filter_dilation = [2, 2] groups = 1
      : (tensor<2x8x8x16xf32>, tensor<3x3x16x16xf32>) -> tensor<2x8x8x16xf32>
  return %0 : tensor<2x8x8x16xf32>
}

// Images that are spread out.
// CHECK-LABEL: func.func @spread(
// CHECK: dlhlo.get_constant {{.*}} : tensor<3x3x16x16xf32, #dlhlo.packed<panels16, batch = 0, rows = 3>>
func.func @spread(%x: tensor<2x8x8x16xf32>) -> tensor<2x15x15x16xf32> attributes {dhlo.entry} {
  %f = dhlo.weight <"m", offset = 0, length = 9216, key = "spread"> : tensor<3x3x16x16xf32>
  %0 = dhlo.convolution %x, %f channels_last strides = [1, 1] low = [1, 1] high = [1, 1] input_dilation = [2, 2] filter_dilation = [1, 1] groups = 1
      : (tensor<2x8x8x16xf32>, tensor<3x3x16x16xf32>) -> tensor<2x15x15x16xf32>
  return %0 : tensor<2x15x15x16xf32>
}

// Steps along one of the axes.
// CHECK-LABEL: func.func @steps(
// CHECK: dlhlo.get_constant {{.*}} : tensor<3x3x16x16xf32, #dlhlo.packed<panels16, batch = 0, rows = 3>>
func.func @steps(%x: tensor<2x8x8x16xf32>) -> tensor<2x8x4x16xf32> attributes {dhlo.entry} {
  %f = dhlo.weight <"m", offset = 0, length = 9216, key = "steps"> : tensor<3x3x16x16xf32>
  %0 = dhlo.convolution %x, %f channels_last strides = [1, 2] low = [1, 1] high = [1, 1] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<2x8x8x16xf32>, tensor<3x3x16x16xf32>) -> tensor<2x8x4x16xf32>
  return %0 : tensor<2x8x4x16xf32>
}

// One line of pixels: the algorithm computes four at a time.
// CHECK-LABEL: func.func @one_line(
// CHECK: dlhlo.get_constant {{.*}} : tensor<3x3x16x16xf32, #dlhlo.packed<panels16, batch = 0, rows = 3>>
func.func @one_line(%x: tensor<2x1x8x16xf32>) -> tensor<2x1x8x16xf32> attributes {dhlo.entry} {
  %f = dhlo.weight <"m", offset = 0, length = 9216, key = "one_line"> : tensor<3x3x16x16xf32>
  %0 = dhlo.convolution %x, %f channels_last strides = [1, 1] low = [1, 1] high = [1, 1] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<2x1x8x16xf32>, tensor<3x3x16x16xf32>) -> tensor<2x1x8x16xf32>
  return %0 : tensor<2x1x8x16xf32>
}

// One column.
// CHECK-LABEL: func.func @one_column(
// CHECK: dlhlo.get_constant {{.*}} : tensor<3x3x16x16xf32, #dlhlo.packed<panels16, batch = 0, rows = 3>>
func.func @one_column(%x: tensor<2x8x1x16xf32>) -> tensor<2x8x1x16xf32> attributes {dhlo.entry} {
  %f = dhlo.weight <"m", offset = 0, length = 9216, key = "one_column"> : tensor<3x3x16x16xf32>
  %0 = dhlo.convolution %x, %f channels_last strides = [1, 1] low = [1, 1] high = [1, 1] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<2x8x1x16xf32>, tensor<3x3x16x16xf32>) -> tensor<2x8x1x16xf32>
  return %0 : tensor<2x8x1x16xf32>
}

// Images of one axis.
// CHECK-LABEL: func.func @lines(
// CHECK: dlhlo.get_constant {{.*}} : tensor<3x16x16xf32, #dlhlo.packed<panels16, batch = 0, rows = 2>>
func.func @lines(%x: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> attributes {dhlo.entry} {
  %f = dhlo.weight <"m", offset = 0, length = 3072, key = "lines"> : tensor<3x16x16xf32>
  %0 = dhlo.convolution %x, %f channels_last strides = [1] low = [1] high = [1] input_dilation = [1] filter_dilation = [1] groups = 1
      : (tensor<2x8x16xf32>, tensor<3x16x16xf32>) -> tensor<2x8x16xf32>
  return %0 : tensor<2x8x16xf32>
}

// Images of three axes.
// CHECK-LABEL: func.func @volumes(
// CHECK: dlhlo.get_constant {{.*}} : tensor<3x3x3x16x16xf32, #dlhlo.packed<panels16, batch = 0, rows = 4>>
func.func @volumes(%x: tensor<2x8x8x8x16xf32>) -> tensor<2x8x8x8x16xf32> attributes {dhlo.entry} {
  %f = dhlo.weight <"m", offset = 0, length = 27648, key = "volumes"> : tensor<3x3x3x16x16xf32>
  %0 = dhlo.convolution %x, %f channels_last strides = [1, 1, 1] low = [1, 1, 1] high = [1, 1, 1] input_dilation = [1, 1, 1] filter_dilation = [1, 1, 1] groups = 1
      : (tensor<2x8x8x8x16xf32>, tensor<3x3x3x16x16xf32>) -> tensor<2x8x8x8x16xf32>
  return %0 : tensor<2x8x8x8x16xf32>
}
