//===- KernelValues.cpp - Elements of kernels: constants, loads, stores ---===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Conversions between 16-bit floats and f32 are written with integers where the
// instruction set has none: LLVM would call a library function.

#include "dyn/Conversion/KernelToVector/KernelBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace dyn;

Type KernelBuilder::laneType(Type type, int64_t lanes) {
  return lanes == 1 ? type : VectorType::get({lanes}, type);
}

static int64_t getLanes(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.getNumElements() : 1;
}

Value KernelBuilder::splat(Value scalar, int64_t lanes) {
  if (lanes == 1 || isa<VectorType>(scalar.getType()))
    return scalar;
  return vector::BroadcastOp::create(
      *this, VectorType::get({lanes}, scalar.getType()), scalar);
}

Value KernelBuilder::number(double v, Type type, int64_t lanes) {
  TypedAttr attr;
  if (auto floatType = dyn_cast<FloatType>(type))
    attr = getFloatAttr(floatType, v);
  else
    attr = getIntegerAttr(type, static_cast<int64_t>(v));
  if (lanes > 1)
    attr = DenseElementsAttr::get(VectorType::get({lanes}, type),
                                  static_cast<Attribute>(attr));
  return arith::ConstantOp::create(*this, attr);
}

Value KernelBuilder::integer(const llvm::APInt &v, Type type, int64_t lanes) {
  TypedAttr attr = getIntegerAttr(type, v);
  if (lanes > 1)
    attr = DenseElementsAttr::get(VectorType::get({lanes}, type),
                                  static_cast<Attribute>(attr));
  return arith::ConstantOp::create(*this, attr);
}

Value KernelBuilder::fma(Value x, Value y, Value z) {
  if (options.hasFma())
    return math::FmaOp::create(*this, x, y, z);
  return arith::AddFOp::create(*this, arith::MulFOp::create(*this, x, y), z);
}

Value KernelBuilder::address(Value pointer, OpFoldResult index, Type storage) {
  if (auto known = getConstantIntValue(index)) {
    if (*known == 0)
      return pointer;
    if (llvm::isInt<31>(*known))
      return LLVM::GEPOp::create(
          *this, pointer.getType(), storage, pointer,
          ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(*known)});
  }
  return LLVM::GEPOp::create(*this, pointer.getType(), storage, pointer,
                             ArrayRef<LLVM::GEPArg>{value(index)});
}

static unsigned getStorageAlignment(Type storage) {
  return std::max(1u, storage.getIntOrFloatBitWidth() / 8);
}

Value KernelBuilder::load(Value buffer, OpFoldResult index, Type element,
                          int64_t lanes) {
  Type storage = getStorageType(element), type = laneType(storage, lanes);
  Value pointer = address(buffer, index, storage);
  unsigned alignment = getStorageAlignment(storage);
  if (!inside || lanes != CodegenOptions::kLanes)
    return fromStorage(LLVM::LoadOp::create(*this, type, pointer, alignment),
                       element);
  Value zero = arith::ConstantOp::create(*this, getZeroAttr(type));
  return fromStorage(
      LLVM::MaskedLoadOp::create(*this, type, pointer, inside, zero, alignment),
      element);
}

void KernelBuilder::store(Value computed, Value buffer, OpFoldResult index,
                          Type element, int64_t lanes) {
  Type storage = getStorageType(element);
  Value stored = toStorage(splat(computed, lanes), element);
  Value pointer = address(buffer, index, storage);
  unsigned alignment = getStorageAlignment(storage);
  if (inside && lanes == CodegenOptions::kLanes)
    LLVM::MaskedStoreOp::create(*this, stored, pointer, inside, alignment);
  else
    LLVM::StoreOp::create(*this, stored, pointer, alignment);
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

namespace {
/// i32 arithmetic on all lanes of a value.
struct Bits {
  KernelBuilder &b;
  int64_t lanes;
  Type i32;

  Bits(KernelBuilder &b, int64_t lanes)
      : b(b), lanes(lanes),
        i32(KernelBuilder::laneType(b.getI32Type(), lanes)) {}
  Value c(uint32_t v) { return b.integer(APInt(32, v), b.getI32Type(), lanes); }
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
  Value toFloat(Value x) {
    return arith::BitcastOp::create(
        b, KernelBuilder::laneType(b.getF32Type(), lanes), x);
  }
  Value fromFloat(Value x) { return arith::BitcastOp::create(b, i32, x); }
};
} // namespace

/// f16 bits (in i32) to f32. The exponent is rebased by a product with 2^112,
/// which also normalises subnormals exactly.
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
static Value floatToBrain(Bits k, Value x) {
  Value bits = k.fromFloat(x);
  Value odd = k.land(k.shr(bits, 16), 1);
  Value rounded = k.shr(k.add(k.add(bits, k.c(0x7fff)), odd), 16);
  Value isNan = k.ult(k.c(0x7f800000), k.land(bits, 0x7fffffff));
  return k.select(isNan, k.lor(k.shr(bits, 16), k.c(0x40)), rounded);
}

Value KernelBuilder::fromStorage(Value stored, Type element) {
  int64_t lanes = getLanes(stored.getType());
  Bits k(*this, lanes);
  if (element.isInteger(1))
    return arith::CmpIOp::create(*this, arith::CmpIPredicate::ne, stored,
                                 number(0, getI8Type(), lanes));
  if (element.isBF16() || (element.isF16() && options.isa == Isa::V2)) {
    Value bits = arith::BitcastOp::create(
        *this, laneType(getIntegerType(16), lanes), stored);
    Value wide = arith::ExtUIOp::create(*this, k.i32, bits);
    return element.isBF16() ? k.toFloat(k.shl(wide, 16)) : halfToFloat(k, wide);
  }
  if (element.isF16())
    return arith::ExtFOp::create(*this, laneType(getF32Type(), lanes), stored);
  return stored;
}

Value KernelBuilder::toStorage(Value computed, Type element) {
  int64_t lanes = getLanes(computed.getType());
  Bits k(*this, lanes);
  if (element.isInteger(1))
    return arith::ExtUIOp::create(*this, laneType(getI8Type(), lanes),
                                  computed);
  if (element.isBF16() || (element.isF16() && options.isa == Isa::V2)) {
    Value bits =
        element.isBF16() ? floatToBrain(k, computed) : floatToHalf(k, computed);
    Value narrow = arith::TruncIOp::create(
        *this, laneType(getIntegerType(16), lanes), bits);
    return arith::BitcastOp::create(*this, laneType(element, lanes), narrow);
  }
  if (element.isF16())
    return arith::TruncFOp::create(*this, laneType(element, lanes), computed);
  return computed;
}

Value KernelBuilder::loadStrided(Value buffer, OpFoldResult index,
                                 OpFoldResult step, Type element,
                                 int64_t lanes) {
  Type storage = getStorageType(element);
  SmallVector<Value> elements;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    OpFoldResult number = constant(lane);
    // A lane outside reads what the last one inside does.
    if (inside && lanes == CodegenOptions::kLanes)
      number = min(number, sub(insideCount, constant(1)));
    OpFoldResult at = add(index, mul(step, number));
    elements.push_back(LLVM::LoadOp::create(*this, storage,
                                            address(buffer, at, storage),
                                            getStorageAlignment(storage)));
  }
  Value stored = lanes == 1
                     ? elements.front()
                     : vector::FromElementsOp::create(
                           *this, VectorType::get({lanes}, storage), elements)
                           .getResult();
  return fromStorage(stored, element);
}
