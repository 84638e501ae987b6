//===- LaneNumbers.cpp - Numbers of lanes that diverge, in a mixed radix --===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen/Common/Elements/LaneNumbers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;
using dhlo::DimExpr;

/// The largest step of lanes near each other: floats find their quotients.
static constexpr int64_t kMaxStep = 4096;

LaneNumbers::LaneNumbers(ElementEmitter &e, const LaneIndex &index,
                         int64_t lanes)
    : b(e.getBuilder()), lanes(lanes), base(index.base),
      offsets(b.constant(0)) {
  if (index.isVector())
    return;
  auto step = getConstantIntValue(index.step);
  if (!index.maybeUnit && (!step || std::abs(*step) > kMaxStep)) {
    base = e.toValue(index, lanes);
    return;
  }
  reach = (lanes - 1) * std::abs(step.value_or(1));
  Value numbers = b.laneNumbers(lanes);
  if (step && *step < 0) {
    // From the lowest number on.
    base = b.sub(base, b.constant(reach));
    offsets = b.add(b.mul(numbers, index.step), b.constant(reach));
    return;
  }
  offsets = b.mul(numbers, index.step);
}

Value LaneNumbers::divide(DimExpr extent) {
  if (reach > 0)
    return divideNear(extent);
  OpFoldResult size = b.size(extent);
  Value rest = b.value(b.rem(base, size));
  base = b.div(base, size);
  return rest;
}

Value LaneNumbers::divideNear(DimExpr extent) {
  OpFoldResult size = b.size(extent);
  // Less than the extent plus the reach.
  OpFoldResult rest = b.add(b.rem(base, size), offsets);
  base = b.div(base, size);

  // A large extent: one comparison.
  OpFoldResult one = b.constant(1), zero = b.constant(0);
  Value isNext = b.cmp(CmpIPredicate::sge, rest, size);
  OpFoldResult quotient = b.select(isNext, one, zero);
  OpFoldResult remainder = b.select(isNext, b.sub(rest, size), rest);
  if (b.getDims().isAtLeast(extent, reach + 1)) {
    offsets = quotient;
    return b.value(remainder);
  }

  // A small one: the fraction is at least half of 1 / extent away from a whole
  // number, which is more than floats lose.
  Type i32 = KernelBuilder::laneType(b.getI32Type(), lanes);
  Type i64 = KernelBuilder::laneType(b.getI64Type(), lanes);
  Type f32 = KernelBuilder::laneType(b.getF32Type(), lanes);
  OpFoldResult divisor = b.max(size, one);
  Value inverse = arith::DivFOp::create(
      b, b.number(1, b.getF32Type()),
      arith::SIToFPOp::create(b, b.getF32Type(), b.value(divisor)));
  Value small = arith::TruncIOp::create(b, i32, b.value(rest));
  Value middle =
      arith::AddFOp::create(b, arith::SIToFPOp::create(b, f32, small),
                            b.number(0.5, b.getF32Type(), lanes));
  Value whole = arith::FPToSIOp::create(
      b, i32, arith::MulFOp::create(b, middle, b.splat(inverse, lanes)));
  Value by = arith::TruncIOp::create(b, b.getI32Type(), b.value(divisor));
  Value left = arith::SubIOp::create(
      b, small, arith::MulIOp::create(b, whole, b.splat(by, lanes)));
  Value smallQuotient = arith::ExtSIOp::create(b, i64, whole);
  Value smallRemainder = arith::ExtSIOp::create(b, i64, left);
  Value isSmall = b.cmp(CmpIPredicate::sle, size, b.constant(reach));
  offsets = b.select(isSmall, smallQuotient, quotient);
  return b.value(b.select(isSmall, smallRemainder, remainder));
}
