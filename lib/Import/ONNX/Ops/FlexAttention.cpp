//===- FlexAttention.cpp - Attention of ONNX with graphs on its scores ----===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Sequence.h"
#include "Attention.h"
#include "Body.h"

#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;
using llvm::Twine;

/// The result of graph `name` on scores or weights, which are unchanged if
/// there is no such graph.
static Value modify(OpContext &c, StringRef name, Value x) {
  if (!x || !c.hasAttr(name))
    return x;
  const Graph *graph = getGraph(c, name);
  SmallVector<Value> outputs;
  if (!graph || failed(importGraph(c, *graph, {x}, outputs)) ||
      failed(expectTensors(c, outputs)))
    return {};
  if (outputs.size() != 1 || c.e.rank(outputs[0]) != c.e.rank(x) ||
      c.e.elementType(outputs[0]) != c.e.elementType(x))
    return c.e.fail("expected one output of '" + name +
                    "' with the rank and element type of its input");
  return c.e.broadcastTo(outputs[0], c.e.sizes(x));
}

static LogicalResult importFlexAttention(OpContext &c) {
  Emitter &e = c.e;
  Value q = c.in(0), k = c.in(1), v = c.in(2);
  if (!q || !k || !v)
    return failure();
  Type type = e.elementType(q);
  for (Value x : {q, k, v})
    if (e.rank(x) != 4 || e.elementType(x) != type || !isa<FloatType>(type))
      return c.error("expected queries, keys and values of rank 4 and of one "
                     "float type");
  Type wide = getSoftmaxType(c, type.isF64() ? type : e.builder.getF32Type());
  if (!wide)
    return failure();
  DimExpr heads = e.dim(q, 1);
  double scale = getScale(c, q);
  k = repeatGroups(c, k, heads);
  v = repeatGroups(c, v, heads);
  Value scores = e.convert(e.mul(e.dot(q, k, 2, {3}, {3}), scale), wide);
  scores = modify(c, "score_mod", scores);
  Value weights = modify(c, "prob_mod", e.softmax(scores, 3));
  Value y = e.dot(weights, e.convert(v, wide), 2, {3}, {2});
  return c.result(e.convert(y, type));
}

void onnx::registerFlexAttention(OpRegistry &r) {
  r.add("ai.onnx.preview", "FlexAttention", {1, importFlexAttention});
}
