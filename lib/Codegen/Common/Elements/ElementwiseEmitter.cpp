//===- ElementwiseEmitter.cpp - Elementwise operations on values ----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Every operation here is the same on a scalar and on each lane of a vector,
// and never traps: divisors, shift amounts and conversions are made harmless
// first, and data errors reported.

#include "Codegen/Common/Elements/OpEmitters.h"

#include "Codegen/Common/Elements/VectorMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <limits>

using namespace mlir;
using namespace dyn;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

static Type getElementType(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getElementType();
}

static bool isUnsigned(Type element) {
  return element.isUnsignedInteger() || element.isInteger(1);
}

/// The constant, or that of all lanes, if the value is one and not NaN.
static std::optional<APFloat> getNumber(Value v) {
  if (auto broadcast = v.getDefiningOp<vector::BroadcastOp>())
    v = broadcast.getSource();
  FloatAttr scalar;
  DenseFPElementsAttr all;
  std::optional<APFloat> number;
  if (matchPattern(v, m_Constant(&scalar)))
    number = scalar.getValue();
  else if (matchPattern(v, m_Constant(&all)) && all.isSplat())
    number = all.getSplatValue<APFloat>();
  return number && !number->isNaN() ? number : std::nullopt;
}

static bool isNumber(Value v) { return getNumber(v).has_value(); }

/// One instruction for `lhs` where it wins, else `rhs`; null if there is none,
/// or LLVM finds it. It joins the conditions of two selections, which is three
/// instructions, one behind the other.
static Value selectWinner(KernelBuilder &b, CmpFPredicate wins, Value lhs,
                          Value rhs) {
  auto type = dyn_cast<VectorType>(lhs.getType());
  const CodegenOptions &options = b.getOptions();
  if (!type || options.isDevice() || !hasAvx512(options.isa()) ||
      type.getNumElements() != CodegenOptions::kLanes ||
      !type.getElementType().isF32())
    return {};
  StringRef name = wins == CmpFPredicate::OGT ? "llvm.x86.avx512.max.ps.512"
                                              : "llvm.x86.avx512.min.ps.512";
  // The current rounding mode, which plays no part.
  Value mode = arith::ConstantOp::create(b, b.getI32IntegerAttr(4));
  return LLVM::CallIntrinsicOp::create(b, b.getLoc(), type,
                                       b.getStringAttr(name),
                                       ValueRange{lhs, rhs, mode})
      .getResult(0);
}

/// The minimum or maximum of floats: `a` where it wins, else `b`, which a NaN
/// in either selects. NaN in `a` is corrected afterwards unless `a` is a
/// number.
static Value extreme(KernelBuilder &b, CmpFPredicate wins, Value lhs,
                     Value rhs) {
  if (isNumber(rhs))
    std::swap(lhs, rhs);
  auto select = [&]() -> Value {
    return arith::SelectOp::create(b, arith::CmpFOp::create(b, wins, lhs, rhs),
                                   lhs, rhs);
  };
  if (isNumber(lhs))
    return select();
  Value result = selectWinner(b, wins, lhs, rhs);
  if (!result)
    result = select();
  Value isNan = arith::CmpFOp::create(b, CmpFPredicate::UNO, lhs, lhs);
  return arith::SelectOp::create(b, isNan, lhs, result);
}

/// Whether minima and maxima with numbers, as `extreme` writes them, keep `v`
/// in [low, high] unless it is NaN. Clears `mayBeNan` if one of them takes the
/// number in place of NaN: v > number ? v : number.
static bool isClamped(Value v, double low, double high, bool &mayBeNan) {
  auto select = v.getDefiningOp<arith::SelectOp>();
  if (!select)
    return false;
  Value number = select.getTrueValue(), rest = select.getFalseValue();
  auto wins = select.getCondition().getDefiningOp<arith::CmpFOp>();
  if (!wins)
    return false;
  if (getNumber(rest) && wins.getPredicate() == CmpFPredicate::OGT) {
    std::swap(number, rest);
    if (wins.getLhs() != rest || wins.getRhs() != number)
      return false;
    double value = getNumber(number)->convertToDouble();
    double infinity = std::numeric_limits<double>::infinity();
    mayBeNan = false;
    return value >= low && value <= high &&
           (high == infinity || isClamped(rest, -infinity, high, mayBeNan));
  }
  std::optional<APFloat> bound = getNumber(number);
  if (!bound || wins.getLhs() != number || wins.getRhs() != rest)
    return false;
  double value = bound->convertToDouble();
  if (value < low || value > high)
    return false;
  // The number is within, so the rest only needs the other bound.
  double infinity = std::numeric_limits<double>::infinity();
  bool isMaximum = wins.getPredicate() == CmpFPredicate::OGT;
  if (!isMaximum && wins.getPredicate() != CmpFPredicate::OLT)
    return false;
  (isMaximum ? low : high) = isMaximum ? -infinity : infinity;
  return (low == -infinity && high == infinity) ||
         isClamped(rest, low, high, mayBeNan);
}

Value dyn::maximum(KernelBuilder &b, Type element, Value lhs, Value rhs) {
  if (isa<FloatType>(element))
    return extreme(b, CmpFPredicate::OGT, lhs, rhs);
  if (isUnsigned(element))
    return arith::MaxUIOp::create(b, lhs, rhs);
  return arith::MaxSIOp::create(b, lhs, rhs);
}

Value dyn::minimum(KernelBuilder &b, Type element, Value lhs, Value rhs) {
  if (isa<FloatType>(element))
    return extreme(b, CmpFPredicate::OLT, lhs, rhs);
  if (isUnsigned(element))
    return arith::MinUIOp::create(b, lhs, rhs);
  return arith::MinSIOp::create(b, lhs, rhs);
}

Value dyn::maximumOfNumbers(KernelBuilder &b, Value lhs, Value rhs) {
  return arith::SelectOp::create(
      b, arith::CmpFOp::create(b, CmpFPredicate::OGT, lhs, rhs), lhs, rhs);
}

namespace {
class ElementwiseEmitter {
public:
  ElementwiseEmitter(KernelBuilder &b, Operation *op, ValueRange operands)
      : b(b), op(op), in(operands),
        element(::getElementType(op->getOperand(0))) {
    if (isa<dhlo::SelectOp>(op))
      element = ::getElementType(op->getOperand(1));
    if (auto vector = dyn_cast<VectorType>(in.back().getType()))
      lanes = vector.getNumElements();
  }

  Value emit();

private:
  bool isFloat() const { return isa<FloatType>(element); }
  Type computeType() const { return getComputeType(element); }
  unsigned width() const { return element.getIntOrFloatBitWidth(); }
  Value number(double v) { return b.number(v, computeType(), lanes); }
  Value integer(APInt v) { return b.integer(v, computeType(), lanes); }
  Value select(Value p, Value x, Value y) {
    return arith::SelectOp::create(b, p, x, y);
  }
  Value cmp(CmpIPredicate p, Value x, Value y) {
    return arith::CmpIOp::create(b, p, x, y);
  }
  Value cmp(CmpFPredicate p, Value x, Value y) {
    return arith::CmpFOp::create(b, p, x, y);
  }

  Value abs();
  Value sign();
  Value divide(bool wantsRemainder);
  Value shift(bool left);
  Value power();
  Value compare(dhlo::CompareDirection direction);
  Value convert(Type target);
  Value floatToInteger(Type target);
  Value truncateToOdd();

  KernelBuilder &b;
  Operation *op;
  ValueRange in;
  Type element;
  int64_t lanes = 1;
};
} // namespace

Value ElementwiseEmitter::abs() {
  if (isFloat())
    return math::AbsFOp::create(b, in[0]);
  if (isUnsigned(element))
    return in[0];
  return math::AbsIOp::create(b, in[0]);
}

Value ElementwiseEmitter::sign() {
  Value zero = number(0), one = number(1);
  if (isFloat())
    return select(
        cmp(CmpFPredicate::OGT, in[0], zero), one,
        select(cmp(CmpFPredicate::OLT, in[0], zero), number(-1), in[0]));
  Value positive = select(cmp(CmpIPredicate::ne, in[0], zero), one, zero);
  if (isUnsigned(element))
    return positive;
  return select(cmp(CmpIPredicate::slt, in[0], zero), number(-1), positive);
}

Value ElementwiseEmitter::divide(bool wantsRemainder) {
  if (isFloat()) {
    if (wantsRemainder)
      return vectormath::fmod(b, in[0], in[1]);
    return arith::DivFOp::create(b, in[0], in[1]);
  }
  Value zero = number(0), one = number(1);
  Value isZero = cmp(CmpIPredicate::eq, in[1], zero);
  b.fail(op, isZero);
  if (isUnsigned(element)) {
    Value divisor = select(isZero, one, in[1]);
    Value result = wantsRemainder
                       ? arith::RemUIOp::create(b, in[0], divisor).getResult()
                       : arith::DivUIOp::create(b, in[0], divisor).getResult();
    return select(isZero, zero, result);
  }
  // The minimum integer divided by -1 would trap; x / -1 is -x.
  Value isMinusOne = cmp(CmpIPredicate::eq, in[1], number(-1));
  Value divisor =
      select(arith::OrIOp::create(b, isZero, isMinusOne), one, in[1]);
  if (wantsRemainder)
    return select(isZero, zero, arith::RemSIOp::create(b, in[0], divisor));
  Value quotient = arith::DivSIOp::create(b, in[0], divisor);
  quotient =
      select(isMinusOne, arith::SubIOp::create(b, zero, in[0]), quotient);
  return select(isZero, zero, quotient);
}

Value ElementwiseEmitter::shift(bool left) {
  // A negative amount is a large unsigned one.
  Value bits = number(width());
  Value isLegal = cmp(CmpIPredicate::ult, in[1], bits);
  Value isBad = cmp(CmpIPredicate::uge, in[1], bits);
  b.fail(op, isBad);
  Value zero = number(0);
  Value amount = select(isLegal, in[1], zero);
  Value result;
  if (left)
    result = arith::ShLIOp::create(b, in[0], amount);
  else if (isUnsigned(element))
    result = arith::ShRUIOp::create(b, in[0], amount);
  else
    result = arith::ShRSIOp::create(b, in[0], amount);
  return select(isLegal, result, zero);
}

Value ElementwiseEmitter::power() {
  if (isFloat())
    return vectormath::pow(b, in[0], in[1]);
  // Square and multiply over the bits of the exponent.
  Value zero = number(0), one = number(1);
  SmallVector<Value> state = b.loop(
      b.constant(0), b.constant(width()), 1, ValueRange{one, in[0], in[1]},
      [&](Value, ValueRange carried) -> SmallVector<Value> {
        Value isOdd = cmp(CmpIPredicate::ne,
                          arith::AndIOp::create(b, carried[2], one), zero);
        Value product = arith::MulIOp::create(b, carried[0], carried[1]);
        return {select(isOdd, product, carried[0]),
                arith::MulIOp::create(b, carried[1], carried[1]),
                arith::ShRUIOp::create(b, carried[2], one)};
      });
  if (isUnsigned(element))
    return state[0];
  // 1 / x^n, truncated: 1 for 1, +-1 for -1, else 0.
  Value isOdd =
      cmp(CmpIPredicate::ne, arith::AndIOp::create(b, in[1], one), zero);
  Value inverse = select(cmp(CmpIPredicate::eq, in[0], one), one,
                         select(cmp(CmpIPredicate::eq, in[0], number(-1)),
                                select(isOdd, number(-1), one), zero));
  return select(cmp(CmpIPredicate::slt, in[1], zero), inverse, state[0]);
}

Value ElementwiseEmitter::compare(dhlo::CompareDirection direction) {
  using D = dhlo::CompareDirection;
  if (isFloat()) {
    CmpFPredicate predicate = CmpFPredicate::OEQ;
    switch (direction) {
    case D::EQ:
      predicate = CmpFPredicate::OEQ;
      break;
    case D::NE:
      predicate = CmpFPredicate::UNE;
      break;
    case D::LT:
      predicate = CmpFPredicate::OLT;
      break;
    case D::LE:
      predicate = CmpFPredicate::OLE;
      break;
    case D::GT:
      predicate = CmpFPredicate::OGT;
      break;
    case D::GE:
      predicate = CmpFPredicate::OGE;
      break;
    }
    return cmp(predicate, in[0], in[1]);
  }
  bool isU = isUnsigned(element);
  CmpIPredicate predicate = CmpIPredicate::eq;
  switch (direction) {
  case D::EQ:
    predicate = CmpIPredicate::eq;
    break;
  case D::NE:
    predicate = CmpIPredicate::ne;
    break;
  case D::LT:
    predicate = isU ? CmpIPredicate::ult : CmpIPredicate::slt;
    break;
  case D::LE:
    predicate = isU ? CmpIPredicate::ule : CmpIPredicate::sle;
    break;
  case D::GT:
    predicate = isU ? CmpIPredicate::ugt : CmpIPredicate::sgt;
    break;
  case D::GE:
    predicate = isU ? CmpIPredicate::uge : CmpIPredicate::sge;
    break;
  }
  return cmp(predicate, in[0], in[1]);
}

Value ElementwiseEmitter::floatToInteger(Type target) {
  Value x = in[0];
  auto floatType = cast<FloatType>(computeType());
  unsigned bits = target.getIntOrFloatBitWidth();
  bool toUnsigned = target.isUnsignedInteger();
  // In range are min - 1 < x < max + 1. Both bounds are powers of two except
  // min - 1, which may round to min: then min itself is the bound.
  double upper = std::ldexp(1.0, toUnsigned ? bits : bits - 1);
  double lower = toUnsigned ? -1.0 : -upper - 1.0;
  bool isExact = bits < (floatType.isF64() ? 53u : 24u);
  Type integerType = getComputeType(target);
  Type type = KernelBuilder::laneType(integerType, lanes);
  auto convert = [&](Value v) -> Value {
    if (toUnsigned)
      return arith::FPToUIOp::create(b, type, v);
    return arith::FPToSIOp::create(b, type, v);
  };
  Value zero = b.number(0, integerType, lanes);
  Value all = b.integer(APInt(1, 1), b.getI1Type(), lanes);
  // Quantisation clamps what it rounds: only NaN may be illegal then.
  bool mayBeNan = true;
  if (isExact && isClamped(x, toUnsigned ? 0 : -upper, upper - 1, mayBeNan)) {
    if (!mayBeNan)
      return convert(x);
    Value isLegal = cmp(CmpFPredicate::ORD, x, x);
    b.fail(op, arith::XOrIOp::create(b, isLegal, all));
    return select(isLegal, convert(x), zero);
  }
  Value low =
      b.number(isExact || toUnsigned ? lower : -upper, floatType, lanes);
  Value above = cmp(
      isExact || toUnsigned ? CmpFPredicate::OGT : CmpFPredicate::OGE, x, low);
  Value below = cmp(CmpFPredicate::OLT, x, b.number(upper, floatType, lanes));
  Value isLegal = arith::AndIOp::create(b, above, below);
  // Infinities are bounds, and no error.
  Value isInfinite =
      cmp(CmpFPredicate::OEQ, math::AbsFOp::create(b, x),
          b.number(std::numeric_limits<double>::infinity(), floatType, lanes));
  b.fail(op, arith::XOrIOp::create(
                 b, arith::OrIOp::create(b, isLegal, isInfinite), all));
  Value safe = select(isLegal, x, b.number(0, floatType, lanes));
  Value converted = convert(safe);
  APInt smallest =
      toUnsigned ? APInt::getMinValue(bits) : APInt::getSignedMinValue(bits);
  APInt largest =
      toUnsigned ? APInt::getMaxValue(bits) : APInt::getSignedMaxValue(bits);
  Value isNan = cmp(CmpFPredicate::UNO, x, x);
  Value bound = select(below, b.integer(smallest, integerType, lanes),
                       b.integer(largest, integerType, lanes));
  return select(isLegal, converted, select(isNan, zero, bound));
}

/// The f32 next to an f64 towards zero, with an odd last bit unless it is
/// exact: rounded again to a type of 16 bits, it is the nearest one to the f64.
Value ElementwiseEmitter::truncateToOdd() {
  Value x = in[0];
  Type word = KernelBuilder::laneType(b.getI32Type(), lanes);
  Value near = arith::TruncFOp::create(
      b, KernelBuilder::laneType(b.getF32Type(), lanes), x);
  Value back = arith::ExtFOp::create(b, x.getType(), near);
  auto countIf = [&](CmpFPredicate p, Value lhs, Value rhs) -> Value {
    return arith::ExtUIOp::create(b, word, cmp(p, lhs, rhs));
  };
  // The bits of smaller magnitudes are smaller integers. NaN is not changed.
  Value beyond = countIf(CmpFPredicate::OGT, math::AbsFOp::create(b, back),
                         math::AbsFOp::create(b, x));
  Value rest = countIf(CmpFPredicate::ONE, back, x);
  Value bits = arith::BitcastOp::create(b, word, near);
  bits = arith::OrIOp::create(b, arith::SubIOp::create(b, bits, beyond), rest);
  return arith::BitcastOp::create(b, near.getType(), bits);
}

Value ElementwiseEmitter::convert(Type target) {
  Value x = in[0];
  Type type = KernelBuilder::laneType(getComputeType(target), lanes);
  if (element == target)
    return x;
  if (target.isInteger(1))
    return isFloat() ? cmp(CmpFPredicate::UNE, x, number(0))
                     : cmp(CmpIPredicate::ne, x, number(0));
  if (isFloat() && isa<FloatType>(target)) {
    bool is64 = computeType().isF64(), to64 = target.isF64();
    bool toNarrow = target.isF16() || target.isBF16();
    Value result = x;
    if (!is64 && to64)
      result = arith::ExtFOp::create(b, type, x);
    else if (is64 && toNarrow)
      result = truncateToOdd();
    else if (is64 && !to64)
      result = arith::TruncFOp::create(b, type, x);
    return toNarrow ? b.round(result, target) : result;
  }
  if (isFloat())
    return floatToInteger(target);
  if (isa<FloatType>(target)) {
    Value result = isUnsigned(element)
                       ? arith::UIToFPOp::create(b, type, x).getResult()
                       : arith::SIToFPOp::create(b, type, x).getResult();
    return target.isF16() || target.isBF16() ? b.round(result, target) : result;
  }
  unsigned to = target.getIntOrFloatBitWidth();
  if (to == width())
    return x;
  if (to < width())
    return arith::TruncIOp::create(b, type, x);
  if (isUnsigned(element))
    return arith::ExtUIOp::create(b, type, x);
  return arith::ExtSIOp::create(b, type, x);
}

Value ElementwiseEmitter::emit() {
  namespace vm = vectormath;
  auto arithmetic = [&](auto floats, auto integers) -> Value {
    return isFloat() ? floats() : integers();
  };
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](dhlo::AbsOp) { return abs(); })
      .Case([&](dhlo::NegOp) {
        return arithmetic(
            [&]() -> Value { return arith::NegFOp::create(b, in[0]); },
            [&]() -> Value {
              return arith::SubIOp::create(b, number(0), in[0]);
            });
      })
      .Case([&](dhlo::SignOp) { return sign(); })
      .Case([&](dhlo::ExpOp) {
        return op->hasAttr(kIsDistanceAttr) ? vm::expOfDistance(b, in[0])
                                            : vm::exp(b, in[0]);
      })
      .Case([&](dhlo::Expm1Op) { return vm::expm1(b, in[0]); })
      .Case([&](dhlo::LogOp) { return vm::log(b, in[0]); })
      .Case([&](dhlo::Log1pOp) { return vm::log1p(b, in[0]); })
      .Case([&](dhlo::SqrtOp) { return math::SqrtOp::create(b, in[0]); })
      .Case([&](dhlo::RsqrtOp) {
        return arith::DivFOp::create(b, number(1),
                                     math::SqrtOp::create(b, in[0]));
      })
      .Case([&](dhlo::ReciprocalOp) {
        return arith::DivFOp::create(b, number(1), in[0]);
      })
      .Case([&](dhlo::TanhOp) { return vm::tanh(b, in[0]); })
      .Case([&](dhlo::ErfOp) { return vm::erf(b, in[0]); })
      .Case([&](dhlo::LogisticOp) { return vm::logistic(b, in[0]); })
      .Case([&](dhlo::SinOp) { return vm::sin(b, in[0]); })
      .Case([&](dhlo::CosOp) { return vm::cos(b, in[0]); })
      .Case([&](dhlo::TanOp) { return vm::tan(b, in[0]); })
      .Case([&](dhlo::AsinOp) { return vm::asin(b, in[0]); })
      .Case([&](dhlo::AcosOp) { return vm::acos(b, in[0]); })
      .Case([&](dhlo::AtanOp) { return vm::atan(b, in[0]); })
      .Case([&](dhlo::SinhOp) { return vm::sinh(b, in[0]); })
      .Case([&](dhlo::CoshOp) { return vm::cosh(b, in[0]); })
      .Case([&](dhlo::AsinhOp) { return vm::asinh(b, in[0]); })
      .Case([&](dhlo::AcoshOp) { return vm::acosh(b, in[0]); })
      .Case([&](dhlo::AtanhOp) { return vm::atanh(b, in[0]); })
      .Case([&](dhlo::FloorOp) { return math::FloorOp::create(b, in[0]); })
      .Case([&](dhlo::CeilOp) { return math::CeilOp::create(b, in[0]); })
      .Case([&](dhlo::RoundOp) { return math::RoundEvenOp::create(b, in[0]); })
      .Case([&](dhlo::NotOp) {
        return arith::XOrIOp::create(b, in[0],
                                     integer(APInt::getAllOnes(width())));
      })
      .Case(
          [&](dhlo::IsNanOp) { return cmp(CmpFPredicate::UNO, in[0], in[0]); })
      .Case([&](dhlo::IsInfOp) {
        return cmp(CmpFPredicate::OEQ, math::AbsFOp::create(b, in[0]),
                   number(std::numeric_limits<double>::infinity()));
      })
      .Case([&](dhlo::AddOp) {
        return arithmetic(
            [&]() -> Value { return arith::AddFOp::create(b, in[0], in[1]); },
            [&]() -> Value { return arith::AddIOp::create(b, in[0], in[1]); });
      })
      .Case([&](dhlo::SubOp) {
        return arithmetic(
            [&]() -> Value { return arith::SubFOp::create(b, in[0], in[1]); },
            [&]() -> Value { return arith::SubIOp::create(b, in[0], in[1]); });
      })
      .Case([&](dhlo::MulOp) {
        return arithmetic(
            [&]() -> Value { return arith::MulFOp::create(b, in[0], in[1]); },
            [&]() -> Value { return arith::MulIOp::create(b, in[0], in[1]); });
      })
      .Case([&](dhlo::DivOp) { return divide(false); })
      .Case([&](dhlo::RemOp) { return divide(true); })
      .Case([&](dhlo::PowOp) { return power(); })
      .Case([&](dhlo::Atan2Op) { return vm::atan2(b, in[0], in[1]); })
      .Case([&](dhlo::MaximumOp) { return maximum(b, element, in[0], in[1]); })
      .Case([&](dhlo::MinimumOp) { return minimum(b, element, in[0], in[1]); })
      .Case([&](dhlo::AndOp) { return arith::AndIOp::create(b, in[0], in[1]); })
      .Case([&](dhlo::OrOp) { return arith::OrIOp::create(b, in[0], in[1]); })
      .Case([&](dhlo::XorOp) { return arith::XOrIOp::create(b, in[0], in[1]); })
      .Case([&](dhlo::ShiftLeftOp) { return shift(true); })
      .Case([&](dhlo::ShiftRightOp) { return shift(false); })
      .Case([&](dhlo::CompareOp c) { return compare(c.getDirection()); })
      .Case([&](dhlo::SelectOp) { return select(in[0], in[1], in[2]); })
      .Case([&](dhlo::ConvertOp c) {
        return convert(c.getType().getElementType());
      })
      .Case([&](dhlo::GeluOp g) {
        return g.getKind() == dhlo::GeluKind::Erf ? vm::geluErf(b, in[0])
                                                  : vm::geluTanh(b, in[0]);
      });
}

Value dyn::emitElementwise(KernelBuilder &b, Operation *op,
                           ValueRange operands) {
  return ElementwiseEmitter(b, op, operands).emit();
}

Value dyn::isNonzero(ElementEmitter &e, Value tensor, const Position &position,
                     int64_t lanes) {
  KernelBuilder &b = e.getBuilder();
  Value v = e.emit(tensor, position, lanes);
  Type type = getElementTypeOrSelf(v.getType());
  if (type.isInteger(1))
    return v;
  Value zero = b.number(0, type, lanes);
  if (isa<FloatType>(type))
    return arith::CmpFOp::create(b, arith::CmpFPredicate::UNE, v, zero);
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, v, zero);
}
