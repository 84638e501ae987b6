//===- Distances.cpp - CDist of com.microsoft -----------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../OpContext.h"

#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

namespace {

/// The distance of each row of one matrix to each of another.
LogicalResult importCDist(OpContext &c) {
  Emitter &e = c.e;
  Value a = c.in(0), b = c.in(1);
  StringRef metric = c.getString("metric", "sqeuclidean");
  if (!a || !b)
    return failure();
  if (e.rank(a) != 2 || e.rank(b) != 2)
    return c.error("expected matrices");
  if (metric != "euclidean" && metric != "sqeuclidean")
    return c.error("expected metric euclidean or sqeuclidean, found '" +
                   llvm::Twine(metric) + "'");
  Value way = e.sub(e.unsqueeze(a, {1}), e.unsqueeze(b, {0}));
  Value y = e.reduce(dhlo::ReduceKind::Sum, e.mul(way, way), {2});
  return c.result(metric == "euclidean" ? e.unary<dhlo::SqrtOp>(y) : y);
}

} // namespace

void onnx::registerDistances(OpRegistry &r) {
  r.add(kMicrosoft, "CDist", {1, importCDist});
}
