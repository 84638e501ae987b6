//===- SizeChecks.h - What a call must check about sizes
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DHLO_TRANSFORMS_SIZECHECKS_H
#define DYN_DIALECT_DHLO_TRANSFORMS_SIZECHECKS_H

#include "dyn/Analysis/SymbolicDims.h"

#include <optional>

namespace dyn::dhlo {

/// A condition on sizes without which an operation has no meaning, and would
/// read beyond its operands: two sizes are equal, or the first is at most the
/// second.
struct SizeCheck {
  enum Kind { Equal, AtMost };
  Kind kind;
  DimExpr lhs, rhs;
  /// What a message tells of where the sizes above are computed from these;
  /// null where they are not.
  DimExpr toldLhs = {}, toldRhs = {};
};

/// Whether facts prove a condition.
bool isProven(const SizeCheck &check, const SymbolicDims &dims);

/// That a size is 1 or `wide`, to which it is broadcast; nothing if that is
/// proven.
std::optional<SizeCheck> getBroadcastCheck(DimExpr size, DimExpr wide,
                                           const SymbolicDims &dims);

/// A size where symbols, `names`, stand for expressions.
DimExpr substitute(DimExpr size, mlir::ArrayAttr names, mlir::ArrayAttr exprs);

/// That values of the types `given` have the sizes of the types `expected`,
/// where `names` stand for `exprs`, as far as that is not proven: what branches
/// and loops need of the values that they hand on.
llvm::SmallVector<SizeCheck> getUnprovenSizes(mlir::TypeRange expected,
                                              mlir::ArrayAttr names,
                                              mlir::ArrayAttr exprs,
                                              mlir::TypeRange given,
                                              const SymbolicDims &dims);

/// The conditions of an operation that the facts in `dims` do not prove. What
/// `dhlo-verify-dims` refuses, because it never holds, is among them.
llvm::SmallVector<SizeCheck> getUnprovenSizes(mlir::Operation *op,
                                              const SymbolicDims &dims);

} // namespace dyn::dhlo

#endif // DYN_DIALECT_DHLO_TRANSFORMS_SIZECHECKS_H
