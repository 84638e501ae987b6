//===- SymbolicElements.cpp - Arithmetic on elements of shape tensors -----===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SymbolicElements.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dhlo;

using Element = SymbolicValues::Element;

namespace {
/// Larger denominators and float constants are not exact in f32 or are not
/// arithmetic on sizes.
constexpr int64_t kMostDenominator = 1 << 16;
constexpr double kMostFloat = 1 << 24;
} // namespace

Element ElementArithmetic::reducedBy(DimExpr numerator,
                                     int64_t denominator) const {
  while (denominator > 1 && dims.isMultipleOf(dims.expand(numerator), 2)) {
    numerator = floorDiv(dims.expand(numerator), 2);
    denominator /= 2;
  }
  if (denominator > kMostDenominator)
    return {};
  return {numerator, denominator};
}

Element ElementArithmetic::fraction(const APFloat &value) const {
  if (!value.isFinite())
    return {};
  APFloat asDouble(value);
  bool losesInfo;
  asDouble.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                   &losesInfo);
  double number = asDouble.convertToDouble();
  int64_t denominator = 1;
  while (number != std::floor(number) && denominator <= kMostDenominator) {
    number *= 2;
    denominator *= 2;
  }
  if (number != std::floor(number) || denominator > kMostDenominator ||
      std::abs(number) > kMostFloat)
    return {};
  return {getConstDim(context, static_cast<int64_t>(number)), denominator,
          value.isNegZero()};
}

Element ElementArithmetic::hold(Type type, Element result,
                                ArrayRef<Element> operands,
                                bool multiplies) const {
  if (!result)
    return {};
  bool isFloat = isa<FloatType>(type);
  bool isUnsigned = type.isUnsignedInteger() || type.isInteger(1);
  unsigned width = type.getIntOrFloatBitWidth();
  // The range of a wide type is checked for constants only, see
  // SymbolicValues.h.
  SymbolicDims::Range range = dims.getRange(result.numerator), held;
  if (isUnsigned)
    held.min = 0;
  if (width < 32 || result.numerator.isConst()) {
    unsigned bits = isFloat ? cast<FloatType>(type).getFPMantissaWidth()
                            : width - !isUnsigned;
    if (bits < 63)
      held = {isUnsigned ? 0 : -(int64_t(1) << bits), (int64_t(1) << bits) - 1};
  }
  if (range.min < held.min || range.max > held.max)
    return {};
  result.mayBeNegativeZero =
      isFloat && range.min <= 0 && range.max >= 0 &&
      llvm::any_of(operands, [&](const Element &operand) {
        return operand &&
               (operand.mayBeNegativeZero ||
                (multiplies && !dims.isAtLeast(operand.numerator, 0)));
      });
  return result;
}

std::pair<DimExpr, DimExpr> ElementArithmetic::unify(Element lhs,
                                                     Element rhs) const {
  // Denominators are powers of two: the larger is a multiple of the smaller.
  int64_t common = std::max(lhs.denominator, rhs.denominator);
  return {dhlo::mul(lhs.numerator, common / lhs.denominator),
          dhlo::mul(rhs.numerator, common / rhs.denominator)};
}

bool ElementArithmetic::areEqual(Element lhs, Element rhs) const {
  if (!lhs || !rhs)
    return false;
  auto [a, b] = unify(lhs, rhs);
  return dims.isEqual(a, b);
}

Element ElementArithmetic::add(Element lhs, Element rhs) const {
  if (!lhs || !rhs)
    return {};
  auto [a, b] = unify(lhs, rhs);
  return reducedBy(dhlo::add(a, b), std::max(lhs.denominator, rhs.denominator));
}

Element ElementArithmetic::mul(Element lhs, Element rhs) const {
  // Zero times an integer.
  if ((lhs && lhs.numerator.isConst(0)) || (rhs && rhs.numerator.isConst(0)))
    return constant(0);
  if (!lhs || !rhs)
    return {};
  return reducedBy(dhlo::mul(lhs.numerator, rhs.numerator),
                   lhs.denominator * rhs.denominator);
}

Element ElementArithmetic::product(Type type, Element lhs, Element rhs) const {
  if (isa<FloatType>(type) && (!lhs || !rhs))
    return {};
  return mul(lhs, rhs);
}

DimExpr ElementArithmetic::truncatingDiv(DimExpr lhs, DimExpr rhs) const {
  // dhlo.div rounds toward zero, and size expressions only have the floor.
  if (dims.isAtLeast(lhs, 0))
    return floorDiv(lhs, rhs);
  DimExpr zero = getConstDim(context, 0);
  return sub(floorDiv(dhlo::max(lhs, zero), rhs),
             floorDiv(dhlo::max(dhlo::mul(lhs, -1), zero), rhs));
}

Element ElementArithmetic::divide(Element lhs, Element rhs,
                                  bool isFloat) const {
  if (!lhs || !rhs)
    return {};
  auto [a, b] = unify(lhs, rhs);
  a = dims.expand(a);
  b = dims.expand(b);
  if (b.isConst(0))
    return {};
  DimExpr quotient = floorDiv(a, b);
  // Exact: the remainder is zero as a polynomial.
  if (dhlo::mul(quotient, b) == a)
    return {quotient};
  if (isFloat) {
    std::optional<int64_t> divisor = getConstantValue(b);
    if (divisor && *divisor > 0 && llvm::isPowerOf2_64(*divisor))
      return reducedBy(a, *divisor);
    return {};
  }
  // A symbolic divisor that may be zero is assumed to be nonzero, see the
  // header.
  if (!dims.isAtLeast(b, 0))
    return {};
  return {truncatingDiv(a, b)};
}

Element ElementArithmetic::squareRoot(Element value) const {
  // Exporters compute the scale of attention, the root of a head's size, in the
  // model. A root that is not exact has no fraction.
  std::optional<int64_t> square;
  if (value)
    square = getConstantValue(value.numerator);
  if (!square || *square < 0)
    return {};
  auto numerator = int64_t(std::sqrt(double(*square)));
  auto denominator = int64_t(std::sqrt(double(value.denominator)));
  if (numerator * numerator != *square ||
      denominator * denominator != value.denominator)
    return {};
  return reducedBy(getConstDim(context, numerator), denominator);
}

Element ElementArithmetic::remainder(Element lhs, Element rhs) const {
  if (!lhs.isInteger() || !rhs.isInteger())
    return {};
  DimExpr a = dims.expand(lhs.numerator), b = dims.expand(rhs.numerator);
  // dhlo.rem has the sign of the dividend and mod that of the divisor: they
  // agree where neither is negative.
  if (b.isConst(0) || !dims.isAtLeast(a, 0) || !dims.isAtLeast(b, 0))
    return {};
  return {mod(a, b)};
}

Element ElementArithmetic::extreme(DimExprKind kind, Element lhs,
                                   Element rhs) const {
  if (!lhs || !rhs)
    return {};
  auto [a, b] = unify(lhs, rhs);
  return reducedBy(combine(kind, a, b),
                   std::max(lhs.denominator, rhs.denominator));
}

Element ElementArithmetic::compare(CompareDirection direction, Element lhs,
                                   Element rhs) const {
  if (!lhs || !rhs)
    return {};
  auto [a, b] = unify(lhs, rhs);
  // Symbols cancel in the difference, so that @S < @S + 1 is decided, whose
  // ranges overlap.
  SymbolicDims::Range difference = dims.getRange(sub(a, b));
  bool isEqual = dims.isEqual(a, b);
  bool isDistinct = dims.isDistinct(a, b);
  auto decide = [&](bool isTrue, bool isFalse) -> Element {
    if (isTrue)
      return constant(1);
    return isFalse ? constant(0) : Element();
  };
  switch (direction) {
  case CompareDirection::EQ:
    return decide(isEqual, isDistinct);
  case CompareDirection::NE:
    return decide(isDistinct, isEqual);
  case CompareDirection::LT:
    return decide(difference.max < 0, difference.min >= 0);
  case CompareDirection::LE:
    return decide(difference.max <= 0, difference.min > 0);
  case CompareDirection::GT:
    return decide(difference.min > 0, difference.max <= 0);
  case CompareDirection::GE:
    return decide(difference.min >= 0, difference.max < 0);
  }
  llvm_unreachable("unknown comparison");
}

Element ElementArithmetic::choose(Type type, CompareDirection direction,
                                  Element lhs, Element rhs, Element onTrue,
                                  Element onFalse) const {
  return hold(type, computeChoice(direction, lhs, rhs, onTrue, onFalse),
              {onTrue, onFalse});
}

Element ElementArithmetic::computeChoice(CompareDirection direction,
                                         Element lhs, Element rhs,
                                         Element onTrue,
                                         Element onFalse) const {
  if (!lhs || !rhs || !onTrue || !onFalse)
    return {};
  switch (direction) {
  case CompareDirection::NE:
    std::swap(onTrue, onFalse);
    [[fallthrough]];
  case CompareDirection::EQ: {
    if (areEqual(rhs, onFalse))
      std::swap(lhs, rhs);
    if (!areEqual(lhs, onFalse))
      return {};
    // x == y ? y : x.
    if (areEqual(rhs, onTrue))
      return lhs;
    if (!lhs.isInteger() || !rhs.isInteger() || !onTrue.isInteger())
      return {};
    // x == y ? z : x, as exporters broadcast sizes with y = 1. The 0 says that
    // this is a flag.
    DimExpr x = lhs.numerator, y = rhs.numerator, z = onTrue.numerator;
    DimExpr distance =
        dhlo::max(dhlo::max(sub(x, y), sub(y, x)), getConstDim(context, 0));
    DimExpr differs = dhlo::min(distance, getConstDim(context, 1));
    return {dhlo::add(z, dhlo::mul(sub(x, z), differs))};
  }
  case CompareDirection::GT:
  case CompareDirection::GE:
    std::swap(lhs, rhs);
    [[fallthrough]];
  case CompareDirection::LT:
  case CompareDirection::LE:
    if (areEqual(lhs, onTrue) && areEqual(rhs, onFalse))
      return extreme(DimExprKind::Min, lhs, rhs);
    if (areEqual(lhs, onFalse) && areEqual(rhs, onTrue))
      return extreme(DimExprKind::Max, lhs, rhs);
    return {};
  }
  llvm_unreachable("unknown comparison");
}

Element ElementArithmetic::round(DimExprKind kind, Element value) const {
  if (!value || value.denominator == 1)
    return value;
  return {
      combine(kind, value.numerator, getConstDim(context, value.denominator))};
}

Element ElementArithmetic::convert(Element value, Type from, Type to) const {
  if (!value)
    return {};
  if (to.isInteger(1))
    return from.isInteger(1)
               ? value
               : compare(CompareDirection::NE, value, constant(0));
  if (isa<IntegerType>(to) && value.denominator != 1)
    return {truncatingDiv(value.numerator,
                          getConstDim(context, value.denominator))};
  return value;
}

Element ElementArithmetic::reduce(Type type, ReduceKind kind, Element lhs,
                                  Element rhs) const {
  auto step = [&]() -> Element {
    switch (kind) {
    case ReduceKind::Sum:
      return add(lhs, rhs);
    case ReduceKind::Prod:
    case ReduceKind::And:
      return product(type, lhs, rhs);
    case ReduceKind::Max:
    case ReduceKind::Or:
      return extreme(DimExprKind::Max, lhs, rhs);
    case ReduceKind::Min:
      return extreme(DimExprKind::Min, lhs, rhs);
    }
    llvm_unreachable("unknown kind of reduction");
  };
  return hold(type, step(), {lhs, rhs}, kind == ReduceKind::Prod);
}

Element ElementArithmetic::apply(Operation *op,
                                 ArrayRef<Element> operands) const {
  SmallVector<Element> factors(operands);
  if (isa<NegOp>(op))
    factors.push_back(constant(-1));
  // Those that may give -0.0 of other numbers, which no one else asks for.
  return hold(getElementTypeOrSelf(op->getResult(0)), compute(op, operands),
              factors, isa<MulOp, DivOp, NegOp, CeilOp>(op));
}

Element ElementArithmetic::compute(Operation *op,
                                   ArrayRef<Element> operands) const {
  Type operandType = getElementTypeOrSelf(op->getOperand(0).getType());
  Element lhs = operands.front();
  Element rhs = operands.size() > 1 ? operands[1] : Element();
  bool isBool = operandType.isInteger(1);
  return llvm::TypeSwitch<Operation *, Element>(op)
      .Case([&](AddOp) { return add(lhs, rhs); })
      .Case([&](SubOp) { return add(lhs, mul(rhs, constant(-1))); })
      .Case([&](MulOp) { return product(operandType, lhs, rhs); })
      .Case(
          [&](DivOp) { return divide(lhs, rhs, isa<FloatType>(operandType)); })
      .Case([&](RemOp) { return remainder(lhs, rhs); })
      .Case([&](NegOp) { return mul(lhs, constant(-1)); })
      .Case([&](AbsOp) {
        return extreme(DimExprKind::Max, lhs, mul(lhs, constant(-1)));
      })
      .Case([&](MaximumOp) { return extreme(DimExprKind::Max, lhs, rhs); })
      .Case([&](MinimumOp) { return extreme(DimExprKind::Min, lhs, rhs); })
      .Case([&](AndOp) { return isBool ? mul(lhs, rhs) : Element(); })
      .Case([&](OrOp) {
        return isBool ? extreme(DimExprKind::Max, lhs, rhs) : Element();
      })
      .Case([&](NotOp) {
        return isBool ? add(constant(1), mul(lhs, constant(-1))) : Element();
      })
      .Case([&](SqrtOp) { return squareRoot(lhs); })
      .Case([&](FloorOp) { return round(DimExprKind::FloorDiv, lhs); })
      .Case([&](CeilOp) { return round(DimExprKind::CeilDiv, lhs); })
      .Case([&](RoundOp) { return lhs.isInteger() ? lhs : Element(); })
      .Case([&](CompareOp compareOp) {
        return compare(compareOp.getDirection(), lhs, rhs);
      })
      .Case([&](SelectOp) -> Element {
        Element onFalse = operands[2];
        if (lhs && lhs.numerator.isConst())
          return lhs.numerator.isConst(0) ? onFalse : rhs;
        return areEqual(rhs, onFalse) ? rhs : Element();
      })
      .Case([&](ConvertOp convertOp) {
        return convert(lhs, operandType, convertOp.getType().getElementType());
      })
      .Default([](Operation *) { return Element(); });
}
