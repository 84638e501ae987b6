//===- SamplingEmitter.cpp - Interpolation and random numbers -------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen/Common/Elements/OpEmitters.h"

#include "Codegen/Common/Elements/ResizeTaps.h"
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
/// Samples one element. Axes that change are processed one by one; their taps
/// are vectors where lanes run along such an axis.
class Resizer {
public:
  Resizer(ElementEmitter &e, dhlo::ResizeOp op)
      : e(e), b(e.getBuilder()), op(op), resize(b, op) {}

  Value emit(const Position &position, int64_t lanes);

private:
  Value sample(ArrayRef<Position> parts, ArrayRef<SmallVector<ResizeTap>> taps,
               ArrayRef<int64_t> firsts, size_t next, Position at,
               int64_t lanes);

  ElementEmitter &e;
  KernelBuilder &b;
  dhlo::ResizeOp op;
  ResizeTaps resize;
};
} // namespace

/// The weighted sum over the taps of axes from run `next` on.
Value Resizer::sample(ArrayRef<Position> parts,
                      ArrayRef<SmallVector<ResizeTap>> taps,
                      ArrayRef<int64_t> firsts, size_t next, Position at,
                      int64_t lanes) {
  if (next == parts.size())
    return resize.widen(e.emit(op.getOperand(), at, lanes), lanes);
  if (taps[next].empty()) {
    at.append(parts[next].begin(), parts[next].end());
    return sample(parts, taps, firsts, next + 1, at, lanes);
  }
  Value sum;
  for (const ResizeTap &tap : taps[next]) {
    Position inner = at;
    inner.push_back({b.getDims().getDim(op.getOperand(), firsts[next]),
                     e.uniform(tap.index)});
    Value v = sample(parts, taps, firsts, next + 1, inner, lanes);
    sum = resize.add(sum, v, tap, lanes);
  }
  return sum;
}

Value Resizer::emit(const Position &position, int64_t lanes) {
  SmallVector<int64_t> firsts;
  SmallVector<DimExpr> runs;
  for (auto [axis, size] : llvm::enumerate(getSizes(b, op.getResult()))) {
    if (axis > 0 && !resize.isResized(axis) && !resize.isResized(axis - 1)) {
      runs.back() = dhlo::mul(runs.back(), size);
      continue;
    }
    firsts.push_back(axis);
    runs.push_back(size);
  }
  Value guard;
  SmallVector<Position> parts = e.align(position, runs, lanes, guard);
  for (auto [first, part] : llvm::zip_equal(firsts, parts))
    if (resize.isResized(first) && lanes > 1 && !e.canDiverge(lanes) &&
        !e.join(part).isUniform())
      return e.perLane(op.getResult(), position, lanes,
                       "vectors run along an axis that it resizes");
  return e.guarded(op.getResult(), position, lanes, guard, [&]() -> Value {
    SmallVector<SmallVector<ResizeTap>> all;
    for (auto [first, part] : llvm::zip_equal(firsts, parts)) {
      all.emplace_back();
      if (!resize.isResized(first))
        continue;
      LaneIndex index = e.join(part);
      all.back() = resize.get(
          first, index.isUniform() ? index.base : e.toValue(index, lanes));
    }
    return resize.narrow(sample(parts, all, firsts, 0, {}, lanes), lanes);
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
