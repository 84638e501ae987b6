//===- AttentionForm.h - Attention as rows that see keys --------*- C++ -*-===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CONVERSION_KERNELTOGPU_ATTENTIONFORM_H
#define DYN_LIB_CONVERSION_KERNELTOGPU_ATTENTIONFORM_H

#include "dyn/Conversion/KernelToVector/ElementEmitter.h"

#include <optional>

namespace dyn {

/// An attention as `getMatrices` independent products of rows and keys: what
/// its operands, its scores and its result are at a place, wherever they lie in
/// memory. The rows of a matrix are the queries of all heads that read the same
/// keys, one head after the other: so few queries of many heads fill a block.
class AttentionForm {
public:
  /// Keys and values, and the rows that see them.
  struct Matrix {
    mlir::OpFoldResult image, group;
  };
  /// A query of a head.
  struct Row {
    mlir::OpFoldResult image, head, query;
  };

  /// The form of the one operation of a kernel, up to transposes. Nothing after
  /// a diagnostic if the kernel has others.
  static std::optional<AttentionForm> make(dlhlo::KernelOp kernel,
                                           const SymbolicDims &dims);

  dhlo::AttentionOp getOp() { return op; }
  /// Elements of a head of values, which are known.
  int64_t getWidth() { return op.getType().getDimSize(3); }
  /// Whether other operations than transposes lead to the operands.
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

  /// `lanes` elements of the operands, from `step` on.
  mlir::Value emitQuery(KernelBuilder &b, const Row &row,
                        mlir::OpFoldResult step, int64_t lanes);
  mlir::Value emitKey(KernelBuilder &b, const Matrix &matrix,
                      mlir::OpFoldResult key, mlir::OpFoldResult step,
                      int64_t lanes);
  mlir::Value emitValue(KernelBuilder &b, const Matrix &matrix,
                        mlir::OpFoldResult key, mlir::OpFoldResult column,
                        int64_t lanes);
  /// The score of a row and a key from the product of their elements: scaled,
  /// capped and masked, -inf where the mask removes the key.
  mlir::Value emitScore(KernelBuilder &b, const Row &row,
                        mlir::OpFoldResult key, mlir::Value product);
  /// How many keys, the first ones, a row sees if no mask removes any; may be
  /// negative.
  mlir::OpFoldResult getSeen(KernelBuilder &b, const Row &row);
  /// The most that a row of `count` rows from `first` on sees, at least 0.
  mlir::OpFoldResult getSeenByAny(KernelBuilder &b, mlir::OpFoldResult first,
                                  mlir::OpFoldResult count);
  /// Stores elements of the result, from `column` on.
  void store(KernelBuilder &b, const Row &row, mlir::OpFoldResult column,
             mlir::Value values, int64_t lanes);

private:
  mlir::OpFoldResult getQueries(KernelBuilder &b) {
    return b.size(op.getQuery(), 2);
  }
  /// Heads that read the same keys.
  mlir::OpFoldResult getSharing(KernelBuilder &b);
  mlir::Value emitMask(KernelBuilder &b, const Row &row,
                       mlir::OpFoldResult key);

  dhlo::AttentionOp op;
  /// What the kernel yields: the attention, or the transpose of it.
  mlir::Value result;
};

} // namespace dyn

#endif // DYN_LIB_CONVERSION_KERNELTOGPU_ATTENTIONFORM_H
