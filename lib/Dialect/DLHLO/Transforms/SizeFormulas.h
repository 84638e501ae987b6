//===- SizeFormulas.h - Size expressions for people and programs
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DIALECT_DLHLO_TRANSFORMS_SIZEFORMULAS_H
#define DYN_LIB_DIALECT_DLHLO_TRANSFORMS_SIZEFORMULAS_H

#include "dyn/Analysis/SymbolicDims.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"

namespace dyn::dlhlo {

/// Text for JSON, which holds nothing but UTF-8: names come from files that may
/// hold anything.
std::string toUtf8(llvm::StringRef text);

/// Writes expressions over the sizes of a module as formulas (Explain.h).
class SizeFormulas {
public:
  /// `values` come before the likely values of sizes.
  SizeFormulas(mlir::ModuleOp module, const llvm::StringMap<int64_t> &values);

  /// An expression as text alone, as it stands.
  static std::string print(dhlo::DimExpr expr);
  /// A formula as it stands, without a value.
  static llvm::json::Object write(dhlo::DimExpr expr);

  /// The formula of an expression over the module's sizes, in the names that
  /// say most: products of sizes are spelled out, so that equal terms meet,
  /// and divisions, minima and the like go by the name of the size that the
  /// model has for them.
  llvm::json::Object explain(dhlo::DimExpr expr) const;

  /// The value of an expression, where all its sizes have one.
  std::optional<int64_t> getValue(dhlo::DimExpr expr) const;

  const SymbolicDims &getDims() const { return dims; }

private:
  dhlo::DimExpr rename(dhlo::DimExpr expr) const;

  SymbolicDims dims;
  const llvm::StringMap<int64_t> &values;
  /// An atom that is no symbol -> the same by the name of a size.
  llvm::DenseMap<dhlo::DimExpr, dhlo::DimExpr> names;
};

} // namespace dyn::dlhlo

#endif // DYN_LIB_DIALECT_DLHLO_TRANSFORMS_SIZEFORMULAS_H
