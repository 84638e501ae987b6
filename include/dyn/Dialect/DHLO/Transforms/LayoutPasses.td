//===- LayoutPasses.td - Passes that choose layouts -----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DHLO_LAYOUT_PASSES
#define DYN_DHLO_LAYOUT_PASSES

include "mlir/Pass/PassBase.td"

def PropagateLayoutPass : Pass<"dhlo-propagate-layout", "::mlir::ModuleOp"> {
  let summary = "Convert convolution networks to channels-last";
  let description = [{
    Kernels of convolutions read channels-last data. Each convolution with
    channels first becomes one with channels last between two transposes, and
    its filter is transposed, which the compiler does once. The transposes after
    convolutions sink through elementwise operations, pooling, resizing,
    padding, slices, concatenations, reductions and reshapes that keep channels
    apart, until they reach a transpose before a convolution and the two cancel.
    Transposes of the model itself only move if they reach one of these.

    A convolution whose input is dilated, a transposed convolution, becomes
    convolutions of the input itself and a transpose of their results: a matmul
    if windows do not overlap.

    Channels stay first in a network of convolutions with few channels, such as
    8, for which vectors of 16 channels would be half empty: vectors are then
    pixels of an image row. All convolutions that images flow between must be of
    f32, with few channels (64 at most by default), without groups, and with
    stride 1 along image rows; the target's numbers decide.

    Before:
    ```mlir
    %1 = dhlo.convolution %x, %w channels_first ... : (tensor<1x8x4x4xf32>, tensor<16x8x3x3xf32>) -> tensor<1x16x4x4xf32>
    %2 = dhlo.exp %1 : tensor<1x16x4x4xf32>
    ```
    After:
    ```mlir
    %0 = dhlo.transpose %x permutation = [0, 2, 3, 1] : (tensor<1x8x4x4xf32>) -> tensor<1x4x4x8xf32>
    %1 = dhlo.transpose %w permutation = [2, 3, 1, 0] : (tensor<16x8x3x3xf32>) -> tensor<3x3x8x16xf32>
    %2 = dhlo.convolution %0, %1 channels_last ... : (tensor<1x4x4x8xf32>, tensor<3x3x8x16xf32>) -> tensor<1x4x4x16xf32>
    %3 = dhlo.exp %2 : tensor<1x4x4x16xf32>
    %4 = dhlo.transpose %3 permutation = [0, 3, 1, 2] : (tensor<1x4x4x16xf32>) -> tensor<1x16x4x4xf32>
    ```
  }];
  let options = [
    Option<"device", "device", "bool", /*default=*/"false",
           "Choose layouts for a GPU">,
    Option<"targetInfo", "target-info", "std::string", /*default=*/"\"\"",
           "File that overrides numbers of the target (TargetInfo.h)">
  ];
  let statistics = [
    Statistic<"numConvolutions", "convolutions", "Convolutions brought to channels-last">,
    Statistic<"numSunk", "sunk", "Operations that a transpose sank through">,
    Statistic<"numCancelled", "cancelled", "Transposes that met another and vanished">,
    Statistic<"numLeft", "left", "Transposes that are left of those of this pass">
  ];
}

def FlattenConvolutionsPass : Pass<"dhlo-flatten-convolutions", "::mlir::ModuleOp"> {
  let summary = "Convert convolutions of volumes to those of images";
  let description = [{
    A convolution of volumes whose window has one plane is one of images, as
    many as there are planes in the batch. A window of one element in each of
    its planes is that of images whose rows are the pixels of a plane. Networks
    for videos alternate between the two. With channels last these are reshapes,
    which move nothing, and kernels for images are at hand: Winograd's
    algorithm, and rows of many pixels.

    ```mlir
    %y = dhlo.convolution %x, %w channels_last ... : (tensor<2x4x8x8x3xf32>, tensor<1x3x3x3x16xf32>) -> tensor<2x4x8x8x16xf32>
    ```

    becomes

    ```mlir
    %0 = dhlo.reshape %x : (tensor<2x4x8x8x3xf32>) -> tensor<8x8x8x3xf32>
    %1 = dhlo.reshape %w : (tensor<1x3x3x3x16xf32>) -> tensor<3x3x3x16xf32>
    %2 = dhlo.convolution %0, %1 channels_last ... : (tensor<8x8x8x3xf32>, tensor<3x3x3x16xf32>) -> tensor<8x8x8x16xf32>
    %y = dhlo.reshape %2 : (tensor<8x8x8x16xf32>) -> tensor<2x4x8x8x16xf32>
    ```
  }];
  let statistics = [
    Statistic<"numFlattened", "flattened", "Convolutions of volumes that became those of images">
  ];
}

#endif // DYN_DHLO_LAYOUT_PASSES
