//===- Constants.cpp - Operators of ONNX that create tensors --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ElementCount.h"
#include "../GraphImporter.h"

#include "llvm/ADT/Twine.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;
using llvm::Twine;

namespace {

LogicalResult importConstant(OpContext &c) {
  Emitter &e = c.e;
  if (const NodeAttribute *value = c.attr("value")) {
    if (!value->t)
      return c.error("expected a tensor as value");
    std::string error;
    Value result = c.importer.materialize(*value->t, error);
    return result ? c.result(result) : c.error("value: " + error);
  }
  Type f32 = e.builder.getF32Type();
  if (c.hasAttr("value_float"))
    return c.result(e.constant(f32, c.getFloat("value_float", 0)));
  if (c.hasAttr("value_int"))
    return c.result(
        e.constantInt(e.builder.getI64Type(), c.getInt("value_int", 0)));
  if (auto floats = c.getFloats("value_floats")) {
    SmallVector<double> values(floats->begin(), floats->end());
    return c.result(e.constantFloats(f32, values));
  }
  if (auto ints = c.getInts("value_ints"))
    return c.result(e.constantInts(*ints));
  return c.error("expected a tensor or numbers as value");
}

LogicalResult importIdentity(OpContext &c) { return c.result(c.in(0)); }

LogicalResult importConstantOfShape(OpContext &c) {
  Emitter &e = c.e;
  auto sizes = e.sizesFrom(c.in(0), "size");
  if (!sizes)
    return failure();
  Value value = e.constant(e.builder.getF32Type(), 0);
  if (const NodeAttribute *given = c.attr("value")) {
    std::string error;
    if (!given->t)
      return c.error("expected a tensor as value");
    value = c.importer.materialize(*given->t, error);
    if (!value)
      return c.error("value: " + error);
    if (!e.product(e.sizes(value)).isConst(1))
      return c.error("expected one element as value");
    value = e.reshape(value, {});
  }
  return c.result(e.broadcastTo(value, *sizes));
}

LogicalResult importRange(OpContext &c) {
  Emitter &e = c.e;
  Value start = c.in(0), limit = c.in(1);
  if (!start || !limit)
    return failure();
  // It is optional in ONNX Runtime's own operator.
  Value delta = c.node.domain.empty() || c.has(2)
                    ? c.in(2)
                    : e.constant(e.elementType(start), 1);
  if (!delta)
    return failure();
  Type type = e.elementType(start), i64 = e.builder.getI64Type();
  // 16-bit floats hold no index of a long range.
  Type wide = type, stash = getElementType(e.builder.getContext(),
                                           c.getInt("stash_type", 1));
  if (isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32)
    wide = stash;
  if (!isa_and_nonnull<FloatType>(stash))
    return c.error("expected a float type as stash_type");
  auto scalar = [&](Value &v) {
    v = e.reshape(v, {});
    auto known = e.elements(v);
    return known && known->size() == 1 ? known->front() : DimExpr();
  };
  DimExpr from = scalar(start), to = scalar(limit), by = scalar(delta);
  if (from && to && by && by.isConst() && !by.isConst(0)) {
    DimExpr span =
        by.getValue() > 0 ? dhlo::sub(to, from) : dhlo::sub(from, to);
    int64_t step =
        std::max(by.getValue(), -std::numeric_limits<int64_t>::max());
    DimExpr count = dhlo::ceilDiv(span, e.size(std::abs(step)));
    count = e.dims.expand(dhlo::max(count, e.size(0)));
    return c.result(dhlo::IotaOp::create(
        e.builder, e.loc, e.type({count}, type), 0,
        e.builder.getArrayAttr({from}), e.builder.getArrayAttr({by})));
  }
  // The number of elements is a data-dependent size: max(ceil((limit - start) /
  // delta), 0).
  auto s = e.constantFloats(start), l = e.constantFloats(limit),
       d = e.constantFloats(delta);
  DimExpr count;
  if (s && l && d && d->front() != 0) {
    double number = std::ceil((l->front() - s->front()) / d->front());
    if (!(number <= 1e12))
      return c.error("expected a range of at most 10^12 elements");
    count = e.size(static_cast<int64_t>(std::max(number, 0.0)));
  } else {
    Type f64 = e.builder.getF64Type();
    Value number = e.unary<dhlo::CeilOp>(
        e.div(e.sub(e.convert(limit, f64), e.convert(start, f64)),
              e.convert(delta, f64)));
    count = e.bind(e.convert(e.maximum(number, 0.0), i64), "range");
  }
  if (!count)
    return failure();
  Value indices = e.iota(0, {count}, wide);
  Value y =
      e.add(e.mul(indices, e.convert(delta, wide)), e.convert(start, wide));
  return c.result(e.convert(y, type));
}

LogicalResult importEyeLike(OpContext &c) {
  Emitter &e = c.e;
  Value x = c.in(0);
  int64_t k = c.getInt("k", 0), stated = c.getInt("dtype", 0);
  if (!x)
    return failure();
  Type type = stated ? getElementType(e.builder.getContext(), stated)
                     : e.elementType(x);
  if (!type || e.rank(x) != 2)
    return c.error("expected a matrix, and a supported dtype");
  Type i64 = e.builder.getI64Type();
  Value row = dhlo::IotaOp::create(
      e.builder, e.loc, e.type({e.dim(x, 0), e.size(1)}, i64), 0,
      e.builder.getArrayAttr(
          {e.size(std::clamp(k, -kMaxElements, kMaxElements))}),
      e.builder.getArrayAttr({e.size(1)}));
  Value column = e.iota(1, {e.size(1), e.dim(x, 1)}, i64);
  return c.result(
      e.convert(e.compare(dhlo::CompareDirection::EQ, row, column), type));
}

//===----------------------------------------------------------------------===//
// Random numbers
//===----------------------------------------------------------------------===//

Value random(OpContext &c, dhlo::RngKind kind, double low, double high,
             ArrayRef<DimExpr> sizes, Type type) {
  Emitter &e = c.e;
  // ONNX's seed is a float, used by its bits.
  IntegerAttr seed;
  if (c.hasAttr("seed")) {
    auto value = static_cast<float>(c.getFloat("seed", 0));
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    seed = e.builder.getI64IntegerAttr(bits);
  }
  if (!isa<FloatType>(type))
    return e.fail("expected a float type");
  return dhlo::RngOp::create(e.builder, e.loc, e.type(sizes, type), kind,
                             llvm::APFloat(low), llvm::APFloat(high),
                             c.importer.nextStream(), seed);
}

template <dhlo::RngKind kind, bool like>
LogicalResult importRandom(OpContext &c) {
  Emitter &e = c.e;
  bool isNormal = kind == dhlo::RngKind::Normal;
  double low = isNormal ? c.getFloat("mean", 0) : c.getFloat("low", 0);
  double high = isNormal ? c.getFloat("scale", 1) : c.getFloat("high", 1);
  int64_t stated = c.getInt("dtype", 0);
  Type type = getElementType(e.builder.getContext(), stated ? stated : 1);
  Sizes sizes;
  if (like) {
    Value x = c.in(0);
    if (!x)
      return failure();
    sizes = e.sizes(x);
    if (!stated && isa<FloatType>(e.elementType(x)))
      type = e.elementType(x);
  } else {
    sizes = e.sizes(c.getInts("shape").value_or(ArrayRef<int64_t>()));
  }
  if (!type)
    return c.error("dtype is not supported");
  return c.result(random(c, kind, low, high, sizes, type));
}

LogicalResult importBernoulli(OpContext &c) {
  Emitter &e = c.e;
  Value x = c.in(0);
  int64_t stated = c.getInt("dtype", 0);
  if (!x)
    return failure();
  Type type = stated ? getElementType(e.builder.getContext(), stated)
                     : e.elementType(x);
  if (!type)
    return c.error("dtype is not supported");
  Value draw =
      random(c, dhlo::RngKind::Uniform, 0, 1, e.sizes(x), e.elementType(x));
  return c.result(
      e.convert(e.compare(dhlo::CompareDirection::LT, draw, x), type));
}

/// Draws classes by their probabilities: the first whose cumulative sum is
/// above a random number.
LogicalResult importMultinomial(OpContext &c) {
  Emitter &e = c.e;
  Value x = c.in(0);
  int64_t samples = c.getInt("sample_size", 1), dtype = c.getInt("dtype", 6);
  if (!x)
    return failure();
  constexpr int64_t kMostSamples = 1 << 30;
  if (e.rank(x) != 2 || !isa<FloatType>(e.elementType(x)) || samples < 1 ||
      samples > kMostSamples || (dtype != 6 && dtype != 7))
    return c.error("expected floats of rank 2, at least one sample and 32 or "
                   "64 bits of a class");
  // Sums of many probabilities need precision.
  Type type = e.wideType({x}), i64 = e.builder.getI64Type();
  Value odds = e.softmax(e.convert(x, type), 1);
  Value draw = random(c, dhlo::RngKind::Uniform, 0, 1,
                      {e.dim(x, 0), e.size(samples)}, type);
  if (!odds || !draw)
    return failure();
  Value sums = dhlo::CumulativeOp::create(
      e.builder, e.loc, odds.getType(), dhlo::ReduceKind::Sum, odds, 1,
      /*exclusive=*/false, /*reverse=*/false);
  Value isBelow = e.compare(dhlo::CompareDirection::LE, e.unsqueeze(sums, {1}),
                            e.unsqueeze(draw, {2}));
  Value drawn = e.reduce(dhlo::ReduceKind::Sum, e.convert(isBelow, i64), {2});
  // The total may be slightly less than one.
  drawn = e.minimum(drawn, e.fromSize(dhlo::add(e.dim(x, 1), -1)));
  return c.result(
      e.convert(drawn, getElementType(e.builder.getContext(), dtype)));
}

/// Nothing is dropped at inference. In training an element stays where a random
/// number is not below the ratio, and is scaled to make up for dropped ones.
LogicalResult importDropout(OpContext &c) {
  Emitter &e = c.e;
  Value x = c.in(0), ratio = c.optional(1), training = c.optional(2);
  c.ignore({"ratio", "is_test", "consumed_inputs"});
  if (!x)
    return failure();
  Type i1 = e.builder.getI1Type(), type = e.elementType(x);
  Value kept = e.full(i1, 1, e.sizes(x));
  auto known = training ? e.constants(training) : std::nullopt;
  if (!training || (known && known->size() == 1 && known->front() == 0)) {
    c.ignore({"seed"});
    c.out(0, x);
    // A boolean from opset 10 on.
    c.out(1, e.convert(kept, c.version < 10 ? type : i1));
    return success();
  }
  ratio = ratio ? e.convert(e.reshape(ratio, {}), type) : e.constant(type, 0.5);
  Value draw = random(c, dhlo::RngKind::Uniform, 0, 1, e.sizes(x), type);
  Value stays = e.compare(dhlo::CompareDirection::GE, draw, ratio);
  Value factor = e.div(e.constant(type, 1), e.sub(e.constant(type, 1), ratio));
  if (!stays || !factor)
    return failure();
  Value y = e.select(stays, e.mul(x, factor), e.constant(type, 0));
  if (!known) {
    training = e.reshape(training, {});
    y = y && training ? e.select(training, y, x) : Value();
    stays = training ? e.select(training, stays, kept) : Value();
  }
  c.out(0, y);
  c.out(1, stays);
  return success(y != nullptr);
}

} // namespace

void onnx::registerConstants(OpRegistry &r) {
  r.add("Constant", 1, importConstant);
  r.addWithSequences("Identity", 1, importIdentity);
  r.add("Dropout", 1, importDropout);
  r.add("ConstantOfShape", 9, importConstantOfShape);
  r.add("Range", 11, importRange);
  r.addEquivalent("Range", 11, importRange);
  r.add("EyeLike", 9, importEyeLike);
  r.add("RandomUniform", 1, importRandom<dhlo::RngKind::Uniform, false>);
  r.add("RandomUniformLike", 1, importRandom<dhlo::RngKind::Uniform, true>);
  r.add("RandomNormal", 1, importRandom<dhlo::RngKind::Normal, false>);
  r.add("RandomNormalLike", 1, importRandom<dhlo::RngKind::Normal, true>);
  r.add("Bernoulli", 15, importBernoulli);
  r.add("Multinomial", 7, importMultinomial);
}
