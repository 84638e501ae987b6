//===- VectorMathPower.cpp - Powers and remainders ------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Errors in units in the last place, found by sweeps (vector_math.py): pow 0.7,
// of f64 0.6, so that results that are representable are exact; with a constant
// exponent of 3, in f32 also 1.5 and -0.5, 1.5; with a constant base in f32 1.

#include "Codegen/Common/Elements/VectorMathBuilder.h"

#include "Codegen/Common/Elements/VectorMath.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::vectormath;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();
static constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

//===----------------------------------------------------------------------===//
// Powers in pairs of numbers
//===----------------------------------------------------------------------===//

namespace {
/// The sum of two numbers, the second of which is the rounding error of the
/// first.
struct Pair {
  Value high, low;
};
} // namespace

/// x + y, where y is no larger, or x is 0.
static Pair addOrdered(Floats f, Value x, Value y) {
  Value high = f.add(x, y);
  return {high, f.add(f.sub(x, high), y)};
}

static Pair multiply(Floats f, Pair x, Pair y) {
  Value high = f.mul(x.high, y.high);
  Value low = f.fma(x.high, y.low, f.mul(x.low, y.high));
  return {high, f.add(f.productError(x.high, y.high, high), low)};
}

/// The logarithm of x >= 0, with a relative error of 2^-65, in f32 of 2^-33.
static Pair logOfPositive(Floats f, Value x) {
  auto [m, e] = f.splitExponent(x);
  // log(m) = 2 artanh(s) with s = (m - 1) / (m + 1), |s| < 0.172.
  Value difference = f.sub(m, f.c(1));
  Pair sum = addOrdered(f, f.c(1), m);
  Pair s = {f.div(difference, sum.high), {}};
  Value rest =
      f.fma(f.neg(s.high), sum.low, f.restOf(difference, s.high, sum.high));
  s.low = f.div(rest, sum.high);
  // artanh(s) = s + s z (1/3 + z (1/5 + z (1/7 + ...))) with z = s^2; the terms
  // from 1/5 on need only one number.
  SmallVector<double> series;
  for (int i = 5; i <= (f.is64() ? 27 : 13); i += 2)
    series.insert(series.begin(), 1.0 / i);
  Pair z = multiply(f, s, s);
  Pair third =
      addOrdered(f, f.c(1.0 / 3), f.mul(z.high, f.polynomial(z.high, series)));
  third.low = f.add(third.low, f.c(-9.934107481068e-9, 1.850371707708594e-17));
  Pair tail = multiply(f, s, multiply(f, z, third));
  Pair half = addOrdered(f, s.high, tail.high);
  half.low = f.add(half.low, f.add(s.low, tail.low));
  // The first part of log(2) has so few bits that e times it is exact.
  Pair result = addOrdered(f, f.mul(e, f.c(0.693359375, 0.6931471805598903)),
                           f.add(half.high, half.high));
  Value low = f.fma(e, f.c(-2.12194440e-4, 5.497923018708371e-14),
                    f.add(half.low, half.low));
  result = addOrdered(f, result.high, f.add(result.low, low));
  result.high = f.select(f.lt(x, f.c(kInfinity)), result.high, x);
  result.high = f.select(f.eq(x, f.c(0)), f.c(-kInfinity), result.high);
  return result;
}

/// The exponential of a pair, almost correctly rounded where it is normal.
static Value expOfPair(Floats f, Pair x) {
  // As in exp: where the result is 0, nothing may underflow on the way.
  Value isZero = f.lt(x.high, f.c(-104, -746));
  Value largest = f.c(90, 720);
  Value high = f.select(isZero, f.c(0), x.high);
  high = f.select(f.gt(high, largest), largest, high);
  // At the limits, and for NaN, the second number does not count.
  Value low = f.select(f.lt(f.abs(x.high), f.c(104, 746)), x.low, f.c(0));
  auto [n, integer] = f.nearestProduct(high, f.c(1.4426950408889634));
  Value near = f.fma(n, f.c(-0.693359375, -6.93147180369123816490e-01), high);
  Pair r = addOrdered(
      f, near, f.fma(n, f.c(2.12194440e-4, -1.90821492927058770002e-10), low));
  // 1 + r + r^2 * tail: only the last addition rounds bits that count.
  Pair y = addOrdered(f, f.c(1), r.high);
  Value tail = f.polynomial(r.high, getExpTail(f));
  tail = f.fma(f.mul(r.high, r.high), tail, f.add(y.low, r.low));
  Value result = f.scale(f.add(y.high, tail), n, integer);
  return f.select(isZero, f.c(0), result);
}

/// x^y for x >= 0, except for what C says of 0, 1 and infinity.
static Value powOfPositive(Floats f, Value x, Value y) {
  Pair logarithm = logOfPositive(f, x);
  Value high = f.mul(y, logarithm.high);
  Value low = f.fma(y, logarithm.low, f.productError(y, logarithm.high, high));
  return expOfPair(f, {high, low});
}

//===----------------------------------------------------------------------===//
// Powers
//===----------------------------------------------------------------------===//

/// The value if it is a constant, the same in all lanes.
static std::optional<double> getConstant(Value v) {
  if (auto broadcast = v.getDefiningOp<vector::BroadcastOp>())
    v = broadcast.getSource();
  FloatAttr scalar;
  DenseFPElementsAttr all;
  if (matchPattern(v, m_Constant(&scalar)))
    return scalar.getValueAsDouble();
  if (matchPattern(v, m_Constant(&all)) && all.isSplat()) {
    APFloat value = all.getSplatValue<APFloat>();
    bool losesInfo;
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
    return value.convertToDouble();
  }
  return std::nullopt;
}

/// A constant base to the power of y in f32: 2^(y log2(base)), where the
/// multiplication is exact enough that representable powers are exact.
static Value powOfConstant(Floats f, double base, Value y) {
  auto logarithm =
      static_cast<double>(std::log2(static_cast<long double>(base)));
  double high = static_cast<float>(logarithm);
  Value p = f.mul(y, f.c(high));
  Value lost = f.fma(y, f.c(high), f.neg(p));
  if (high != logarithm)
    lost = f.fma(y, f.c(logarithm - high), lost);
  // As in exp: where the result is 0, nothing may underflow on the way.
  Value isZero = f.lt(p, f.c(-151));
  Value largest = f.c(129);
  Value limited = f.select(isZero, f.c(0), p);
  limited = f.select(f.gt(limited, largest), largest, limited);
  // An infinite p has lost nothing.
  lost = f.select(f.lt(f.abs(p), f.c(256)), lost, f.c(0));
  auto [rounded, n] = f.nearest(limited);
  Value r = f.add(f.sub(limited, rounded), lost);
  // (2^r - 1) / r with relative error 5e-9.
  Value q = f.polynomial(r, {1.545316294512069e-4, 1.339086336467123e-3,
                             9.618082557277852e-3, 5.550357114219078e-2,
                             2.402265076056813e-1, 6.931471880262288e-1});
  Value result = f.scale(f.fma(q, r, f.c(1)), rounded, n);
  return f.select(isZero, f.c(0), result);
}

/// x^y for a y that needs only multiplications and roots. Null for others.
static Value powByRoots(Floats f, Value x, double y) {
  if (y == 1)
    return x;
  if (y == 2)
    return f.mul(x, x);
  if (y == 3)
    return f.mul(f.mul(x, x), x);
  if (y == -1)
    return f.div(f.c(1), x);
  // With two roundings, which f64 is to be free of.
  bool isShort = !f.is64() && (y == -0.5 || y == 1.5);
  if (y != 0.5 && !isShort)
    return nullptr;
  // Of -0 and -inf, C takes the roots of 0 and inf.
  x = f.select(f.eq(x, f.c(0)), f.c(0), x);
  x = f.select(f.eq(x, f.c(-kInfinity)), f.c(kInfinity), x);
  Value root = f.sqrt(x);
  if (y == 1.5)
    return f.mul(x, root);
  return y == 0.5 ? root : f.div(f.c(1), root);
}

Value vectormath::pow(KernelBuilder &b, Value x, Value y) {
  Floats f(b, x);
  if (std::optional<double> exponent = getConstant(y))
    if (Value power = powByRoots(f, x, *exponent))
      return power;
  if (std::optional<double> base = getConstant(x);
      base && *base > 0 && *base != 1 && std::isfinite(*base) && !f.is64() &&
      b.getOptions().hasFma())
    return powOfConstant(f, *base, y);
  Value r = powOfPositive(f, f.abs(x), y);
  // Signs: for a negative base, only integers are powers.
  Value whole = f.trunc(y);
  Value isWhole = f.eq(whole, y);
  Value half = f.mul(y, f.c(0.5));
  Value isOdd =
      f.both(isWhole, f.cmp(arith::CmpFPredicate::ONE, half, f.trunc(half)));
  Value isNegative = f.lt(f.copysign(f.c(1), x), f.c(0));
  r = f.select(f.both(isNegative, isOdd), f.neg(r), r);
  Value isBad =
      f.both(f.lt(x, f.c(0)), f.cmp(arith::CmpFPredicate::ONE, whole, y));
  Value isFinite = f.cmp(arith::CmpFPredicate::ONE, x, f.c(-kInfinity));
  r = f.select(f.both(isBad, isFinite), f.c(kNan), r);
  // x^0 and 1^y are 1, whatever the other is; so is (-1)^inf.
  Value isOne = f.either(f.eq(y, f.c(0)), f.eq(x, f.c(1)));
  isOne =
      f.either(isOne, f.both(f.eq(x, f.c(-1)), f.eq(f.abs(y), f.c(kInfinity))));
  return f.select(isOne, f.c(1), r);
}

//===----------------------------------------------------------------------===//
// Remainders
//===----------------------------------------------------------------------===//

/// An operand in f64.
static Value widen(Floats f, Value x) {
  Type type = KernelBuilder::laneType(f.b.getF64Type(), f.lanes);
  return f.is64() ? x : Value(arith::ExtFOp::create(f.b, type, x));
}

/// Subtracts a multiple of y from x, exactly: 24 bits of the quotient, which
/// leaves 2^-23 of x.
static Value divideOnce(Floats f, Value x, Value y, Value quotient) {
  Value q = f.fromBits(f.andi(f.toBits(quotient), f.bits(~0x1fffffffull)));
  return f.restOf(x, q, y);
}

/// x, corrected by y if its quotient was rounded up.
static Value addShort(Floats f, Value x, Value y) {
  Value sum = f.add(x, y);
  Value isShort =
      f.both(f.lt(x, f.c(0)), f.cmp(arith::CmpFPredicate::OGE, sum, f.c(0)));
  return f.select(isShort, sum, x);
}

/// Subtracts multiples of y from x, both in f64, until the quotient is less
/// than 2^1000: before, it may overflow.
static Value reduceHuge(KernelBuilder &b, Value x, Value y) {
  Floats f(b, x);
  // The quotient of a smaller number by a larger one does not.
  constexpr int kDown = 600, kUp = 500;
  Value wide = f.mul(y, f.c(std::ldexp(1.0, kUp)));
  Value limit = f.mul(wide, f.c(std::ldexp(1.0, kUp)));
  OpFoldResult steps =
      b.select(f.any(f.gt(x, limit)), b.constant(49), b.constant(0));
  Value rest =
      b.loop(b.constant(0), steps, 1, x,
             [&](Value, ValueRange carried) -> SmallVector<Value> {
               Floats g(b, carried[0]);
               Value less = g.mul(carried[0], g.c(std::ldexp(1.0, -kDown)));
               Value r = divideOnce(g, less, wide, g.div(less, wide));
               r = g.mul(r, g.c(std::ldexp(1.0, kDown)));
               return {g.select(g.gt(g.abs(carried[0]), limit), r, carried[0])};
             })
          .front();
  return addShort(f, rest, y);
}

Value vectormath::fmod(KernelBuilder &b, Value x, Value y) {
  Floats f(b, x);
  Value wx = widen(f, x), wy = widen(f, y);
  Floats d(b, wx);
  Value divisor = d.abs(wy), rest = d.abs(wx);
  if (f.is64())
    rest = reduceHuge(b, rest, divisor);
  // Long division.
  int64_t steps = f.is64() ? 45 : 13;
  rest = b.loop(b.constant(0), b.constant(steps), 1, rest,
                [&](Value, ValueRange carried) -> SmallVector<Value> {
                  Floats g(b, carried[0]);
                  Value q = g.trunc(g.div(carried[0], divisor));
                  Value r = divideOnce(g, carried[0], divisor, q);
                  // With an infinite divisor, the dividend is the remainder.
                  return {g.select(g.eq(q, g.c(0)), carried[0],
                                   addShort(g, r, divisor))};
                })
             .front();
  rest = d.copysign(rest, wx);
  if (!f.is64())
    rest = arith::TruncFOp::create(b, f.floatType(), rest);
  return rest;
}
