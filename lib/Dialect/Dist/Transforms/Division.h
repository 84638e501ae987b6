//===- Division.h - Operations on blocks of their operands ----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DIALECT_DIST_TRANSFORMS_DIVISION_H
#define DYN_LIB_DIALECT_DIST_TRANSFORMS_DIVISION_H

#include "dyn/Dialect/DHLO/Analysis/SymbolicDims.h"
#include "dyn/Dialect/Dist/IR/Dist.h"

namespace dyn::dist {

/// For each axis of a tensor, the mesh axes that divide it, major to minor.
using Axes = llvm::SmallVector<mlir::ArrayAttr>;

/// No axis is divided.
Axes getWhole(mlir::Value value);
bool isWhole(llvm::ArrayRef<mlir::ArrayAttr> axes);
/// The number of ranks along mesh axes.
int64_t countRanks(mlir::ArrayAttr names, MeshOp mesh);
/// Without mesh axes of one rank.
mlir::ArrayAttr dropSingle(mlir::ArrayAttr names, MeshOp mesh);
Axes dropSingle(llvm::ArrayRef<mlir::ArrayAttr> axes, MeshOp mesh);
/// The axes of a sharding without mesh axes of one rank.
Axes getAxes(ShardingAttr sharding, MeshOp mesh);
/// Whole along each axis that one of `names` divides.
Axes dropDivided(llvm::ArrayRef<mlir::ArrayAttr> axes, mlir::ArrayAttr names);

/// Where block `index` of `count` begins of an axis of some size, and where the
/// last one ends if it is `count`.
dhlo::DimExpr getBlockBegin(dhlo::DimExpr size, int64_t count, int64_t index,
                            const SymbolicDims &dims);

/// How blocks of an operation's results are computed by the same operation.
struct Division {
  /// For each operand and each of its axes, the axis of the results that is
  /// divided with it; -1 if all of the axis is needed.
  llvm::SmallVector<llvm::SmallVector<int64_t>> operands;
  /// Whether an axis of the results can be divided. All results have the same
  /// sizes; empty if the operation is not known to work on blocks.
  llvm::SmallVector<bool> canDivide;
};

/// `ranks` is the number of ranks of the mesh: groups of axes that a reshape
/// splits or joins stay divided if their first axes are multiples of it, and an
/// axis whose blocks could have a single element may not be divided, where that
/// would change bits. With `ignoresUnread`, results that nothing reads may have
/// other sizes, of which nothing is known.
Division getDivision(mlir::Operation *op, int64_t ranks,
                     const SymbolicDims &dims, bool ignoresUnread = false);

/// The sharding of an operand that blocks of the results need.
Axes getOperandAxes(const Division &division, unsigned operand,
                    llvm::ArrayRef<mlir::ArrayAttr> results,
                    mlir::MLIRContext *context);

/// The sharding of an operand of a contraction if `names` divide its contracted
/// axes `pair`. They divide no axis of its results then.
Axes getSumOperandAxes(const Division &division, dhlo::DotGeneralOp op,
                       unsigned operand,
                       llvm::ArrayRef<mlir::ArrayAttr> results, int64_t pair,
                       mlir::ArrayAttr names);

} // namespace dyn::dist

#endif // DYN_LIB_DIALECT_DIST_TRANSFORMS_DIVISION_H
