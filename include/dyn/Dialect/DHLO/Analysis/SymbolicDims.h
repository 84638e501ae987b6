//===- SymbolicDims.h - Facts about symbolic sizes ------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// SymbolicDims answers questions about size expressions from the declarations
// (`dhlo.dim`) of one symbol table operation, a module or a kernel. Answers are
// proofs: `false`, `1` or nothing mean "not known", never "known not to be".
// Only `likely` is a hint.
//
// Derived symbols are expanded to the bound symbols that they are defined by,
// so with `dhlo.dim @T = @B * @S` the sizes T * 64 and S * (64 * B) are equal.
// The declaration of T itself is only checked where an operation has that size;
// it is used for questions that name T. Questions about data are asked in
// expanded form.
//
// An object sees the declarations at the time of its construction, and those
// that it is told of (DimBuilder). It must not be used by several threads at
// once. Passes share that of the module; one that changes declarations by a
// DimBuilder only may preserve it.

#ifndef DYN_DIALECT_DHLO_ANALYSIS_SYMBOLICDIMS_H
#define DYN_DIALECT_DHLO_ANALYSIS_SYMBOLICDIMS_H

#include "dyn/Dialect/DHLO/IR/DHLO.h"

#include <limits>

namespace dyn {

class SymbolicDims {
public:
  /// An inclusive range; the limits of int64 stand for "unbounded".
  struct Range {
    int64_t min = std::numeric_limits<int64_t>::min();
    int64_t max = std::numeric_limits<int64_t>::max();
  };

  /// Reads the declarations in the body of `symbolTable`.
  explicit SymbolicDims(mlir::Operation *symbolTable);

  /// The expression in terms of bound symbols, simplified by facts: max(S, 1)
  /// is S if S is at least 1.
  dhlo::DimExpr expand(dhlo::DimExpr expr) const;
  /// Whether both are always equal.
  bool isEqual(dhlo::DimExpr lhs, dhlo::DimExpr rhs) const;
  /// Whether both are never equal.
  bool isDistinct(dhlo::DimExpr lhs, dhlo::DimExpr rhs) const;
  /// Bounds by interval arithmetic over the expanded expression.
  Range getRange(dhlo::DimExpr expr) const;
  bool isAtLeast(dhlo::DimExpr expr, int64_t value) const;
  bool isAtMost(dhlo::DimExpr expr, int64_t value) const;
  /// Whether lhs <= rhs always, by the range of the difference.
  bool isAtMost(dhlo::DimExpr lhs, dhlo::DimExpr rhs) const;
  /// The largest known divisor; 0 for the constant 0.
  int64_t getMultipleOf(dhlo::DimExpr expr) const;
  bool isMultipleOf(dhlo::DimExpr expr, int64_t divisor) const;
  /// The number of elements of a type, expanded.
  dhlo::DimExpr getNumElements(mlir::RankedTensorType type) const;
  bool hasSameNumElements(mlir::RankedTensorType lhs,
                          mlir::RankedTensorType rhs) const;
  /// Whether two types have the same rank and provably equal sizes.
  bool hasSameSizes(mlir::RankedTensorType lhs,
                    mlir::RankedTensorType rhs) const;
  /// Values worth specialising for; empty if none is declared.
  llvm::SmallVector<int64_t> getLikely(dhlo::DimExpr expr) const;
  /// The value that cost estimates assume: a likely value, else one derived
  /// from the range.
  int64_t getEstimate(dhlo::DimExpr expr) const;

  /// The size of an axis; a symbol if dynamic.
  dhlo::DimExpr getDim(mlir::Value tensor, int64_t axis) const;
  /// The name for a size in a type: constants and symbols are unchanged, any
  /// other expression becomes a constant, or the symbol first declared for an
  /// equal one; null if there is none.
  dhlo::DimExpr findName(dhlo::DimExpr expr) const;

  /// The operation with the declarations.
  mlir::Operation *getOperation() const { return symbolTable; }
  /// Includes a declaration that was added after all others (DimBuilder does).
  void addDeclaration(dhlo::DimOp dim);

private:
  /// Drops cyclic definitions, which the verifier rejects.
  void dropCyclicDefinitions();
  /// Records that `symbol` is a name for its value.
  void recordName(mlir::StringAttr symbol);
  /// Substitutes definitions for derived symbols.
  dhlo::DimExpr expandDefinitions(dhlo::DimExpr expr) const;
  /// The expanded expression in a form in which declared divisors are
  /// coefficients: a symbol S that is a multiple of 8 is 8 * (a hidden symbol).
  dhlo::DimExpr canonicalize(dhlo::DimExpr expr) const;
  /// Simplifies by facts, operands first.
  dhlo::DimExpr simplify(dhlo::DimExpr expr) const;
  dhlo::DimExpr simplifyParts(dhlo::DimExpr expr) const;
  Range getSymbolRange(mlir::StringAttr name) const;
  /// The declared upper bound of a symbol, null if there is none.
  dhlo::DimExpr getDeclaredBound(dhlo::DimExpr symbol) const;
  /// Bounds of the expression without expansion. Sums also replace up to
  /// `budget` divisions, minima, maxima and bounded symbols by their bounds, so
  /// that terms cancel.
  Range computeRange(dhlo::DimExpr expr, unsigned budget) const;
  Range computeRangeOfParts(dhlo::DimExpr expr, unsigned budget) const;
  /// The range of a sum that follows from replacing one of its atoms.
  Range relateAtom(dhlo::DimExpr sum, dhlo::DimExpr atom,
                   unsigned budget) const;
  int64_t computeMultiple(dhlo::DimExpr expr) const;
  int64_t computeMultipleOfParts(dhlo::DimExpr expr) const;

  mlir::Operation *symbolTable;
  llvm::DenseMap<mlir::StringAttr, dhlo::DimOp> declarations;
  llvm::DenseMap<mlir::StringAttr, dhlo::DimExpr> definitions;
  /// The first symbol declared for a canonical expression.
  llvm::DenseMap<dhlo::DimExpr, mlir::StringAttr> names;

  // Memoized answers, the reason for one thread at a time. Sizes that are
  // computed from sizes, such as lengths after many convolutions, share
  // subexpressions; without memoization, questions about them would take
  // exponential time.
  mutable llvm::DenseMap<dhlo::DimExpr, dhlo::DimExpr> expansions;
  mutable llvm::DenseMap<dhlo::DimExpr, dhlo::DimExpr> canonicals;
  mutable llvm::DenseMap<dhlo::DimExpr, dhlo::DimExpr> simplified;
  mutable llvm::DenseMap<dhlo::DimExpr, Range> ranges;
  /// The results of `computeRange`, by expression and budget.
  mutable llvm::DenseMap<std::pair<dhlo::DimExpr, unsigned>, Range> bounds;
  mutable llvm::DenseMap<dhlo::DimExpr, int64_t> multiples;
  /// The hidden symbols of `canonicalize`: symbol and divisor.
  mutable llvm::DenseMap<mlir::StringAttr, std::pair<mlir::StringAttr, int64_t>>
      hidden;
};

} // namespace dyn

#endif // DYN_DIALECT_DHLO_ANALYSIS_SYMBOLICDIMS_H
