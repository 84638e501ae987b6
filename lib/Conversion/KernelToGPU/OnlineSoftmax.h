//===- OnlineSoftmax.h - Softmax of scores that come in parts ---*- C++ -*-===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CONVERSION_KERNELTOGPU_ONLINESOFTMAX_H
#define DYN_LIB_CONVERSION_KERNELTOGPU_ONLINESOFTMAX_H

#include "dyn/Conversion/KernelToVector/KernelBuilder.h"

namespace dyn {

/// A row of scores of which `threads` neighbouring lanes of a warp, a power of
/// two of them, see some at a time:
///
///   m' = max(m, max x)    the greatest so far, the same in all lanes
///   p = e^(x - m')        weights
///   l' = e^(m - m') l + sum p    of the lane's own scores
///
/// A score of -inf has no weight and leaves all as it is, whatever else is
/// seen. The lanes' sums are added at the end, by a butterfly.
class OnlineSoftmax {
public:
  /// Before any score.
  OnlineSoftmax(KernelBuilder &b, int64_t threads);
  /// What a loop has carried.
  OnlineSoftmax(int64_t threads, mlir::Value greatest, mlir::Value sum)
      : greatest(greatest), sum(sum), threads(threads) {}

  struct Step {
    mlir::Value weights; ///< of the scores
    mlir::Value factor;  ///< of all that was weighted before
  };
  /// Sees a vector of scores. All lanes of the warp do.
  Step see(KernelBuilder &b, mlir::Value scores);
  /// What makes weighted sums averages: the reciprocal of the sum of weights, 1
  /// if there are none. All lanes of the warp ask.
  mlir::Value getFactor(KernelBuilder &b) const;

  mlir::Value greatest, sum;

private:
  mlir::Value
  combine(KernelBuilder &b, mlir::Value v,
          llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> join) const;

  int64_t threads;
};

/// Rows that a thread has scores of: their softmax, and their sums of weighted
/// values. Loops carry them as a list.
struct SoftmaxRows {
  llvm::SmallVector<OnlineSoftmax> softmax;
  llvm::SmallVector<mlir::Value> sums;

  llvm::SmallVector<mlir::Value> join() const;
  /// What was joined, of `count` rows, each of `threads` lanes.
  static SoftmaxRows split(mlir::ValueRange all, int64_t count,
                           int64_t threads);
};

} // namespace dyn

#endif // DYN_LIB_CONVERSION_KERNELTOGPU_ONLINESOFTMAX_H
