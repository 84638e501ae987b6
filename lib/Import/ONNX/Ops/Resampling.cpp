//===- Resampling.cpp - Resampling of an axis by a matrix -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Row i of the matrix has the weights of all input elements for element i of
// the result. The axis is extended at its ends by the reach of the kernel, so
// that weights of elements outside fall to those at the ends.

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
  Value at = getPositions(a, e.iota(0, {size, one}, wide), r.coord, region);
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
  bool hasEnds = !r.excludesOutside && !reach.isConst(0);
  DimExpr extra = hasEnds ? e.dims.expand(dhlo::mul(reach, 2)) : e.size(0);
  DimExpr all = e.dims.expand(dhlo::add(from, dhlo::mul(extra, 2)));
  Value position = e.sub(e.iota(1, {one, all}, wide), toFloat(extra));
  Value weights;
  if (r.mode == dhlo::ResizeMode::Nearest) {
    Value nearest = roundPosition(e, at, r.round);
    nearest = e.minimum(e.maximum(nearest, 0.0), last);
    weights =
        e.convert(e.compare(CompareDirection::EQ, position, nearest), wide);
  } else {
    Value distance = e.sub(position, at);
    if (r.antialias)
      distance = e.mul(distance, e.minimum(scale, 1.0));
    weights = getWeight(a, distance, r);
    if (r.antialias || r.excludesOutside)
      weights =
          e.div(weights, e.reduce(dhlo::ReduceKind::Sum, weights, {1}, true));
  }
  Type sumType = type.isF64() ? type : e.builder.getF32Type();
  int64_t rank = e.rank(x);
  Value data = x;
  if (hasEnds) {
    Sizes ends(rank, e.size(0));
    ends[axis] = extra;
    data = e.pad(x, e.constant(type, 0), dhlo::PadMode::Edge, ends, ends);
  }
  Value y = e.dot(e.convert(data, sumType), e.convert(weights, sumType), 0,
                  {axis}, {1});
  SmallVector<int64_t> permutation;
  for (int64_t i = 0; i < rank - 1; ++i)
    permutation.push_back(i);
  permutation.insert(permutation.begin() + axis, rank - 1);
  y = e.convert(e.transpose(y, permutation), type);
  if (!isOutside || !y)
    return r.coord == "tf_crop_and_resize" ? Value() : y;
  Sizes along(rank, one);
  along[axis] = size;
  return e.select(e.reshape(isOutside, along),
                  e.constant(type, r.extrapolation), y);
}
