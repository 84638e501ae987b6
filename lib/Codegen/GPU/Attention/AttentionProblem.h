//===- AttentionProblem.h - The problem of an attention -------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CODEGEN_GPU_ATTENTION_ATTENTIONPROBLEM_H
#define DYN_LIB_CODEGEN_GPU_ATTENTION_ATTENTIONPROBLEM_H

#include "Codegen/Common/Elements/ElementEmitter.h"

#include <optional>

namespace dyn {

/// An attention as `getMatrices` independent problems, each with one K and one
/// V: emits their operands and scores and stores their results by index,
/// whatever the layout in memory. The rows of a problem are the queries of all
/// heads that read the same keys, head by head, so that few queries of many
/// heads fill a block.
class AttentionProblem {
public:
  /// One K and V, with the rows that attend to them.
  struct Matrix {
    mlir::OpFoldResult image, group;
  };
  /// A query of a head.
  struct Row {
    mlir::OpFoldResult image, head, query;
  };

  /// The problem of a kernel whose result is one attention, up to transposes.
  /// Nullopt after a diagnostic if the kernel is another one.
  static std::optional<AttentionProblem> make(dlhlo::KernelOp kernel,
                                              const SymbolicDims &dims);

  dhlo::AttentionOp getOp() { return op; }
  /// The head size of V, which is static.
  int64_t getWidth() { return op.getType().getDimSize(3); }
  /// Whether operations other than transposes produce the operands.
  bool movesOperands();
  mlir::OpFoldResult getDepth(KernelBuilder &b) {
    return b.size(op.getQuery(), 3);
  }
  mlir::OpFoldResult getKeys(KernelBuilder &b) {
    return b.size(op.getKey(), 2);
  }
  mlir::OpFoldResult getMatrices(KernelBuilder &b);
  Matrix getMatrix(KernelBuilder &b, mlir::OpFoldResult number);
  mlir::OpFoldResult getRows(KernelBuilder &b);
  Row getRow(KernelBuilder &b, const Matrix &matrix, mlir::OpFoldResult number);

  /// `lanes` elements of an operand, from `step` or `column` on.
  mlir::Value emitQuery(KernelBuilder &b, const Row &row,
                        mlir::OpFoldResult step, int64_t lanes);
  mlir::Value emitKey(KernelBuilder &b, const Matrix &matrix,
                      mlir::OpFoldResult key, mlir::OpFoldResult step,
                      int64_t lanes);
  mlir::Value emitValue(KernelBuilder &b, const Matrix &matrix,
                        mlir::OpFoldResult key, mlir::OpFoldResult column,
                        int64_t lanes);
  /// The score of a row and a key from their dot product: scaled, capped and
  /// masked, -inf where the mask removes the key.
  mlir::Value emitScore(KernelBuilder &b, const Row &row,
                        mlir::OpFoldResult key, mlir::Value dot);
  /// The number of keys, from the first on, that a row attends to if no mask
  /// removes any; may be negative.
  mlir::OpFoldResult getSeen(KernelBuilder &b, const Row &row);
  /// The maximum of that over `count` rows from `first` on, at least 0.
  mlir::OpFoldResult getSeenByAny(KernelBuilder &b, mlir::OpFoldResult first,
                                  mlir::OpFoldResult count);
  /// The number in place of the sum of weights of a row whose keys are all
  /// removed: 1, or 0 if the row is to be NaN.
  mlir::Value emitEmptySum(KernelBuilder &b);
  /// Stores elements of the result, from `column` on.
  void store(KernelBuilder &b, const Row &row, mlir::OpFoldResult column,
             mlir::Value values, int64_t lanes);

private:
  mlir::OpFoldResult getQueries(KernelBuilder &b) {
    return b.size(op.getQuery(), 2);
  }
  /// The number of heads that read the same keys.
  mlir::OpFoldResult getSharing(KernelBuilder &b);
  mlir::Value emitMask(KernelBuilder &b, const Row &row,
                       mlir::OpFoldResult key);

  dhlo::AttentionOp op;
  /// The value that the kernel yields: the attention or its transpose.
  mlir::Value result;
};

} // namespace dyn

#endif // DYN_LIB_CODEGEN_GPU_ATTENTION_ATTENTIONPROBLEM_H
