//===- AttentionMask.cpp - Masks of attention scores ----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionMask.h"
#include "Match.h"

#include <cmath>

using namespace mlir;
using namespace dyn;
using namespace dyn::dhlo;

/// Conjunctions are nested a few times at most.
constexpr unsigned kMaxDepth = 8;
/// A finite score below 2^96 is lost in rounding when it is added to this
/// number.
static const double kBeyondScores = -std::ldexp(1.0, 120);
/// A number that is smaller than another one by this has no weight in softmax.
static const double kWeightless = std::ldexp(1.0, 119);

//===----------------------------------------------------------------------===//
// Terms
//===----------------------------------------------------------------------===//

/// The condition on positions that a comparison expresses.
std::optional<AffineIndex> AttentionMask::getCondition(const Part &part) const {
  auto compare = part.value.getDefiningOp<CompareOp>();
  if (!compare)
    return std::nullopt;
  std::optional<AffineIndex> condition = dhlo::getCondition(compare, dims);
  if (condition && part.isNegated)
    condition = negateCondition(*condition);
  return condition;
}

bool AttentionMask::isCausalPart(const Part &part) const {
  std::optional<AffineIndex> condition = getCondition(part);
  if (!condition || !dims.isEqual(condition->offset, sub(sizes[3], sizes[2])))
    return false;
  bool seesQuery = false, seesKey = false;
  for (auto [axis, step] : llvm::enumerate(condition->steps)) {
    if (step.isConst(0))
      continue;
    int64_t scoreAxis = part.axes[axis];
    // A repeated axis has the positions of one row or key.
    if (!dims.isEqual(getDim(getTensor(part.value), axis), sizes[scoreAxis]))
      return false;
    if (scoreAxis == 2 && step.isConst(1))
      seesQuery = true;
    else if (scoreAxis == 3 && step.isConst(-1))
      seesKey = true;
    else
      return false;
  }
  return seesQuery && seesKey;
}

void AttentionMask::split(Part part, Term &term, unsigned depth) {
  part.peel(dims);
  Operation *op = part.value.getDefiningOp();
  if (!op || depth > kMaxDepth) {
    term.conjuncts.push_back(part);
    return;
  }
  if (auto inner = dyn_cast<NotOp>(op)) {
    part.value = inner.getOperand();
    part.isNegated = !part.isNegated;
    return split(part, term, depth + 1);
  }
  if (part.isNegated ? isa<OrOp>(op) : isa<AndOp>(op)) {
    for (Value operand : op->getOperands())
      split({{operand, part.axes}, part.isNegated}, term, depth + 1);
    return;
  }
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    auto attr = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (attr && attr.isSplat() && attr.getSplatValue<bool>() != part.isNegated)
      return;
  }
  std::optional<AffineIndex> condition = getCondition(part);
  if (condition &&
      isAlwaysTrue(*condition, getDims(getTensor(part.value)), dims))
    return;
  term.conjuncts.push_back(part);
}

void AttentionMask::addTerm(Value value, double factor,
                            ArrayRef<int64_t> axes) {
  ScoreTensor part = {value, SmallVector<int64_t>(axes)};
  part.peel(dims);
  // A select between 0 and a number is a predicate.
  if (auto select = part.value.getDefiningOp<SelectOp>())
    for (bool removed : {true, false}) {
      Value zero = removed ? select.getOnFalse() : select.getOnTrue();
      Value other = removed ? select.getOnTrue() : select.getOnFalse();
      std::optional<double> number = getSplat(other);
      if (isSplat(zero, 0) && number &&
          addChoice(/*isSum=*/true, select.getPredicate(), removed, *number,
                    factor, part.axes))
        return;
    }
  terms.push_back({part, {}, 0, /*isSum=*/true, factor});
}

bool AttentionMask::addChoice(bool isSum, Value predicate, bool removed,
                              double number, double factor,
                              ArrayRef<int64_t> axes) {
  number *= factor;
  if (!(number <= kBeyondScores))
    return false;
  // The number is -inf in the scores' type, which is not wider.
  if (number < -getLargest(element))
    number = -INFINITY;
  Term term = {{}, {}, number, isSum, factor};
  split({{predicate, SmallVector<int64_t>(axes)}, removed}, term, 0);
  if (!term.conjuncts.empty())
    terms.push_back(std::move(term));
  return true;
}

bool AttentionMask::limitBelow(double number) {
  // Rounding makes it irrelevant whether a score is added before or after.
  if (!(number <= kBeyondScores) || std::isinf(number))
    return false;
  least = number;
  return true;
}

//===----------------------------------------------------------------------===//
// Conversion to operands of attention
//===----------------------------------------------------------------------===//

/// Whether a term keeps the first key of each row, because its only condition
/// is the causal one and there are at least as many keys as queries.
bool AttentionMask::isOnlyCausal(const Term &term) const {
  return !term.floats.value &&
         llvm::all_of(term.conjuncts,
                      [&](const Part &part) { return isCausalPart(part); }) &&
         dims.isAtLeast(sub(sizes[3], sizes[2]), 0);
}

double AttentionMask::getLimited(const Term &term) const {
  return std::max(term.number, least.value_or(-INFINITY));
}

/// The range of the result of applying the terms to a score of 0 at the first
/// key. None if it may be infinite or NaN.
std::optional<Interval> AttentionMask::getFirstKey() const {
  Interval range = {0, 0};
  for (const Term &term : terms) {
    if (term.floats.value) {
      std::optional<Interval> added = getInterval(term.floats.value);
      if (!added)
        return std::nullopt;
      auto [low, high] =
          std::minmax(added->low * term.factor, added->high * term.factor);
      range = {range.low + low, range.high + high};
    } else if (isOnlyCausal(term)) {
      continue;
    } else if (term.isSum) {
      range.low += term.number;
    } else {
      range = {std::min(range.low, term.number),
               std::max(range.high, term.number)};
    }
    // Also before scaling.
    double bound = getLargest(element) * std::min(1.0, std::abs(term.factor));
    if (!(range.high <= bound) || (!least && !(range.low >= -bound)))
      return std::nullopt;
  }
  if (least)
    range = {std::max(range.low, *least), std::max(range.high, *least)};
  return range;
}

bool AttentionMask::resolve(bool isGuarded) {
  std::optional<Interval> first = getFirstKey();
  // The sum of terms that the program scales later may be -inf before it is
  // scaled, and only there.
  if (!first && terms.size() > 1 &&
      llvm::any_of(terms, [](const Term &term) { return term.factor != 1; }))
    return false;
  nanIfEmpty = !first && !isGuarded;
  // The flag removes keys. This is the same as -inf, or as a number of no
  // weight if every row keeps another key.
  bool haveOthers = first && llvm::all_of(terms, [&](const Term &term) {
                      return term.floats.value || isOnlyCausal(term);
                    });
  auto isWeightless = [&](const Term &term) {
    return haveOthers &&
           first->low - std::max(0.0, first->high) - getLimited(term) >=
               kWeightless;
  };
  bool isReplaced = false;
  for (Term &term : llvm::reverse(terms)) {
    if (term.floats.value)
      continue;
    bool isRemoval = std::isinf(getLimited(term));
    if (isWeightless(term) || (isRemoval && !isReplaced)) {
      size_t count = term.conjuncts.size();
      llvm::erase_if(term.conjuncts,
                     [&](const Part &part) { return isCausalPart(part); });
      causal |= term.conjuncts.size() != count;
    }
    isReplaced |= !term.isSum && !isRemoval;
  }
  llvm::erase_if(terms, [](const Term &term) {
    return !term.floats.value && term.conjuncts.empty();
  });
  return true;
}

//===----------------------------------------------------------------------===//
// Construction of the operand
//===----------------------------------------------------------------------===//

void AttentionMask::unify(OpBuilder &builder, Location loc, Value &lhs,
                          Value &rhs) const {
  SmallVector<DimExpr> joint = getDims(getTensor(lhs));
  for (auto [axis, size] : llvm::enumerate(joint))
    if (size != getDim(getTensor(rhs), axis))
      size = sizes[axis];
  for (Value *value : {&lhs, &rhs}) {
    auto type = getTensorType(joint, getTensor(*value).getElementType());
    if (value->getType() != type)
      *value = BroadcastOp::create(builder, loc, type, *value,
                                   builder.getDenseI64ArrayAttr({0, 1, 2, 3}));
  }
}

Value AttentionMask::buildConjunction(OpBuilder &builder, Location loc,
                                      ArrayRef<Part> conjuncts) const {
  Value result;
  for (const Part &part : conjuncts) {
    Value value = part.build(builder, loc);
    if (part.isNegated)
      value = NotOp::create(builder, loc, value);
    if (result) {
      unify(builder, loc, result, value);
      value = AndOp::create(builder, loc, result, value);
    }
    result = value;
  }
  return result;
}

/// A number, broadcast to a tensor of floats.
static Value createFilled(OpBuilder &builder, Location loc,
                          RankedTensorType type, double number) {
  Attribute attr = builder.getFloatAttr(type.getElementType(), number);
  Value constant = ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(RankedTensorType::get({}, type.getElementType()),
                             attr));
  return BroadcastOp::create(builder, loc, type, constant,
                             builder.getDenseI64ArrayAttr({}));
}

/// Applies a term to a mask; null is a mask of zeros.
Value AttentionMask::applyTerm(OpBuilder &builder, Location loc, Value mask,
                               const Term &term) const {
  auto fill = [&](RankedTensorType type, double number) {
    return createFilled(builder, loc, withElementType(type, element), number);
  };
  Value added;
  if (term.floats.value) {
    added = term.floats.build(builder, loc);
    if (term.factor != 1)
      added = MulOp::create(builder, loc, added,
                            fill(getTensor(added), term.factor));
  } else {
    Value seen = buildConjunction(builder, loc, term.conjuncts);
    Value kept = term.isSum ? Value() : mask;
    if (kept)
      unify(builder, loc, seen, kept);
    RankedTensorType type = getTensor(seen);
    if (!kept)
      kept = fill(type, 0);
    added = SelectOp::create(builder, loc, kept.getType(), seen, kept,
                             fill(type, term.number));
  }
  if (!mask || !term.isSum)
    return added;
  unify(builder, loc, mask, added);
  return AddOp::create(builder, loc, mask, added);
}

Value AttentionMask::build(OpBuilder &builder, Location loc) {
  bool areRemoved = llvm::all_of(terms, [&](const Term &term) {
    return !term.floats.value && std::isinf(getLimited(term));
  });
  if (areRemoved) {
    SmallVector<Part> all;
    for (const Term &term : terms)
      llvm::append_range(all, term.conjuncts);
    return buildConjunction(builder, loc, all);
  }
  Value result;
  for (const Term &term : terms)
    result = applyTerm(builder, loc, result, term);
  if (!least)
    return result;
  return MaximumOp::create(
      builder, loc, result,
      createFilled(builder, loc, getTensor(result), *least));
}
