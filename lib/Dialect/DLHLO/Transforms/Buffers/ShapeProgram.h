//===- ShapeProgram.h - Sizes as values of type index ---------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DIALECT_DLHLO_TRANSFORMS_BUFFERS_SHAPEPROGRAM_H
#define DYN_LIB_DIALECT_DLHLO_TRANSFORMS_BUFFERS_SHAPEPROGRAM_H

#include "dyn/Dialect/DHLO/Analysis/SymbolicDims.h"
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
/// follow the regions of the code: values of an outer scope are visible in
/// inner ones.
class ShapeProgram {
public:
  ShapeProgram(const SymbolicDims &dims, const mlir::SymbolTable &symbols,
               SiteTable &sites)
      : dims(dims), symbols(symbols), sites(sites), scopes(1) {}

  void pushScope() { scopes.emplace_back(); }
  void popScope() { scopes.pop_back(); }

  /// Binds a symbol to a value in the current scope.
  void bind(mlir::StringAttr symbol, mlir::Value value) {
    scopes.back().values[dhlo::getSymbolDim(symbol)] = value;
  }

  /// The value of an expression, computed at the builder's insertion point
  /// unless it exists. `user` is the operation that needs it, for diagnostics
  /// and data errors. Null after an error: a symbol that is not bound.
  mlir::Value get(mlir::OpBuilder &builder, dhlo::DimExpr expr,
                  mlir::Operation *user);

  /// As `get`, but checks a size of `op` that may be negative.
  mlir::Value getSize(mlir::OpBuilder &builder, dhlo::DimExpr size,
                      mlir::Operation *op, mlir::Operation *user);

  /// The sizes of a tensor, as by `getSize`. Fails if that does.
  llvm::LogicalResult getSizes(mlir::OpBuilder &builder,
                               mlir::RankedTensorType type,
                               mlir::Operation *user,
                               llvm::SmallVectorImpl<mlir::Value> &sizes);

  /// The sum or product of two sizes, saturated to the maximum index: an
  /// allocation of that many bytes fails, but one of a size that has wrapped
  /// around would not.
  static mlir::Value add(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value lhs, mlir::Value rhs);
  static mlir::Value multiply(mlir::OpBuilder &builder, mlir::Location loc,
                              mlir::Value lhs, mlir::Value rhs);
  /// Ends the call with a data error of `op` unless its constraints on sizes
  /// hold. `user` is its operation in the entry. Fails if `get` does.
  llvm::LogicalResult check(mlir::OpBuilder &builder, mlir::Operation *op,
                            llvm::ArrayRef<dhlo::SizeCheck> checks,
                            mlir::Operation *user);

  /// Whether the value of an expression provably fits.
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
  /// Whether a check of two values has not been emitted before.
  bool isNewCheck(mlir::Value lhs, mlir::Value rhs);

  struct Scope {
    llvm::DenseMap<dhlo::DimExpr, mlir::Value> values;
    /// Pairs that have been compared; a value paired with itself has been
    /// checked for being nonnegative.
    llvm::DenseSet<std::pair<mlir::Value, mlir::Value>> checked;
  };
  llvm::SmallVector<Scope> scopes;
};

} // namespace dyn::dlhlo

#endif // DYN_LIB_DIALECT_DLHLO_TRANSFORMS_BUFFERS_SHAPEPROGRAM_H
