//===- ConvolutionPhases.h - Pixels that meet the same taps ---------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Of an input that is dilated by s, a pixel of the result meets elements at
// every s-th tap only, and zeros at the others. The pixels s * q + r, for one r
// (a phase), meet elements at the same taps. They are a convolution of the
// input itself:
//
//   y[s * q + r - cut] = sum over j of x[q - low' + j] * w[s - 1 - r + s * j]
//
// with 0 <= cut < s such that low + cut = s * low' + s - 1. Phases differ in
// their filters alone, so they are output channels of one convolution, whose
// result is transposed to pixels.
//
// Along an axis, some phases are a convolution of their own where that saves
// enough multiplications:
//
// - If s does not divide the window, the first phases have a tap less than the
//   others. In one convolution with them, they have a tap of zeros.
// - The first `cut` pixels of the result are cut off, which most often takes a
//   block more than the result has. The phases before `cut` can instead begin
//   at the next block, and follow the others.

#ifndef DYN_LIB_DIALECT_DHLO_TRANSFORMS_LAYOUT_CONVOLUTIONPHASES_H
#define DYN_LIB_DIALECT_DHLO_TRANSFORMS_LAYOUT_CONVOLUTIONPHASES_H

#include "dyn/Dialect/DHLO/Analysis/SymbolicDims.h"

namespace dyn::dhlo {

/// Consecutive phases that one convolution computes, and its padding.
struct Phases {
  int64_t first, count, taps, low;
};

/// How pixels along a spatial axis are computed. Along one that is not dilated,
/// there is one phase.
struct PhasedAxis {
  int64_t step, window;
  /// The distance of the window's taps, as far as the filter is filled with
  /// zeros.
  int64_t gap = 1;
  int64_t taps; ///< the most of any phase
  int64_t cut = 0;
  int64_t empty = 0; ///< phases in front of all others that have no taps
  llvm::SmallVector<Phases> phases;
  DimExpr blocks; ///< pixels of a phase

  bool isDilated() const { return step > 1; }
};

/// The spatial axes of a convolution of a dilated input; empty if it is none
/// that can be computed phase by phase.
llvm::SmallVector<PhasedAxis> choosePhases(Convolves op,
                                           const SymbolicDims &dims);

} // namespace dyn::dhlo

#endif // DYN_LIB_DIALECT_DHLO_TRANSFORMS_LAYOUT_CONVOLUTIONPHASES_H
