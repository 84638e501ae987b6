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

} // namespace dyn

#endif // DYN_ANALYSIS_CONVOLUTIONCHOICE_H
