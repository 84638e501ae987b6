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

#ifndef DYN_LIB_DIALECT_DHLO_TRANSFORMS_RECOGNIZE_AFFINEINDEX_H
#define DYN_LIB_DIALECT_DHLO_TRANSFORMS_RECOGNIZE_AFFINEINDEX_H

#include "dyn/Dialect/DHLO/Analysis/SymbolicDims.h"

namespace dyn::dhlo {

/// offset + sum over axes of steps[axis] * index[axis].
struct AffineIndex {
  DimExpr offset;
  llvm::SmallVector<DimExpr> steps;
};

/// The elements of an integer tensor as such a function, if provable.
std::optional<AffineIndex> getAffineIndex(mlir::Value value,
                                          const SymbolicDims &dims);

/// The function that is at least 0 exactly where a comparison of two such
/// tensors is true.
std::optional<AffineIndex> getCondition(CompareOp op, const SymbolicDims &dims);

/// The opposite condition: -x - 1 >= 0.
AffineIndex negateCondition(const AffineIndex &condition);

/// Whether a condition holds at every index of a tensor of these sizes.
bool isAlwaysTrue(const AffineIndex &condition, llvm::ArrayRef<DimExpr> sizes,
                  const SymbolicDims &dims);

} // namespace dyn::dhlo

#endif // DYN_LIB_DIALECT_DHLO_TRANSFORMS_RECOGNIZE_AFFINEINDEX_H
