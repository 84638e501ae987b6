//===- PlaneConvolution.h - Convolutions of planes ------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DHLO_IR_PLANECONVOLUTION_H
#define DYN_DIALECT_DHLO_IR_PLANECONVOLUTION_H

#include "dyn/Dialect/DHLO/IR/DHLO.h"

namespace dyn::dhlo {

/// Pixels of a line that are computed at once.
inline constexpr int64_t kPlanePixels = 16;

/// Whether a convolution is computed as it is with channels first, pixels side
/// by side in a vector. It is one of images of f32 with few channels that moves
/// along the lines pixel by pixel.
bool isPlaneConvolution(ConvolutionOp op);

} // namespace dyn::dhlo

#endif // DYN_DIALECT_DHLO_IR_PLANECONVOLUTION_H
