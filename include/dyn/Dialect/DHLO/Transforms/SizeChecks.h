//===- SizeChecks.h - Checks of sizes that calls must make ----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DHLO_TRANSFORMS_SIZECHECKS_H
#define DYN_DIALECT_DHLO_TRANSFORMS_SIZECHECKS_H

#include "dyn/Dialect/DHLO/Analysis/SymbolicDims.h"

#include <optional>

namespace dyn::dhlo {

/// A condition on sizes without which an operation is undefined, and might read
/// beyond its operands: two sizes are equal, or the first is at most the
/// second.
struct SizeCheck {
  enum Kind { Equal, AtMost };
  Kind kind;
  DimExpr lhs, rhs;
  /// The sizes to report in messages, if the ones above are computed from them;
  /// else null.
  DimExpr toldLhs = {}, toldRhs = {};
};

/// Whether facts prove a condition.
bool isProven(const SizeCheck &check, const SymbolicDims &dims);

/// The condition that a size is 1 or `wide`, to which it is broadcast; nothing
/// if this is proven.
std::optional<SizeCheck> getBroadcastCheck(DimExpr size, DimExpr wide,
                                           const SymbolicDims &dims);

/// Substitutes `exprs` for the symbols `names` in a size.
DimExpr substitute(DimExpr size, mlir::ArrayAttr names, mlir::ArrayAttr exprs);

/// The unproven conditions that values of the types `given` have the sizes of
/// the types `expected`, where `names` stand for `exprs`: branches and loops
/// require them of the values that they pass on.
llvm::SmallVector<SizeCheck> getUnprovenSizes(mlir::TypeRange expected,
                                              mlir::ArrayAttr names,
                                              mlir::ArrayAttr exprs,
                                              mlir::TypeRange given,
                                              const SymbolicDims &dims);

/// The conditions of an operation that the facts in `dims` do not prove,
/// including those that never hold, which `dhlo-verify-dims` rejects.
llvm::SmallVector<SizeCheck> getUnprovenSizes(mlir::Operation *op,
                                              const SymbolicDims &dims);

} // namespace dyn::dhlo

#endif // DYN_DIALECT_DHLO_TRANSFORMS_SIZECHECKS_H
