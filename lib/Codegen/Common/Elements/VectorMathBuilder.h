//===- VectorMathBuilder.h - Float arithmetic in short notation -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CODEGEN_COMMON_ELEMENTS_VECTORMATHBUILDER_H
#define DYN_LIB_CODEGEN_COMMON_ELEMENTS_VECTORMATHBUILDER_H

#include "Codegen/Common/Builder/KernelBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <cmath>

namespace dyn::vectormath {

/// Operations on values of the type of one float value.
struct Floats {
  using Value = mlir::Value;

  Floats(KernelBuilder &b, Value x) : b(b) {
    mlir::Type type = x.getType();
    if (auto vector = llvm::dyn_cast<mlir::VectorType>(type)) {
      lanes = vector.getNumElements();
      type = vector.getElementType();
    }
    element = type;
  }

  bool is64() const { return element.isF64(); }
  mlir::Type integerElement() { return b.getIntegerType(is64() ? 64 : 32); }
  mlir::Type floatType() { return KernelBuilder::laneType(element, lanes); }
  mlir::Type integerType() {
    return KernelBuilder::laneType(integerElement(), lanes);
  }

  Value c(double v) { return b.number(v, element, lanes); }
  /// `f32` or `f64`, by type.
  Value c(double single, double twice) { return c(is64() ? twice : single); }
  Value bits(uint64_t v) {
    return b.integer(llvm::APInt(is64() ? 64 : 32, v), integerElement(), lanes);
  }
  Value toBits(Value x) {
    return mlir::arith::BitcastOp::create(b, integerType(), x);
  }
  Value fromBits(Value x) {
    return mlir::arith::BitcastOp::create(b, floatType(), x);
  }

  Value add(Value x, Value y) { return mlir::arith::AddFOp::create(b, x, y); }
  Value sub(Value x, Value y) { return mlir::arith::SubFOp::create(b, x, y); }
  Value mul(Value x, Value y) { return mlir::arith::MulFOp::create(b, x, y); }
  Value div(Value x, Value y) { return mlir::arith::DivFOp::create(b, x, y); }
  Value neg(Value x) { return mlir::arith::NegFOp::create(b, x); }
  Value abs(Value x) { return mlir::math::AbsFOp::create(b, x); }
  Value sqrt(Value x) { return mlir::math::SqrtOp::create(b, x); }
  Value trunc(Value x) { return mlir::math::TruncOp::create(b, x); }
  Value fma(Value x, Value y, Value z) { return b.fma(x, y, z); }
  Value copysign(Value magnitude, Value sign) {
    return mlir::math::CopySignOp::create(b, magnitude, sign);
  }
  Value addi(Value x, Value y) { return mlir::arith::AddIOp::create(b, x, y); }
  Value subi(Value x, Value y) { return mlir::arith::SubIOp::create(b, x, y); }
  Value andi(Value x, Value y) { return mlir::arith::AndIOp::create(b, x, y); }
  Value shl(Value x, int n) {
    return mlir::arith::ShLIOp::create(b, x, bits(n));
  }
  Value sar(Value x, int n) {
    return mlir::arith::ShRSIOp::create(b, x, bits(n));
  }

  Value cmp(mlir::arith::CmpFPredicate p, Value x, Value y) {
    return mlir::arith::CmpFOp::create(b, p, x, y);
  }
  Value lt(Value x, Value y) {
    return cmp(mlir::arith::CmpFPredicate::OLT, x, y);
  }
  Value gt(Value x, Value y) {
    return cmp(mlir::arith::CmpFPredicate::OGT, x, y);
  }
  Value eq(Value x, Value y) {
    return cmp(mlir::arith::CmpFPredicate::OEQ, x, y);
  }
  Value isNan(Value x) { return cmp(mlir::arith::CmpFPredicate::UNO, x, x); }
  Value both(Value x, Value y) { return mlir::arith::AndIOp::create(b, x, y); }
  Value either(Value x, Value y) { return mlir::arith::OrIOp::create(b, x, y); }
  Value select(Value p, Value x, Value y) {
    return mlir::arith::SelectOp::create(b, p, x, y);
  }
  /// Whether a boolean holds in any lane.
  Value any(Value p) {
    if (lanes == 1)
      return p;
    return mlir::vector::ReductionOp::create(b, mlir::vector::CombiningKind::OR,
                                             p);
  }
  /// x within [low, high]; NaN stays.
  Value clamp(Value x, double low, double high) {
    x = select(lt(x, c(low)), c(low), x);
    return select(gt(x, c(high)), c(high), x);
  }

  /// The exact difference of x * y and its rounded value.
  Value productError(Value x, Value y, Value product) {
    if (b.getOptions().hasFma())
      return fma(x, y, neg(product));
    // Parts with half of the bits are multiplied exactly.
    auto high = [&](Value v) {
      return fromBits(
          andi(toBits(v), bits(is64() ? ~0x7ffffffull : 0xfffff000u)));
    };
    Value xh = high(x), yh = high(y), xl = sub(x, xh), yl = sub(y, yh);
    Value error = add(sub(mul(xh, yh), product), mul(xh, yl));
    return add(add(error, mul(xl, yh)), mul(xl, yl));
  }
  /// x - y * z, exact if y * z is close to x.
  Value restOf(Value x, Value y, Value z) {
    if (b.getOptions().hasFma())
      return fma(neg(y), z, x);
    Value product = mul(y, z);
    return sub(sub(x, product), productError(y, z, product));
  }

  /// Horner's rule; the highest coefficient first.
  Value polynomial(Value x, llvm::ArrayRef<double> coefficients) {
    Value result = c(coefficients.front());
    for (double coefficient : coefficients.drop_front())
      result = fma(result, x, c(coefficient));
    return result;
  }

  /// The nearest integer n to x (|x| < 2^21) as a float, and its bits plus a
  /// constant, so that its low bits are those of n. Adding 1.5 * 2^(mantissa
  /// bits) rounds, and no conversion is undefined for NaN.
  std::pair<Value, Value> nearest(Value x) { return nearestProduct(x, c(1)); }
  /// The same of x * y.
  std::pair<Value, Value> nearestProduct(Value x, Value y) {
    Value magic = c(12582912.0, 6755399441055744.0);
    Value shifted = fma(x, y, magic);
    return {sub(shifted, magic), subi(toBits(shifted), toBits(magic))};
  }
  /// 2 to the power of an integer in the range of normal numbers.
  Value power2(Value n) {
    return fromBits(shl(addi(n, bits(is64() ? 1023 : 127)), mantissaBits()));
  }

  /// y * 2^n with y in [1/2, 2], for an integer n, also given as a float, for
  /// which the result may be subnormal or infinite.
  Value scale(Value y, Value n, Value integer);

  int mantissaBits() { return is64() ? 52 : 23; }
  Value toFloat(Value integer) {
    return mlir::arith::SIToFPOp::create(b, floatType(), integer);
  }
  /// The integer e with x / 2^e in [sqrt(1/2), sqrt(2)), for a normal x > 0.
  Value exponent(Value x) {
    uint64_t root = is64() ? 0x3fe6a09e667f3bcdull : 0x3f3504f3u;
    return sar(subi(toBits(x), bits(root)), mantissaBits());
  }
  /// m in [sqrt(1/2), sqrt(2)) and the integer e with x = m * 2^e > 0.
  std::pair<Value, Value> splitExponent(Value x) {
    // Subnormals are made normal.
    Value tiny = c(1.17549435e-38, 2.2250738585072014e-308);
    Value isTiny = lt(x, tiny);
    double up = is64() ? 54 : 25;
    Value y = select(isTiny, mul(x, c(std::ldexp(1.0, up))), x);
    Value integer = exponent(y);
    Value m = fromBits(subi(toBits(y), shl(integer, mantissaBits())));
    Value e = toFloat(integer);
    return {m, select(isTiny, sub(e, c(up)), e)};
  }

  KernelBuilder &b;
  mlir::Type element;
  int64_t lanes = 1;
};

/// Coefficients of (e^r - 1 - r) / r^2 for |r| <= ln(2) / 2, the highest first.
llvm::SmallVector<double> getExpTail(Floats f);

} // namespace dyn::vectormath

#endif // DYN_LIB_CODEGEN_COMMON_ELEMENTS_VECTORMATHBUILDER_H
