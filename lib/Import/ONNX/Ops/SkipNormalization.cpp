//===- SkipNormalization.cpp - Normalizations of sums ---------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Normalizations with fused additions: com.microsoft, set 1.

#include "Activations.h"
#include "ChannelsLast.h"
#include "Normalization.h"

#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

namespace {

/// The sum of the data, the skip connection, and a bias of the last axis.
Value sumOf(OpContext &c, unsigned biasInput) {
  Emitter &e = c.e;
  Value x = c.in(0), skip = c.in(1);
  if (!x || !skip)
    return {};
  // The skip of the first batch may be for all.
  if (e.rank(skip) > e.rank(x))
    return e.fail("expected a skip of the data's rank");
  Sizes sizes = e.sizes(x);
  Value sum = e.add(x, skip);
  if (c.has(biasInput))
    sum = e.add(sum, c.in(biasInput));
  sum = e.broadcastTo(sum, sizes);
  c.out(3, sum);
  return sum;
}

LogicalResult importSkipLayerNormalization(OpContext &c) {
  double eps = c.getFloat("epsilon", 1e-12);
  Value sum = sumOf(c, 4);
  return c.result(normalizeRows(c.e, sum, c.in(2), c.optional(3), eps));
}

LogicalResult importSkipRmsNormalization(OpContext &c) {
  double eps = c.getFloat("epsilon", 1e-12);
  Value sum = sumOf(c, 3);
  return c.result(normalizeRowsByRoot(c.e, sum, c.in(2), eps));
}

/// Normalizes each group of channels; the channels are the last axis by
/// default. A group is a row of [N, C, spatial].
Value normalizeGroups(OpContext &c, Value x) {
  Emitter &e = c.e;
  double eps = c.getFloat("epsilon", 1e-5);
  int64_t groups = c.getInt("groups", 1);
  int64_t activation = c.getInt("activation", 0);
  bool isLast = c.getInt("channels_last", 1) != 0;
  Value gamma = c.in(1), beta = c.in(2);
  if (!x || !gamma || !beta)
    return {};
  int64_t rank = e.rank(x);
  if (groups < 1 || rank < 3 || activation < 0 || activation > 1)
    return e.fail("expected at least one group, rank 3 or more and activation "
                  "0 or 1");
  if (isLast)
    x = toChannelsFirst(e, x);
  Sizes sizes = e.sizes(x), apart = sizes, wide(rank, e.size(1));
  wide[1] = sizes[1];
  apart[1] = dhlo::floorDiv(e.dims.expand(sizes[1]), groups);
  apart.insert(apart.begin() + 1, e.size(groups));
  auto axes = llvm::to_vector(llvm::seq<int64_t>(2, rank + 1));
  Value y = e.reshape(standardize(c, e.reshape(x, apart), axes, eps), sizes);
  y = e.add(e.mul(y, e.reshape(gamma, wide)), e.reshape(beta, wide));
  y = activation == 1 ? swish(e, y, 1.0) : y;
  return isLast ? toChannelsLast(e, y) : y;
}

LogicalResult importGroupNorm(OpContext &c) {
  return c.result(normalizeGroups(c, c.in(0)));
}

LogicalResult importSkipGroupNorm(OpContext &c) {
  Emitter &e = c.e;
  Value x = c.in(0), skip = c.in(3), bias = c.optional(4);
  bool isLast = c.getInt("channels_last", 1) != 0;
  if (!x || !skip)
    return failure();
  // A vector of channels is added at each position.
  int64_t rank = e.rank(x);
  auto spread = [&](Value v) {
    if (e.rank(v) > 2)
      return v;
    Sizes wide(rank, e.size(1));
    if (e.rank(v) == 2)
      wide[0] = e.dim(v, 0);
    wide[isLast ? rank - 1 : 1] = e.dim(v, e.rank(v) - 1);
    return e.reshape(v, wide);
  };
  Value sum = e.add(x, spread(skip));
  if (bias)
    sum = e.add(sum, spread(bias));
  sum = e.broadcastTo(sum, e.sizes(x));
  c.out(1, sum);
  return c.result(normalizeGroups(c, sum));
}

} // namespace

void onnx::registerSkipNormalization(OpRegistry &r) {
  auto add = [&](StringRef name, OpImporter importer) {
    r.add(kMicrosoft, name,
          {1, importer, /*takesSequences=*/false, /*widens=*/true});
  };
  add("SkipLayerNormalization", importSkipLayerNormalization);
  add("SkipSimplifiedLayerNormalization", importSkipRmsNormalization);
  add("GroupNorm", importGroupNorm);
  add("SkipGroupNorm", importSkipGroupNorm);
}
