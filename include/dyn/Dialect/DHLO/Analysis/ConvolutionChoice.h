//===- ConvolutionChoice.h - Algorithms of convolutions -------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Passes that choose layouts and pack constants ask this before there are
// kernels, and code generation asks the same when it makes them.

#ifndef DYN_DIALECT_DHLO_ANALYSIS_CONVOLUTIONCHOICE_H
#define DYN_DIALECT_DHLO_ANALYSIS_CONVOLUTIONCHOICE_H

#include "dyn/Dialect/DHLO/IR/DHLO.h"
#include "dyn/Support/TargetInfo.h"

namespace dyn {

/// Pixels of an image row that are computed at once with channels first, in
/// vectors, by every instruction set.
inline constexpr int64_t kPlanePixels = 16;

/// Whether a convolution can be computed with channels first, with consecutive
/// pixels in a vector: of images of f32, with a stride of 1 along image rows.
bool isPlaneConvolution(dhlo::Convolves op);

/// Whether a convolution with channels last has so few output channels that
/// vectors of elements along K, whose lanes are summed, take less time than
/// vectors of output channels.
bool isSkinnyConvolution(dhlo::Convolves op);

/// Whether a convolution with channels last has such small groups that a vector
/// has channels of several: depthwise ones, with several filters for a channel
/// as well, and groups of 2, 4 or 8 channels.
bool isGroupwiseConvolution(dhlo::Convolves op);

/// Whether Winograd's algorithm saves time: a window of 3 x 3 at every pixel,
/// vectors of channels, enough of them that the transforms are cheap compared
/// with the multiplications, and results of more than one image row. It takes
/// five times the filter's memory.
bool suitsWinograd(dhlo::Convolves op, const ConvolutionInfo &info);

/// The same with channels first: each of the three rows of the window
/// separately.
bool suitsWinogradLines(dhlo::Convolves op, const ConvolutionInfo &info);

/// The time of a convolution with channels first and with channels last, in
/// multiply-adds of full vectors.
struct LayoutTimes {
  double first, last;
};

/// None if a convolution may not keep channels first: it is no plane
/// convolution, or has too many channels.
std::optional<LayoutTimes> getLayoutTimes(dhlo::Convolves op,
                                          const ConvolutionInfo &info);

} // namespace dyn

#endif // DYN_DIALECT_DHLO_ANALYSIS_CONVOLUTIONCHOICE_H
