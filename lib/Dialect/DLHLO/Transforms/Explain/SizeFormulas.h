//===- SizeFormulas.h - Size expressions for people and programs ----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DIALECT_DLHLO_TRANSFORMS_EXPLAIN_SIZEFORMULAS_H
#define DYN_LIB_DIALECT_DLHLO_TRANSFORMS_EXPLAIN_SIZEFORMULAS_H

#include "dyn/Dialect/DHLO/Analysis/SymbolicDims.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"

namespace dyn::dlhlo {

/// Text for JSON, which must be UTF-8: names come from files that may contain
/// any bytes.
std::string toUtf8(llvm::StringRef text);

/// Writes expressions over the sizes of a module as formulas (Explain.h).
class SizeFormulas {
public:
  /// `values` take precedence over the likely values of sizes.
  SizeFormulas(mlir::ModuleOp module, const llvm::StringMap<int64_t> &values);

  /// The text of an expression, unchanged.
  static std::string print(dhlo::DimExpr expr);
  /// A formula of the unchanged expression, without a value.
  static llvm::json::Object write(dhlo::DimExpr expr);

  /// The formula of an expression over the module's sizes, in the most readable
  /// names: definitions that are polynomials are expanded, so that equal terms
  /// combine, and divisions, minima and the like are replaced by the model's
  /// size with that definition.
  llvm::json::Object explain(dhlo::DimExpr expr) const;

  /// The value of an expression, if all its sizes have one.
  std::optional<int64_t> getValue(dhlo::DimExpr expr) const;

  const SymbolicDims &getDims() const { return dims; }

private:
  dhlo::DimExpr rename(dhlo::DimExpr expr) const;

  SymbolicDims dims;
  const llvm::StringMap<int64_t> &values;
  /// Maps an atom other than a symbol to an expression of the size that names
  /// it.
  llvm::DenseMap<dhlo::DimExpr, dhlo::DimExpr> names;
};

} // namespace dyn::dlhlo

#endif // DYN_LIB_DIALECT_DLHLO_TRANSFORMS_EXPLAIN_SIZEFORMULAS_H
