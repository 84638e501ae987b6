//===- NarrowFloats.cpp - Conversions between f32 and 16-bit floats -------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// They are written with integers where the instruction set has none: LLVM would
// call a library function.

#include "Codegen/Common/Builder/NarrowFloats.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace dyn;

namespace {
/// `element`, or a vector of it with the shape of `type`.
Type getTypeLike(Type type, Type element) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.clone(element) : element;
}

/// i32 arithmetic on all lanes of a value.
struct Bits {
  ImplicitLocOpBuilder &b;
  Type i32, f32;

  /// For values with the lanes of `type`.
  Bits(ImplicitLocOpBuilder &b, Type type)
      : b(b), i32(getTypeLike(type, b.getI32Type())),
        f32(getTypeLike(type, b.getF32Type())) {}
  Value c(uint32_t v) {
    TypedAttr attr = b.getI32IntegerAttr(v);
    if (auto vector = dyn_cast<VectorType>(i32))
      attr = DenseElementsAttr::get(vector, static_cast<Attribute>(attr));
    return arith::ConstantOp::create(b, attr);
  }
  Value land(Value x, uint32_t m) { return arith::AndIOp::create(b, x, c(m)); }
  Value lor(Value x, Value y) { return arith::OrIOp::create(b, x, y); }
  Value shl(Value x, uint32_t n) { return arith::ShLIOp::create(b, x, c(n)); }
  Value shr(Value x, uint32_t n) { return arith::ShRUIOp::create(b, x, c(n)); }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, x, y); }
  Value ult(Value x, Value y) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, x, y);
  }
  Value select(Value p, Value x, Value y) {
    return arith::SelectOp::create(b, p, x, y);
  }
  Value toFloat(Value x) { return arith::BitcastOp::create(b, f32, x); }
  Value fromFloat(Value x) { return arith::BitcastOp::create(b, i32, x); }
};
} // namespace

/// f16 bits (in i32) to f32. The exponent is rebased by a multiplication by
/// 2^112, which also normalises subnormals exactly.
static Value halfToFloat(Bits k, Value half) {
  Value magnitude = k.shl(k.land(half, 0x7fff), 13);
  Value scaled = arith::MulFOp::create(k.b, k.toFloat(magnitude),
                                       k.toFloat(k.c(0x77800000)));
  Value isSpecial = k.ult(k.c(0x0f7fffff), magnitude);
  Value special = k.lor(magnitude, k.c(0x7f800000));
  Value bits = k.select(isSpecial, special, k.fromFloat(scaled));
  return k.toFloat(k.lor(bits, k.shl(k.land(half, 0x8000), 16)));
}

/// f32 to f16 bits (in i32), to nearest even. Adding 2^(e + 13) at the right
/// exponent lets the float adder round.
static Value floatToHalf(Bits k, Value x) {
  Value bits = k.fromFloat(x);
  Value sign = k.shr(k.land(bits, 0x80000000), 16);
  Value magnitude = k.land(bits, 0x7fffffff);
  // Normal results: round the mantissa at bit 13 by integer addition.
  Value odd = k.land(k.shr(magnitude, 13), 1);
  Value rounded = k.add(k.add(magnitude, k.c(0xc8000fff)), odd);
  Value normal = k.shr(rounded, 13);
  // Subnormal results: 0.5 has its last bit where theirs is.
  Value shifted = arith::AddFOp::create(k.b, k.toFloat(magnitude),
                                        k.toFloat(k.c(0x3f000000)));
  Value subnormal = k.add(k.fromFloat(shifted), k.c(-0x3f000000u));
  Value result = k.select(k.ult(magnitude, k.c(0x38800000)), subnormal, normal);
  result = k.select(k.ult(k.c(0x477fefff), magnitude), k.c(0x7c00), result);
  result = k.select(k.ult(k.c(0x7f800000), magnitude), k.c(0x7e00), result);
  return k.lor(result, sign);
}

/// f32 to bf16 bits (in i32), to nearest even.
static Value floatToBf16(Bits k, Value x) {
  Value bits = k.fromFloat(x);
  Value odd = k.land(k.shr(bits, 16), 1);
  Value rounded = k.shr(k.add(k.add(bits, k.c(0x7fff)), odd), 16);
  Value isNan = k.ult(k.c(0x7f800000), k.land(bits, 0x7fffffff));
  return k.select(isNan, k.lor(k.shr(bits, 16), k.c(0x40)), rounded);
}

/// Whether there is an instruction for elements of a type.
static bool hasConversion(Type element, Isa isa) {
  return element.isF16() && isa >= Isa::V3;
}

Value dyn::widenFloat(ImplicitLocOpBuilder &b, Value narrow, Isa isa) {
  Type element = getElementTypeOrSelf(narrow.getType());
  Bits k(b, narrow.getType());
  if (hasConversion(element, isa))
    return arith::ExtFOp::create(b, k.f32, narrow);
  Value bits = arith::BitcastOp::create(
      b, getTypeLike(narrow.getType(), b.getIntegerType(16)), narrow);
  Value wide = arith::ExtUIOp::create(b, k.i32, bits);
  return element.isBF16() ? k.toFloat(k.shl(wide, 16)) : halfToFloat(k, wide);
}

Value dyn::narrowFloat(ImplicitLocOpBuilder &b, Value wide, Type element,
                       Isa isa) {
  Bits k(b, wide.getType());
  Type type = getTypeLike(wide.getType(), element);
  if (hasConversion(element, isa))
    return arith::TruncFOp::create(b, type, wide);
  Value bits = element.isBF16() ? floatToBf16(k, wide) : floatToHalf(k, wide);
  Value narrow =
      arith::TruncIOp::create(b, getTypeLike(type, b.getIntegerType(16)), bits);
  return arith::BitcastOp::create(b, type, narrow);
}
