//===- Elementwise.cpp - Elementwise operators of ONNX --------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../OpContext.h"
#include "../TensorData.h"

#include "llvm/ADT/Twine.h"

#include <cmath>

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;
using dhlo::CompareDirection;
using llvm::Twine;

namespace {

/// Both operands. Before opset 7 the second one's axes may be aligned to
/// `axis` of the first.
bool getOperands(OpContext &c, Value &lhs, Value &rhs) {
  lhs = c.in(0);
  rhs = c.in(1);
  if (!lhs || !rhs)
    return false;
  if (c.version >= 7)
    return true;
  c.ignore({"broadcast", "consumed_inputs"});
  if (!c.hasAttr("axis"))
    return true;
  int64_t axis = c.getInt("axis", 0), own = c.e.rank(rhs);
  int64_t missing = c.e.rank(lhs) - own;
  axis += axis < 0 ? c.e.rank(lhs) : 0;
  if (axis < 0 || axis > missing) {
    (void)c.error("expected an axis of the first operand from which on it has "
                  "the second one's");
    return false;
  }
  Sizes sizes = c.e.sizes(rhs);
  sizes.append(missing - axis, c.e.size(1));
  rhs = c.e.reshape(rhs, sizes);
  return rhs != nullptr;
}

template <typename Op> LogicalResult importUnary(OpContext &c) {
  c.ignore({"consumed_inputs"});
  return c.result(c.e.unary<Op>(c.in(0)));
}

template <typename Op> LogicalResult importBinary(OpContext &c) {
  Value lhs, rhs;
  if (!getOperands(c, lhs, rhs))
    return failure();
  return c.result(c.e.binary<Op>(lhs, rhs));
}

/// Sum, Max, Min: any number of operands.
template <typename Op> LogicalResult importVariadic(OpContext &c) {
  c.ignore({"consumed_inputs"});
  Value result = c.in(0);
  for (unsigned i = 1; i < c.numInputs() && result; ++i)
    result = c.e.binary<Op>(result, c.in(i));
  return c.result(result);
}

LogicalResult importMean(OpContext &c) {
  c.ignore({"consumed_inputs"});
  Value sum = c.in(0);
  for (unsigned i = 1; i < c.numInputs() && sum; ++i)
    sum = c.e.add(sum, c.in(i));
  return c.result(c.e.div(sum, static_cast<double>(c.numInputs())));
}

template <CompareDirection direction>
LogicalResult importCompare(OpContext &c) {
  Value lhs, rhs;
  if (!getOperands(c, lhs, rhs))
    return failure();
  return c.result(c.e.compare(direction, lhs, rhs));
}

/// An integer to a fractional power, computed in f64 and truncated. An integer
/// up to the rounding of f64 is that integer.
Value powerOfInteger(Emitter &e, Value base, Value exponent) {
  Type f64 = e.builder.getF64Type();
  Value power =
      e.binary<dhlo::PowOp>(e.convert(base, f64), e.convert(exponent, f64));
  Value nearest = e.unary<dhlo::RoundOp>(power);
  Value distance = e.unary<dhlo::AbsOp>(e.sub(power, nearest));
  Value isInteger = e.compare(CompareDirection::LE, distance,
                              e.mul(e.unary<dhlo::AbsOp>(nearest), 1e-12));
  return isInteger ? e.convert(e.select(isInteger, nearest, power),
                               e.elementType(base))
                   : Value();
}

LogicalResult importPow(OpContext &c) {
  Value base, exponent;
  if (!getOperands(c, base, exponent))
    return failure();
  Type type = c.e.elementType(base), other = c.e.elementType(exponent);
  // Squares and roots are common, and exact.
  auto power = c.e.constantFloats(exponent);
  if (!power)
    if (auto ints = c.e.constants(exponent))
      power.emplace(ints->begin(), ints->end());
  if (power && power->size() == 1 && c.e.rank(exponent) <= c.e.rank(base)) {
    if (power->front() == 1)
      return c.result(base);
    if (power->front() == 2)
      return c.result(c.e.mul(base, base));
    if (power->front() == 3)
      return c.result(c.e.mul(c.e.mul(base, base), base));
    if (power->front() == 0.5 && isa<FloatType>(type))
      return c.result(c.e.unary<dhlo::SqrtOp>(base));
  }
  bool isWhole = power && llvm::all_of(*power, [](double p) {
                   return p >= 0 && p <= 64 && p == std::floor(p);
                 });
  if (isa<IntegerType>(type) && isa<FloatType>(other) && !isWhole)
    return c.result(powerOfInteger(c.e, base, exponent));
  return c.result(c.e.binary<dhlo::PowOp>(base, c.e.convert(exponent, type)));
}

LogicalResult importMod(OpContext &c) {
  Value lhs = c.in(0), rhs = c.in(1);
  bool truncates = c.getInt("fmod", 0) != 0;
  Value rest = c.e.binary<dhlo::RemOp>(lhs, rhs);
  if (!rest || truncates || c.e.elementType(lhs).isUnsignedInteger())
    return c.result(rest);
  // The sign is that of the divisor.
  Value isOff = c.e.compare(CompareDirection::NE,
                            c.e.compare(CompareDirection::LT, rest, 0.0),
                            c.e.compare(CompareDirection::LT, rhs, 0.0));
  Value isNotZero = c.e.compare(CompareDirection::NE, rest, 0.0);
  return c.result(c.e.select(c.e.binary<dhlo::AndOp>(isOff, isNotZero),
                             c.e.add(rest, rhs), rest));
}

/// An amount outside of [0, width) shifts everything out; the operation does
/// not support such amounts.
LogicalResult importBitShift(OpContext &c) {
  Emitter &e = c.e;
  StringRef direction = c.getString("direction", "");
  Value x = c.in(0), amount = c.in(1);
  bool isLeft = direction == "LEFT";
  if (!isLeft && direction != "RIGHT")
    return c.error("expected direction LEFT or RIGHT, found '" + direction +
                   "'");
  if (!x || !amount)
    return failure();
  auto shift = [&](Value by) {
    return isLeft ? e.binary<dhlo::ShiftLeftOp>(x, by)
                  : e.binary<dhlo::ShiftRightOp>(x, by);
  };
  Type type = e.elementType(amount);
  int64_t width = type.getIntOrFloatBitWidth();
  auto known = e.constants(amount);
  if (known &&
      llvm::all_of(*known, [&](int64_t by) { return by >= 0 && by < width; }))
    return c.result(shift(amount));
  Value isInside =
      e.compare(CompareDirection::LT, amount, e.constantInt(type, width));
  if (!type.isUnsignedInteger())
    isInside = e.binary<dhlo::AndOp>(
        isInside, e.compare(CompareDirection::GE, amount, 0.0));
  // All bits of a signed number become its sign, if it is shifted right.
  bool keepsSign = !isLeft && !type.isUnsignedInteger();
  Value most = e.constantInt(type, width - 1);
  Value shifted = shift(isInside ? e.select(isInside, amount, most) : Value());
  if (shifted && !keepsSign)
    shifted = e.select(isInside, shifted, e.constantInt(type, 0));
  return c.result(shifted);
}

LogicalResult importIsNan(OpContext &c) {
  Value operand = c.in(0);
  if (!operand)
    return failure();
  Type type = dhlo::withElementType(cast<RankedTensorType>(operand.getType()),
                                    c.e.builder.getI1Type());
  return c.result(dhlo::IsNanOp::create(c.e.builder, c.e.loc, type, operand));
}

LogicalResult importIsInf(OpContext &c) {
  Value operand = c.in(0);
  bool positive = c.getInt("detect_positive", 1) != 0;
  bool negative = c.getInt("detect_negative", 1) != 0;
  if (!operand)
    return failure();
  Type type = dhlo::withElementType(cast<RankedTensorType>(operand.getType()),
                                    c.e.builder.getI1Type());
  Value isInf = dhlo::IsInfOp::create(c.e.builder, c.e.loc, type, operand);
  if (positive && negative)
    return c.result(isInf);
  if (!positive && !negative)
    return c.result(c.e.full(c.e.builder.getI1Type(), 0, c.e.sizes(operand)));
  Value side = c.e.compare(
      positive ? CompareDirection::GT : CompareDirection::LT, operand, 0.0);
  return c.result(c.e.binary<dhlo::AndOp>(isInf, side));
}

LogicalResult importWhere(OpContext &c) {
  Value predicate = c.in(0), onTrue = c.in(1), onFalse = c.in(2);
  return c.result(predicate && onTrue && onFalse
                      ? c.e.select(predicate, onTrue, onFalse)
                      : Value());
}

LogicalResult importCast(OpContext &c) {
  int64_t to = c.getInt("to", 0);
  c.ignore({"saturate", "round_mode"});
  if (to < 0 || to > 1000)
    to = 0;
  Type type = getElementType(c.e.builder.getContext(), to);
  if (!type)
    return c.error("element type " + getDataTypeName(to) + " is not supported");
  return c.result(c.e.convert(c.in(0), type));
}

/// The same bits as another integer: conversions wrap.
LogicalResult importBitCast(OpContext &c) {
  Emitter &e = c.e;
  Value x = c.in(0);
  int64_t to = c.getInt("to", 0);
  if (!x)
    return failure();
  Type from = e.elementType(x);
  Type type =
      to > 0 && to < 1000 ? getElementType(e.builder.getContext(), to) : Type();
  if (!type)
    return c.error("element type " + getDataTypeName(to) + " is not supported");
  if (type == from)
    return c.result(x);
  // A boolean takes a byte.
  auto getWidth = [](Type t) {
    return std::max(t.getIntOrFloatBitWidth(), 8u);
  };
  if (getWidth(from) != getWidth(type))
    return c.error("expected types of equal width");
  if (!isa<IntegerType>(from) || !isa<IntegerType>(type) || type.isInteger(1))
    return c.error("bits of floats and bits as booleans are not supported");
  return c.result(e.convert(x, type));
}

LogicalResult importCastLike(OpContext &c) {
  c.ignore({"saturate", "round_mode"});
  Value like = c.in(1);
  return like ? c.result(c.e.convert(c.in(0), c.e.elementType(like)))
              : failure();
}

LogicalResult importClip(OpContext &c) {
  c.ignore({"consumed_inputs"});
  Value x = c.in(0);
  // From opset 6 to 10 both have default values, which infinite numbers are
  // clipped to.
  bool hasDefaults = c.version >= 6 && c.version < 11;
  constexpr double kMost = std::numeric_limits<float>::max();
  if (c.hasAttr("min") || hasDefaults)
    x = c.e.maximum(x, c.getFloat("min", -kMost));
  if (c.hasAttr("max") || hasDefaults)
    x = c.e.minimum(x, c.getFloat("max", kMost));
  if (c.has(1))
    x = c.e.maximum(x, c.in(1));
  if (c.has(2))
    x = c.e.minimum(x, c.in(2));
  return c.result(x);
}

} // namespace

void onnx::registerElementwise(OpRegistry &r) {
  r.add("Abs", 1, importUnary<dhlo::AbsOp>);
  r.add("Neg", 1, importUnary<dhlo::NegOp>);
  r.add("Sign", 9, importUnary<dhlo::SignOp>);
  r.add("Exp", 1, importUnary<dhlo::ExpOp>);
  r.add("Log", 1, importUnary<dhlo::LogOp>);
  r.add("Sqrt", 1, importUnary<dhlo::SqrtOp>);
  r.add("Reciprocal", 1, importUnary<dhlo::ReciprocalOp>);
  r.add("Tanh", 1, importUnary<dhlo::TanhOp>);
  r.add("Erf", 9, importUnary<dhlo::ErfOp>);
  r.add("Sigmoid", 1, importUnary<dhlo::LogisticOp>);
  r.add("Sin", 7, importUnary<dhlo::SinOp>);
  r.add("Cos", 7, importUnary<dhlo::CosOp>);
  r.add("Tan", 7, importUnary<dhlo::TanOp>);
  r.add("Asin", 7, importUnary<dhlo::AsinOp>);
  r.add("Acos", 7, importUnary<dhlo::AcosOp>);
  r.add("Atan", 7, importUnary<dhlo::AtanOp>);
  r.add("Sinh", 9, importUnary<dhlo::SinhOp>);
  r.add("Cosh", 9, importUnary<dhlo::CoshOp>);
  r.add("Asinh", 9, importUnary<dhlo::AsinhOp>);
  r.add("Acosh", 9, importUnary<dhlo::AcoshOp>);
  r.add("Atanh", 9, importUnary<dhlo::AtanhOp>);
  r.add("Floor", 1, importUnary<dhlo::FloorOp>);
  r.add("Ceil", 1, importUnary<dhlo::CeilOp>);
  r.add("Round", 11, importUnary<dhlo::RoundOp>);
  r.add("Not", 1, importUnary<dhlo::NotOp>);
  r.add("BitwiseNot", 18, importUnary<dhlo::NotOp>);
  r.add("Add", 1, importBinary<dhlo::AddOp>);
  r.add("Sub", 1, importBinary<dhlo::SubOp>);
  r.add("Mul", 1, importBinary<dhlo::MulOp>);
  r.add("Div", 1, importBinary<dhlo::DivOp>);
  r.add("And", 1, importBinary<dhlo::AndOp>);
  r.add("Or", 1, importBinary<dhlo::OrOp>);
  r.add("Xor", 1, importBinary<dhlo::XorOp>);
  r.add("BitwiseAnd", 18, importBinary<dhlo::AndOp>);
  r.add("BitwiseOr", 18, importBinary<dhlo::OrOp>);
  r.add("BitwiseXor", 18, importBinary<dhlo::XorOp>);
  r.add("BitShift", 11, importBitShift);
  r.add("Sum", 1, importVariadic<dhlo::AddOp>);
  r.add("Max", 1, importVariadic<dhlo::MaximumOp>);
  r.add("Min", 1, importVariadic<dhlo::MinimumOp>);
  r.addWidened("Mean", 1, importMean);
  r.add("Pow", 1, importPow);
  r.add("Mod", 10, importMod);
  r.add("Equal", 1, importCompare<CompareDirection::EQ>);
  r.add("Less", 1, importCompare<CompareDirection::LT>);
  r.add("LessOrEqual", 12, importCompare<CompareDirection::LE>);
  r.add("Greater", 1, importCompare<CompareDirection::GT>);
  r.add("GreaterOrEqual", 12, importCompare<CompareDirection::GE>);
  r.add("IsNaN", 9, importIsNan);
  r.add("IsInf", 10, importIsInf);
  r.add("Where", 9, importWhere);
  r.add("Cast", 6, importCast);
  r.add("CastLike", 15, importCastLike);
  r.add("BitCast", 26, importBitCast);
  r.add("Clip", 1, importClip);
}
