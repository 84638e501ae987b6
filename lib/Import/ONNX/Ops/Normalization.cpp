//===- Normalization.cpp - Normalizations of ONNX -------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Normalization.h"
#include "../TensorData.h"

#include "llvm/ADT/Twine.h"

#include <utility>

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;
using dhlo::ReduceKind;

Value onnx::standardize(OpContext &c, Value x, ArrayRef<int64_t> axes,
                        double eps, Value *meanOut, Value *inverseOut) {
  Emitter &e = c.e;
  Value mean = e.mean(x, axes, true);
  Value centred = e.sub(x, mean);
  Value variance = e.mean(e.mul(centred, centred), axes, true);
  Value inverse = e.unary<dhlo::RsqrtOp>(e.add(variance, eps));
  if (meanOut)
    *meanOut = mean;
  if (inverseOut)
    *inverseOut = inverse;
  return e.mul(centred, inverse);
}

Value onnx::normalizeRows(Emitter &e, Value x, Value scale, Value bias,
                          double eps) {
  if (!x || !scale || !e.hasAxes(x, 1))
    return {};
  int64_t axis = e.rank(x) - 1;
  DimExpr size = e.dim(x, axis);
  scale = e.broadcastTo(scale, {size});
  if (bias && !(bias = e.broadcastTo(bias, {size})))
    return {};
  return scale ? dhlo::LayerNormOp::create(e.builder, e.loc, x.getType(), x,
                                           scale, bias,
                                           e.builder.getI64IntegerAttr(axis),
                                           e.builder.getF64FloatAttr(eps))
               : Value();
}

Value onnx::normalizeRowsByRoot(Emitter &e, Value x, Value scale, double eps) {
  if (!x || !scale || !e.hasAxes(x, 1))
    return {};
  int64_t axis = e.rank(x) - 1;
  scale = e.broadcastTo(scale, {e.dim(x, axis)});
  return scale
             ? dhlo::RmsNormOp::create(e.builder, e.loc, x.getType(), x, scale,
                                       e.builder.getI64IntegerAttr(axis),
                                       e.builder.getF64FloatAttr(eps))
             : Value();
}

namespace {

/// A value for each channel (axis 1), shaped to be broadcast over `x`.
Value perChannel(OpContext &c, Value x, Value values) {
  if (!x || !values)
    return {};
  if (c.e.rank(values) != 1)
    return c.e.fail("expected one value for each channel");
  Sizes sizes(std::max<int64_t>(c.e.rank(x) - 1, 1), c.e.size(1));
  sizes[0] = c.e.dim(values, 0);
  return c.e.reshape(values, sizes);
}

/// Scale and shift are computed from the weights alone, so that they fold; the
/// data take one multiplication and one addition.
LogicalResult importBatchNormalization(OpContext &c) {
  Emitter &e = c.e;
  Value x = c.in(0), scale = c.in(1), bias = c.in(2), mean = c.in(3),
        variance = c.in(4);
  double eps = c.getFloat("epsilon", 1e-5);
  double momentum = c.getFloat("momentum", 0.9);
  // Attributes of opsets before 7; `spatial` is one before 9.
  c.ignore({"is_test", "consumed_inputs"});
  bool isTraining = c.getInt("training_mode", 0) != 0;
  if (c.getInt("spatial", 1) != 1)
    return c.error("statistics for each activation are not supported");
  for (unsigned i = 1; i < c.numOutputs(); ++i)
    if (c.wants(i) && !isTraining)
      return c.error("training outputs are not supported");
  if (!x || !scale || !bias || !mean || !variance)
    return failure();
  // Statistics may be wider than the data; neither is 16-bit here.
  Type type = e.elementType(x), given = e.elementType(mean);
  Type wide = e.wideType({x, mean});
  for (Value *v : {&x, &scale, &bias, &mean, &variance})
    *v = e.convert(*v, wide);
  if (isTraining) {
    // The statistics are those of the data, and update the given ones.
    SmallVector<int64_t> axes{0};
    for (int64_t i = 2; i < e.rank(x); ++i)
      axes.push_back(i);
    Value ownMean = e.mean(x, axes);
    Value centred = e.sub(x, perChannel(c, x, ownMean));
    // The sum of squares is divided by the number of elements in the running
    // variance as well, other than in PyTorch.
    Value ownVariance = e.mean(e.mul(centred, centred), axes);
    auto move = [&](Value old, Value own) {
      return e.convert(e.add(e.mul(old, momentum), e.mul(own, 1 - momentum)),
                       given);
    };
    c.out(1, move(mean, ownMean));
    c.out(2, move(variance, ownVariance));
    mean = ownMean;
    variance = ownVariance;
  }
  Value factor = e.mul(scale, e.unary<dhlo::RsqrtOp>(e.add(variance, eps)));
  Value shift = e.sub(bias, e.mul(mean, factor));
  Value y = e.add(e.mul(x, perChannel(c, x, factor)), perChannel(c, x, shift));
  return c.result(e.convert(y, type));
}

SmallVector<int64_t> axesFrom(int64_t first, int64_t rank) {
  SmallVector<int64_t> axes;
  for (int64_t i = first; i < rank; ++i)
    axes.push_back(i);
  return axes;
}

LogicalResult importInstanceNormalization(OpContext &c) {
  Value x = c.in(0), scale = c.in(1), bias = c.in(2);
  double eps = c.getFloat("epsilon", 1e-5);
  c.ignore({"consumed_inputs"});
  if (!x || !scale || !bias)
    return failure();
  Value y = standardize(c, x, axesFrom(2, c.e.rank(x)), eps);
  return c.result(
      c.e.add(c.e.mul(y, perChannel(c, x, scale)), perChannel(c, x, bias)));
}

/// Scale or bias without its leading axes of size 1, if it has more axes than
/// are normalized.
Value dropLeading(Emitter &e, Value weights, size_t axes) {
  while (weights && e.rank(weights) > static_cast<int64_t>(axes) &&
         e.isOne(e.dim(weights, 0)))
    weights = e.squeeze(weights, {0});
  return weights;
}

LogicalResult importLayerNormalization(OpContext &c) {
  Emitter &e = c.e;
  Value x = c.in(0), scale = c.in(1);
  double eps = c.getFloat("epsilon", 1e-5);
  int64_t stash = c.getInt("stash_type", 1);
  if (!x || !scale)
    return failure();
  auto axis = c.getAxis("axis", -1, e.rank(x));
  if (!axis)
    return failure();
  Sizes sizes = e.sizes(x);
  ArrayRef<DimExpr> normalized = ArrayRef<DimExpr>(sizes).drop_front(*axis);
  scale = dropLeading(e, scale, normalized.size());
  Value bias = dropLeading(e, c.optional(2), normalized.size());
  auto isWide = [&](Value v) {
    return v && e.rank(v) > static_cast<int64_t>(normalized.size());
  };
  // dhlo.layer_norm returns no statistics, and its weights have the normalized
  // axes only.
  if (c.wants(1) || c.wants(2) || isWide(scale) || isWide(bias)) {
    Type type = e.elementType(x);
    Type stated = getElementType(e.builder.getContext(), stash);
    if (!isa_and_nonnull<FloatType>(stated))
      return c.error("expected a float type as stash_type");
    Value mean, inverse;
    Value y = standardize(c, e.convert(x, e.wideType({x})),
                          axesFrom(*axis, e.rank(x)), eps, &mean, &inverse);
    y = e.mul(e.convert(y, type), e.broadcastTo(scale, sizes));
    c.out(0, bias ? e.add(y, e.broadcastTo(bias, sizes)) : y);
    c.out(1, e.convert(mean, stated));
    c.out(2, e.convert(inverse, stated));
    return success();
  }
  scale = e.broadcastTo(scale, normalized);
  if (bias && !(bias = e.broadcastTo(bias, normalized)))
    return failure();
  return scale ? c.result(dhlo::LayerNormOp::create(
                     e.builder, e.loc, x.getType(), x, scale, bias,
                     e.builder.getI64IntegerAttr(*axis),
                     e.builder.getF64FloatAttr(eps)))
               : failure();
}

/// The result has the scale's type, which may differ from that of `x`.
LogicalResult importRmsNormalization(OpContext &c) {
  Emitter &e = c.e;
  Value x = c.in(0), scale = c.in(1);
  double eps = c.getFloat("epsilon", 1e-5);
  c.ignore({"stash_type"});
  if (!x || !scale)
    return failure();
  auto axis = c.getAxis("axis", -1, e.rank(x));
  if (!axis)
    return failure();
  Type type = e.elementType(scale);
  if (e.elementType(x) != type) {
    Type wide = e.wideType({x, scale});
    x = e.convert(x, wide);
    scale = e.convert(scale, wide);
  }
  Sizes sizes = e.sizes(x);
  ArrayRef<DimExpr> normalized = ArrayRef<DimExpr>(sizes).drop_front(*axis);
  scale = dropLeading(e, scale, normalized.size());
  // One that differs between rows is applied afterwards.
  Value after;
  if (scale && e.rank(scale) > static_cast<int64_t>(normalized.size()))
    after = std::exchange(scale, e.constant(e.elementType(x), 1));
  scale = e.broadcastTo(scale, normalized);
  if (!scale)
    return failure();
  Value y = dhlo::RmsNormOp::create(e.builder, e.loc, x.getType(), x, scale,
                                    e.builder.getI64IntegerAttr(*axis),
                                    e.builder.getF64FloatAttr(eps));
  if (after)
    y = e.mul(y, e.broadcastTo(after, sizes));
  return c.result(e.convert(y, type));
}

LogicalResult importGroupNormalization(OpContext &c) {
  Emitter &e = c.e;
  Value x = c.in(0), scale = c.in(1), bias = c.in(2);
  double eps = c.getFloat("epsilon", 1e-5);
  int64_t groups = c.getInt("num_groups", 1);
  c.ignore({"stash_type"});
  if (!x || !scale || !bias)
    return failure();
  if (groups < 1 || e.rank(x) < 2)
    return c.error("expected at least one group and rank 2");
  Sizes sizes = e.sizes(x), split{sizes[0], e.size(groups)};
  DimExpr channels = e.dims.expand(sizes[1]);
  split.push_back(dhlo::floorDiv(channels, groups));
  split.append(sizes.begin() + 2, sizes.end());
  Value y = standardize(c, e.reshape(x, split), axesFrom(2, split.size()), eps);
  if (c.version < 21) {
    // One scale and bias for each group.
    Sizes shape(split.size(), e.size(1));
    shape[1] = e.size(groups);
    y = e.add(e.mul(y, e.reshape(scale, shape)), e.reshape(bias, shape));
    return c.result(e.reshape(y, sizes));
  }
  y = e.reshape(y, sizes);
  return c.result(
      e.add(e.mul(y, perChannel(c, x, scale)), perChannel(c, x, bias)));
}

LogicalResult importLrn(OpContext &c) {
  Emitter &e = c.e;
  Value x = c.in(0);
  double alpha = c.getFloat("alpha", 1e-4), beta = c.getFloat("beta", 0.75);
  double bias = c.getFloat("bias", 1);
  int64_t size = c.getInt("size", 1);
  if (!x)
    return failure();
  int64_t rank = e.rank(x);
  if (rank < 2 || size < 1 || size > 1 << 20)
    return c.error("expected rank of at least 2 and a size of at least 1");
  SmallVector<int64_t> window(rank, 1), ones(rank, 1);
  window[1] = size;
  SmallVector<mlir::Attribute> low(rank, e.size(0)), high(low);
  // An even window has one more channel after its own than before it.
  low[1] = e.size((size - 1) / 2);
  high[1] = e.size(size / 2);
  Value squares = dhlo::ReduceWindowOp::create(
      e.builder, e.loc, cast<RankedTensorType>(x.getType()), ReduceKind::Sum,
      e.mul(x, x), window, ones, ones, e.builder.getArrayAttr(low),
      e.builder.getArrayAttr(high));
  Value base = e.add(e.mul(squares, alpha / static_cast<double>(size)), bias);
  return c.result(e.div(x, e.binary<dhlo::PowOp>(base, beta)));
}

LogicalResult importLpNormalization(OpContext &c) {
  Emitter &e = c.e;
  Value x = c.in(0);
  int64_t p = c.getInt("p", 2);
  if (!x)
    return failure();
  auto axis = c.getAxis("axis", -1, e.rank(x));
  if (!axis)
    return failure();
  if (p != 1 && p != 2)
    return c.error("expected p to be 1 or 2");
  Value norm =
      p == 1 ? e.reduce(ReduceKind::Sum, e.unary<dhlo::AbsOp>(x), {*axis}, true)
             : e.unary<dhlo::SqrtOp>(
                   e.reduce(ReduceKind::Sum, e.mul(x, x), {*axis}, true));
  // A norm of 0 leaves zeros.
  Value isZero = e.compare(dhlo::CompareDirection::EQ, norm, 0.0);
  if (!isZero)
    return failure();
  return c.result(
      e.div(x, e.select(isZero, e.constant(e.elementType(x), 1), norm)));
}

LogicalResult importMeanVarianceNormalization(OpContext &c) {
  Value x = c.in(0);
  if (!x)
    return failure();
  SmallVector<int64_t> axes{0, 2, 3};
  bool present;
  auto given = c.getAxes("axes", ~0u, c.e.rank(x), present);
  if (!given)
    return failure();
  if (present)
    axes = *given;
  if (!present && c.e.rank(x) != 4)
    return c.error("expected rank 4 or axes");
  // The deviation itself is bounded away from 0, not the variance.
  Emitter &e = c.e;
  Value centred = e.sub(x, e.mean(x, axes, true));
  Value deviation =
      e.unary<dhlo::SqrtOp>(e.mean(e.mul(centred, centred), axes, true));
  return c.result(e.div(centred, e.add(deviation, 1e-9)));
}

} // namespace

void onnx::registerNormalization(OpRegistry &r) {
  r.add("BatchNormalization", 1, importBatchNormalization);
  r.addWidened("InstanceNormalization", 1, importInstanceNormalization);
  // Exporters use this name below opset 17 too, where ONNX Runtime takes it.
  r.add("LayerNormalization", 1, importLayerNormalization);
  r.add("SimplifiedLayerNormalization", 1, importRmsNormalization);
  r.add("RMSNormalization", 23, importRmsNormalization);
  r.addWidened("GroupNormalization", 18, importGroupNormalization);
  r.addWidened("LRN", 1, importLrn);
  r.addWidened("LpNormalization", 1, importLpNormalization);
  r.addWidened("MeanVarianceNormalization", 9, importMeanVarianceNormalization);
}
