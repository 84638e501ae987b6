//===- VectorMathPower.cpp - Powers and remainders ------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Errors in units in the last place, found by sweeps (vector_math.py): pow 1,
// of f64 0.6, so that results that are representable are exact. Of a constant
// base in f32, 1 as well, without f64.

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
// Powers of f64
//===----------------------------------------------------------------------===//

namespace {
/// The sum of two numbers of f64, the second of which is the rounding error of
/// the first.
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

/// The logarithm of x >= 0, with a relative error of 2^-65.
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
  for (int i = 5; i <= 27; i += 2)
    series.insert(series.begin(), 1.0 / i);
  Pair z = multiply(f, s, s);
  Pair third =
      addOrdered(f, f.c(1.0 / 3), f.mul(z.high, f.polynomial(z.high, series)));
  third.low = f.add(third.low, f.c(1.850371707708594e-17));
  Pair tail = multiply(f, s, multiply(f, z, third));
  Pair half = addOrdered(f, s.high, tail.high);
  half.low = f.add(half.low, f.add(s.low, tail.low));
  // The first part of log(2) has so few bits that e times it is exact.
  Pair result = addOrdered(f, f.mul(e, f.c(0.6931471805598903)),
                           f.add(half.high, half.high));
  Value low = f.fma(e, f.c(5.497923018708371e-14), f.add(half.low, half.low));
  result = addOrdered(f, result.high, f.add(result.low, low));
  result.high = f.select(f.lt(x, f.c(kInfinity)), result.high, x);
  result.high = f.select(f.eq(x, f.c(0)), f.c(-kInfinity), result.high);
  return result;
}

/// The exponential of a pair, almost correctly rounded where it is normal.
static Value expOfPair(Floats f, Pair x) {
  // At the limits, and for NaN, the second number does not count.
  Value low = f.select(f.lt(f.abs(x.high), f.c(746)), x.low, f.c(0));
  Value high = f.clamp(x.high, -746, 720);
  auto [rounded, n] = f.nearestProduct(high, f.c(1.4426950408889634));
  Pair r = addOrdered(f, f.fma(rounded, f.c(-6.93147180369123816490e-01), high),
                      f.fma(rounded, f.c(-1.90821492927058770002e-10), low));
  // 1 + r + r^2 * tail: only the last addition rounds bits that count.
  Pair y = addOrdered(f, f.c(1), r.high);
  Value tail = f.polynomial(r.high, getTaylorTail());
  tail = f.fma(f.mul(r.high, r.high), tail, f.add(y.low, r.low));
  Value half = f.sar(n, 1);
  return f.mul(f.mul(f.add(y.high, tail), f.power2(half)),
               f.power2(f.subi(n, half)));
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

/// An operand in f64.
static Value widen(Floats f, Value x) {
  Type type = KernelBuilder::laneType(f.b.getF64Type(), f.lanes);
  return f.is64() ? x : Value(arith::ExtFOp::create(f.b, type, x));
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
  Value half = f.sar(n, 1);
  Value result = f.mul(f.mul(f.fma(q, r, f.c(1)), f.power2(half)),
                       f.power2(f.subi(n, half)));
  return f.select(isZero, f.c(0), result);
}

Value vectormath::pow(KernelBuilder &b, Value x, Value y) {
  Floats f(b, x);
  if (std::optional<double> exponent = getConstant(y)) {
    if (*exponent == 1)
      return x;
    if (*exponent == 2)
      return f.mul(x, x);
    if (*exponent == 3)
      return f.mul(f.mul(x, x), x);
  }
  if (std::optional<double> base = getConstant(x);
      base && *base > 0 && *base != 1 && std::isfinite(*base) && !f.is64() &&
      b.getOptions().hasFma())
    return powOfConstant(f, *base, y);
  // In f64, where the logarithm has bits to spare for f32.
  Value wx = widen(f, x), wy = widen(f, y);
  Floats d(b, wx);
  Value base = d.abs(wx);
  Value r = f.is64() ? powOfPositive(d, base, wy)
                     : vectormath::exp(b, d.mul(wy, vectormath::log(b, base)));
  // Signs: for a negative base, only integers are powers.
  Value whole = d.trunc(wy);
  Value isWhole = d.eq(whole, wy);
  Value half = d.mul(wy, d.c(0.5));
  Value isOdd =
      d.both(isWhole, d.cmp(arith::CmpFPredicate::ONE, half, d.trunc(half)));
  Value isNegative = d.lt(d.copysign(d.c(1), wx), d.c(0));
  r = d.select(d.both(isNegative, isOdd), d.neg(r), r);
  Value isBad =
      d.both(d.lt(wx, d.c(0)), d.cmp(arith::CmpFPredicate::ONE, whole, wy));
  Value isFinite = d.cmp(arith::CmpFPredicate::ONE, wx, d.c(-kInfinity));
  r = d.select(d.both(isBad, isFinite), d.c(kNan), r);
  // x^0 and 1^y are 1, whatever the other is; so is (-1)^inf.
  Value isOne = d.either(d.eq(wy, d.c(0)), d.eq(wx, d.c(1)));
  isOne = d.either(isOne,
                   d.both(d.eq(wx, d.c(-1)), d.eq(d.abs(wy), d.c(kInfinity))));
  r = d.select(isOne, d.c(1), r);
  if (!f.is64())
    r = arith::TruncFOp::create(b, f.floatType(), r);
  return r;
}

//===----------------------------------------------------------------------===//
// Remainders
//===----------------------------------------------------------------------===//

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
