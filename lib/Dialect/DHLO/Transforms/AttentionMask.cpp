//===- AttentionMask.cpp - What is added to or removed from scores --------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionMask.h"
#include "Match.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace dyn;
using namespace dyn::dhlo;

/// Conjunctions are nested a few times at most.
constexpr unsigned kMaxDepth = 8;
/// Any score that is finite and below 2^96 is lost beside it in rounding.
static const double kBeyondScores = -std::ldexp(1.0, 120);

//===----------------------------------------------------------------------===//
// Finite numbers
//===----------------------------------------------------------------------===//

namespace {
struct Interval {
  double low, high;
};
} // namespace

/// The least and the greatest number of a constant.
static std::optional<Interval> getRange(ConstantOp op) {
  if (std::optional<double> splat = getSplat(op))
    return Interval{*splat, *splat};
  auto floats = dyn_cast<DenseFPElementsAttr>(op.getValue());
  if (!floats || floats.empty())
    return std::nullopt;
  Interval range = {INFINITY, -INFINITY};
  for (const APFloat &element : floats) {
    double number = toDouble(element);
    // Also of NaN.
    if (!std::isfinite(number))
      return std::nullopt;
    range.low = std::min(range.low, number);
    range.high = std::max(range.high, number);
  }
  return range;
}

static std::optional<Interval> getInterval(Value value, unsigned depth) {
  Operation *op = value.getDefiningOp();
  if (!op || depth > kMaxDepth)
    return std::nullopt;
  auto of = [&](Value v) { return getInterval(v, depth + 1); };
  auto join = [](std::optional<Interval> x,
                 std::optional<Interval> y) -> std::optional<Interval> {
    if (!x || !y)
      return std::nullopt;
    return Interval{std::min(x->low, y->low), std::max(x->high, y->high)};
  };
  std::optional<Interval> result =
      llvm::TypeSwitch<Operation *, std::optional<Interval>>(op)
          .Case<BroadcastOp, ReshapeOp, TransposeOp, SliceOp>(
              [&](auto op) { return of(op.getOperand()); })
          .Case([&](ConstantOp op) { return getRange(op); })
          .Case([&](IotaOp) -> std::optional<Interval> {
            return Interval{0, std::ldexp(1.0, 63)};
          })
          .Case<GatherOp, GatherNdOp, GatherElementsOp>(
              [&](auto op) { return of(op.getOperand()); })
          .Case([&](ConcatOp op) -> std::optional<Interval> {
            std::optional<Interval> all = of(op.getOperands().front());
            for (Value operand : op.getOperands().drop_front())
              all = join(all, of(operand));
            return all;
          })
          .Case([&](PowOp op) -> std::optional<Interval> {
            auto x = of(op.getLhs()), y = of(op.getRhs());
            if (!x || !y || !(x->low > 0))
              return std::nullopt;
            // Monotone in either, for whatever the other is.
            double ends[] = {
                std::pow(x->low, y->low), std::pow(x->low, y->high),
                std::pow(x->high, y->low), std::pow(x->high, y->high)};
            return Interval{*std::min_element(ends, ends + 4),
                            *std::max_element(ends, ends + 4)};
          })
          .Case([&](ConvertOp op) -> std::optional<Interval> {
            Type from = getTensor(op.getOperand()).getElementType();
            auto integer = dyn_cast<IntegerType>(from);
            if (!integer)
              return of(op.getOperand());
            if (integer.getWidth() == 1)
              return Interval{0, 1};
            double bound = std::ldexp(1.0, integer.getWidth());
            return Interval{-bound, bound};
          })
          .Case([&](SelectOp op) {
            return join(of(op.getOnTrue()), of(op.getOnFalse()));
          })
          .Case([&](AddOp op) -> std::optional<Interval> {
            auto x = of(op.getLhs()), y = of(op.getRhs());
            if (!x || !y)
              return std::nullopt;
            return Interval{x->low + y->low, x->high + y->high};
          })
          .Case([&](SubOp op) -> std::optional<Interval> {
            auto x = of(op.getLhs()), y = of(op.getRhs());
            if (!x || !y)
              return std::nullopt;
            return Interval{x->low - y->high, x->high - y->low};
          })
          .Case([&](MulOp op) -> std::optional<Interval> {
            auto x = of(op.getLhs()), y = of(op.getRhs());
            if (!x || !y)
              return std::nullopt;
            double ends[] = {x->low * y->low, x->low * y->high,
                             x->high * y->low, x->high * y->high};
            return Interval{*std::min_element(ends, ends + 4),
                            *std::max_element(ends, ends + 4)};
          })
          .Default([](Operation *) { return std::nullopt; });
  auto type = dyn_cast<FloatType>(getTensor(value).getElementType());
  if (!result || !type)
    return std::nullopt;
  APFloat largest = APFloat::getLargest(type.getFloatSemantics());
  bool losesInfo;
  largest.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
  double bound = largest.convertToDouble();
  // Also false for NaN.
  if (!(result->low >= -bound && result->high <= bound))
    return std::nullopt;
  return result;
}

bool dhlo::isAlwaysFinite(Value value) {
  return getInterval(value, 0).has_value();
}

//===----------------------------------------------------------------------===//
// Terms
//===----------------------------------------------------------------------===//

/// Looks through broadcasts and axes of size 1.
AttentionMask::Part AttentionMask::peel(Part part) const {
  while (Operation *op = part.value.getDefiningOp()) {
    if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
      SmallVector<int64_t> axes;
      for (int64_t axis : broadcast.getAxes())
        axes.push_back(part.axes[axis]);
      part.axes = axes;
      part.value = broadcast.getOperand();
      continue;
    }
    auto reshape = dyn_cast<ReshapeOp>(op);
    if (!reshape)
      break;
    RankedTensorType from = getTensor(reshape.getOperand());
    auto map = getUnitAxesMap(from, reshape.getType(), dims);
    // Only axes that are inserted: the others keep their places.
    if (!map || llvm::is_contained(*map, -1))
      break;
    SmallVector<int64_t> axes;
    for (int64_t axis : *map)
      axes.push_back(part.axes[axis]);
    part.axes = axes;
    part.value = reshape.getOperand();
  }
  return part;
}

bool AttentionMask::isCausalCondition(const AffineIndex &condition,
                                      ArrayRef<int64_t> axes) const {
  DimExpr offset = sub(sizes[3], sizes[2]);
  bool seesQuery = false, seesKey = false;
  for (auto [axis, step] : llvm::zip_equal(axes, condition.steps)) {
    if (step.isConst(0))
      continue;
    if (axis == 2 && step.isConst(1))
      seesQuery = true;
    else if (axis == 3 && step.isConst(-1))
      seesKey = true;
    else
      return false;
  }
  return seesQuery && seesKey && dims.isEqual(condition.offset, offset);
}

void AttentionMask::split(Part part, Predicate &predicate, unsigned depth) {
  part = peel(part);
  Operation *op = part.value.getDefiningOp();
  if (!op || depth > kMaxDepth) {
    predicate.conjuncts.push_back(part);
    return;
  }
  if (auto inner = dyn_cast<NotOp>(op)) {
    part.value = inner.getOperand();
    part.isNegated = !part.isNegated;
    return split(part, predicate, depth + 1);
  }
  if (part.isNegated ? isa<OrOp>(op) : isa<AndOp>(op)) {
    for (Value operand : op->getOperands())
      split({operand, part.axes, part.isNegated}, predicate, depth + 1);
    return;
  }
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    auto attr = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (attr && attr.isSplat() && attr.getSplatValue<bool>() != part.isNegated)
      return;
  }
  if (auto compare = dyn_cast<CompareOp>(op))
    if (auto condition = getCondition(compare, dims)) {
      if (part.isNegated)
        condition = negateCondition(*condition);
      if (isAlwaysTrue(*condition, getDims(getTensor(part.value)), dims))
        return;
      if (isCausalCondition(*condition, part.axes)) {
        predicate.hadCausal = true;
        // Kept in case that the term stays a sum.
      }
    }
  predicate.conjuncts.push_back(part);
}

bool AttentionMask::addTerm(Value value, double factor,
                            ArrayRef<int64_t> axes) {
  Part part = peel({value, SmallVector<int64_t>(axes)});
  // A choice between 0 and a number is a predicate.
  if (auto select = part.value.getDefiningOp<SelectOp>())
    for (bool removed : {true, false}) {
      Value zero = removed ? select.getOnFalse() : select.getOnTrue();
      Value other = removed ? select.getOnTrue() : select.getOnFalse();
      std::optional<double> number = getSplat(other);
      if (isSplat(zero, 0) && number &&
          replaceScores(select.getPredicate(), removed, *number * factor,
                        part.axes))
        return true;
    }
  floats.push_back(part);
  return factor == 1;
}

bool AttentionMask::replaceScores(Value predicate, bool removed, double number,
                                  ArrayRef<int64_t> axes) {
  if (!(number <= kBeyondScores))
    return false;
  // As scores, which are no wider, have it.
  if (number < std::numeric_limits<float>::lowest())
    number = -INFINITY;
  Predicate result;
  result.number = number;
  split({predicate, SmallVector<int64_t>(axes), removed}, result, 0);
  predicates.push_back(std::move(result));
  return true;
}

bool AttentionMask::limitBelow(double number) {
  // In rounding it is the same whether a score is added before or after.
  if (!(number <= kBeyondScores) || std::isinf(number))
    return false;
  least = number;
  for (Predicate &predicate : predicates)
    predicate.number = std::max(predicate.number, number);
  return true;
}

//===----------------------------------------------------------------------===//
// What attention can express
//===----------------------------------------------------------------------===//

bool AttentionMask::resolve(bool isGuarded) {
  auto isCausalPart = [&](const Part &part) {
    auto compare = part.value.getDefiningOp<CompareOp>();
    if (!compare)
      return false;
    auto condition = getCondition(compare, dims);
    if (condition && part.isNegated)
      condition = negateCondition(*condition);
    return condition && isCausalCondition(*condition, part.axes);
  };
  llvm::erase_if(predicates, [](const Predicate &predicate) {
    return predicate.conjuncts.empty();
  });
  // Each query sees a key if the causal condition is the only one and there are
  // at least as many keys as queries.
  bool isOnlyCausal =
      llvm::all_of(predicates,
                   [&](const Predicate &predicate) {
                     return llvm::all_of(predicate.conjuncts, isCausalPart);
                   }) &&
      dims.isAtLeast(sub(sizes[3], sizes[2]), 0);
  bool areFinite = llvm::all_of(
      floats, [](const Part &part) { return isAlwaysFinite(part.value); });
  bool canLoseRows = !isOnlyCausal || !areFinite;
  for (const Predicate &predicate : predicates)
    if (std::isinf(predicate.number) && canLoseRows && !isGuarded)
      return false;
  if (!areFinite && !isGuarded)
    return false;
  // The flag removes keys: the same as -inf, or as any such number in a row
  // that has others.
  for (Predicate &predicate : predicates) {
    if (!predicate.hadCausal ||
        (!std::isinf(predicate.number) && !isOnlyCausal))
      continue;
    causal = true;
    llvm::erase_if(predicate.conjuncts, isCausalPart);
  }
  llvm::erase_if(predicates, [](const Predicate &predicate) {
    return predicate.conjuncts.empty();
  });
  return true;
}

//===----------------------------------------------------------------------===//
// The operand
//===----------------------------------------------------------------------===//

Value AttentionMask::toRank4(OpBuilder &builder, Location loc, Value value,
                             ArrayRef<int64_t> axes) const {
  RankedTensorType type = getTensor(value);
  SmallVector<DimExpr> result(4, getConstDim(builder.getContext(), 1));
  for (auto [axis, place] : llvm::enumerate(axes))
    result[place] = getDim(type, axis);
  return createReshape(builder, loc, value,
                       getTensorType(result, type.getElementType()));
}

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
    Value value = toRank4(builder, loc, part.value, part.axes);
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

/// A number, repeated to a tensor of floats.
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

Value AttentionMask::build(OpBuilder &builder, Location loc,
                           FloatType element) {
  bool areRemoved = floats.empty() &&
                    llvm::all_of(predicates, [](const Predicate &predicate) {
                      return std::isinf(predicate.number);
                    });
  if (areRemoved) {
    SmallVector<Part> all;
    for (const Predicate &predicate : predicates)
      llvm::append_range(all, predicate.conjuncts);
    return buildConjunction(builder, loc, all);
  }
  Value result;
  auto addTo = [&](Value value) {
    if (result) {
      unify(builder, loc, result, value);
      value = AddOp::create(builder, loc, result, value);
    }
    result = value;
  };
  for (const Part &part : floats)
    addTo(toRank4(builder, loc, part.value, part.axes));
  for (const Predicate &predicate : predicates) {
    Value seen = buildConjunction(builder, loc, predicate.conjuncts);
    auto type = withElementType(getTensor(seen), element);
    addTo(SelectOp::create(builder, loc, type, seen,
                           createFilled(builder, loc, type, 0),
                           createFilled(builder, loc, type, predicate.number)));
  }
  if (!result || !least)
    return result;
  return MaximumOp::create(
      builder, loc, result,
      createFilled(builder, loc, getTensor(result), *least));
}
