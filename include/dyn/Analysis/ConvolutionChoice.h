//===- ConvolutionChoice.h - Algorithms of convolutions -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_ANALYSIS_CONVOLUTIONCHOICE_H
#define DYN_ANALYSIS_CONVOLUTIONCHOICE_H

#include "dyn/Dialect/DHLO/IR/DHLO.h"

namespace dyn {

/// Pixels of an image row that are computed at once.
inline constexpr int64_t kPlanePixels = 16;

/// Whether a convolution is computed with channels first, with consecutive
/// pixels in a vector. It must be a convolution of images of f32 with few
/// channels and a stride of 1 along image rows.
bool isPlaneConvolution(dhlo::ConvolutionOp op);

/// Whether Winograd's algorithm saves time: a window of 3 x 3 at every pixel,
/// vectors of channels, enough of them that the transforms are cheap compared
/// with the multiplications, and results of more than one image row. It takes
/// five times the filter's memory.
bool suitsWinograd(dhlo::ConvolutionOp op);

/// The same with channels first: each of the three rows of the window
/// separately.
bool suitsWinogradLines(dhlo::ConvolutionOp op);

/// The time of a convolution with channels first and with channels last, in
/// multiply-adds of full vectors.
struct LayoutTimes {
  double first, last;
};

/// None if a convolution cannot be a plane convolution.
std::optional<LayoutTimes> getLayoutTimes(dhlo::ConvolutionOp op);

} // namespace dyn

#endif // DYN_ANALYSIS_CONVOLUTIONCHOICE_H
