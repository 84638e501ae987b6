//===- DimBuilder.h - Declares symbolic sizes -----------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A DimBuilder writes the declarations (`dhlo.dim`) that SymbolicDims reads.
// The answers of the object that it was made with include what it declares.

#ifndef DYN_DIALECT_DHLO_ANALYSIS_DIMBUILDER_H
#define DYN_DIALECT_DHLO_ANALYSIS_DIMBUILDER_H

#include "dyn/Dialect/DHLO/Analysis/SymbolicDims.h"

namespace dyn {

class DimBuilder {
public:
  /// Declares symbols in the symbol table of `dims`, which must outlive this.
  explicit DimBuilder(SymbolicDims &dims) : dims(dims) {}

  const SymbolicDims &getDims() const { return dims; }

  /// The name for a size in a type: constants and symbols are unchanged, any
  /// other expression becomes the symbol declared for an equal one, or a new
  /// `dhlo.dim` named after `hint` at the end of the declarations.
  dhlo::DimExpr getOrCreateSymbol(dhlo::DimExpr expr,
                                  llvm::StringRef hint = "d");
  /// A new symbol without definition, to be bound, in [min, max] and at most
  /// `bound`.
  dhlo::DimExpr createSymbol(llvm::StringRef hint, int64_t min = 0,
                             std::optional<int64_t> max = std::nullopt,
                             dhlo::DimExpr bound = {});
  /// The tensor type with these sizes; names expressions as needed.
  mlir::RankedTensorType getTensorType(llvm::ArrayRef<dhlo::DimExpr> sizes,
                                       mlir::Type elementType);

  /// Reads all declarations again; must be called after one has changed.
  void reread() { dims = SymbolicDims(dims.getOperation()); }

private:
  dhlo::DimExpr declare(llvm::StringRef hint, dhlo::DimExpr definition,
                        mlir::IntegerAttr min, mlir::IntegerAttr max,
                        dhlo::DimExpr bound);

  SymbolicDims &dims;
};

} // namespace dyn

#endif // DYN_DIALECT_DHLO_ANALYSIS_DIMBUILDER_H
