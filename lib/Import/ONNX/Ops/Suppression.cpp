//===- Suppression.cpp - NonMaxSuppression of ONNX ------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../OpContext.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;
using dhlo::CompareDirection;

namespace {

/// The lower and upper bounds of boxes [N, B, 4], in the same form.
Value readBounds(Emitter &e, Value boxes, bool byCentre) {
  auto half = [&](int64_t i) {
    return e.sliceAxis(boxes, 2, e.size(2 * i), e.size(2));
  };
  Value first = half(0), second = half(1);
  if (byCentre) {
    Value reach = e.mul(second, 0.5);
    return e.concat({e.sub(first, reach), e.add(first, reach)}, 2);
  }
  // Any two opposite corners are given.
  return e.concat({e.minimum(first, second), e.maximum(first, second)}, 2);
}

/// Sorts the boxes of each class by their scores, and keeps those that overlap
/// no better one.
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
  if (!type.isF64() && !type.isF32())
    return c.error("expected boxes and scores of f32 or f64");
  DimExpr batch = e.dim(boxes, 0), number = e.dim(boxes, 1);
  Sizes all{batch, e.dim(scores, 1), number};
  boxes = e.reshape(boxes, {batch, number, e.size(4)});
  scores = e.broadcastTo(scores, all);
  most = most ? e.convert(e.reshape(most, {}), i64) : e.constantInt(i64, 0);
  threshold = threshold ? e.reshape(threshold, {}) : e.constant(type, 0);
  if (!boxes || !scores || !most || !threshold)
    return failure();
  auto sorted = dhlo::SortOp::create(e.builder, e.loc, e.type(all, type),
                                     e.type(all, i64), scores, /*axis=*/2,
                                     /*descending=*/true);
  Value order = sorted.getIndices();
  Value isCandidate = least
                          ? e.compare(CompareDirection::GT, sorted.getValues(),
                                      e.reshape(least, {}))
                          : e.full(e.builder.getI1Type(), 1, all);
  Value bounds = readBounds(e, boxes, byCentre == 1);
  Value ordered = e.gather(bounds, order, /*axis=*/1, /*batch=*/1);
  if (!isCandidate || !ordered)
    return failure();
  Value isKept = dhlo::SuppressOp::create(
      e.builder, e.loc, e.type(all, e.builder.getI1Type()), ordered,
      isCandidate, threshold, most);
  // By batch and class, then in the order of scores.
  DimExpr count = e.symbols.createSymbol("nonzero");
  Value indices =
      dhlo::NonzeroOp::create(e.builder, e.loc, e.type({count, e.size(3)}, i64),
                              isKept, FlatSymbolRefAttr::get(count.getName()));
  Value box = dhlo::GatherNdOp::create(e.builder, e.loc, e.type({count}, i64),
                                       order, indices, /*batch=*/0);
  return c.result(e.concat(
      {e.sliceAxis(indices, 1, e.size(0), e.size(2)), e.unsqueeze(box, {1})},
      1));
}

} // namespace

void onnx::registerSuppression(OpRegistry &r) {
  r.add("NonMaxSuppression", 10, importNonMaxSuppression);
}
