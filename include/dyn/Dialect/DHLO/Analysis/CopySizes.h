//===- CopySizes.h - Sizes of copied operations ---------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A symbol is bound by one operation, so a copy of an operation that binds
// symbols needs others, in its types and attributes, too.

#ifndef DYN_DIALECT_DHLO_ANALYSIS_COPYSIZES_H
#define DYN_DIALECT_DHLO_ANALYSIS_COPYSIZES_H

#include "dyn/Dialect/DHLO/Analysis/DimBuilder.h"

namespace dyn {

/// Gives copies symbols of their own for those that an operation, and
/// operations inside of it, bind.
class CopySizes {
public:
  CopySizes(mlir::Operation *source, DimBuilder &symbols);

  /// Replaces the symbols in a copy, and in operations inside of it.
  void apply(mlir::Operation *copy) const;

private:
  dhlo::DimExpr replace(dhlo::DimExpr expr) const;
  mlir::RankedTensorType replace(mlir::RankedTensorType type) const;

  DimBuilder &symbols;
  llvm::DenseMap<mlir::StringAttr, mlir::StringAttr> names;
};

} // namespace dyn

#endif // DYN_DIALECT_DHLO_ANALYSIS_COPYSIZES_H
