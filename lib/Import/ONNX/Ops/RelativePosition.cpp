//===- RelativePosition.cpp - Attention terms of relative positions -------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Terms of scores by the distance of key and query: com.microsoft, set 1.

#include "HeadAttention.h"

#include <cmath>

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;
using dhlo::CompareDirection;

namespace {

/// Distances in buckets, which are logarithmic for large ones (T5, 2019), each
/// with a number per head.
LogicalResult importRelativePositionBias(OpContext &c) {
  Emitter &e = c.e;
  Value table = c.in(0);
  int64_t most = c.getInt("max_distance", 0);
  bool isBoth = c.getInt("is_bidirectional", 0) != 0;
  DimExpr queries = getSize(c, 1, "queries"), keys = getSize(c, 2, "keys");
  if (!table || !queries || !keys)
    return failure();
  DimExpr size = e.dims.expand(e.dim(table, 0));
  if (e.rank(table) != 2 || !size.isConst())
    return c.error("expected a table of a known number of buckets");
  int64_t buckets = isBoth ? size.getValue() / 2 : size.getValue();
  int64_t exact = buckets / 2;
  if (exact < 1 || most <= exact)
    return c.error("expected a max_distance beyond half of the buckets");
  Type i64 = e.builder.getI64Type(), f32 = e.builder.getF32Type();
  DimExpr one = e.size(1);
  // From the query to the key.
  Value way =
      e.sub(e.iota(1, {one, keys}, i64), e.iota(0, {queries, one}, i64));
  Value isAfter = e.compare(CompareDirection::GT, way, 0.0);
  Value distance = isBoth ? e.unary<dhlo::AbsOp>(way)
                          : e.maximum(e.unary<dhlo::NegOp>(way), 0.0);
  Value ratio =
      e.div(e.convert(e.maximum(distance, double(exact)), f32), double(exact));
  double step =
      double(buckets - exact) / std::log(double(most) / double(exact));
  Value far = e.convert(e.mul(e.unary<dhlo::LogOp>(ratio), step), i64);
  far = e.minimum(e.add(far, double(exact)), double(buckets - 1));
  Value isNear = e.compare(CompareDirection::LT, distance, double(exact));
  if (!isNear || !isAfter)
    return failure();
  Value bucket = e.select(isNear, distance, far);
  if (isBoth)
    bucket = e.add(bucket, e.mul(e.convert(isAfter, i64), double(buckets)));
  // The table is stored head by head, whatever its sizes say.
  DimExpr heads = e.dim(table, 1);
  Value y = e.gather(e.reshape(table, {heads, size}), bucket, 1);
  return c.result(e.unsqueeze(y, {0}));
}

/// Distances with a gate for each query and head (WavLM, 2021).
LogicalResult importGatedRelativePositionBias(OpContext &c) {
  Emitter &e = c.e;
  int64_t heads = c.getInt("num_heads", 0);
  Value x = e.add(c.in(0), c.in(1)), position = c.in(2), weight = c.in(3);
  Value bias = c.in(4), factor = c.in(5);
  if (refuses(c, 6, "token_offset") || !x || !position || !weight || !bias ||
      !factor)
    return failure();
  if (e.rank(x) != 3 || e.rank(weight) != 2)
    return c.error("expected queries of rank 3 and a matrix as weight");
  x = splitHeads(c, x, heads);
  Value all = e.add(e.dot(x, weight, 0, {3}, {0}), bias);
  if (!all)
    return failure();
  DimExpr half = dhlo::floorDiv(e.dims.expand(e.dim(weight, 1)), 2);
  auto gate = [&](DimExpr start) {
    return e.unary<dhlo::LogisticOp>(e.reduce(
        dhlo::ReduceKind::Sum, e.sliceAxis(all, 3, start, half), {3}, true));
  };
  Value update = gate(e.size(0)), reset = gate(half);
  Value scale = e.add(e.mul(update, e.sub(e.mul(reset, factor), 1.0)), 2.0);
  return c.result(e.mul(scale, position));
}

} // namespace

void onnx::registerRelativePosition(OpRegistry &r) {
  r.add(kMicrosoft, "RelativePositionBias", {1, importRelativePositionBias});
  r.add(kMicrosoft, "GatedRelativePositionBias",
        {1, importGatedRelativePositionBias});
}
