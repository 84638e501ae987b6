//===- Verify.h - Checks that verifiers share -----------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Each check emits one error with the expected and the actual value. Sizes are
// compared if both are constants: symbols are checked by dhlo-verify-dims.

#ifndef DYN_DIALECT_DHLO_IR_VERIFY_H
#define DYN_DIALECT_DHLO_IR_VERIFY_H

#include "dyn/Dialect/DHLO/IR/Inference.h"

namespace dyn::dhlo {

/// The type of a tensor, with its sizes.
inline mlir::RankedTensorType typeOf(mlir::Value tensor) {
  return llvm::cast<mlir::RankedTensorType>(tensor.getType());
}
inline Sizes sizesOf(mlir::Value tensor) { return getDims(typeOf(tensor)); }

/// 0 <= axis < rank.
llvm::LogicalResult verifyAxis(mlir::Operation *op, int64_t axis, int64_t rank);
/// Strictly ascending axes in [0, rank).
llvm::LogicalResult verifyAscendingAxes(mlir::Operation *op,
                                        llvm::ArrayRef<int64_t> axes,
                                        int64_t rank);
/// Distinct axes in [least, rank); `name` is that of the attribute.
llvm::LogicalResult verifyDistinctAxes(mlir::Operation *op,
                                       llvm::StringRef name,
                                       llvm::ArrayRef<int64_t> axes,
                                       int64_t least, int64_t rank);
/// The expected number of `name`.
llvm::LogicalResult verifyCount(mlir::Operation *op, llvm::StringRef name,
                                size_t expected, size_t found);
/// Each value at least `least`.
llvm::LogicalResult verifyAtLeast(mlir::Operation *op, llvm::StringRef name,
                                  llvm::ArrayRef<int64_t> values,
                                  int64_t least);
llvm::LogicalResult verifyRank(mlir::Operation *op, llvm::StringRef name,
                               mlir::Value tensor, int64_t expected);
llvm::LogicalResult verifyElementType(mlir::Operation *op, llvm::StringRef name,
                                      mlir::Value tensor, mlir::Type expected);
llvm::LogicalResult verifySize(mlir::Operation *op, llvm::StringRef name,
                               int64_t axis, DimExpr expected, DimExpr found);
/// Rank and sizes; a null expected size matches any.
llvm::LogicalResult verifySizes(mlir::Operation *op, llvm::StringRef name,
                                llvm::ArrayRef<DimExpr> expected,
                                mlir::Value tensor);
/// The results of an operation that infers their sizes.
llvm::LogicalResult verifyInferredSizes(InfersSizes op);
/// All operands and results of an elementwise operation.
llvm::LogicalResult verifyElementwiseSizes(mlir::Operation *op);

} // namespace dyn::dhlo

#endif // DYN_DIALECT_DHLO_IR_VERIFY_H
