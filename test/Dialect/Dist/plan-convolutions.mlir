// RUN: dyn-compile %s --plan=%S/Inputs/machine.json --plan-stages=1 | FileCheck %s

// Ranks with fewer filters would choose another algorithm, and have other bits. So each has all of them, and convolves
// its images, of which a batch of one has none for the other rank.

// CHECK: memory of a rank: weights 9.437 MB
// CHECK: convolution: all, all;

func.func @main(%x: tensor<1x64x64x512xf32>) -> tensor<1x64x64x512xf32> attributes {dhlo.entry} {
  %w = dhlo.weight <"w.bin", offset = 0, length = 9437184, key = "w"> : tensor<3x3x512x512xf32>
  %0 = dhlo.convolution %x, %w channels_last strides = [1, 1] low = [1, 1] high = [1, 1] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<1x64x64x512xf32>, tensor<3x3x512x512xf32>) -> tensor<1x64x64x512xf32>
  return %0 : tensor<1x64x64x512xf32>
}
