//===- AttentionMask.h - Masks of attention scores ------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Models mask scores by adding 0 or a number that no score can outweigh, or by
// replacing scores by that number. An AttentionMask collects these terms and
// computes equivalent operands of dhlo.attention:
//
//   - booleans are split into conjuncts: those that always hold are dropped,
//     and `key <= query + T - S` becomes the flag `causal`;
//   - the rest is one i1 tensor of the keys to keep, if the number is -inf, or
//     if no row can lose all its keys;
//   - otherwise one float tensor: the terms, applied to scores of 0.
//
// Two facts decide. A row that has lost all its keys is the mean of all values
// if the number is finite, so such rows must be impossible where keys are
// removed by booleans; if it is -inf the row is NaN, or zero if the program
// guards against it, and dhlo.attention has both. And replacing a score by a
// number is the same as adding the number only if the score is lost in
// rounding: the number must be beyond -2^120.

#ifndef DYN_LIB_DIALECT_DHLO_TRANSFORMS_RECOGNIZE_ATTENTIONMASK_H
#define DYN_LIB_DIALECT_DHLO_TRANSFORMS_RECOGNIZE_ATTENTIONMASK_H

#include "FloatInterval.h"
#include "ScoreTensor.h"

#include "dyn/Dialect/DHLO/Analysis/AffineIndex.h"

namespace dyn::dhlo {

class AttentionMask {
public:
  /// `sizes` are those of the scores: batch, heads, queries, keys.
  AttentionMask(llvm::ArrayRef<DimExpr> sizes, mlir::FloatType element,
                const SymbolicDims &dims)
      : sizes(sizes), element(element), dims(dims) {}

  // Terms are added in the order in which the program applies them. It
  // multiplies by `factor` later; `axes` maps a tensor's axes to the scores'.

  /// Adds a term that is added to the scores.
  void addTerm(mlir::Value value, double factor, llvm::ArrayRef<int64_t> axes);
  /// Adds a term that replaces scores by `number` where `predicate` is
  /// `removed`. False if this is not a mask.
  bool replaceScores(mlir::Value predicate, bool removed, double number,
                     double factor, llvm::ArrayRef<int64_t> axes) {
    return addChoice(/*isSum=*/false, predicate, removed, number, factor, axes);
  }

  /// Limits scores with all terms added to at least `number`. False if this
  /// might also limit scores that are not masked.
  bool limitBelow(double number);

  /// Whether dhlo.attention can express the terms. `isGuarded`: NaN in the
  /// result of the softmax becomes zero.
  bool resolve(bool isGuarded);

  // The results of resolve.
  bool isCausal() const { return causal; }
  /// Whether a row that loses all its keys, if there may be one, is NaN.
  bool isNanIfEmpty() const { return nanIfEmpty; }
  /// Builds the operand; null if there is none.
  mlir::Value build(mlir::OpBuilder &builder, mlir::Location loc);

private:
  /// Booleans: keys are kept where the tensor is true, or false if negated.
  struct Part : ScoreTensor {
    bool isNegated = false;
  };
  /// Floats that are added; or a number that is added to scores, or replaces
  /// them, where not all conjuncts hold.
  struct Term {
    ScoreTensor floats;
    llvm::SmallVector<Part> conjuncts;
    double number = 0;
    bool isSum = true;
    double factor = 1;
  };

  bool addChoice(bool isSum, mlir::Value predicate, bool removed, double number,
                 double factor, llvm::ArrayRef<int64_t> axes);
  void split(Part part, Term &term, unsigned depth);
  std::optional<AffineIndex> getCondition(const Part &part) const;
  bool isCausalPart(const Part &part) const;
  bool isOnlyCausal(const Term &term) const;
  /// The number of a term, limited from below.
  double getLimited(const Term &term) const;
  std::optional<Interval> getFirstKey() const;

  void unify(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value &lhs,
             mlir::Value &rhs) const;
  mlir::Value buildConjunction(mlir::OpBuilder &builder, mlir::Location loc,
                               llvm::ArrayRef<Part> conjuncts) const;
  mlir::Value applyTerm(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value mask, const Term &term) const;

  llvm::SmallVector<DimExpr> sizes;
  mlir::FloatType element;
  const SymbolicDims &dims;
  llvm::SmallVector<Term> terms;
  std::optional<double> least;
  bool causal = false, nanIfEmpty = false;
};

} // namespace dyn::dhlo

#endif // DYN_LIB_DIALECT_DHLO_TRANSFORMS_RECOGNIZE_ATTENTIONMASK_H
