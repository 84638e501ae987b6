//===- ProductArithmetic.cpp - What micro-kernels do in registers ---------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Conversion/KernelToVector/ProductArithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace dyn;

ProductArithmetic::ProductArithmetic(MLIRContext *context, Isa isa,
                                     Factors factors)
    : isa(isa), factors(factors) {
  Builder builder(context);
  Type element = factors == Factors::Bytes ? Type(builder.getI32Type())
                                           : Type(builder.getF32Type());
  type = VectorType::get({getVectorBits(isa) / 32}, element);
}

/// The vector's bits as elements of `bits` bits.
static Value reinterpret(CodeBuilder &b, Value v, int64_t bits) {
  auto type = cast<VectorType>(v.getType());
  int64_t all = type.getNumElements() * type.getElementTypeBitWidth();
  auto target = VectorType::get({all / bits}, b.builder().getIntegerType(bits));
  return type == target
             ? v
             : vector::BitCastOp::create(b.builder(), b.getLoc(), target, v)
                   .getResult();
}

/// A constant of i16 in every lane.
static Value halves(CodeBuilder &b, Type type, int64_t value) {
  auto vectorType = cast<VectorType>(type);
  return arith::ConstantOp::create(
      b.builder(), b.getLoc(),
      DenseElementsAttr::get(vectorType, b.builder().getI16IntegerAttr(value)));
}

SmallVector<Value> ProductArithmetic::openLhs(CodeBuilder &b, Value v) const {
  if (factors == Factors::F32)
    return {v};
  if (hasByteProducts(isa))
    return {reinterpret(b, v, 8)};
  // Bytes 0 and 2, and bytes 1 and 3, zero extended.
  Value pairs = reinterpret(b, v, 16);
  Value even = arith::AndIOp::create(b.builder(), b.getLoc(), pairs,
                                     halves(b, pairs.getType(), 0xff));
  Value odd = arith::ShRUIOp::create(b.builder(), b.getLoc(), pairs,
                                     halves(b, pairs.getType(), 8));
  return {even, odd};
}

SmallVector<Value> ProductArithmetic::openRhs(CodeBuilder &b, Value v) const {
  if (factors == Factors::F32)
    return {v};
  if (hasByteProducts(isa))
    return {reinterpret(b, v, 8)};
  // Bytes 0 and 2, and bytes 1 and 3, sign extended.
  Value pairs = reinterpret(b, v, 16);
  Value eight = halves(b, pairs.getType(), 8);
  Value high = arith::ShLIOp::create(b.builder(), b.getLoc(), pairs, eight);
  Value even = arith::ShRSIOp::create(b.builder(), b.getLoc(), high, eight);
  Value odd = arith::ShRSIOp::create(b.builder(), b.getLoc(), pairs, eight);
  return {even, odd};
}

static Value callIntrinsic(CodeBuilder &b, StringRef name, Type result,
                           ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(b.builder(), b.getLoc(), result,
                                       b.builder().getStringAttr(name),
                                       operands)
      .getResult(0);
}

Value ProductArithmetic::multiplyAdd(CodeBuilder &b, ValueRange lhs,
                                     ValueRange rhs, Value acc) const {
  if (factors == Factors::F32)
    return b.multiplyAdd(lhs[0], rhs[0], acc, hasFma(isa));
  if (hasByteProducts(isa))
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
