//===- VectorMathSpecial.cpp - Trigonometry and the error function --------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Errors in units in the last place of f32, found by sweeps (vector_math.py):
// sin, cos 2, tan 4, asin, acos, atan, atan2 4, erf 5.

#include "Codegen/Common/Elements/VectorMathBuilder.h"

#include "Codegen/Common/Elements/VectorMath.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::vectormath;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();
static constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
static constexpr double kPi = 3.141592653589793;

//===----------------------------------------------------------------------===//
// Sine and cosine
//===----------------------------------------------------------------------===//

namespace {
struct Circle {
  Value sine, cosine; // of the remainder, in [-pi/4, pi/4]
  Value quadrant;     // i64 lanes; its two low bits count
};
} // namespace

/// Beyond this, n of the reduction has too many bits for exact multiplication.
static constexpr double kFar = 1 << 20;

/// The angle in [-pi, pi] that is full turns from an x of f32, far out.
/// Multiplications by the parts of 1 / (2 pi), of 29 bits except the last, are
/// exact.
static Value toOneTurn(Floats d, Value x) {
  static constexpr double parts[] = {
      0x1.45f306ep-3,  -0x1.b1bbeadp-34,  -0x1.80f62a1p-64,
      0x1.1f534dep-94, -0x1.f924eb5p-125, -0x1.9b0ef1bef806cp-156};
  Value coarse = d.c(0), fine = d.c(0), magic = d.c(6144);
  for (double part : parts) {
    Value turns = d.mul(x, d.c(part));
    turns = d.sub(turns, d.trunc(turns));
    // Multiples of 2^-40 are added without rounding.
    Value high = d.sub(d.add(turns, magic), magic);
    coarse = d.add(coarse, high);
    fine = d.add(fine, d.sub(turns, high));
  }
  coarse = d.sub(coarse, d.nearest(coarse).first);
  Value low =
      d.fma(coarse, d.c(2.4492935982947064e-16), d.mul(fine, d.c(2 * kPi)));
  return d.fma(coarse, d.c(2 * kPi), low);
}

/// x = n * pi/2 + r, in f64 for both types; sine and cosine of r by series.
static Circle reduce(KernelBuilder &b, Value x) {
  Floats f(b, x);
  Value wide = x;
  if (!f.is64()) {
    Type type = KernelBuilder::laneType(b.getF64Type(), f.lanes);
    wide = arith::ExtFOp::create(b, type, x);
    Value isFar = f.gt(f.abs(x), f.c(kFar));
    wide = b.ifElse(
        f.any(isFar), type,
        [&] {
          Floats d(b, wide);
          return d.select(isFar, toOneTurn(d, wide), wide);
        },
        [&] { return wide; });
  }
  Floats d(b, wide);
  auto [n, bits] = d.nearest(d.mul(wide, d.c(2 / kPi)));
  // pi/2 in three parts; multiplications by the first are exact up to kFar.
  Value r = d.fma(n, d.c(-1.57079632673412561417e+00), wide);
  r = d.fma(n, d.c(-6.07710050630396597660e-11), r);
  r = d.fma(n, d.c(-2.02226624879595063154e-21), r);
  // Far out, where n is not exact, at least the results stay on the circle.
  if (f.is64())
    r = d.clamp(r, -0.7853981633974483, 0.7853981633974483);
  Circle circle;
  circle.quadrant = bits;
  Value z = d.mul(r, r);
  SmallVector<double> sine, cosine;
  double factorial = 1;
  int terms = f.is64() ? 18 : 11;
  for (int i = 2; i <= terms; ++i) {
    factorial *= i;
    double sign = (i / 2) % 2 ? -1 : 1;
    auto &series = i % 2 ? sine : cosine;
    series.insert(series.begin(), sign / factorial);
  }
  circle.sine = d.fma(d.mul(r, z), d.polynomial(z, sine), r);
  circle.cosine = d.fma(z, d.polynomial(z, cosine), d.c(1));
  return circle;
}

/// The sine of the angle that is `turn` quadrants further.
static Value onCircle(KernelBuilder &b, Value x, const Circle &circle,
                      int turn) {
  Floats f(b, x), d(b, circle.sine);
  Value quadrant = d.addi(circle.quadrant, d.bits(turn));
  auto hasBit = [&](int bit) -> Value {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ne,
                                 d.andi(quadrant, d.bits(bit)), d.bits(0));
  };
  Value v = d.select(hasBit(1), circle.cosine, circle.sine);
  v = d.select(hasBit(2), d.neg(v), v);
  if (!f.is64())
    v = arith::TruncFOp::create(b, f.floatType(), v);
  return v;
}

Value vectormath::sin(KernelBuilder &b, Value x) {
  Floats f(b, x);
  // Keeps the sign of zero.
  return f.select(f.eq(x, f.c(0)), x, onCircle(b, x, reduce(b, x), 0));
}

Value vectormath::cos(KernelBuilder &b, Value x) {
  return onCircle(b, x, reduce(b, x), 1);
}

Value vectormath::tan(KernelBuilder &b, Value x) {
  Floats f(b, x);
  Circle circle = reduce(b, x);
  Value v = f.div(onCircle(b, x, circle, 0), onCircle(b, x, circle, 1));
  return f.select(f.eq(x, f.c(0)), x, v);
}

//===----------------------------------------------------------------------===//
// Inverse functions
//===----------------------------------------------------------------------===//

/// The arc tangent of x in [0, 1].
static Value atanUnit(Floats f, Value x) {
  if (f.is64()) {
    // Halving the angle twice leaves less than 0.2 for Taylor's series.
    Value t = x;
    for (int i = 0; i < 2; ++i)
      t = f.div(t, f.add(f.c(1), f.sqrt(f.fma(t, t, f.c(1)))));
    SmallVector<double> series;
    for (int i = 1; i <= 12; ++i)
      series.insert(series.begin(), (i % 2 ? -1.0 : 1.0) / (2 * i + 1));
    Value z = f.mul(t, t);
    Value angle = f.fma(f.mul(t, z), f.polynomial(z, series), t);
    return f.mul(angle, f.c(4));
  }
  Value isLarge = f.gt(x, f.c(0.4142135623730950));
  Value t = f.select(isLarge, f.div(f.sub(x, f.c(1)), f.add(x, f.c(1))), x);
  Value z = f.mul(t, t);
  Value p = f.polynomial(z, {8.05374449538e-2, -1.38776856032e-1,
                             1.99777106478e-1, -3.33329491539e-1});
  Value angle = f.fma(f.mul(t, z), p, t);
  return f.select(isLarge, f.add(angle, f.c(kPi / 4)), angle);
}

Value vectormath::atan(KernelBuilder &b, Value x) {
  Floats f(b, x);
  Value magnitude = f.abs(x);
  Value isLarge = f.gt(magnitude, f.c(1));
  Value t = f.select(isLarge, f.div(f.c(1), magnitude), magnitude);
  Value angle = atanUnit(f, t);
  angle = f.select(isLarge, f.sub(f.c(kPi / 2), angle), angle);
  return f.copysign(angle, x);
}

Value vectormath::atan2(KernelBuilder &b, Value y, Value x) {
  Floats f(b, x);
  Value ax = f.abs(x), ay = f.abs(y);
  Value isSteep = f.gt(ay, ax);
  Value low = f.select(isSteep, ax, ay), high = f.select(isSteep, ay, ax);
  Value t = f.div(low, high);
  // 0 / 0 is 0 here, and inf / inf is 1.
  t = f.select(f.eq(high, f.c(0)), f.c(0), t);
  t = f.select(f.eq(low, f.c(kInfinity)), f.c(1), t);
  Value angle = atanUnit(f, t);
  angle = f.select(isSteep, f.sub(f.c(kPi / 2), angle), angle);
  // The sign bit of x, so that -0 counts.
  Value isLeft = f.lt(f.copysign(f.c(1), x), f.c(0));
  angle = f.select(isLeft, f.sub(f.c(kPi), angle), angle);
  angle = f.copysign(angle, y);
  Value isNan = f.either(f.isNan(x), f.isNan(y));
  return f.select(isNan, f.c(kNan), angle);
}

Value vectormath::asin(KernelBuilder &b, Value x) {
  Floats f(b, x);
  if (f.is64()) {
    Value root = f.sqrt(f.mul(f.sub(f.c(1), x), f.add(f.c(1), x)));
    return vectormath::atan2(b, x, root);
  }
  // Near 1 by the half angle: asin(x) = pi/2 - 2 asin(sqrt((1 - x) / 2)).
  Value magnitude = f.abs(x);
  Value isLarge = f.gt(magnitude, f.c(0.5));
  Value half = f.mul(f.sub(f.c(1), magnitude), f.c(0.5));
  Value z = f.select(isLarge, half, f.mul(magnitude, magnitude));
  Value t = f.select(isLarge, f.sqrt(half), magnitude);
  Value p = f.polynomial(z, {4.2163199048e-2, 2.4181311049e-2, 4.5470025998e-2,
                             7.4953002686e-2, 1.6666752422e-1});
  Value angle = f.fma(f.mul(z, p), t, t);
  angle = f.select(isLarge, f.sub(f.c(kPi / 2), f.add(angle, angle)), angle);
  angle = f.copysign(angle, x);
  return f.select(f.gt(magnitude, f.c(1)), f.c(kNan), angle);
}

Value vectormath::acos(KernelBuilder &b, Value x) {
  Floats f(b, x);
  if (f.is64())
    return vectormath::atan2(
        b, f.sqrt(f.mul(f.sub(f.c(1), x), f.add(f.c(1), x))), x);
  Value magnitude = f.abs(x);
  Value half = f.sqrt(f.mul(f.sub(f.c(1), magnitude), f.c(0.5)));
  Value edge = vectormath::asin(b, half);
  edge = f.add(edge, edge);
  edge = f.select(f.lt(x, f.c(0)), f.sub(f.c(kPi), edge), edge);
  Value middle = f.sub(f.c(kPi / 2), vectormath::asin(b, x));
  return f.select(f.gt(magnitude, f.c(0.5)), edge, middle);
}

//===----------------------------------------------------------------------===//
// The error function
//===----------------------------------------------------------------------===//

/// erfc(x) for x >= 0 in f64: t * exp(-x^2 + P(t)) with t = 2 / (2 + x), P as a
/// Chebyshev series in 2 t - 1.
static Value erfc64(KernelBuilder &b, Floats f, Value x) {
  static constexpr double series[] = {
      -1.302653719781709434,     0.6419697923564902603,
      0.01947647320418583631,    -0.009561514786808631642,
      -9.465953444820368663e-4,  3.668394978527614519e-4,
      4.252332480690777164e-5,   -2.027857811253424315e-5,
      -1.624290004647025513e-6,  1.303655835580523202e-6,
      1.562644172206614318e-8,   -8.523809591492654253e-8,
      6.529054439098851497e-9,   5.059343495551468943e-9,
      -9.913641564930330959e-10, -2.273651222931835646e-10,
      9.646791102015527672e-11,  2.394038083038881009e-12,
      -6.886027526496771783e-12, 8.944879273084849739e-13,
      3.13092139928645625e-13,   -1.127082235870312354e-13,
      3.810904867952271178e-16,  7.106097477573419061e-15,
      -1.523027323038674629e-15, -9.45765842577124671e-17,
      1.210203292887945452e-16,  -2.813870756413238122e-17};
  Value t = f.div(f.c(2), f.add(f.c(2), x));
  Value u = f.sub(f.mul(f.c(4), t), f.c(2));
  Value d = f.c(0), dd = f.c(0);
  for (int i = std::size(series) - 1; i > 0; --i) {
    Value next = f.add(f.sub(f.mul(u, d), dd), f.c(series[i]));
    dd = d;
    d = next;
  }
  Value p = f.sub(f.mul(f.c(0.5), f.add(f.c(series[0]), f.mul(u, d))), dd);
  return f.mul(t, vectormath::exp(b, f.sub(p, f.mul(x, x))));
}

Value vectormath::erf(KernelBuilder &b, Value x) {
  Floats f(b, x);
  if (f.is64()) {
    Value magnitude = f.clamp(f.abs(x), 0, 6);
    Value large = f.sub(f.c(1), erfc64(b, f, magnitude));
    // Taylor's series for small x.
    SmallVector<double> coefficients;
    double factorial = 1;
    for (int i = 0; i <= 14; ++i) {
      factorial *= i ? i : 1;
      coefficients.insert(coefficients.begin(), (i % 2 ? -1 : 1) *
                                                    1.1283791670955126 /
                                                    (factorial * (2 * i + 1)));
    }
    Value small = f.mul(
        magnitude, f.polynomial(f.mul(magnitude, magnitude), coefficients));
    return f.copysign(f.select(f.lt(magnitude, f.c(0.7)), small, large), x);
  }
  // A rational function of x^2, fitted to erf(x) / x on [0, 3.92], beyond which
  // erf is 1 in f32. All its terms are positive. It continues to grow: at 4.2
  // it is above 1 however its terms are rounded.
  Value t = f.clamp(x, -4.2, 4.2);
  Value z = f.mul(t, t);
  Value p =
      f.polynomial(z, {2.050094147e-06, 2.848818651e-04, 3.765579554e-03,
                       5.274861012e-02, 1.904056013e-01, 1.128379146e+00});
  Value q = f.polynomial(z, {3.809174009e-05, 1.162526349e-03, 1.496914261e-02,
                             1.141087551e-01, 5.020753119e-01, 1.0});
  return f.clamp(f.div(f.mul(t, p), q), -1, 1);
}

Value vectormath::geluErf(KernelBuilder &b, Value x) {
  Floats f(b, x);
  Value e = vectormath::erf(b, f.mul(x, f.c(0.7071067811865476)));
  Value half = f.mul(x, f.c(0.5));
  return f.fma(half, e, half);
}

Value vectormath::geluTanh(KernelBuilder &b, Value x) {
  Floats f(b, x);
  // (1 + tanh(u)) / 2 is the logistic function of 2 u.
  Value cubic = f.fma(f.mul(f.mul(x, x), f.c(0.044715)), x, x);
  return f.mul(x,
               vectormath::logistic(b, f.mul(cubic, f.c(1.5957691216057308))));
}
