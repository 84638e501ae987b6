//===- ResizeTaps.cpp - The elements that a resize blends -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen/Common/Elements/ResizeTaps.h"

#include "Codegen/Common/Builder/VectorDivision.h"
#include "Codegen/Common/Elements/OpEmitters.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;

static int64_t getLanes(Value v) {
  auto vector = dyn_cast<VectorType>(v.getType());
  return vector ? vector.getNumElements() : 1;
}

bool ResizeTaps::isResized(int64_t axis) {
  double scale = op.getScales()[axis];
  return !(b.getDims().isEqual(b.getDims().getDim(op.getOperand(), axis),
                               b.getDims().getDim(op.getResult(), axis)) &&
           (scale == 0 || scale == 1));
}

Value ResizeTaps::f32(double v, Value like) {
  return b.number(v, b.getF32Type(), getLanes(like));
}

Value ResizeTaps::toFloat(OpFoldResult i) {
  Value v = b.value(i);
  // A double holds the integer, so that the float is the same.
  if (KernelBuilder::isVector(i))
    return arith::TruncFOp::create(
        b, KernelBuilder::laneType(b.getF32Type(), getLanes(v)),
        lanesToDouble(b, v));
  return arith::SIToFPOp::create(b, b.getF32Type(), v);
}

/// The coordinate of result element `i` in the operand.
Value ResizeTaps::coordinate(int64_t axis, OpFoldResult i) {
  OpFoldResult from = b.size(op.getOperand(), axis),
               to = b.size(op.getResult(), axis);
  Value x = toFloat(i);
  double scale = op.getScales()[axis];
  int64_t lanes = getLanes(x);
  auto scalar = [&](Value v) { return b.splat(v, lanes); };
  Value step =
      scale != 0 ? f32(1 / scale, x)
                 : scalar(arith::DivFOp::create(b, toFloat(from), toFloat(to)));
  auto ifOne = [&](Value v) -> Value {
    Value isOne = b.cmp(CmpIPredicate::eq, to, b.constant(1));
    return arith::SelectOp::create(b, isOne, f32(0, v), v);
  };
  switch (op.getCoord()) {
  case dhlo::ResizeCoord::PytorchHalfPixel:
  case dhlo::ResizeCoord::HalfPixel: {
    Value v = arith::AddFOp::create(b, x, f32(0.5, x));
    v = arith::MulFOp::create(b, v, step);
    v = arith::SubFOp::create(b, v, f32(0.5, x));
    return op.getCoord() == dhlo::ResizeCoord::HalfPixel ? v : ifOne(v);
  }
  case dhlo::ResizeCoord::AlignCorners: {
    OpFoldResult one = b.constant(1);
    Value v = arith::MulFOp::create(b, x, scalar(toFloat(b.sub(from, one))));
    return ifOne(arith::DivFOp::create(b, v, scalar(toFloat(b.sub(to, one)))));
  }
  case dhlo::ResizeCoord::Asymmetric:
    return arith::MulFOp::create(b, x, step);
  }
  llvm_unreachable("all maps are covered");
}

OpFoldResult ResizeTaps::clampIndex(int64_t axis, Value whole) {
  // Clamped as a float first, so that the conversion is always defined.
  int64_t lanes = getLanes(whole);
  Value top = toFloat(b.sub(b.size(op.getOperand(), axis), b.constant(1)));
  Type f32Type = b.getF32Type();
  Value v = minimum(b, f32Type, whole, b.splat(top, lanes));
  v = maximum(b, f32Type, v, f32(0, v));
  Value i;
  if (lanes == 1)
    i = arith::FPToSIOp::create(b, b.getI64Type(), v);
  else
    i = lanesFromDouble(
        b, arith::ExtFOp::create(
               b, KernelBuilder::laneType(b.getF64Type(), lanes), v));
  // f32 rounds large sizes.
  return b.min(i, b.sub(b.size(op.getOperand(), axis), b.constant(1)));
}

SmallVector<ResizeTap> ResizeTaps::get(int64_t axis, OpFoldResult i) {
  Value x = coordinate(axis, i);
  auto add = [&](Value p, Value q) -> Value {
    return arith::AddFOp::create(b, p, q);
  };
  auto sub = [&](Value p, Value q) -> Value {
    return arith::SubFOp::create(b, p, q);
  };
  auto mul = [&](Value p, Value q) -> Value {
    return arith::MulFOp::create(b, p, q);
  };
  if (op.getMode() == dhlo::ResizeMode::Nearest) {
    Value whole;
    switch (op.getRound()) {
    case dhlo::RoundMode::RoundPreferFloor:
      whole = math::CeilOp::create(b, sub(x, f32(0.5, x)));
      break;
    case dhlo::RoundMode::RoundPreferCeil:
      whole = math::FloorOp::create(b, add(x, f32(0.5, x)));
      break;
    case dhlo::RoundMode::Floor:
      whole = math::FloorOp::create(b, x);
      break;
    case dhlo::RoundMode::Ceil:
      whole = math::CeilOp::create(b, x);
      break;
    }
    return {{clampIndex(axis, whole), Value()}};
  }
  Value floor = math::FloorOp::create(b, x);
  Value part = sub(x, floor);
  if (op.getMode() == dhlo::ResizeMode::Linear)
    return {{clampIndex(axis, floor), sub(f32(1, x), part)},
            {clampIndex(axis, add(floor, f32(1, x))), part}};
  SmallVector<ResizeTap> result;
  double a = op.getCoefficient().convertToDouble();
  for (int k = -1; k <= 2; ++k) {
    // Taps -1 and 2 are at a distance of 1 to 2, the others nearer.
    Value d = math::AbsFOp::create(b, sub(part, f32(k, x)));
    Value w;
    if (k == 0 || k == 1) {
      w = sub(mul(f32(a + 2, x), d), f32(a + 3, x));
      w = add(mul(mul(w, d), d), f32(1, x));
    } else {
      w = sub(mul(f32(a, x), d), f32(5 * a, x));
      w = add(mul(w, d), f32(8 * a, x));
      w = sub(mul(w, d), f32(4 * a, x));
    }
    result.push_back({clampIndex(axis, add(floor, f32(k, x))), w});
  }
  return result;
}

Value ResizeTaps::widen(Value v, int64_t lanes) {
  Type element = op.getType().getElementType();
  if (isa<FloatType>(element) || op.getMode() == dhlo::ResizeMode::Nearest)
    return v;
  Type type = KernelBuilder::laneType(b.getF32Type(), lanes);
  if (element.isUnsignedInteger())
    return arith::UIToFPOp::create(b, type, v);
  return arith::SIToFPOp::create(b, type, v);
}

Value ResizeTaps::add(Value sum, Value v, const ResizeTap &tap, int64_t lanes) {
  if (!tap.weight)
    return v;
  Value weight = tap.weight;
  Type type = v.getType();
  if (auto vector = dyn_cast<VectorType>(type))
    type = vector.getElementType();
  if (type.isF64())
    weight = arith::ExtFOp::create(
        b, KernelBuilder::laneType(type, getLanes(weight)), weight);
  weight = b.splat(weight, lanes);
  return sum ? b.fma(v, weight, sum)
             : arith::MulFOp::create(b, v, weight).getResult();
}

Value ResizeTaps::narrow(Value v, int64_t lanes) {
  Type element = op.getType().getElementType();
  if (isa<FloatType>(element) || op.getMode() == dhlo::ResizeMode::Nearest)
    return v;
  // Rounded towards zero, in the range of the type.
  unsigned width = element.getIntOrFloatBitWidth();
  bool isUnsigned = element.isUnsignedInteger();
  double top = std::ldexp(1.0, isUnsigned ? width : width - 1) - 1;
  double bottom = isUnsigned ? 0 : -top - 1;
  // The largest f32 below the bound, where the bound is not an f32.
  if (width >= 32)
    top = std::nextafter(static_cast<float>(top + 1), 0.0f);
  v = maximum(b, b.getF32Type(), v, b.number(bottom, b.getF32Type(), lanes));
  v = minimum(b, b.getF32Type(), v, b.number(top, b.getF32Type(), lanes));
  Type type = KernelBuilder::laneType(getComputeType(element), lanes);
  if (isUnsigned)
    return arith::FPToUIOp::create(b, type, v);
  return arith::FPToSIOp::create(b, type, v);
}
