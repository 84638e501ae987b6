//===- ConvolutionAxes.h - The axes of a convolution's tensors ------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DHLO_IR_CONVOLUTIONAXES_H
#define DYN_DIALECT_DHLO_IR_CONVOLUTIONAXES_H

#include "dyn/Dialect/DHLO/IR/DHLO.h"

namespace dyn::dhlo {

/// The axes of a convolution's tensors.
struct ConvolutionAxes {
  explicit ConvolutionAxes(Convolves op);

  int64_t spatial; ///< how many
  /// Of input and result.
  int64_t firstSpatial, channel;
  /// Of the filter operand. `filterGroups`: how many are in front of those of a
  /// filter, 1 if there is a filter for each group of images, else 0.
  int64_t filterGroups, filterSpatial, filterChannel, filterNumber;
};

} // namespace dyn::dhlo

#endif // DYN_DIALECT_DHLO_IR_CONVOLUTIONAXES_H
