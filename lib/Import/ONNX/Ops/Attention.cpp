//===- Attention.cpp - Attention operators of ONNX ------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Attention.h"
#include "../TensorData.h"

#include "llvm/ADT/Twine.h"

#include <cmath>

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;
using dhlo::CompareDirection;
using llvm::Twine;

//===----------------------------------------------------------------------===//
// Code that attention operators share
//===----------------------------------------------------------------------===//

double onnx::getScale(OpContext &c, Value &queries) {
  return c.hasAttr("scale") ? c.getFloat("scale", 1.0)
                            : getDefaultScale(c, queries);
}

double onnx::getDefaultScale(OpContext &c, Value &queries) {
  Emitter &e = c.e;
  DimExpr depth = e.dim(queries, 3);
  if (depth.isConst())
    return 1.0 / std::sqrt(static_cast<double>(depth.getValue()));
  Value number = e.convert(e.fromSize(depth), e.builder.getF32Type());
  queries = e.mul(queries, e.convert(e.unary<dhlo::RsqrtOp>(number),
                                     e.elementType(queries)));
  return 1.0;
}

Value onnx::repeatGroups(OpContext &c, Value x, DimExpr heads) {
  Emitter &e = c.e;
  Sizes s = e.sizes(x);
  if (e.dims.isEqual(s[1], heads))
    return x;
  if (heads.isConst() && s[1].isConst() && !s[1].isConst(0)) {
    if (heads.getValue() % s[1].getValue() != 0)
      return e.fail("expected a number of query heads divisible by " +
                    Twine(s[1].getValue()) + ", found " +
                    Twine(heads.getValue()));
    DimExpr repeat = e.size(heads.getValue() / s[1].getValue());
    Value wide = e.broadcast(x, {0, 1, 3, 4}, {s[0], s[1], repeat, s[2], s[3]});
    return e.reshape(wide, {s[0], heads, s[2], s[3]});
  }
  Value group =
      e.div(e.mul(e.iota(0, {heads}, e.builder.getI64Type()), e.fromSize(s[1])),
            e.fromSize(heads));
  return e.gather(x, group, 1);
}

Type onnx::getSoftmaxType(OpContext &c, Type byDefault) {
  int64_t stated = c.getInt("softmax_precision", 0);
  Type type = stated ? getElementType(c.e.builder.getContext(),
                                      static_cast<int32_t>(stated))
                     : byDefault;
  if (isa_and_nonnull<FloatType>(type))
    return type;
  (void)c.error("expected a float type as softmax_precision");
  return {};
}

Value onnx::splitHeads(OpContext &c, Value x, int64_t heads) {
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

Value onnx::mergeHeads(Emitter &e, Value x) {
  if (!x)
    return {};
  DimExpr width =
      dhlo::mul(e.dims.expand(e.dim(x, 1)), e.dims.expand(e.dim(x, 3)));
  return e.reshape(e.transpose(x, {0, 2, 1, 3}),
                   {e.dim(x, 0), e.dim(x, 2), width});
}

Value Sight::getMask(Emitter &e, DimExpr queries, DimExpr numKeys) const {
  Type i64 = e.builder.getI64Type();
  DimExpr one = e.size(1);
  Value mask;
  auto require = [&](CompareDirection direction, Value a, Value b) {
    Value seen = e.compare(direction, a, b);
    mask = mask ? e.binary<dhlo::AndOp>(mask, seen) : seen;
  };
  Value key = e.iota(3, {one, one, one, numKeys}, i64);
  if (isCausal || left >= 0 || right >= 0) {
    Value position = dhlo::IotaOp::create(
        e.builder, e.loc, e.type({one, one, queries, one}, i64), 2,
        e.builder.getArrayAttr({past}), e.builder.getArrayAttr({one}));
    if (more)
      position = e.add(position, more);
    auto shift = [&](int64_t by) {
      return by ? e.add(position, e.constantInt(i64, by)) : position;
    };
    if (isCausal)
      require(CompareDirection::LE, key, position);
    // A causal query sees no later keys anyway.
    if (right >= 0 && !isCausal)
      require(CompareDirection::LE, key, shift(right));
    if (left >= 0)
      require(CompareDirection::GE, key, shift(-left));
  }
  if (keys)
    require(CompareDirection::LT, key, keys);
  return mask;
}

Value onnx::additive(OpContext &c, Value mask, Type type) {
  Emitter &e = c.e;
  if (!mask || !e.elementType(mask).isInteger(1))
    return e.convert(mask, type);
  return e.select(mask, e.constant(type, 0), e.constant(type, -INFINITY));
}

Value Rotation::rotate(OpContext &c, Value x) const {
  Emitter &e = c.e;
  if (!x || !cosine || !sine)
    return {};
  DimExpr depth = e.dims.expand(e.dim(x, 3));
  DimExpr half = dhlo::floorDiv(turned, 2), none = e.size(0);
  Value cosines = e.unsqueeze(cosine, {1}), sines = e.unsqueeze(sine, {1});
  auto part = [&](DimExpr start, DimExpr count, int64_t stride) {
    return e.sliceAxis(x, 3, start, count, stride);
  };
  Value a = isInterleaved ? part(none, half, 2) : part(none, half, 1);
  Value b = isInterleaved ? part(e.size(1), half, 2) : part(half, half, 1);
  Value real = e.sub(e.mul(a, cosines), e.mul(b, sines));
  Value imaginary = e.add(e.mul(a, sines), e.mul(b, cosines));
  if (!real || !imaginary)
    return {};
  Value y;
  if (isInterleaved) {
    Sizes pairs = e.sizes(real);
    pairs.back() = turned;
    y = e.reshape(
        e.concat({e.unsqueeze(real, {4}), e.unsqueeze(imaginary, {4})}, 4),
        pairs);
  } else {
    y = e.concat({real, imaginary}, 3);
  }
  DimExpr rest = dhlo::sub(depth, turned);
  return rest.isConst(0) ? y : e.concat({y, part(turned, rest, 1)}, 3);
}

namespace {

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

/// The mask of the model in rank 4. One that is shorter than the keys hides the
/// remaining ones.
Value getStatedMask(OpContext &c, Value mask, DimExpr keys) {
  Emitter &e = c.e;
  Sizes wide(4, e.size(1));
  if (e.rank(mask) > 4)
    return e.fail("expected a mask of rank at most 4");
  for (int64_t i = 0; i < e.rank(mask); ++i)
    wide[3 - i] = e.dim(mask, e.rank(mask) - 1 - i);
  mask = e.reshape(mask, wide);
  DimExpr length = wide[3];
  if (!mask || length.isConst(1) || e.dims.isEqual(length, keys))
    return mask;
  DimExpr missing = dhlo::sub(e.dims.expand(keys), e.dims.expand(length));
  if (missing.isConst() && missing.getValue() < 0)
    return e.fail("expected a mask that is not longer than the keys");
  Type type = e.elementType(mask);
  Value hidden = e.constant(type, type.isInteger(1) ? 0 : -INFINITY);
  Sizes low(4, e.size(0)), high(low);
  high[3] = missing;
  return e.pad(mask, hidden, dhlo::PadMode::Constant, low, high);
}

/// Scores as tensors, for features that the operation does not have.
struct Scores {
  double scale, softcap;
  int64_t mode;
  Type precision; ///< of the softmax

  /// Sets `shown` to the scores at the stage that the mode selects.
  Value attend(OpContext &c, Value q, Value k, Value v, Value mask,
               Value &shown) const;
};

Value Scores::attend(OpContext &c, Value q, Value k, Value v, Value mask,
                     Value &shown) const {
  Emitter &e = c.e;
  Type type = e.elementType(q);
  k = repeatGroups(c, k, e.dim(q, 1));
  v = repeatGroups(c, v, e.dim(q, 1));
  Value scores = e.mul(e.dot(q, k, 2, {3}, {3}), scale);
  shown = scores;
  if (softcap > 0)
    scores = e.mul(e.unary<dhlo::TanhOp>(e.div(scores, softcap)), softcap);
  if (mode == 1)
    shown = scores;
  Value bias = mask ? additive(c, mask, type) : Value();
  if (bias)
    scores = e.add(scores, bias);
  if (mode == 2)
    shown = scores;
  if (!scores)
    return {};
  Value weights = e.softmax(e.convert(scores, precision), 3);
  if (bias) {
    // A query that sees no key gets zeros.
    Value isBlind =
        e.compare(CompareDirection::EQ,
                  e.reduce(dhlo::ReduceKind::Max, bias, {3}, true), -INFINITY);
    weights = isBlind && weights
                  ? e.select(isBlind, e.constant(precision, 0), weights)
                  : Value();
  }
  weights = e.convert(weights, type);
  if (mode == 3)
    shown = weights;
  return e.dot(weights, v, 2, {3}, {2});
}

LogicalResult importAttention(OpContext &c) {
  Emitter &e = c.e;
  Value q = c.in(0), k = c.in(1), v = c.in(2), mask = c.optional(3);
  Value valid = c.optional(6);
  int64_t qHeads = c.getInt("q_num_heads", 0);
  int64_t kvHeads = c.getInt("kv_num_heads", 0);
  Sight sight;
  sight.past = e.size(0);
  sight.isCausal = c.getInt("is_causal", 0) != 0;
  sight.left = c.getInt("left_window_size", -1);
  sight.right = c.getInt("right_window_size", -1);
  double softcap = c.getFloat("softcap", 0);
  int64_t mode = c.getInt("qk_matmul_output_mode", 0);
  if (!q || !k || !v)
    return failure();
  if (c.has(4) != c.has(5) || (valid && c.has(4)))
    return c.error("expected past_key and past_value together, and neither "
                   "with nonpad_kv_seqlen");
  if (sight.left < -1 || sight.right < -1 || mode < 0 || mode > 3)
    return c.error("expected windows of at least -1 and qk_matmul_output_mode "
                   "0 to 3");
  bool merged = e.rank(q) == 3;
  q = splitHeads(c, q, qHeads);
  k = splitHeads(c, k, kvHeads);
  v = splitHeads(c, v, kvHeads);
  if (!q || !k || !v)
    return failure();
  if (c.has(4)) {
    sight.past = e.dims.expand(e.dim(c.in(4), 2));
    k = e.concat({c.in(4), k}, 2);
    v = e.concat({c.in(5), v}, 2);
  }
  if (!k || !v)
    return failure();
  c.out(1, k);
  c.out(2, v);

  // Keys and values may have another type than queries and the result.
  Type type = e.elementType(q);
  k = e.convert(k, type);
  v = e.convert(v, type);
  Type wide = getSoftmaxType(c, type);
  if (!wide)
    return failure();
  DimExpr heads = e.dim(q, 1), queries = e.dim(q, 2), keys = e.dim(k, 2);
  double scale = getScale(c, q);
  if (valid) {
    Value number = e.convert(valid, e.builder.getI64Type());
    sight.keys = e.reshape(
        number, {e.product(e.sizes(valid)), e.size(1), e.size(1), e.size(1)});
    sight.more = e.sub(sight.keys, e.fromSize(queries));
  }
  if (mask && !(mask = getStatedMask(c, mask, keys)))
    return failure();
  // The operation aligns the last query with the last key, the model the first
  // query.
  bool isFused = !c.wants(3) && (!wide.isF64() || type.isF64());
  bool sameEnd =
      e.dims.isEqual(keys, dhlo::add(e.dims.expand(queries), sight.past));
  bool isCausal =
      sight.isCausal && sameEnd && !mask && !valid && sight.left < 0 && isFused;
  if (isCausal)
    sight.isCausal = false, sight.right = -1;
  if (Value seen = sight.getMask(e, queries, keys)) {
    if (!mask)
      mask = seen;
    else if (e.elementType(mask).isInteger(1))
      mask = e.binary<dhlo::AndOp>(mask, seen);
    else
      mask = e.add(mask, additive(c, seen, e.elementType(mask)));
    if (!mask)
      return failure();
  }

  Value y;
  if (isFused && q) {
    if (mask && !e.elementType(mask).isInteger(1))
      mask = e.convert(mask, type);
    Sizes sizes{e.dim(q, 0), heads, queries, e.dim(v, 3)};
    y = dhlo::AttentionOp::create(
        e.builder, e.loc, e.type(sizes, type), q, k, v, mask,
        e.builder.getF64FloatAttr(scale),
        softcap > 0 ? e.builder.getF64FloatAttr(softcap) : nullptr,
        isCausal ? e.builder.getUnitAttr() : nullptr,
        /*nan_if_empty=*/nullptr);
  } else if (q) {
    Value shown;
    y = Scores{scale, softcap, mode, wide}.attend(c, q, k, v, mask, shown);
    c.out(3, shown);
  }
  return c.result(merged ? mergeHeads(e, y) : y);
}

//===----------------------------------------------------------------------===//
// RotaryEmbedding
//===----------------------------------------------------------------------===//

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
  DimExpr depth = e.dims.expand(e.dim(x, 3));
  if (rotary < 0 || rotary % 2 != 0 ||
      (depth.isConst() && (rotary > depth.getValue() ||
                           (rotary == 0 && depth.getValue() % 2 != 0))))
    return c.error("expected an even number of rotated elements");
  // The whole head, unless given.
  DimExpr turned = rotary ? e.size(rotary) : depth;
  DimExpr half = dhlo::floorDiv(turned, 2);
  if (c.has(3)) {
    cosine = e.gather(cosine, c.in(3), 0);
    sine = e.gather(sine, c.in(3), 0);
  }
  if (!cosine || !sine)
    return failure();
  auto table = [&](Value t) {
    return e.sliceAxis(t, e.rank(t) - 1, e.size(0), half);
  };
  Rotation rotation{table(cosine), table(sine), turned, interleaved};
  Value y = rotation.rotate(c, x);
  if (merged && y)
    y = e.reshape(e.transpose(y, {0, 2, 1, 3}), original);
  return c.result(y);
}

} // namespace

void onnx::registerAttention(OpRegistry &r) {
  r.add("Attention", 23, importAttention);
  r.add("RotaryEmbedding", 23, importRotaryEmbedding);
}
