//===- OnlineSoftmax.h - Online softmax -----------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CODEGEN_GPU_ATTENTION_ONLINESOFTMAX_H
#define DYN_LIB_CODEGEN_GPU_ATTENTION_ONLINESOFTMAX_H

#include "Codegen/Common/Builder/KernelBuilder.h"

namespace dyn {

/// The online softmax of a row of scores, of which `threads` adjacent lanes of
/// a warp, a power of two of them, see some at a time:
///
///   m' = max(m, max x)    running maximum, the same in all lanes
///   p = e^(x - m')        weights
///   l' = e^(m - m') l + sum p    of the lane's own scores
///
/// A score of -inf has no weight and changes nothing, whatever the other scores
/// are. A butterfly adds the lanes' sums at the end.
class OnlineSoftmax {
public:
  /// Before any score.
  OnlineSoftmax(KernelBuilder &b, int64_t threads);
  /// The state that a loop has carried.
  OnlineSoftmax(int64_t threads, mlir::Value maximum, mlir::Value sum)
      : maximum(maximum), sum(sum), threads(threads) {}

  struct Step {
    mlir::Value weights; ///< of the scores
    mlir::Value factor;  ///< rescales earlier weighted sums
  };
  /// Processes a vector of scores. All lanes of the warp execute this.
  Step see(KernelBuilder &b, mlir::Value scores);
  /// The factor from weighted sums to averages: the reciprocal of the sum of
  /// weights, or of `emptySum` if no score has any. All lanes of the warp
  /// execute this.
  mlir::Value getFactor(KernelBuilder &b, mlir::Value emptySum) const;

  mlir::Value maximum, sum;

private:
  mlir::Value
  combine(KernelBuilder &b, mlir::Value v,
          llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> join) const;

  int64_t threads;
};

/// The rows that a thread has scores of: their softmax, and their sums of
/// weighted values. Loops carry them as a list.
struct SoftmaxRows {
  llvm::SmallVector<OnlineSoftmax> softmax;
  llvm::SmallVector<mlir::Value> sums;

  llvm::SmallVector<mlir::Value> join() const;
  /// The inverse of join, for `count` rows of `threads` lanes each.
  static SoftmaxRows split(mlir::ValueRange all, int64_t count,
                           int64_t threads);
};

} // namespace dyn

#endif // DYN_LIB_CODEGEN_GPU_ATTENTION_ONLINESOFTMAX_H
