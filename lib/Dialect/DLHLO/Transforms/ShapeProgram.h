//===- ShapeProgram.h - Sizes as values of type index
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DIALECT_DLHLO_TRANSFORMS_SHAPEPROGRAM_H
#define DYN_LIB_DIALECT_DLHLO_TRANSFORMS_SHAPEPROGRAM_H

#include "dyn/Analysis/SymbolicDims.h"
#include "dyn/Dialect/DHLO/Transforms/SizeChecks.h"
#include "dyn/Dialect/DLHLO/IR/DLHLO.h"

namespace dyn::dlhlo {

/// Collects the sites of a module; a site's number is its index.
class SiteTable {
public:
  explicit SiteTable(mlir::ModuleOp module);
  /// Appends sites and returns the number of the first.
  int64_t add(llvm::ArrayRef<mlir::Attribute> more);
  /// Writes them to the module.
  void store(mlir::ModuleOp module) const;

private:
  llvm::SmallVector<mlir::Attribute> sites;
};

/// Emits code that computes size expressions, each once in a scope. Scopes
/// follow the regions of the code: what an outer one has computed is seen in
/// inner ones.
class ShapeProgram {
public:
  ShapeProgram(const SymbolicDims &dims, const mlir::SymbolTable &symbols,
               SiteTable &sites)
      : dims(dims), symbols(symbols), sites(sites), scopes(1) {}

  void pushScope() { scopes.emplace_back(); }
  void popScope() { scopes.pop_back(); }

  /// Gives a symbol its value in the current scope.
  void bind(mlir::StringAttr symbol, mlir::Value value) {
    scopes.back().values[dhlo::getSymbolDim(symbol)] = value;
  }

  /// The value of an expression, computed at the builder's place unless it has
  /// been. `user` is the operation that needs it, for diagnostics and data
  /// errors. Null after an error: a symbol that nothing binds.
  mlir::Value get(mlir::OpBuilder &builder, dhlo::DimExpr expr,
                  mlir::Operation *user);

  /// As `get`. A size of `op` that may be negative is checked.
  mlir::Value getSize(mlir::OpBuilder &builder, dhlo::DimExpr size,
                      mlir::Operation *op, mlir::Operation *user);

  /// The sizes of a tensor, as `getSize`. Fails as that does.
  llvm::LogicalResult getSizes(mlir::OpBuilder &builder,
                               mlir::RankedTensorType type,
                               mlir::Operation *user,
                               llvm::SmallVectorImpl<mlir::Value> &sizes);

  /// The sum or product of two sizes, the greatest index if it does not fit:
  /// memory of that many bytes is refused, where a size that has wrapped would
  /// be believed.
  static mlir::Value add(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value lhs, mlir::Value rhs);
  static mlir::Value multiply(mlir::OpBuilder &builder, mlir::Location loc,
                              mlir::Value lhs, mlir::Value rhs);
  /// Ends the call with a data error of `op` unless what it needs of sizes
  /// holds. `user` is where it stands in the entry. Fails as `get` does.
  llvm::LogicalResult check(mlir::OpBuilder &builder, mlir::Operation *op,
                            llvm::ArrayRef<dhlo::SizeCheck> checks,
                            mlir::Operation *user);

  /// Whether the value of an expression is known to fit.
  bool isBounded(dhlo::DimExpr expr) const {
    return dims.isAtMost(expr, int64_t(1) << 62);
  }

private:
  mlir::Value compute(mlir::OpBuilder &builder, dhlo::DimExpr expr,
                      mlir::Operation *user);
  mlir::Value divide(mlir::OpBuilder &builder, dhlo::DimExpr expr,
                     mlir::Value lhs, mlir::Value rhs, mlir::Operation *user);
  void fail(mlir::OpBuilder &builder, mlir::Value condition, mlir::Value value,
            SiteKind kind, llvm::StringRef op, mlir::Location loc);

  const SymbolicDims &dims;
  const mlir::SymbolTable &symbols;
  SiteTable &sites;
  /// Whether a check of two values is to be emitted: none before has made it.
  bool isNewCheck(mlir::Value lhs, mlir::Value rhs);

  struct Scope {
    llvm::DenseMap<dhlo::DimExpr, mlir::Value> values;
    /// Pairs that have been compared; a value with itself stands for the check
    /// that it is not negative.
    llvm::DenseSet<std::pair<mlir::Value, mlir::Value>> checked;
  };
  llvm::SmallVector<Scope> scopes;
};

} // namespace dyn::dlhlo

#endif // DYN_LIB_DIALECT_DLHLO_TRANSFORMS_SHAPEPROGRAM_H
