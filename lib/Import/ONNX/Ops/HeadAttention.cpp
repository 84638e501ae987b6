//===- HeadAttention.cpp - Attention as defined by ONNX Runtime -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HeadAttention.h"

#include "llvm/ADT/Twine.h"

#include <cmath>

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;
using dhlo::CompareDirection;
using llvm::Twine;

bool onnx::refuses(OpContext &c, unsigned i, StringRef name) {
  if (!c.has(i))
    return false;
  (void)c.error("input '" + name + "' is not supported");
  return true;
}

DimExpr onnx::getSize(OpContext &c, unsigned i, StringRef hint) {
  Value number = c.in(i);
  auto sizes =
      number ? c.e.sizesFrom(c.e.reshape(number, {}), hint) : std::nullopt;
  return sizes ? sizes->front() : DimExpr();
}

/// A scale of 0 means none.
static double getStatedScale(OpContext &c, Value &queries) {
  double stated = c.getFloat("scale", 0);
  return stated != 0 ? stated : getDefaultScale(c, queries);
}

Value HeadAttention::emit(OpContext &c, Value *scores) const {
  Emitter &e = c.e;
  Value q = queries, k = keys, v = values, mask = bias;
  double scale = getStatedScale(c, q);
  if (!q || !k || !v)
    return {};
  Type type = e.elementType(q);
  DimExpr number = e.dim(q, 2), length = e.dim(k, 2);
  bool counts = isCausal;
  bool sameEnd =
      past && e.dims.isEqual(length, dhlo::add(e.dims.expand(number), past));
  // The operation aligns the last query with the last key.
  if (counts && (!sameEnd || sink || scores)) {
    Sight sight;
    sight.past = past;
    sight.isCausal = true;
    Value seen = sight.getMask(e, number, length);
    if (!seen)
      return {};
    mask =
        mask ? e.add(additive(c, mask, type), additive(c, seen, type)) : seen;
    counts = false;
  }
  if (sink) {
    // A key of zeros has the score 0, and the mask has the number.
    Sizes low(4, e.size(0)), high(low), wide = e.sizes(q);
    high[2] = e.size(1);
    auto lengthen = [&](Value x) {
      return e.pad(x, e.constant(type, 0), dhlo::PadMode::Constant, low, high);
    };
    k = lengthen(k);
    v = lengthen(v);
    wide[3] = length;
    Value all = mask ? e.broadcastTo(additive(c, mask, type), wide)
                     : e.full(type, 0, wide);
    wide[3] = e.size(1);
    Value own = e.reshape(e.convert(sink, type),
                          {e.size(1), wide[1], e.size(1), e.size(1)});
    mask = e.concat({all, e.broadcastTo(own, wide)}, 3);
  }
  if (mask && !e.elementType(mask).isInteger(1))
    mask = e.convert(mask, type);
  if (scores) {
    Value wide = e.dot(q, repeatGroups(c, k, e.dim(q, 1)), 2, {3}, {3});
    wide = e.mul(wide, scale);
    if (softcap > 0)
      wide = e.mul(e.unary<dhlo::TanhOp>(e.div(wide, softcap)), softcap);
    *scores = mask ? e.add(wide, additive(c, mask, type)) : wide;
  }
  if (!q || !k || !v || (bias && !mask))
    return {};
  Sizes sizes{e.dim(q, 0), e.dim(q, 1), number, e.dim(v, 3)};
  return mergeHeads(
      e, dhlo::AttentionOp::create(
             e.builder, e.loc, e.type(sizes, type), q, k, v, mask,
             e.builder.getF64FloatAttr(scale),
             softcap > 0 ? e.builder.getF64FloatAttr(softcap) : nullptr,
             counts ? e.builder.getUnitAttr() : nullptr,
             /*nan_if_empty=*/nullptr));
}

Value onnx::getMaskBias(OpContext &c, Value mask, DimExpr batch,
                        DimExpr queries, DimExpr past, DimExpr keys,
                        Type type) {
  Emitter &e = c.e;
  double filter = c.getFloat("mask_filter_value", -10000.0);
  // A row without keys is the mean of all values.
  if (type.isF16())
    filter = std::max(filter, -65504.0);
  if (!mask)
    return {};
  DimExpr one = e.size(1);
  Sizes sizes = e.sizes(mask);
  Value seen;
  switch (e.rank(mask)) {
  case 1: {
    // Lengths; or lengths and starts; or lengths and two running sums.
    DimExpr own = e.dims.expand(batch);
    auto isMultiple = [&](int64_t factor, int64_t more) {
      return e.dims.isEqual(sizes[0], dhlo::add(dhlo::mul(own, factor), more));
    };
    bool hasStarts = isMultiple(2, 0) && !isMultiple(1, 0);
    bool hasSums = isMultiple(3, 2);
    Sizes each{batch, one, one, one};
    auto part = [&](DimExpr start) {
      return e.reshape(e.sliceAxis(mask, 0, start, batch), each);
    };
    bool isWhole = !hasStarts && !hasSums;
    Value ends = isWhole ? e.reshape(mask, each) : part(e.size(0));
    Value position = e.iota(3, {one, one, one, keys}, e.elementType(mask));
    seen = e.compare(CompareDirection::LT, position, ends);
    if (hasStarts)
      seen = e.binary<dhlo::AndOp>(
          seen, e.compare(CompareDirection::GE, position, part(own)));
    break;
  }
  case 2:
    // A mask that has no keys hides none.
    if (sizes[1].isConst(1) && !keys.isConst(1))
      return e.full(type, 0, {one, one, one, one});
    mask = e.reshape(mask, {sizes[0], one, one, sizes[1]});
    break;
  case 3:
    mask = e.unsqueeze(mask, {1});
    break;
  case 4:
    // Of the longest sequence.
    mask = e.sliceAxis(e.sliceAxis(mask, 2, past, queries), 3, e.size(0), keys);
    break;
  default:
    return e.fail("expected a mask of rank 1 to 4");
  }
  if (!seen)
    seen = e.elementType(mask).isInteger(1)
               ? mask
               : e.compare(CompareDirection::GT, mask, 0.0);
  return seen ? e.select(seen, e.constant(type, 0), e.constant(type, filter))
              : Value();
}

Cache onnx::append(Emitter &e, Value past, Value fresh, DimExpr used) {
  if (!past || !fresh)
    return {fresh, fresh};
  if (!used) {
    Value all = e.concat({past, fresh}, 2);
    return {all, all};
  }
  DimExpr end = dhlo::add(used, e.dims.expand(e.dim(fresh, 2)));
  DimExpr rest = dhlo::sub(e.dims.expand(e.dim(past, 2)), end);
  Value all = e.concat({e.sliceAxis(past, 2, e.size(0), used), fresh}, 2);
  return {all, e.concat({all, e.sliceAxis(past, 2, end, rest)}, 2)};
}
