//===- DeferredSizes.h - Sizes that kernels read, and their bounds --------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DIALECT_DLHLO_TRANSFORMS_KERNELS_DEFERREDSIZES_H
#define DYN_LIB_DIALECT_DLHLO_TRANSFORMS_KERNELS_DEFERREDSIZES_H

#include "dyn/Dialect/DHLO/Analysis/SymbolicDims.h"

namespace dyn::dlhlo {

/// The sizes that dlhlo-defer-sizes leaves to kernels, and the bounds that the
/// host uses instead.
class DeferredSizes {
public:
  explicit DeferredSizes(const SymbolicDims &dims) : dims(dims) {}

  bool contains(mlir::StringAttr symbol) const {
    return bounds.contains(symbol);
  }
  bool empty() const { return bounds.empty(); }
  /// Adds a size if it has a declared bound that the host can compute.
  void add(dhlo::DimOp dim);
  void erase(mlir::StringAttr symbol) { bounds.erase(symbol); }
  /// Removes all sizes that an expression depends on.
  void eraseIn(dhlo::DimExpr expr);

  /// Calls `fn` for each deferred size that an expression depends on.
  void visit(dhlo::DimExpr expr,
             llvm::function_ref<void(mlir::StringAttr)> fn) const;
  bool isIn(dhlo::DimExpr expr) const;
  /// Whether an expanded number of elements multiplies several deferred sizes.
  bool isGemm(dhlo::DimExpr elements) const;

  /// The upper bound of an expression, over sizes that the host knows; null if
  /// there is none.
  dhlo::DimExpr getMost(dhlo::DimExpr expr) const {
    return getBound(dims.expand(expr), /*isMost=*/true);
  }

private:
  /// The upper or lower bound of an expanded expression.
  dhlo::DimExpr getBound(dhlo::DimExpr expr, bool isMost) const;

  const SymbolicDims &dims;
  /// As declared, over other sizes, some of which may be erased later: what is
  /// a part of another value has to stay one if the host knows the other size.
  llvm::DenseMap<mlir::StringAttr, dhlo::DimExpr> bounds;
};

} // namespace dyn::dlhlo

#endif // DYN_LIB_DIALECT_DLHLO_TRANSFORMS_KERNELS_DEFERREDSIZES_H
