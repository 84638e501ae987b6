//===- VectorDivision.cpp - Quotients of vectors of integers --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen/Common/Builder/VectorDivision.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace dyn;

static constexpr double kOffset = 0x1p52;

static Value repeat(ImplicitLocOpBuilder &b, Value scalar, Value like) {
  auto type = cast<VectorType>(like.getType());
  return vector::BroadcastOp::create(b, type.clone(scalar.getType()), scalar);
}

static Value constantLike(ImplicitLocOpBuilder &b, Value like, Attribute v) {
  return arith::ConstantOp::create(
      b, DenseElementsAttr::get(cast<VectorType>(like.getType()), v));
}

static Value toType(ImplicitLocOpBuilder &b, Value v, Type element) {
  return arith::BitcastOp::create(
      b, cast<VectorType>(v.getType()).clone(element), v);
}

static Attribute getOffsetBits(OpBuilder &b) {
  return b.getI64IntegerAttr(llvm::bit_cast<int64_t>(kOffset));
}

Value dyn::lanesToDouble(ImplicitLocOpBuilder &b, Value integers) {
  Value bits = arith::OrIOp::create(
      b, integers, constantLike(b, integers, getOffsetBits(b)));
  Value shifted = toType(b, bits, b.getF64Type());
  return arith::SubFOp::create(
      b, shifted, constantLike(b, shifted, b.getF64FloatAttr(kOffset)));
}

Value dyn::lanesFromDouble(ImplicitLocOpBuilder &b, Value whole) {
  Value shifted = arith::AddFOp::create(
      b, whole, constantLike(b, whole, b.getF64FloatAttr(kOffset)));
  Value bits = toType(b, shifted, b.getI64Type());
  return arith::XOrIOp::create(b, bits,
                               constantLike(b, bits, getOffsetBits(b)));
}

Value dyn::divideLanes(ImplicitLocOpBuilder &b, Value dividends,
                       Value divisor) {
  APInt known;
  if (matchPattern(divisor, m_ConstantInt(&known)) && known.isPowerOf2())
    return arith::ShRUIOp::create(
        b, dividends,
        constantLike(b, dividends, b.getI64IntegerAttr(known.logBase2())));
  // Below 2^52 a quotient of doubles is not rounded up to the next integer.
  Value by = arith::SIToFPOp::create(b, b.getF64Type(), divisor);
  Value x = lanesToDouble(b, dividends);
  return lanesFromDouble(
      b, math::FloorOp::create(
             b, arith::DivFOp::create(b, x, repeat(b, by, dividends))));
}
