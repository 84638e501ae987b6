//===- AffineIndex.h - Integer tensors that are functions of the index ----===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Exporters make masks by comparing positions: `arange(S)[None, :] <=
// arange(S)[:, None] + past`. Such tensors of positions are affine functions of
// the index, with sizes as coefficients, and so is the condition of a
// comparison of two of them.

#ifndef DYN_DIALECT_DHLO_ANALYSIS_AFFINEINDEX_H
#define DYN_DIALECT_DHLO_ANALYSIS_AFFINEINDEX_H

#include "dyn/Dialect/DHLO/Analysis/SymbolicDims.h"

namespace dyn::dhlo {

/// offset + sum over axes of steps[axis] * index[axis].
struct AffineIndex {
  DimExpr offset;
  llvm::SmallVector<DimExpr> steps;
};

/// If a reshape of `from` to `to` only drops and inserts axes of size 1: for
/// each axis of `from` its axis in `to`, or -1 if it is dropped.
std::optional<llvm::SmallVector<int64_t>>
getUnitAxesMap(mlir::RankedTensorType from, mlir::RankedTensorType to,
               const SymbolicDims &dims);

/// The elements of an integer tensor as such a function, if provable.
std::optional<AffineIndex> getAffineIndex(mlir::Value value,
                                          const SymbolicDims &dims);

/// The function that is at least 0 exactly where a comparison of two such
/// tensors is true.
std::optional<AffineIndex> getCondition(CompareOp op, const SymbolicDims &dims);

/// Whether all elements at indices of a tensor of these sizes are in
/// [0, extent).
bool isWithin(const AffineIndex &index, llvm::ArrayRef<DimExpr> sizes,
              DimExpr extent, const SymbolicDims &dims);

/// The opposite condition: -x - 1 >= 0.
AffineIndex negateCondition(const AffineIndex &condition);

/// Whether a condition holds at every index of a tensor of these sizes.
bool isAlwaysTrue(const AffineIndex &condition, llvm::ArrayRef<DimExpr> sizes,
                  const SymbolicDims &dims);

} // namespace dyn::dhlo

#endif // DYN_DIALECT_DHLO_ANALYSIS_AFFINEINDEX_H
