//===- Resampling.cpp - Resampling of an axis by a filter -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Element i of the result is the weighted sum of the input's elements that the
// kernel of the filter reaches from the position of i, which are as many for
// each. Indices outside are those of the elements at the ends. The axis of
// these elements is in front of that of i, so that sums have a lane for each i.

#include "Resampling.h"

#include <cmath>

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;
using dhlo::CompareDirection;

namespace {

struct Axis {
  Emitter &e;
  Type type;          ///< f64
  Value from, to;     ///< sizes
  Value scale, width; ///< of the result before it is rounded

  Value number(double value) const { return e.constant(type, value); }
  Value choose(Value predicate, Value a, Value b) const {
    return predicate && a && b ? e.select(predicate, a, b) : Value();
  }
};

/// The positions of elements of the result in the input.
Value getPositions(const Axis &a, Value element, StringRef coord,
                   const ReadPart &region) {
  Emitter &e = a.e;
  Value isOne = e.compare(CompareDirection::EQ, a.width, 1.0);
  Value last = e.sub(a.from, 1.0), lastOut = e.sub(a.width, 1.0);
  if (coord == "align_corners")
    return a.choose(isOne, a.number(0), e.div(e.mul(element, last), lastOut));
  if (coord == "asymmetric")
    return e.div(element, a.scale);
  if (coord == "tf_half_pixel_for_nn")
    return e.div(e.add(element, 0.5), a.scale);
  if (coord == "tf_crop_and_resize") {
    Value extent = e.mul(e.sub(region.end, region.begin), last);
    Value within = a.choose(isOne, e.mul(extent, 0.5),
                            e.div(e.mul(element, extent), lastOut));
    return e.add(within, e.mul(region.begin, last));
  }
  Value half = e.sub(e.div(e.add(element, 0.5), a.scale), 0.5);
  if (coord == "pytorch_half_pixel")
    return a.choose(isOne, a.number(0), half);
  if (coord == "half_pixel_symmetric") {
    // The centres of both coincide.
    Value lost = e.sub(a.number(1), e.div(a.to, a.width));
    return e.add(e.mul(e.mul(a.from, 0.5), lost), half);
  }
  return half;
}

/// The weight at a distance.
Value getWeight(const Axis &a, Value distance, const Resampling &r) {
  Emitter &e = a.e;
  Value d = e.unary<dhlo::AbsOp>(distance);
  if (r.mode == dhlo::ResizeMode::Linear)
    return e.maximum(e.sub(a.number(1), d), 0.0);
  double k = r.coefficient;
  Value near = e.sub(e.mul(d, k + 2), k + 3);
  near = e.add(e.mul(e.mul(near, d), d), 1.0);
  Value far = e.add(e.mul(e.sub(e.mul(d, k), 5 * k), d), 8 * k);
  far = e.sub(e.mul(far, d), 4 * k);
  Value isFar = e.compare(CompareDirection::LT, d, 2.0);
  Value isNear = e.compare(CompareDirection::LE, d, 1.0);
  return a.choose(isNear, near, a.choose(isFar, far, a.number(0)));
}

Value roundPosition(Emitter &e, Value at, dhlo::RoundMode round) {
  switch (round) {
  case dhlo::RoundMode::RoundPreferFloor:
    return e.unary<dhlo::CeilOp>(e.sub(at, 0.5));
  case dhlo::RoundMode::RoundPreferCeil:
    return e.unary<dhlo::FloorOp>(e.add(at, 0.5));
  case dhlo::RoundMode::Floor:
    return e.unary<dhlo::FloorOp>(at);
  case dhlo::RoundMode::Ceil:
    return e.unary<dhlo::CeilOp>(at);
  }
  return {};
}

/// The reach of a kernel.
DimExpr getReach(Emitter &e, DimExpr from, DimExpr to, double stated,
                 const Resampling &r) {
  if (r.mode == dhlo::ResizeMode::Nearest)
    return e.size(0);
  int64_t support = r.mode == dhlo::ResizeMode::Linear ? 1 : 2;
  if (!r.antialias)
    return e.size(support);
  if (stated > 0) {
    double reach = std::ceil(static_cast<double>(support) / stated);
    return e.size(std::max(support, static_cast<int64_t>(reach)));
  }
  // The scale may belong to a result with up to one element less.
  DimExpr least = dhlo::max(dhlo::add(to, -1), e.size(1));
  DimExpr reach = dhlo::ceilDiv(dhlo::mul(from, support), least);
  return e.dims.expand(dhlo::max(reach, e.size(support)));
}

/// The elements of `x` at f64 positions, [n, size], or at the end beside them.
Value pick(const Axis &a, Value x, int64_t axis, DimExpr count,
           Value positions) {
  Emitter &e = a.e;
  Value inside = e.minimum(e.maximum(positions, 0.0), e.sub(a.from, 1.0));
  return e.gather(
      x, e.reshape(e.convert(inside, e.builder.getI64Type()), {count}), axis);
}

/// Weighted sums of the elements of `x` around the positions `at`, [1, size].
Value blend(const Axis &a, Value x, int64_t axis, DimExpr size, Value at,
            DimExpr reach, const Resampling &r) {
  Emitter &e = a.e;
  DimExpr count = e.dims.expand(dhlo::mul(reach, 2)), one = e.size(1);
  Value before =
      e.convert(e.fromSize(e.dims.expand(dhlo::add(reach, -1))), a.type);
  Value position = e.add(e.sub(e.unary<dhlo::FloorOp>(at), before),
                         e.iota(0, {count, one}, a.type));
  Value distance = e.sub(position, at);
  if (r.antialias)
    distance = e.mul(distance, e.minimum(a.scale, 1.0));
  Value weights = getWeight(a, distance, r);
  if (r.excludesOutside) {
    Value isOutside =
        e.binary<dhlo::OrOp>(e.compare(CompareDirection::LT, position, 0.0),
                             e.compare(CompareDirection::GE, position, a.from));
    weights = a.choose(isOutside, a.number(0), weights);
  }
  if (r.antialias || r.excludesOutside)
    weights =
        e.div(weights, e.reduce(dhlo::ReduceKind::Sum, weights, {0}, true));
  Value data =
      pick(a, x, axis, e.dims.expand(dhlo::mul(size, count)), position);
  if (!data)
    return {};
  // Its axis as [count, size], beside which weights are the same.
  Sizes sizes, beside(e.rank(x) + 1, one);
  for (int64_t i = 0; i < e.rank(x); ++i)
    sizes.push_back(e.dim(x, i));
  beside[axis] = count;
  beside[axis + 1] = sizes[axis] = size;
  sizes.insert(sizes.begin() + axis, count);
  Type type = e.elementType(x);
  Type sumType = type.isF64() ? type : e.builder.getF32Type();
  Value terms = e.mul(e.convert(e.reshape(data, sizes), sumType),
                      e.reshape(e.convert(weights, sumType), beside));
  return e.convert(e.reduce(dhlo::ReduceKind::Sum, terms, {axis}), type);
}

} // namespace

Value onnx::resample(OpContext &c, Value x, int64_t axis, DimExpr size,
                     Value scale, double stated, const ReadPart &region,
                     const Resampling &r) {
  Emitter &e = c.e;
  Type type = e.elementType(x), wide = e.builder.getF64Type();
  if (!isa<FloatType>(type))
    return e.fail("expected floats with these attributes");
  DimExpr from = e.dims.expand(e.dim(x, axis)), one = e.size(1);
  size = e.dims.expand(size);
  auto toFloat = [&](DimExpr expr) {
    return e.convert(e.fromSize(expr), wide);
  };
  Axis a{e, wide, toFloat(from), toFloat(size), scale, {}};
  a.width = e.mul(a.from, scale);
  Value at = getPositions(a, e.iota(1, {one, size}, wide), r.coord, region);
  Value last = e.sub(a.from, 1.0);
  Value isOutside;
  if (r.coord == "tf_crop_and_resize")
    isOutside = e.binary<dhlo::OrOp>(e.compare(CompareDirection::LT, at, 0.0),
                                     e.compare(CompareDirection::GT, at, last));

  DimExpr reach = getReach(e, from, size, stated, r);
  // Farther out, every element equals the one at the end.
  Value margin = toFloat(reach);
  at = e.minimum(e.maximum(at, e.unary<dhlo::NegOp>(margin)),
                 e.add(last, margin));
  Value y = r.mode == dhlo::ResizeMode::Nearest
                ? pick(a, x, axis, size, roundPosition(e, at, r.round))
                : blend(a, x, axis, size, at, reach, r);
  if (!isOutside || !y)
    return r.coord == "tf_crop_and_resize" ? Value() : y;
  Sizes along(e.rank(x), one);
  along[axis] = size;
  return e.select(e.reshape(isOutside, along),
                  e.constant(type, r.extrapolation), y);
}
