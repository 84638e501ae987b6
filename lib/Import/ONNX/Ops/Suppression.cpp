//===- Suppression.cpp - NonMaxSuppression of ONNX ------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Loops.h"

#include <cfloat>
#include <cmath>

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;
using dhlo::CompareDirection;

namespace {

/// Boxes by their bounds, each [batch, ...].
struct Boxes {
  Value low[2], high[2];
};

/// The bounds of boxes [N, B, 4] as [N, B].
Boxes readBoxes(Emitter &e, Value boxes, bool byCentre) {
  auto column = [&](int64_t i) {
    return e.squeeze(e.sliceAxis(boxes, 2, e.size(i), e.size(1)), {2});
  };
  Boxes result;
  for (int64_t i : {0, 1}) {
    Value a = column(i), b = column(i + 2);
    if (byCentre) {
      Value half = e.mul(b, 0.5);
      result.low[i] = e.sub(a, half);
      result.high[i] = e.add(a, half);
    } else {
      // Any two opposite corners are given.
      result.low[i] = e.minimum(a, b);
      result.high[i] = e.maximum(a, b);
    }
  }
  return result;
}

Value area(Emitter &e, const Boxes &boxes) {
  return e.mul(e.sub(boxes.high[0], boxes.low[0]),
               e.sub(boxes.high[1], boxes.low[1]));
}

/// Whether the intersection of two boxes is more than `threshold` of their
/// union.
Value overlaps(Emitter &e, const Boxes &a, const Boxes &b, Value threshold) {
  Value result, shared;
  auto require = [&](Value positive) {
    Value holds = e.compare(CompareDirection::GT, positive, 0.0);
    result = result ? e.binary<dhlo::AndOp>(result, holds) : holds;
  };
  for (int64_t i : {0, 1}) {
    Value side =
        e.sub(e.minimum(a.high[i], b.high[i]), e.maximum(a.low[i], b.low[i]));
    require(side);
    shared = shared ? e.mul(shared, side) : side;
  }
  Value first = area(e, a), second = area(e, b);
  Value both = e.sub(e.add(first, second), shared);
  for (Value size : {shared, first, second, both})
    require(size);
  return e.binary<dhlo::AndOp>(
      result, e.compare(CompareDirection::GT, e.div(shared, both), threshold));
}

/// Each step chooses the best remaining box of each class, and removes those
/// that overlap it, until none remains or as many as allowed are chosen of a
/// class. So no box is compared with all others. The state is the scores of the
/// remaining boxes, with -inf for the others.
LogicalResult importNonMaxSuppression(OpContext &c) {
  Emitter &e = c.e;
  Value boxes = c.in(0), scores = c.in(1);
  Value most = c.optional(2), threshold = c.optional(3), least = c.optional(4);
  int64_t byCentre = c.getInt("center_point_box", 0);
  if (!boxes || !scores)
    return failure();
  if (e.rank(boxes) != 3 || e.rank(scores) != 3 ||
      (e.dim(boxes, 2).isConst() && !e.dim(boxes, 2).isConst(4)))
    return c.error("expected boxes [batch, boxes, 4] and scores [batch, "
                   "classes, boxes]");
  if (byCentre != 0 && byCentre != 1)
    return c.error("expected center_point_box 0 or 1");
  Type i64 = e.builder.getI64Type(), type = e.elementType(boxes);
  Value zero = e.constantInt(i64, 0), none = e.constantInt(i64, -1);
  DimExpr batch = e.dim(boxes, 0), number = e.dim(boxes, 1);
  DimExpr classes = e.dim(scores, 1);
  Sizes all{batch, classes, number};
  boxes = e.reshape(boxes, {batch, number, e.size(4)});
  scores = e.broadcastTo(scores, all);
  Value allowed = most ? e.convert(e.reshape(most, {}), i64) : zero;
  DimExpr steps =
      e.bind(e.minimum(e.maximum(allowed, zero), e.fromSize(number)), "chosen");
  if (!boxes || !scores || !steps)
    return failure();
  threshold = threshold ? e.reshape(threshold, {}) : e.constant(type, 0);
  Value left =
      least ? e.compare(CompareDirection::GT, scores, e.reshape(least, {}))
            : e.full(e.builder.getI1Type(), 1, all);
  // Removed boxes have less than any score.
  double lowest = type.isF64() ? -DBL_MAX : -FLT_MAX;
  if (!type.isF64() && !type.isF32())
    return c.error("expected boxes and scores of f32 or f64");
  Value removed = e.constant(type, -INFINITY);
  scores = e.select(left, e.maximum(scores, lowest), removed);
  Boxes sides = readBoxes(e, boxes, byCentre == 1);
  Value index = e.iota(2, {e.size(1), e.size(1), number}, i64);
  Sizes perClass{batch, classes};

  SmallVector<Value> last = emitCountedLoop(
      c, steps,
      {scores, e.full(i64, -1, {steps, batch, classes}),
       e.full(e.builder.getI1Type(), 1, {})},
      [&](Value at, ArrayRef<Value> old) {
        Value best = dhlo::ArgReduceOp::create(
            e.builder, e.loc, e.type(perClass, i64), dhlo::ArgKind::Max, old[0],
            2, /*last=*/false);
        Value score = e.squeeze(dhlo::GatherElementsOp::create(
                                    e.builder, e.loc,
                                    e.type({batch, classes, e.size(1)}, type),
                                    old[0], e.unsqueeze(best, {2}), 2),
                                {2});
        Value any = e.compare(CompareDirection::NE, score, removed);
        Boxes chosen, others;
        for (int64_t i : {0, 1}) {
          auto choose = [&](Value side) {
            return e.unsqueeze(e.gather(side, best, 1, /*batch=*/1), {2});
          };
          chosen.low[i] = choose(sides.low[i]);
          chosen.high[i] = choose(sides.high[i]);
          others.low[i] = e.unsqueeze(sides.low[i], {1});
          others.high[i] = e.unsqueeze(sides.high[i], {1});
        }
        Value gone = e.binary<dhlo::OrOp>(
            overlaps(e, chosen, others, threshold),
            e.compare(CompareDirection::EQ, index, e.unsqueeze(best, {2})));
        Value next = e.select(gone, removed, old[0]);
        Value row = any ? e.select(any, best, none) : Value();
        return SmallVector<Value>{
            next ? e.broadcastTo(next, all) : next,
            writeRow(c, old[1], at, row),
            any ? e.reduce(dhlo::ReduceKind::Or, any, {0, 1}) : any};
      },
      /*condition=*/2);
  if (last.empty())
    return failure();
  // By batch and class, then in the order of the choice.
  Value chosen = e.transpose(last[1], {1, 2, 0});
  Value isChosen = e.compare(CompareDirection::GE, chosen, zero);
  if (!isChosen)
    return failure();
  DimExpr count = e.symbols.createSymbol("nonzero");
  Value indices = dhlo::NonzeroOp::create(
      e.builder, e.loc, e.type({count, e.size(3)}, i64), isChosen,
      FlatSymbolRefAttr::get(count.getName()));
  Value box = dhlo::GatherNdOp::create(e.builder, e.loc, e.type({count}, i64),
                                       chosen, indices, /*batch=*/0);
  return c.result(e.concat(
      {e.sliceAxis(indices, 1, e.size(0), e.size(2)), e.unsqueeze(box, {1})},
      1));
}

} // namespace

void onnx::registerSuppression(OpRegistry &r) {
  r.add("NonMaxSuppression", 10, importNonMaxSuppression);
}
