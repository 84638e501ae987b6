//===- SegmentSums.h - Sums in a fixed order ------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DIALECT_DIST_TRANSFORMS_SEGMENTSUMS_H
#define DYN_LIB_DIALECT_DIST_TRANSFORMS_SEGMENTSUMS_H

#include "dyn/Dialect/DHLO/IR/DHLO.h"

namespace dyn::dist {

/// Adds a power of two terms, in order, in a balanced binary tree.
mlir::Value addInTree(mlir::OpBuilder &b, mlir::Location loc,
                      llvm::SmallVector<mlir::Value> terms);

/// The contraction `op` of blocks of its operands, with its pair `pair` of
/// contracted axes in `count` segments, each of them a contraction.
mlir::Value sumSegments(mlir::OpBuilder &b, dhlo::DotGeneralOp op,
                        mlir::Value lhs, mlir::Value rhs,
                        mlir::RankedTensorType type, int64_t pair,
                        int64_t count);

} // namespace dyn::dist

#endif // DYN_LIB_DIALECT_DIST_TRANSFORMS_SEGMENTSUMS_H
