//===- GemmArithmetic.cpp - Arithmetic of micro-kernels -------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen/CPU/Gemm/GemmArithmetic.h"

#include "Codegen/CPU/Gemm/TileRegisters.h"
#include "Codegen/Common/Builder/NarrowFloats.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace dyn;

Factors DeclaredFactors::getFactors(Isa isa) const {
  if (factors == Factors::BF16 && hasBf16Dots(isa)) {
    int64_t group = getGroupSize(Factors::BF16Pairs);
    // Zeros that fill up a step of tile registers would make infinite operands
    // NaN, and packing in the kernel takes full pairs.
    int64_t step = hasTileRegisters(isa) ? tiles::kStep * group
                   : isPacked            ? 1
                                         : group;
    if (step == 1 || (depth && *depth % step == 0))
      return Factors::BF16Pairs;
  }
  // Packing in the kernel widens, too.
  bool isFloat = factors != Factors::Bytes;
  return isFloat && !isPacked ? Factors::F32 : factors;
}

bool DeclaredFactors::usesTileRegisters(Isa isa) const {
  return depth && dyn::usesTileRegisters(isa, getFactors(isa));
}

bool DeclaredFactors::isSameCode(Isa isa, Isa extended) const {
  Factors own = getFactors(isa);
  return own == getFactors(extended) &&
         usesTileRegisters(isa) == usesTileRegisters(extended) &&
         (own != Factors::Bytes || hasVnni(isa) == hasVnni(extended));
}

GemmArithmetic::GemmArithmetic(MLIRContext *context, Isa isa, Factors factors)
    : isa(isa), factors(factors) {
  Builder builder(context);
  Type element = factors == Factors::Bytes ? Type(builder.getI32Type())
                                           : Type(builder.getF32Type());
  type = VectorType::get({getVectorBits(isa) / 32}, element);
}

/// The vector's bits as elements of another type.
static Value reinterpret(CodeBuilder &b, Value v, Type element) {
  auto type = cast<VectorType>(v.getType());
  int64_t all = type.getNumElements() * type.getElementTypeBitWidth();
  auto target =
      VectorType::get({all / element.getIntOrFloatBitWidth()}, element);
  return type == target
             ? v
             : vector::BitCastOp::create(b.builder(), b.getLoc(), target, v)
                   .getResult();
}

static Value reinterpret(CodeBuilder &b, Value v, int64_t bits) {
  return reinterpret(b, v, b.builder().getIntegerType(bits));
}

/// A constant in every lane of a vector of integers.
static Value constantLike(CodeBuilder &b, Type type, int64_t value) {
  auto vectorType = cast<VectorType>(type);
  Attribute attr =
      b.builder().getIntegerAttr(vectorType.getElementType(), value);
  return arith::ConstantOp::create(b.builder(), b.getLoc(),
                                   DenseElementsAttr::get(vectorType, attr));
}

SmallVector<Value> GemmArithmetic::loadLhs(CodeBuilder &b, Value ptr,
                                           int64_t part) const {
  Type element = type.getElementType();
  if (factors == Factors::BF16Pairs) {
    auto pairs = VectorType::get(type.getShape(), b.builder().getI32Type());
    Value pair = b.load(pairs.getElementType(), ptr);
    return {reinterpret(b, b.splat(pairs, pair), b.builder().getBF16Type())};
  }
  Value v = b.splat(type, b.load(element, b.offset(ptr, part * 4)));
  if (factors != Factors::Bytes)
    return {v};
  if (hasVnni(isa))
    return {reinterpret(b, v, 8)};
  // Bytes 0 and 2, and bytes 1 and 3, zero extended.
  Value pairs = reinterpret(b, v, 16);
  Value even = arith::AndIOp::create(b.builder(), b.getLoc(), pairs,
                                     constantLike(b, pairs.getType(), 0xff));
  Value odd = arith::ShRUIOp::create(b.builder(), b.getLoc(), pairs,
                                     constantLike(b, pairs.getType(), 8));
  return {even, odd};
}

SmallVector<Value> GemmArithmetic::loadRhs(CodeBuilder &b, Value ptr,
                                           int64_t part) const {
  OpBuilder &builder = b.builder();
  Location loc = b.getLoc();
  if (factors == Factors::F16) {
    ImplicitLocOpBuilder located(loc, builder);
    return {widenFloat(
        located,
        b.load(VectorType::get(type.getShape(), builder.getF16Type()), ptr),
        isa)};
  }
  if (factors == Factors::BF16) {
    // The first of a pair is the lower half.
    Value pairs =
        b.load(VectorType::get(type.getShape(), builder.getI32Type()), ptr);
    Value bits =
        part == 0
            ? arith::ShLIOp::create(builder, loc, pairs,
                                    constantLike(b, pairs.getType(), 16))
                  .getResult()
            : arith::AndIOp::create(builder, loc, pairs,
                                    constantLike(b, pairs.getType(), -0x10000))
                  .getResult();
    return {vector::BitCastOp::create(builder, loc, type, bits)};
  }
  Value v = b.load(type, ptr);
  if (factors == Factors::F32)
    return {v};
  if (factors == Factors::BF16Pairs)
    return {reinterpret(b, v, builder.getBF16Type())};
  if (hasVnni(isa))
    return {reinterpret(b, v, 8)};
  // Bytes 0 and 2, and bytes 1 and 3, sign extended.
  Value pairs = reinterpret(b, v, 16);
  Value eight = constantLike(b, pairs.getType(), 8);
  Value high = arith::ShLIOp::create(builder, loc, pairs, eight);
  Value even = arith::ShRSIOp::create(builder, loc, high, eight);
  Value odd = arith::ShRSIOp::create(builder, loc, pairs, eight);
  return {even, odd};
}

static Value callIntrinsic(CodeBuilder &b, StringRef name, Type result,
                           ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(b.builder(), b.getLoc(), result,
                                       b.builder().getStringAttr(name),
                                       operands)
      .getResult(0);
}

Value GemmArithmetic::multiplyAdd(CodeBuilder &b, ValueRange lhs,
                                  ValueRange rhs, Value acc) const {
  if (factors == Factors::BF16Pairs)
    return callIntrinsic(b, "llvm.x86.avx512bf16.dpbf16ps.512", type,
                         {acc, lhs[0], rhs[0]});
  if (factors != Factors::Bytes)
    return b.multiplyAdd(lhs[0], rhs[0], acc, hasFma(isa));
  if (hasVnni(isa))
    return callIntrinsic(b, "llvm.x86.avx512.vpdpbusd.512", type,
                         {acc, lhs[0], rhs[0]});
  StringRef name = hasAvx512(isa)   ? "llvm.x86.avx512.pmaddw.d.512"
                   : isa >= Isa::V3 ? "llvm.x86.avx2.pmadd.wd"
                                    : "llvm.x86.sse2.pmadd.wd";
  for (auto [x, y] : llvm::zip_equal(lhs, rhs))
    acc = arith::AddIOp::create(b.builder(), b.getLoc(), acc,
                                callIntrinsic(b, name, type, {x, y}));
  return acc;
}
