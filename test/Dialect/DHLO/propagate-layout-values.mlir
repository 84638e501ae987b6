// Transposed convolutions have the values of convolutions of dilated inputs, interpreted and compiled,
// at sizes of none, one, and several pixels, with what follows in the last kernel.
// RUN: dyn-opt %s -dhlo-propagate-layout -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: dyn-compile %s -o %t.so
// RUN: dyn-run --reference %s --input x=random:2x8x0x5 --output %t.0.npz
// RUN: dyn-run --reference %t.mlir --input x=random:2x8x0x5 --check %t.0.npz --tolerance 1e-6
// RUN: dyn-run %t.so --input x=random:2x8x0x5 --check %t.0.npz --tolerance 1e-6
// RUN: dyn-run --reference %s --input x=random:2x8x1x1 --output %t.1.npz
// RUN: dyn-run --reference %t.mlir --input x=random:2x8x1x1 --check %t.1.npz --tolerance 1e-6
// RUN: dyn-run %t.so --input x=random:2x8x1x1 --check %t.1.npz --tolerance 1e-6
// RUN: dyn-run --reference %s --input x=random:1x8x7x5 --output %t.2.npz
// RUN: dyn-run --reference %t.mlir --input x=random:1x8x7x5 --check %t.2.npz --tolerance 1e-6
// RUN: dyn-run %t.so --input x=random:1x8x7x5 --check %t.2.npz --tolerance 1e-6
// RUN: dyn-run --reference %s --input x=random:3x8x13x2 --output %t.3.npz
// RUN: dyn-run --reference %t.mlir --input x=random:3x8x13x2 --check %t.3.npz --tolerance 1e-6
// RUN: dyn-run %t.so --input x=random:3x8x13x2 --check %t.3.npz --tolerance 1e-6

// CHECK-NOT: input_dilation = [{{.*}}{{[2-9]}}{{.*}}] filter
// CHECK: return
dhlo.dim @N in [0, 8]
dhlo.dim @H in [0, 64]
dhlo.dim @W in [0, 64]
dhlo.dim @overlapH = 2 * @H
dhlo.dim @overlapW = 2 * @W
dhlo.dim @oddH = 2 * @H
dhlo.dim @oddW = 3 * @W
dhlo.dim @fewH = 2 * @H
dhlo.dim @fewW = 2 * @W
dhlo.dim @shortH = 3 * @H
dhlo.dim @shortW = 4 * @W
dhlo.dim @gapsH = 2 * @H + 3
dhlo.dim @gapsW = 3 * @W
dhlo.dim @groupsH = 2 * @H
dhlo.dim @groupsW = 2 * @W
dhlo.dim @depthwiseH = 2 * @H
dhlo.dim @depthwiseW = 2 * @W
func.func @main(%x: tensor<?x8x?x?xf32, #dhlo.dims<N, H, W>> {dhlo.name = "x"}) -> (
    tensor<?x8x?x?xf32, #dhlo.dims<N, overlapH, overlapW>> {dhlo.name = "overlap"},
    tensor<?x17x?x?xf32, #dhlo.dims<N, oddH, oddW>> {dhlo.name = "odd"},
    tensor<?x3x?x?xf32, #dhlo.dims<N, fewH, fewW>> {dhlo.name = "few"},
    tensor<?x8x?x?xf32, #dhlo.dims<N, shortH, shortW>> {dhlo.name = "short"},
    tensor<?x8x?x?xf32, #dhlo.dims<N, gapsH, gapsW>> {dhlo.name = "gaps"},
    tensor<?x12x?x?xf32, #dhlo.dims<N, groupsH, groupsW>> {dhlo.name = "groups"},
    tensor<?x8x?x?xf32, #dhlo.dims<N, depthwiseH, depthwiseW>> {dhlo.name = "depthwise"},
    tensor<15x8x2x34xf32> {dhlo.name = "small"}) attributes {dhlo.entry} {
  %overlap_i = dhlo.iota axis = 0 start = [0] step = [1] : tensor<1024xf32>
  %overlap_s = dhlo.sin %overlap_i : tensor<1024xf32>
  %overlap_w = dhlo.reshape %overlap_s : (tensor<1024xf32>) -> tensor<8x8x4x4xf32>
  %overlap_c = dhlo.convolution %x, %overlap_w channels_first strides = [1, 1] low = [2, 2] high = [2, 2]
      input_dilation = [2, 2] filter_dilation = [1, 1] groups = 1 : (tensor<?x8x?x?xf32, #dhlo.dims<N, H, W>>, tensor<8x8x4x4xf32>) -> tensor<?x8x?x?xf32, #dhlo.dims<N, overlapH, overlapW>>
  %overlap = dhlo.abs %overlap_c : tensor<?x8x?x?xf32, #dhlo.dims<N, overlapH, overlapW>>
  %odd_i = dhlo.iota axis = 0 start = [0] step = [1] : tensor<2040xf32>
  %odd_s = dhlo.sin %odd_i : tensor<2040xf32>
  %odd_w = dhlo.reshape %odd_s : (tensor<2040xf32>) -> tensor<17x8x3x5xf32>
  %odd_c = dhlo.convolution %x, %odd_w channels_first strides = [1, 1] low = [1, 2] high = [2, 4]
      input_dilation = [2, 3] filter_dilation = [1, 1] groups = 1 : (tensor<?x8x?x?xf32, #dhlo.dims<N, H, W>>, tensor<17x8x3x5xf32>) -> tensor<?x17x?x?xf32, #dhlo.dims<N, oddH, oddW>>
  %odd = dhlo.abs %odd_c : tensor<?x17x?x?xf32, #dhlo.dims<N, oddH, oddW>>
  %few_i = dhlo.iota axis = 0 start = [0] step = [1] : tensor<216xf32>
  %few_s = dhlo.sin %few_i : tensor<216xf32>
  %few_w = dhlo.reshape %few_s : (tensor<216xf32>) -> tensor<3x8x3x3xf32>
  %few_c = dhlo.convolution %x, %few_w channels_first strides = [1, 1] low = [1, 1] high = [2, 2]
      input_dilation = [2, 2] filter_dilation = [1, 1] groups = 1 : (tensor<?x8x?x?xf32, #dhlo.dims<N, H, W>>, tensor<3x8x3x3xf32>) -> tensor<?x3x?x?xf32, #dhlo.dims<N, fewH, fewW>>
  %few = dhlo.abs %few_c : tensor<?x3x?x?xf32, #dhlo.dims<N, fewH, fewW>>
  %short_i = dhlo.iota axis = 0 start = [0] step = [1] : tensor<128xf32>
  %short_s = dhlo.sin %short_i : tensor<128xf32>
  %short_w = dhlo.reshape %short_s : (tensor<128xf32>) -> tensor<8x8x1x2xf32>
  %short_c = dhlo.convolution %x, %short_w channels_first strides = [1, 1] low = [0, 1] high = [2, 3]
      input_dilation = [3, 4] filter_dilation = [1, 1] groups = 1 : (tensor<?x8x?x?xf32, #dhlo.dims<N, H, W>>, tensor<8x8x1x2xf32>) -> tensor<?x8x?x?xf32, #dhlo.dims<N, shortH, shortW>>
  %short = dhlo.abs %short_c : tensor<?x8x?x?xf32, #dhlo.dims<N, shortH, shortW>>
  %gaps_i = dhlo.iota axis = 0 start = [0] step = [1] : tensor<384xf32>
  %gaps_s = dhlo.sin %gaps_i : tensor<384xf32>
  %gaps_w = dhlo.reshape %gaps_s : (tensor<384xf32>) -> tensor<8x8x3x2xf32>
  %gaps_c = dhlo.convolution %x, %gaps_w channels_first strides = [1, 1] low = [4, 1] high = [4, 2]
      input_dilation = [2, 3] filter_dilation = [2, 1] groups = 1 : (tensor<?x8x?x?xf32, #dhlo.dims<N, H, W>>, tensor<8x8x3x2xf32>) -> tensor<?x8x?x?xf32, #dhlo.dims<N, gapsH, gapsW>>
  %gaps = dhlo.abs %gaps_c : tensor<?x8x?x?xf32, #dhlo.dims<N, gapsH, gapsW>>
  %groups_i = dhlo.iota axis = 0 start = [0] step = [1] : tensor<288xf32>
  %groups_s = dhlo.sin %groups_i : tensor<288xf32>
  %groups_w = dhlo.reshape %groups_s : (tensor<288xf32>) -> tensor<12x2x4x3xf32>
  %groups_c = dhlo.convolution %x, %groups_w channels_first strides = [1, 1] low = [2, 1] high = [2, 2]
      input_dilation = [2, 2] filter_dilation = [1, 1] groups = 4 : (tensor<?x8x?x?xf32, #dhlo.dims<N, H, W>>, tensor<12x2x4x3xf32>) -> tensor<?x12x?x?xf32, #dhlo.dims<N, groupsH, groupsW>>
  %groups = dhlo.abs %groups_c : tensor<?x12x?x?xf32, #dhlo.dims<N, groupsH, groupsW>>
  %depthwise_i = dhlo.iota axis = 0 start = [0] step = [1] : tensor<128xf32>
  %depthwise_s = dhlo.sin %depthwise_i : tensor<128xf32>
  %depthwise_w = dhlo.reshape %depthwise_s : (tensor<128xf32>) -> tensor<8x1x4x4xf32>
  %depthwise_c = dhlo.convolution %x, %depthwise_w channels_first strides = [1, 1] low = [2, 2] high = [2, 2]
      input_dilation = [2, 2] filter_dilation = [1, 1] groups = 8 : (tensor<?x8x?x?xf32, #dhlo.dims<N, H, W>>, tensor<8x1x4x4xf32>) -> tensor<?x8x?x?xf32, #dhlo.dims<N, depthwiseH, depthwiseW>>
  %depthwise = dhlo.abs %depthwise_c : tensor<?x8x?x?xf32, #dhlo.dims<N, depthwiseH, depthwiseW>>
  // The phases of two blocks of a small image are separate.
  %small_x = dhlo.reshape %odd_s : (tensor<2040xf32>) -> tensor<15x8x1x17xf32>
  %small_c = dhlo.convolution %small_x, %overlap_w channels_first strides = [1, 1] low = [2, 2] high = [2, 2]
      input_dilation = [2, 2] filter_dilation = [1, 1] groups = 1 : (tensor<15x8x1x17xf32>, tensor<8x8x4x4xf32>) -> tensor<15x8x2x34xf32>
  return %overlap, %odd, %few, %short, %gaps, %groups, %depthwise, %small_c : tensor<?x8x?x?xf32, #dhlo.dims<N, overlapH, overlapW>>, tensor<?x17x?x?xf32, #dhlo.dims<N, oddH, oddW>>, tensor<?x3x?x?xf32, #dhlo.dims<N, fewH, fewW>>, tensor<?x8x?x?xf32, #dhlo.dims<N, shortH, shortW>>, tensor<?x8x?x?xf32, #dhlo.dims<N, gapsH, gapsW>>, tensor<?x12x?x?xf32, #dhlo.dims<N, groupsH, groupsW>>, tensor<?x8x?x?xf32, #dhlo.dims<N, depthwiseH, depthwiseW>>, tensor<15x8x2x34xf32>
}
