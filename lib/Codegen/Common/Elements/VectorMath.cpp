//===- VectorMath.cpp - Exponentials, logarithms and their kin ------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Errors in units in the last place of f32, found by sweeps (vector_math.py):
// exp 2, expm1 3, log 2, log1p 2, tanh 4, logistic 3, sinh and cosh 4. The exp
// of distances has 1, but with AVX-512 1.5 at -10 and 5 at -87.

#include "Codegen/Common/Elements/VectorMathBuilder.h"

#include "Codegen/Common/Elements/VectorMath.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::vectormath;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();
static constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
static constexpr double kLog2E = 1.4426950408889634;
static constexpr double kLn2 = 0.6931471805599453;

namespace {
/// x = n * ln 2 + r with |r| <= ln(2) / 2, and n as an integer.
struct Reduced {
  Value n, integer, r;
};
} // namespace

static Reduced reduce(Floats f, Value x) {
  auto [n, integer] = f.nearestProduct(x, f.c(kLog2E));
  // The first part of ln 2 has so few bits that n times it is exact.
  Value high = f.c(-0.693359375, -6.93147180369123816490e-01);
  Value low = f.c(2.12194440e-4, -1.90821492927058770002e-10);
  return {n, integer, f.fma(n, low, f.fma(n, high, x))};
}

Value Floats::scale(Value y, Value n, Value integer) {
  if (hasAvx512(b.getOptions().isa()) && !is64() &&
      lanes == CodegenOptions::kLanes) {
    // One instruction, with the same bits. All lanes, rounded to nearest.
    Value all = arith::ConstantIntOp::create(b, -1, /*width=*/16);
    Value mode = arith::ConstantIntOp::create(b, 4, /*width=*/32);
    return LLVM::CallIntrinsicOp::create(
               b, b.getLoc(), floatType(),
               b.getStringAttr("llvm.x86.avx512.mask.scalef.ps.512"),
               ValueRange{y, n, y, all, mode})
        .getResult(0);
  }
  // In two steps, of which only the second rounds: 2^n alone may not be a
  // normal number.
  Value half = sar(integer, 1);
  return mul(mul(y, power2(half)), power2(subi(integer, half)));
}

SmallVector<double> vectormath::getExpTail(Floats f) {
  // Fitted so that the relative error of 1 + r + r^2 * tail, and of the same
  // without 1, is at most 7e-9.
  if (!f.is64())
    return {1.3882497657e-3, 8.3666469939e-3, 4.1667203923e-2, 1.6666542683e-1,
            4.9999998133e-1};
  SmallVector<double> coefficients;
  double factorial = 1;
  for (int i = 2; i <= 14; ++i)
    coefficients.insert(coefficients.begin(), 1 / (factorial *= i));
  return coefficients;
}

/// e^r of a reduced argument, in f32 by a polynomial fitted with relative error
/// 3e-9 that starts with 1 + r.
static Value expOfReduced(Floats f, Value r) {
  SmallVector<double> coefficients =
      f.is64() ? getExpTail(f)
               : SmallVector<double>{1.3814466965e-03, 8.3687804976e-03,
                                     4.1668394219e-02, 1.6666520107e-01,
                                     4.9999993412e-01};
  coefficients.append({1, 1});
  return f.polynomial(r, coefficients);
}

Value vectormath::exp(KernelBuilder &b, Value x) {
  Floats f(b, x);
  // Where the result is 0, nothing may underflow on the way: on some processors
  // a multiplication that does takes as long as a hundred others.
  Value isZero = f.lt(x, f.c(f.is64() ? -746 : -104));
  Value largest = f.c(f.is64() ? 720 : 90);
  x = f.select(f.gt(x, largest), largest, x);
  auto [n, integer, r] = reduce(f, f.select(isZero, f.c(0), x));
  return f.select(isZero, f.c(0), f.scale(expOfReduced(f, r), n, integer));
}

/// The exponential of x <= 0; results below the smallest normal number are 0.
static Value expOfNegative(Floats f, Value x) {
  double limit = f.is64() ? -708 : -87;
  Value isZero = f.lt(x, f.c(limit));
  auto [n, integer, r] = reduce(f, f.select(isZero, f.c(limit), x));
  return f.select(isZero, f.c(0), f.mul(expOfReduced(f, r), f.power2(integer)));
}

/// For 16 lanes with AVX-512: e^x = 2^(k / 32) e^r, where a permutation looks
/// 2^(k / 32) up and k comes by rounding, as the low bits of a float. Its error
/// is 1.0 ulp, and 0.04 |x| more because 32 / ln 2 has one part here: x, a
/// difference, has lost up to |x| / 2 by its own rounding.
static Value expByTable(Floats f, Value x) {
  constexpr int kEntries = 32, kIndexBits = 5, kMantissa = 23;
  KernelBuilder &b = f.b;
  // An entry is smaller by what its index adds to the exponent later.
  SmallVector<float> entries;
  for (int i = 0; i < kEntries; ++i) {
    float power = std::exp2(static_cast<double>(i) / kEntries);
    entries.push_back(llvm::bit_cast<float>(llvm::bit_cast<uint32_t>(power) -
                                            (i << (kMantissa - kIndexBits))));
  }
  auto half = [&](bool isUpper) -> Value {
    auto part = ArrayRef(entries).slice(isUpper * f.lanes, f.lanes);
    return arith::ConstantOp::create(b, b.getF32VectorAttr(part));
  };
  Value magic = f.c(12582912.0);
  Value shifted = f.fma(x, f.c(kEntries * kLog2E), magic);
  Value k = f.toBits(shifted);
  Value r = f.fma(f.sub(shifted, magic), f.c(-kLn2 / kEntries), x);
  Value entry =
      LLVM::CallIntrinsicOp::create(
          b, b.getLoc(), f.floatType(),
          b.getStringAttr("llvm.x86.avx512.vpermi2var.ps.512"),
          ValueRange{half(/*isUpper=*/false), k, half(/*isUpper=*/true)})
          .getResult(0);
  Value power =
      f.fromBits(f.addi(f.toBits(entry), f.shl(k, kMantissa - kIndexBits)));
  Value q = f.mul(f.polynomial(r, {1.0 / 6, 0.5, 1}), r);
  // The last step is masked, so that `power`, which is arbitrary where the
  // result is 0, does no harm, slow multiplications with subnormals included.
  Value isZero = f.lt(x, f.c(-87));
  return f.select(isZero, f.c(0), f.fma(power, q, power));
}

Value vectormath::expOfDistance(KernelBuilder &b, Value x) {
  Floats f(b, x);
  constexpr int64_t kLanes = CodegenOptions::kLanes;
  if (hasAvx512(b.getOptions().isa()) && !f.is64()) {
    // Fewer lanes use the same algorithm for the same bits.
    assert(f.lanes <= kLanes && "vectors fit a register");
    if (f.lanes == kLanes)
      return expByTable(f, x);
    SmallVector<int64_t> order;
    for (int64_t i = 0; i < kLanes; ++i)
      order.push_back(i % f.lanes);
    Value wide = f.lanes == 1 ? b.splat(x, kLanes)
                              : vector::ShuffleOp::create(b, x, x, order);
    Value y = expByTable(Floats(b, wide), wide);
    if (f.lanes == 1)
      return vector::ExtractOp::create(b, y, 0);
    return vector::ShuffleOp::create(b, y, y,
                                     ArrayRef(order).take_front(f.lanes));
  }
  return expOfNegative(f, x);
}

/// e^x - 1 where e^x is a normal number.
static Value expm1OfNormal(Floats f, Value x) {
  auto [n, integer, r] = reduce(f, x);
  // e^r - 1 = r + r^2 * tail keeps the bits of a small r.
  Value tail = f.polynomial(r, getExpTail(f));
  Value q = f.fma(tail, f.mul(r, r), r);
  Value scale = f.power2(integer);
  return f.fma(scale, q, f.sub(scale, f.c(1)));
}

Value vectormath::expm1(KernelBuilder &b, Value x) {
  Floats f(b, x);
  double limit = f.is64() ? 700 : 87;
  Value result = expm1OfNormal(f, f.clamp(x, f.is64() ? -40 : -20, limit));
  return f.select(f.gt(x, f.c(limit)), vectormath::exp(b, x), result);
}

/// log((1 + m) 2^e) for m in [sqrt(1/2) - 1, sqrt(2) - 1].
static Value logOfParts(Floats f, Value m, Value e) {
  Value z = f.mul(m, m);
  if (f.is64()) {
    Value s = f.div(m, f.add(m, f.c(2)));
    Value s2 = f.mul(s, s);
    Value series = f.mul(
        s2,
        f.polynomial(s2, {1.479819860511658591e-01, 1.531383769920937332e-01,
                          1.818357216161805012e-01, 2.222219843214978396e-01,
                          2.857142874366239149e-01, 3.999999999940941908e-01,
                          6.666666666666735130e-01}));
    Value half = f.mul(z, f.c(0.5));
    Value low = f.fma(s, f.add(half, series),
                      f.mul(e, f.c(1.90821492927058770002e-10)));
    return f.fma(e, f.c(6.93147180369123816490e-01),
                 f.sub(m, f.sub(half, low)));
  }
  Value p =
      f.polynomial(m, {7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1,
                       -1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1,
                       2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1});
  Value low = f.mul(f.mul(m, z), p);
  low = f.fma(e, f.c(-2.12194440e-4), low);
  low = f.fma(z, f.c(-0.5), low);
  return f.fma(e, f.c(0.693359375), f.add(m, low));
}

/// `logarithm` of `x`, except for zero, infinity, negative numbers and NaN.
static Value fixLimits(Floats f, Value x, Value logarithm) {
  Value result = f.select(f.eq(x, f.c(kInfinity)), x, logarithm);
  result = f.select(f.eq(x, f.c(0)), f.c(-kInfinity), result);
  Value isBad = f.either(f.lt(x, f.c(0)), f.isNan(x));
  return f.select(isBad, f.c(kNan), result);
}

Value vectormath::log(KernelBuilder &b, Value x) {
  Floats f(b, x);
  auto [base, e] = f.splitExponent(x);
  return fixLimits(f, x, logOfParts(f, f.sub(base, f.c(1)), e));
}

Value vectormath::log1p(KernelBuilder &b, Value x) {
  Floats f(b, x);
  // 1 + x = (1 + m) 2^e with the e of the rounded sum, and an m that has the
  // bits of a small x.
  Value u = f.add(x, f.c(1));
  Value e = f.exponent(u);
  // 1 / 2^e may not be a normal number, but four times it is.
  Value shrink = f.mul(f.power2(f.subi(f.bits(2), e)), f.c(0.25));
  Value m = f.fma(x, shrink, f.sub(shrink, f.c(1)));
  Value result = fixLimits(f, u, logOfParts(f, m, f.toFloat(e)));
  return f.select(f.eq(x, f.c(0)), x, result);
}

Value vectormath::tanh(KernelBuilder &b, Value x) {
  Floats f(b, x);
  // With t = e^2|x| - 1: t / (t + 2).
  Value magnitude = f.abs(x), most = f.c(f.is64() ? 20 : 10);
  magnitude = f.select(f.gt(magnitude, most), most, magnitude);
  Value t = expm1OfNormal(f, f.add(magnitude, magnitude));
  return f.copysign(f.div(t, f.add(t, f.c(2))), x);
}

Value vectormath::limitSoftly(KernelBuilder &b, Value x, double cap) {
  Floats f(b, x);
  return f.mul(vectormath::tanh(b, f.div(x, f.c(cap))), f.c(cap));
}

Value vectormath::logistic(KernelBuilder &b, Value x) {
  Floats f(b, x);
  Value e = expOfNegative(f, f.neg(f.abs(x)));
  return f.div(f.select(f.lt(x, f.c(0)), e, f.c(1)), f.add(f.c(1), e));
}

Value vectormath::sinh(KernelBuilder &b, Value x) {
  Floats f(b, x);
  Value magnitude = f.abs(x);
  Value e = vectormath::expm1(b, magnitude);
  Value small = f.mul(f.c(0.5), f.add(e, f.div(e, f.add(e, f.c(1)))));
  Value root = vectormath::exp(b, f.mul(magnitude, f.c(0.5)));
  Value large = f.mul(f.mul(root, f.c(0.5)), root);
  return f.copysign(f.select(f.gt(magnitude, f.c(20)), large, small), x);
}

Value vectormath::cosh(KernelBuilder &b, Value x) {
  Floats f(b, x);
  Value root = vectormath::exp(b, f.mul(f.abs(x), f.c(0.5)));
  Value grow = f.mul(f.mul(root, f.c(0.5)), root);
  return f.add(grow, f.div(f.c(0.5), f.mul(root, root)));
}

Value vectormath::asinh(KernelBuilder &b, Value x) {
  Floats f(b, x);
  Value magnitude = f.abs(x), square = f.mul(magnitude, magnitude);
  Value root = f.sqrt(f.add(square, f.c(1)));
  Value small = vectormath::log1p(
      b, f.add(magnitude, f.div(square, f.add(root, f.c(1)))));
  Value large = f.add(vectormath::log(b, magnitude), f.c(kLn2));
  Value result = f.select(f.gt(magnitude, f.c(1e8, 1e16)), large, small);
  return f.copysign(result, x);
}

Value vectormath::acosh(KernelBuilder &b, Value x) {
  Floats f(b, x);
  Value t = f.sub(x, f.c(1));
  Value root = f.sqrt(f.fma(t, t, f.add(t, t)));
  Value small = vectormath::log1p(b, f.add(t, root));
  Value large = f.add(vectormath::log(b, x), f.c(kLn2));
  Value result = f.select(f.gt(x, f.c(1e8, 1e16)), large, small);
  return f.select(f.lt(x, f.c(1)), f.c(kNan), result);
}

Value vectormath::atanh(KernelBuilder &b, Value x) {
  Floats f(b, x);
  Value magnitude = f.abs(x);
  Value ratio = f.div(f.add(magnitude, magnitude), f.sub(f.c(1), magnitude));
  return f.copysign(f.mul(f.c(0.5), vectormath::log1p(b, ratio)), x);
}
