//===- SymbolicDims.h - What is known about symbolic sizes
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// SymbolicDims answers questions about size expressions from the declarations
// (`dhlo.dim`) of one symbol table operation, a module or a kernel. Answers are
// proofs: `false`, `1` or nothing mean "not known", never "known not to be".
// `likely` alone is a hint.
//
// Derived symbols are expanded to the bound symbols that they stand for, so
// with `dhlo.dim @T = @B * @S` the sizes T * 64 and S * (64 * B) are equal.
// What is declared of T itself is checked only where an operation has that
// size; it answers questions that name T. Data is asked about expanded.
//
// An object sees the declarations that were there when it was made, and those
// that it makes itself. It serves one thread at a time.

#ifndef DYN_ANALYSIS_SYMBOLICDIMS_H
#define DYN_ANALYSIS_SYMBOLICDIMS_H

#include "dyn/Dialect/DHLO/IR/DHLO.h"

#include <limits>

namespace dyn {

class SymbolicDims {
public:
  /// An inclusive range; the ends of int64 stand for "unbounded".
  struct Range {
    int64_t min = std::numeric_limits<int64_t>::min();
    int64_t max = std::numeric_limits<int64_t>::max();
  };

  /// Reads the declarations in the body of `symbolTable`.
  explicit SymbolicDims(mlir::Operation *symbolTable);

  //===--------------------------------------------------------------------===//
  // Questions
  //===--------------------------------------------------------------------===//

  /// The expression over bound symbols alone, simplified by what is known:
  /// max(S, 1) is S if S is at least 1.
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
  /// The greatest divisor that is known; 0 for the constant 0.
  int64_t getMultipleOf(dhlo::DimExpr expr) const;
  bool isMultipleOf(dhlo::DimExpr expr, int64_t divisor) const;
  /// The product of a type's sizes, expanded.
  dhlo::DimExpr getNumElements(mlir::RankedTensorType type) const;
  bool hasSameNumElements(mlir::RankedTensorType lhs,
                          mlir::RankedTensorType rhs) const;
  /// Whether two types have the same rank and provably equal sizes.
  bool hasSameSizes(mlir::RankedTensorType lhs,
                    mlir::RankedTensorType rhs) const;
  /// Values worth specialising for; empty if none is declared.
  llvm::SmallVector<int64_t> getLikely(dhlo::DimExpr expr) const;
  /// The value that cost estimates assume: a likely value, else one that the
  /// range suggests.
  int64_t getEstimate(dhlo::DimExpr expr) const;

  //===--------------------------------------------------------------------===//
  // New symbols
  //===--------------------------------------------------------------------===//

  /// The name for a size in a type: a constant stays, a symbol stays, another
  /// expression becomes the symbol declared for an equal one, or a new
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
  /// The size of an axis; a symbol if dynamic.
  dhlo::DimExpr getDim(mlir::Value tensor, int64_t axis) const;

  /// The operation whose declarations this is about.
  mlir::Operation *getOperation() const { return symbolTable; }

private:
  /// Forgets definitions that depend on themselves; the verifier refuses them.
  void dropCyclicDefinitions();
  /// Remembers that `symbol` is a name for its value.
  void recordName(mlir::StringAttr symbol);
  dhlo::DimOp createDeclaration(llvm::StringRef hint, dhlo::DimExpr definition,
                                mlir::IntegerAttr min, mlir::IntegerAttr max,
                                dhlo::DimExpr bound);
  /// Puts definitions in place of derived symbols.
  dhlo::DimExpr expandDefinitions(dhlo::DimExpr expr) const;
  /// The expanded expression in a form in which declared divisors are
  /// coefficients: a symbol S that is a multiple of 8 is 8 * (a hidden symbol).
  dhlo::DimExpr canonicalize(dhlo::DimExpr expr) const;
  /// Simplifies by facts, operands first.
  dhlo::DimExpr simplify(dhlo::DimExpr expr) const;
  dhlo::DimExpr simplifyParts(dhlo::DimExpr expr) const;
  Range getSymbolRange(mlir::StringAttr name) const;
  /// What a symbol is declared to be at most, null without such a promise.
  dhlo::DimExpr getDeclaredBound(dhlo::DimExpr symbol) const;
  /// Bounds of the expression as it stands. Sums also replace up to `budget`
  /// divisions, minima, maxima and bounded symbols by what bounds them, so that
  /// terms cancel.
  Range computeRange(dhlo::DimExpr expr, unsigned budget) const;
  Range computeRangeOfParts(dhlo::DimExpr expr, unsigned budget) const;
  /// What replacing one atom of a sum tells about its range.
  Range relateAtom(dhlo::DimExpr sum, dhlo::DimExpr atom,
                   unsigned budget) const;
  int64_t computeMultiple(dhlo::DimExpr expr) const;
  int64_t computeMultipleOfParts(dhlo::DimExpr expr) const;

  mlir::Operation *symbolTable;
  llvm::DenseMap<mlir::StringAttr, dhlo::DimOp> declarations;
  llvm::DenseMap<mlir::StringAttr, dhlo::DimExpr> definitions;
  /// The first symbol declared for a canonical expression.
  llvm::DenseMap<dhlo::DimExpr, mlir::StringAttr> names;

  // Memory of answers; why an object serves one thread at a time. Sizes that
  // follow from sizes, as the lengths after many convolutions do, share parts;
  // asked again wherever they stand, they would take exponential time.
  mutable llvm::DenseMap<dhlo::DimExpr, dhlo::DimExpr> expansions;
  mutable llvm::DenseMap<dhlo::DimExpr, dhlo::DimExpr> canonicals;
  mutable llvm::DenseMap<dhlo::DimExpr, dhlo::DimExpr> simplified;
  mutable llvm::DenseMap<dhlo::DimExpr, Range> ranges;
  /// Of `computeRange`, by expression and budget.
  mutable llvm::DenseMap<std::pair<dhlo::DimExpr, unsigned>, Range> bounds;
  mutable llvm::DenseMap<dhlo::DimExpr, int64_t> multiples;
  /// The hidden symbols of `canonicalize`: symbol and divisor.
  mutable llvm::DenseMap<mlir::StringAttr, std::pair<mlir::StringAttr, int64_t>>
      hidden;
};

} // namespace dyn

#endif // DYN_ANALYSIS_SYMBOLICDIMS_H
