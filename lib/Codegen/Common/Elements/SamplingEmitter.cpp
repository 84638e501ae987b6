//===- SamplingEmitter.cpp - Interpolation and random numbers -------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen/Common/Elements/OpEmitters.h"

#include "Codegen/Common/Builder/VectorDivision.h"
#include "Codegen/Common/Elements/VectorMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace dyn;
using arith::CmpFPredicate;
using arith::CmpIPredicate;
using dhlo::DimExpr;

bool dyn::isSampling(Operation *op) {
  return isa<dhlo::ResizeOp, dhlo::RngOp>(op);
}

//===----------------------------------------------------------------------===//
// Resize
//===----------------------------------------------------------------------===//

namespace {
/// Samples one element. Axes that change are processed one by one, each with a
/// number of taps: indices with weights (in f32). Both are vectors where lanes
/// run along an axis that changes.
class Resizer {
public:
  Resizer(ElementEmitter &e, dhlo::ResizeOp op)
      : e(e), b(e.getBuilder()), op(op) {}

  Value emit(const Position &position, int64_t lanes);

private:
  struct Tap {
    OpFoldResult index;
    Value weight; // null for 1
  };

  bool isResized(int64_t axis) {
    double scale = op.getScales()[axis];
    return !(b.getDims().isEqual(b.getDims().getDim(op.getOperand(), axis),
                                 b.getDims().getDim(op.getResult(), axis)) &&
             (scale == 0 || scale == 1));
  }
  /// A number beside `like`, in as many lanes.
  Value f32(double v, Value like) {
    return b.number(v, b.getF32Type(), getLanes(like));
  }
  static int64_t getLanes(Value v) {
    auto vector = dyn_cast<VectorType>(v.getType());
    return vector ? vector.getNumElements() : 1;
  }
  Value toFloat(OpFoldResult i);
  Value coordinate(int64_t axis, OpFoldResult i);
  SmallVector<Tap> taps(int64_t axis, OpFoldResult i);
  /// The operand's index of an integral coordinate.
  OpFoldResult clampIndex(int64_t axis, Value whole);
  Value sample(ArrayRef<Position> parts, ArrayRef<SmallVector<Tap>> taps,
               ArrayRef<int64_t> firsts, size_t next, Position at,
               int64_t lanes);

  ElementEmitter &e;
  KernelBuilder &b;
  dhlo::ResizeOp op;
};
} // namespace

Value Resizer::toFloat(OpFoldResult i) {
  Value v = b.value(i);
  // A double holds the integer, so that the float is the same.
  if (KernelBuilder::isVector(i))
    return arith::TruncFOp::create(
        b, KernelBuilder::laneType(b.getF32Type(), getLanes(v)),
        lanesToDouble(b, v));
  return arith::SIToFPOp::create(b, b.getF32Type(), v);
}

/// The coordinate of result element `i` in the operand.
Value Resizer::coordinate(int64_t axis, OpFoldResult i) {
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

OpFoldResult Resizer::clampIndex(int64_t axis, Value whole) {
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

SmallVector<Resizer::Tap> Resizer::taps(int64_t axis, OpFoldResult i) {
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
  SmallVector<Tap> result;
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

/// The weighted sum over the taps of axes from run `next` on.
Value Resizer::sample(ArrayRef<Position> parts, ArrayRef<SmallVector<Tap>> taps,
                      ArrayRef<int64_t> firsts, size_t next, Position at,
                      int64_t lanes) {
  if (next == parts.size()) {
    Value v = e.emit(op.getOperand(), at, lanes);
    Type element = op.getType().getElementType();
    if (isa<FloatType>(element) || op.getMode() == dhlo::ResizeMode::Nearest)
      return v;
    // Integers are interpolated as floats.
    Type type = KernelBuilder::laneType(b.getF32Type(), lanes);
    if (element.isUnsignedInteger())
      return arith::UIToFPOp::create(b, type, v);
    return arith::SIToFPOp::create(b, type, v);
  }
  if (taps[next].empty()) {
    at.append(parts[next].begin(), parts[next].end());
    return sample(parts, taps, firsts, next + 1, at, lanes);
  }
  Value sum;
  for (const Tap &tap : taps[next]) {
    Position inner = at;
    inner.push_back({b.getDims().getDim(op.getOperand(), firsts[next]),
                     e.uniform(tap.index)});
    Value v = sample(parts, taps, firsts, next + 1, inner, lanes);
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
    sum = sum ? b.fma(v, weight, sum)
              : arith::MulFOp::create(b, v, weight).getResult();
  }
  return sum;
}

Value Resizer::emit(const Position &position, int64_t lanes) {
  SmallVector<int64_t> firsts;
  SmallVector<DimExpr> runs;
  for (auto [axis, size] : llvm::enumerate(getSizes(b, op.getResult()))) {
    if (axis > 0 && !isResized(axis) && !isResized(axis - 1)) {
      runs.back() = dhlo::mul(runs.back(), size);
      continue;
    }
    firsts.push_back(axis);
    runs.push_back(size);
  }
  Value guard;
  SmallVector<Position> parts = e.align(position, runs, lanes, guard);
  for (auto [first, part] : llvm::zip_equal(firsts, parts))
    if (isResized(first) && lanes > 1 && !e.canDiverge(lanes) &&
        !e.join(part).isUniform())
      return e.perLane(op.getResult(), position, lanes,
                       "vectors run along an axis that it resizes");
  return e.guarded(op.getResult(), position, lanes, guard, [&]() -> Value {
    SmallVector<SmallVector<Tap>> all;
    for (auto [first, part] : llvm::zip_equal(firsts, parts)) {
      all.emplace_back();
      if (!isResized(first))
        continue;
      LaneIndex index = e.join(part);
      all.back() =
          taps(first, index.isUniform() ? index.base : e.toValue(index, lanes));
    }
    Value v = sample(parts, all, firsts, 0, {}, lanes);
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
  });
}

//===----------------------------------------------------------------------===//
// Random numbers
//===----------------------------------------------------------------------===//

namespace {
/// Philox4x32 with ten rounds, on lanes of i64 that hold 32 bits each.
class Generator {
public:
  Generator(KernelBuilder &b, int64_t lanes) : b(b), lanes(lanes) {}

  /// The four words of block `index` (i64 lanes).
  SmallVector<Value> block(Value index, int64_t stream, Value seed);

  Value c(uint64_t v) { return b.integer(APInt(64, v), b.getI64Type(), lanes); }
  Value low(Value x) { return arith::AndIOp::create(b, x, c(0xffffffffu)); }
  Value shr(Value x, int n) { return arith::ShRUIOp::create(b, x, c(n)); }
  /// words[i], where i is a number of lanes.
  Value pick(ArrayRef<Value> words, Value i) {
    Value result = words[0];
    for (size_t k = 1; k < words.size(); ++k)
      result = arith::SelectOp::create(
          b, arith::CmpIOp::create(b, CmpIPredicate::eq, i, c(k)), words[k],
          result);
    return result;
  }
  /// The upper 24 bits of a word as a number in [0, 2^24).
  Value upper(Value word, Type type) {
    return arith::UIToFPOp::create(b, KernelBuilder::laneType(type, lanes),
                                   shr(word, 8));
  }

  KernelBuilder &b;
  int64_t lanes;
};
} // namespace

SmallVector<Value> Generator::block(Value index, int64_t stream, Value seed) {
  SmallVector<Value> x = {low(index), shr(index, 32),
                          c(static_cast<uint32_t>(stream)),
                          c(static_cast<uint64_t>(stream) >> 32)};
  Value key0 = low(seed), key1 = shr(seed, 32);
  for (int round = 0; round < 10; ++round) {
    Value p0 = arith::MulIOp::create(b, x[0], c(0xD2511F53));
    Value p1 = arith::MulIOp::create(b, x[2], c(0xCD9E8D57));
    auto mix = [&](Value high, Value word, Value key) -> Value {
      return arith::XOrIOp::create(
          b, arith::XOrIOp::create(b, shr(high, 32), word), key);
    };
    x = {mix(p1, x[1], key0), low(p1), mix(p0, x[3], key1), low(p0)};
    key0 = low(arith::AddIOp::create(b, key0, c(0x9E3779B9)));
    key1 = low(arith::AddIOp::create(b, key1, c(0xBB67AE85)));
  }
  return x;
}

static Value emitRng(ElementEmitter &e, dhlo::RngOp op,
                     const Position &position, int64_t lanes) {
  KernelBuilder &b = e.getBuilder();
  Generator g(b, lanes);
  Value index = e.toValue(e.join(position), lanes);
  Value seed = op.getSeed() ? g.c(static_cast<uint64_t>(*op.getSeed()))
                            : b.splat(b.seed(), lanes);
  Type element =
      getComputeType(cast<RankedTensorType>(op.getType()).getElementType());
  bool isDouble = element.isF64();
  Type f64 = b.getF64Type(), f32 = b.getF32Type();
  double low = op.getLow().convertToDouble();
  double high = op.getHigh().convertToDouble();
  auto andBits = [&](Value x, uint64_t mask) -> Value {
    return arith::AndIOp::create(b, x, g.c(mask));
  };
  if (op.getKind() == dhlo::RngKind::Normal) {
    // Box and Muller, in f64: two words give a pair of numbers.
    SmallVector<Value> words = g.block(g.shr(index, 2), op.getStream(), seed);
    Value pair = andBits(g.shr(index, 1), 1);
    Value first = g.pick({words[0], words[2]}, pair);
    Value second = g.pick({words[1], words[3]}, pair);
    Value unit = b.number(std::ldexp(1.0, -24), f64, lanes);
    Value u = arith::MulFOp::create(
        b,
        arith::AddFOp::create(b, g.upper(first, f64), b.number(1, f64, lanes)),
        unit);
    Value radius = math::SqrtOp::create(
        b, arith::MulFOp::create(b, b.number(-2, f64, lanes),
                                 vectormath::log(b, u)));
    Value angle = arith::MulFOp::create(
        b, b.number(6.283185307179586, f64, lanes),
        arith::MulFOp::create(b, g.upper(second, f64), unit));
    Value isOdd =
        arith::CmpIOp::create(b, CmpIPredicate::ne, andBits(index, 1), g.c(0));
    Value wave = arith::SelectOp::create(b, isOdd, vectormath::sin(b, angle),
                                         vectormath::cos(b, angle));
    Value normal = arith::MulFOp::create(b, radius, wave);
    if (!isDouble)
      normal = arith::TruncFOp::create(b, KernelBuilder::laneType(f32, lanes),
                                       normal);
    return b.fma(normal, b.number(high, element, lanes),
                 b.number(low, element, lanes));
  }
  Value unit;
  if (isDouble) {
    SmallVector<Value> words = g.block(g.shr(index, 1), op.getStream(), seed);
    Value half = andBits(index, 1);
    Value lower = g.pick({words[0], words[2]}, half);
    Value upper = g.pick({words[1], words[3]}, half);
    Value bits = arith::OrIOp::create(
        b, arith::ShLIOp::create(b, upper, g.c(32)), lower);
    unit = arith::MulFOp::create(
        b,
        arith::UIToFPOp::create(b, KernelBuilder::laneType(f64, lanes),
                                g.shr(bits, 11)),
        b.number(std::ldexp(1.0, -53), f64, lanes));
  } else {
    SmallVector<Value> words = g.block(g.shr(index, 2), op.getStream(), seed);
    unit =
        arith::MulFOp::create(b, g.upper(g.pick(words, andBits(index, 3)), f32),
                              b.number(std::ldexp(1.0, -24), f32, lanes));
  }
  double span = isDouble ? high - low
                         : static_cast<float>(high) - static_cast<float>(low);
  Value v = b.fma(unit, b.number(span, element, lanes),
                  b.number(low, element, lanes));
  Value isBelow = arith::CmpFOp::create(b, CmpFPredicate::OLT, v,
                                        b.number(high, element, lanes));
  return arith::SelectOp::create(b, isBelow, v, b.number(low, element, lanes));
}

Value dyn::emitSampling(ElementEmitter &e, Operation *op,
                        const Position &position, int64_t lanes) {
  if (auto resize = dyn_cast<dhlo::ResizeOp>(op))
    return Resizer(e, resize).emit(position, lanes);
  return emitRng(e, cast<dhlo::RngOp>(op), position, lanes);
}
