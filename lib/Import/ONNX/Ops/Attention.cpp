//===- Attention.cpp - Attention operators of ONNX
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../OpContext.h"

#include "llvm/ADT/Twine.h"

#include <cmath>

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;
using dhlo::CompareDirection;
using llvm::Twine;

namespace {

/// [B, S, H * D] to [B, H, S, D]; tensors of rank 4 stay.
Value splitHeads(OpContext &c, Value x, int64_t heads) {
  Emitter &e = c.e;
  if (!x || e.rank(x) == 4)
    return x;
  if (e.rank(x) != 3 || heads < 1)
    return e.fail("expected rank 4, or rank 3 and a number of heads");
  DimExpr depth = dhlo::floorDiv(e.dims.expand(e.dim(x, 2)), heads);
  return e.transpose(
      e.reshape(x, {e.dim(x, 0), e.dim(x, 1), e.size(heads), depth}),
      {0, 2, 1, 3});
}

/// Whether query i may see key j: j <= i + past.
Value causalMask(OpContext &c, DimExpr queries, DimExpr keys, DimExpr past) {
  Emitter &e = c.e;
  Type i64 = e.builder.getI64Type();
  Value row = dhlo::IotaOp::create(
      e.builder, e.loc, e.type({queries, e.size(1)}, i64), 0,
      e.builder.getArrayAttr({past}), e.builder.getArrayAttr({e.size(1)}));
  return e.compare(CompareDirection::LE, e.iota(1, {e.size(1), keys}, i64),
                   row);
}

/// A mask as something to add to scores.
Value additive(OpContext &c, Value mask, Type type) {
  Emitter &e = c.e;
  if (!mask || !e.elementType(mask).isInteger(1))
    return e.convert(mask, type);
  return e.select(mask, e.constant(type, 0), e.constant(type, -INFINITY));
}

LogicalResult importAttention(OpContext &c) {
  Emitter &e = c.e;
  Value q = c.in(0), k = c.in(1), v = c.in(2), mask = c.optional(3);
  int64_t qHeads = c.getInt("q_num_heads", 0);
  int64_t kvHeads = c.getInt("kv_num_heads", 0);
  bool causal = c.getInt("is_causal", 0) != 0;
  double softcap = c.getFloat("softcap", 0);
  int64_t outputMode = c.getInt("qk_matmul_output_mode", 0);
  c.ignore({"softmax_precision"});
  if (!q || !k || !v)
    return failure();
  if (c.has(6))
    return c.error("input nonpad_kv_seqlen is not supported");
  bool merged = e.rank(q) == 3;
  q = splitHeads(c, q, qHeads);
  k = splitHeads(c, k, kvHeads);
  v = splitHeads(c, v, kvHeads);
  if (!q || !k || !v)
    return failure();
  DimExpr past = e.size(0);
  if (c.has(4) && c.has(5)) {
    past = e.dims.expand(e.dim(c.in(4), 2));
    k = e.concat({c.in(4), k}, 2);
    v = e.concat({c.in(5), v}, 2);
  }
  if (!k || !v)
    return failure();
  c.out(1, k);
  c.out(2, v);

  DimExpr depth = e.dim(q, 3);
  if (!depth.isConst() && !c.hasAttr("scale"))
    return c.error("expected a scale, or heads of known size");
  double scale = c.getFloat(
      "scale", depth.isConst()
                   ? 1.0 / std::sqrt(static_cast<double>(depth.getValue()))
                   : 1.0);
  Type type = e.elementType(q);
  DimExpr queries = e.dim(q, 2), keys = e.dim(k, 2);
  DimExpr heads = e.dim(q, 1), groups = e.dim(k, 1);
  if (mask) {
    Sizes wide(4, e.size(1));
    for (int64_t i = 0; i < e.rank(mask) && i < 4; ++i)
      wide[3 - i] = e.dim(mask, e.rank(mask) - 1 - i);
    mask = e.reshape(mask, wide);
    // A mask that is shorter than the keys hides the rest.
    DimExpr length = e.dim(mask, 3);
    if (mask && length.isConst() && keys.isConst() && !length.isConst(1) &&
        length.getValue() < keys.getValue()) {
      Value hidden = e.elementType(mask).isInteger(1)
                         ? e.constant(e.elementType(mask), 0)
                         : e.constant(e.elementType(mask), -INFINITY);
      Sizes low(4, e.size(0)), high(low);
      high[3] = dhlo::sub(keys, length);
      mask = e.pad(mask, hidden, dhlo::PadMode::Constant, low, high);
    }
  }
  // The operation counts from the last query back; the model from the first on.
  bool sameEnd = e.dims.isEqual(keys, dhlo::add(e.dims.expand(queries), past));
  if (causal && (!sameEnd || mask)) {
    Value triangle = causalMask(c, queries, keys, past);
    if (!mask)
      mask = e.unsqueeze(triangle, {0, 1});
    else if (e.elementType(mask).isInteger(1))
      mask = e.binary<dhlo::AndOp>(mask, triangle);
    else
      mask = e.add(mask, additive(c, triangle, e.elementType(mask)));
    if (!mask)
      return failure();
    causal = false;
  }

  Value y;
  if (softcap == 0 && !c.wants(3)) {
    if (mask && !e.elementType(mask).isInteger(1))
      mask = e.convert(mask, type);
    Sizes sizes{e.dim(q, 0), heads, queries, e.dim(v, 3)};
    y = dhlo::AttentionOp::create(e.builder, e.loc, e.type(sizes, type), q, k,
                                  v, mask, e.builder.getF64FloatAttr(scale),
                                  causal ? e.builder.getUnitAttr() : nullptr);
  } else {
    // Each group of keys serves several heads.
    if (heads != groups) {
      if (!heads.isConst() || !groups.isConst() || groups.isConst(0))
        return c.error("expected known numbers of heads");
      DimExpr repeat = e.size(heads.getValue() / groups.getValue());
      auto expand = [&](Value x) {
        Sizes s = e.sizes(x);
        Value wide =
            e.broadcast(x, {0, 1, 3, 4}, {s[0], s[1], repeat, s[2], s[3]});
        return e.reshape(wide, {s[0], heads, s[2], s[3]});
      };
      k = expand(k);
      v = expand(v);
    }
    Value scores = e.mul(e.dot(q, k, 2, {3}, {3}), scale);
    Value shown = scores;
    if (causal)
      mask = e.unsqueeze(causalMask(c, queries, keys, past), {0, 1});
    Value capped = scores;
    if (softcap != 0)
      capped = e.mul(e.unary<dhlo::TanhOp>(e.div(scores, softcap)), softcap);
    if (outputMode == 1 && softcap != 0)
      shown = capped;
    Value masked = mask ? e.add(capped, additive(c, mask, type)) : capped;
    if (outputMode == 2)
      shown = masked;
    Value weights = masked ? e.softmax(masked, 3) : masked;
    if (outputMode == 3)
      shown = weights;
    if (c.wants(3) && outputMode != 0 && outputMode != 3 && softcap != 0)
      return c.error("qk_matmul_output_mode " + Twine(outputMode) +
                     " with softcap is not supported");
    c.out(3, shown);
    y = e.dot(weights, v, 2, {3}, {2});
  }
  if (y && merged) {
    DimExpr width = dhlo::mul(e.dims.expand(heads), e.dims.expand(e.dim(y, 3)));
    y = e.reshape(e.transpose(y, {0, 2, 1, 3}), {e.dim(y, 0), queries, width});
  }
  return c.result(y);
}

LogicalResult importRotaryEmbedding(OpContext &c) {
  Emitter &e = c.e;
  Value x = c.in(0), cosine = c.in(1), sine = c.in(2);
  bool interleaved = c.getInt("interleaved", 0) != 0;
  int64_t heads = c.getInt("num_heads", 0);
  int64_t rotary = c.getInt("rotary_embedding_dim", 0);
  if (!x || !cosine || !sine)
    return failure();
  Sizes original = e.sizes(x);
  bool merged = e.rank(x) == 3;
  x = splitHeads(c, x, heads);
  if (!x)
    return failure();
  DimExpr depth = e.dim(x, 3);
  if (!depth.isConst())
    return c.error("expected heads of known size");
  if (rotary == 0)
    rotary = depth.getValue();
  if (rotary < 2 || rotary % 2 != 0 || rotary > depth.getValue())
    return c.error("expected an even number of rotated elements");
  int64_t half = rotary / 2;
  if (c.has(3)) {
    cosine = e.gather(cosine, c.in(3), 0);
    sine = e.gather(sine, c.in(3), 0);
  }
  if (!cosine || !sine)
    return failure();
  // [B, S, half], for all heads.
  auto table = [&](Value t) {
    return e.unsqueeze(e.sliceAxis(t, e.rank(t) - 1, e.size(0), e.size(half)),
                       {e.rank(t) - 2});
  };
  cosine = table(cosine);
  sine = table(sine);
  auto part = [&](int64_t start, int64_t count, int64_t stride) {
    return e.sliceAxis(x, 3, e.size(start), e.size(count), stride);
  };
  Value a = interleaved ? part(0, half, 2) : part(0, half, 1);
  Value b = interleaved ? part(1, half, 2) : part(half, half, 1);
  Value real = e.sub(e.mul(a, cosine), e.mul(b, sine));
  Value imaginary = e.add(e.mul(a, sine), e.mul(b, cosine));
  if (!real || !imaginary)
    return failure();
  Value y;
  if (interleaved) {
    Sizes pairs = e.sizes(real);
    pairs.back() = e.size(rotary);
    y = e.reshape(
        e.concat({e.unsqueeze(real, {4}), e.unsqueeze(imaginary, {4})}, 4),
        pairs);
  } else {
    y = e.concat({real, imaginary}, 3);
  }
  if (rotary < depth.getValue())
    y = e.concat({y, part(rotary, depth.getValue() - rotary, 1)}, 3);
  if (merged && y)
    y = e.reshape(e.transpose(y, {0, 2, 1, 3}), original);
  return c.result(y);
}

} // namespace

void onnx::registerAttention(OpRegistry &r) {
  r.add("Attention", 23, importAttention);
  r.add("RotaryEmbedding", 23, importRotaryEmbedding);
}
