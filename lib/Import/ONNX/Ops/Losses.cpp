//===- Losses.cpp - Loss functions of ONNX --------------------------------===//
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
using dhlo::CompareDirection;

/// The loss of each label, weighted, and reduced as the node says: minus the
/// logarithm of a label's probability. `scores` are logarithms [N, C, ...],
/// `labels` are [N, ...].
static Value negativeLikelihood(OpContext &c, Value scores, Value labels,
                                Value weights) {
  Emitter &e = c.e;
  StringRef reduction = c.getString("reduction", "mean");
  labels = e.index(labels);
  if (!scores || !labels)
    return {};
  if (e.rank(scores) < 2 || e.rank(labels) != e.rank(scores) - 1)
    return e.fail("expected scores of rank at least 2, and labels of one less");
  Type type = e.elementType(scores), indexType = e.elementType(labels);
  std::optional<int64_t> ignored;
  if (c.hasAttr("ignore_index"))
    ignored = c.getInt("ignore_index", 0);
  Value counts, isIgnored;
  if (ignored) {
    // Ignored labels read some class and have no weight.
    isIgnored = e.compare(CompareDirection::EQ, labels,
                          e.constantInt(indexType, *ignored));
    if (!isIgnored)
      return {};
    labels = e.select(isIgnored, e.constantInt(indexType, 0), labels);
    counts = e.select(isIgnored, e.constant(type, 0), e.constant(type, 1));
  }
  Sizes sizes = e.sizes(labels);
  sizes.insert(sizes.begin() + 1, e.size(1));
  Value chosen =
      dhlo::GatherElementsOp::create(e.builder, e.loc, e.type(sizes, type),
                                     scores, e.unsqueeze(labels, {1}), 1);
  Value loss = e.unary<dhlo::NegOp>(e.squeeze(chosen, {1}));
  if (weights) {
    Value own = e.gather(weights, labels, 0);
    counts = counts ? e.mul(own, counts) : own;
  }
  if (counts)
    loss = e.mul(loss, counts);
  // Ignored elements may be infinite.
  if (isIgnored && loss)
    loss = e.select(isIgnored, e.constant(type, 0), loss);
  SmallVector<int64_t> axes;
  for (int64_t i = 0; i < e.rank(labels); ++i)
    axes.push_back(i);
  if (reduction == "none" || !loss)
    return loss;
  if (reduction == "sum")
    return e.reduce(dhlo::ReduceKind::Sum, loss, axes);
  if (reduction != "mean")
    return e.fail("expected reduction none, sum or mean, found '" + reduction +
                  "'");
  if (!counts)
    return e.mean(loss, axes);
  return e.div(e.reduce(dhlo::ReduceKind::Sum, loss, axes),
               e.reduce(dhlo::ReduceKind::Sum,
                        e.broadcastTo(counts, e.sizes(labels)), axes));
}

static LogicalResult importNegativeLogLikelihoodLoss(OpContext &c) {
  return c.result(negativeLikelihood(c, c.in(0), c.in(1), c.optional(2)));
}

static LogicalResult importSoftmaxCrossEntropyLoss(OpContext &c) {
  Value scores = c.e.softmax(c.in(0), 1, /*log=*/true);
  c.out(1, scores);
  return c.result(negativeLikelihood(c, scores, c.in(1), c.optional(2)));
}

void onnx::registerLosses(OpRegistry &r) {
  r.addWidened("NegativeLogLikelihoodLoss", 12,
               importNegativeLogLikelihoodLoss);
  r.addWidened("SoftmaxCrossEntropyLoss", 12, importSoftmaxCrossEntropyLoss);
}
