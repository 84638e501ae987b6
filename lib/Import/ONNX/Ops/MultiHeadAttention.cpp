//===- MultiHeadAttention.cpp - Attention of ONNX Runtime -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Attention with as many heads of keys as of queries: com.microsoft, set 1.

#include "Contraction.h"
#include "HeadAttention.h"
#include "QuantizedMatMul.h"

#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;
using llvm::Twine;

namespace {

/// The end of every attention of this file: adds the mask and `more` to the
/// scores.
LogicalResult finish(OpContext &c, HeadAttention &attention, Value mask,
                     Value more, unsigned scoresOutput = ~0u) {
  Emitter &e = c.e;
  Value q = attention.queries, k = attention.keys;
  if (!q || !k)
    return failure();
  DimExpr queries = e.dim(q, 2), keys = e.dim(k, 2);
  Type type = e.elementType(q);
  Value hidden =
      getMaskBias(c, mask, e.dim(q, 0), queries, attention.past, keys, type);
  if (mask && !hidden)
    return failure();
  attention.bias = hidden && more ? e.add(hidden, e.convert(more, type))
                   : hidden       ? hidden
                                  : more;
  if ((hidden || more) && !attention.bias)
    return failure();
  Value scores;
  bool wantsScores = c.wants(scoresOutput);
  Value y = attention.emit(c, wantsScores ? &scores : nullptr);
  c.out(scoresOutput, scores);
  return c.result(y);
}

/// Keys and values of the last call in one tensor [2, B, H, P, D].
Value getHalf(Emitter &e, Value past, int64_t i) {
  return past ? e.squeeze(e.sliceAxis(past, 0, e.size(i), e.size(1)), {0})
              : Value();
}

/// Attention of queries, keys and values [B, S, width each].
LogicalResult attend(OpContext &c, ArrayRef<Value> projected, int64_t heads,
                     Value mask, Value past, Value more, DimExpr used) {
  Emitter &e = c.e;
  Value q = splitHeads(c, projected[0], heads);
  Value k = splitHeads(c, projected[1], heads);
  Value v = splitHeads(c, projected[2], heads);
  if (!q || !k || !v)
    return failure();
  if (past && e.rank(past) != 5)
    return c.error("expected a past of rank 5");
  HeadAttention attention;
  attention.past = !past  ? e.size(0)
                   : used ? used
                          : e.dims.expand(e.dim(past, 3));
  Cache keys = append(e, getHalf(e, past, 0), k, used);
  Cache values = append(e, getHalf(e, past, 1), v, used);
  if (c.wants(1) && keys.present && values.present)
    c.out(1, e.concat({e.unsqueeze(keys.present, {0}),
                       e.unsqueeze(values.present, {0})},
                      0));
  attention.queries = q;
  attention.keys = keys.all;
  attention.values = values.all;
  attention.isCausal = c.getInt("unidirectional", 0) != 0;
  return finish(c, attention, mask, more);
}

/// The number of heads; 0, with an error, if it is invalid.
int64_t getHeads(OpContext &c) {
  int64_t heads = c.getInt("num_heads", 0);
  if (heads >= 1 && heads <= 1 << 20)
    return heads;
  (void)c.error("expected a positive num_heads");
  return 0;
}

/// Whether the operator itself rotates keys, which is not supported.
bool rotatesKeys(OpContext &c) {
  c.ignore({"rotary_embedding_dim"});
  if (c.getInt("do_rotary", 0) == 0)
    return false;
  (void)c.error("do_rotary is not supported");
  return true;
}

/// Widths of queries, keys and values of a projection to `all` elements.
std::optional<Sizes> getWidths(OpContext &c, DimExpr all) {
  Emitter &e = c.e;
  if (auto given = c.getInts("qkv_hidden_sizes")) {
    if (given->size() == 3 && (*given)[0] == (*given)[1])
      return e.sizes(*given);
    (void)c.error("expected three qkv_hidden_sizes, the first two equal");
    return std::nullopt;
  }
  return Sizes(3, dhlo::floorDiv(e.dims.expand(all), 3));
}

/// Queries, keys and values of `x`: by one matmul, or, if the weights are
/// constant and hence split by the compiler, by three, each of which attention
/// reads in place.
std::optional<SmallVector<Value>> project(OpContext &c, Value x, Value weights,
                                          Value bias, const Sizes &widths) {
  Emitter &e = c.e;
  bool isConstant = isa_and_present<dhlo::WeightOp, dhlo::ConstantOp>(
      weights.getDefiningOp());
  if (!isConstant || !e.hasAxes(weights, 2)) {
    Value all = matmul(c, x, weights);
    return e.split(bias ? e.add(all, bias) : all, 2, widths);
  }
  auto parts = e.split(weights, 1, widths);
  if (!parts)
    return std::nullopt;
  DimExpr start = e.size(0);
  for (auto [part, width] : llvm::zip_equal(*parts, widths)) {
    part = matmul(c, x, part);
    if (bias)
      part = e.add(part, e.sliceAxis(bias, 0, start, width));
    start = dhlo::add(start, width);
  }
  return parts;
}

LogicalResult importAttention(OpContext &c) {
  Emitter &e = c.e;
  int64_t heads = getHeads(c);
  bool shares = c.getInt("past_present_share_buffer", 0) != 0;
  Value x = c.in(0), weights = c.in(1);
  if (!heads || !x || !weights || rotatesKeys(c))
    return failure();
  auto widths = getWidths(c, e.dim(weights, 1));
  DimExpr used = shares ? getSize(c, 6, "past") : DimExpr();
  if (!widths || (shares && !used))
    return failure();
  auto projected = project(c, x, weights, c.optional(2), *widths);
  if (!projected)
    return failure();
  return attend(c, *projected, heads, c.optional(3), c.optional(4),
                c.optional(5), used);
}

/// One query, with the weights of Attention.
LogicalResult importDecoderMaskedSelfAttention(OpContext &c) {
  return refuses(c, 8, "cache_indirection") ? failure() : importAttention(c);
}

LogicalResult importQAttention(OpContext &c) {
  Emitter &e = c.e;
  int64_t heads = getHeads(c);
  if (c.getInt("past_present_share_buffer", 0) != 0)
    return c.error("past_present_share_buffer is not supported");
  Value x = c.in(0), weights = c.in(1), bias = c.in(2);
  if (!heads || !x || !weights || !bias || rotatesKeys(c))
    return failure();
  Value projected = multiplyIntegers(c, {x, c.in(3), c.optional(6)},
                                     {weights, c.in(4), c.optional(7)});
  Sizes widths(3, dhlo::floorDiv(e.dims.expand(e.dim(weights, 1)), 3));
  auto parts = e.split(e.add(projected, bias), 2, widths);
  if (!parts)
    return failure();
  return attend(c, *parts, heads, c.optional(5), c.optional(8), {}, {});
}

/// Numbers of an operator's inputs.
struct Operands {
  unsigned bias, mask, more, pastKey, pastValue, used, indirection;
};

/// Queries, keys and values as they are given: separate, in one tensor, or with
/// keys and values in one.
LogicalResult attendApart(OpContext &c, const Operands &at, bool isWide) {
  Emitter &e = c.e;
  int64_t heads = getHeads(c);
  Value q = c.in(0), k = c.optional(1), v = c.optional(2);
  Value bias = c.optional(at.bias);
  if (!heads || !q || refuses(c, at.indirection, "cache_indirection"))
    return failure();
  int64_t rank = e.rank(q);
  // [B, S, H, parts, D]: a part as [B, S, H * D].
  auto part = [&](Value x, int64_t i) {
    x = e.squeeze(e.sliceAxis(x, 3, e.size(i), e.size(1)), {3});
    return x ? e.reshape(x, {e.dim(x, 0), e.dim(x, 1),
                             dhlo::mul(e.dims.expand(e.dim(x, 2)),
                                       e.dims.expand(e.dim(x, 3)))})
             : Value();
  };
  if (!k && rank == 5) {
    Value all = q;
    q = part(all, 0);
    k = part(all, 1);
    v = part(all, 2);
  } else if (!k && rank == 3) {
    DimExpr width = dhlo::floorDiv(e.dims.expand(e.dim(q, 2)), 3);
    auto parts = e.split(q, 2, {width, width, width});
    if (!parts)
      return failure();
    q = (*parts)[0];
    k = (*parts)[1];
    v = (*parts)[2];
  } else if (k && !v && e.rank(k) == 5) {
    v = part(k, 1);
    k = part(k, 0);
  }
  if (!q || !k || !v)
    return c.error("expected queries, keys and values apart or in one tensor");
  if (e.rank(q) != 3 || (e.rank(k) != 3 && e.rank(k) != 4) ||
      e.rank(v) != e.rank(k))
    return c.error("expected queries of rank 3, keys and values of rank 3 or "
                   "4");
  if (bias) {
    DimExpr width = e.dim(q, 2), other = e.dim(v, 2);
    bool hasKeys = e.rank(k) == 3;
    auto slice = [&](DimExpr start, DimExpr count) {
      return e.sliceAxis(bias, 0, start, count);
    };
    q = e.add(q, slice(e.size(0), width));
    if (hasKeys) {
      k = e.add(k, slice(e.dims.expand(width), width));
      v = e.add(v, slice(dhlo::mul(e.dims.expand(width), 2), other));
    }
  }
  // Keys and values of rank 4 are those of all calls.
  q = splitHeads(c, q, heads);
  k = splitHeads(c, k, heads);
  v = splitHeads(c, v, heads);
  Value pastKey = c.optional(at.pastKey), pastValue = c.optional(at.pastValue);
  if (!q || !k || !v)
    return failure();
  if (!pastKey != !pastValue)
    return c.error("expected past_key and past_value together");
  bool shares = c.getInt("past_present_share_buffer", isWide ? 0 : 1) != 0;
  DimExpr used;
  if (pastKey && shares && c.has(at.used) &&
      !(used = getSize(c, at.used, "past")))
    return failure();
  HeadAttention attention;
  attention.past = !pastKey ? e.size(0)
                   : used   ? used
                            : e.dims.expand(e.dim(pastKey, 2));
  Cache keys = append(e, pastKey, k, used);
  Cache values = append(e, pastValue, v, used);
  c.out(1, keys.present);
  c.out(2, values.present);
  attention.queries = q;
  attention.keys = keys.all;
  attention.values = values.all;
  attention.isCausal = c.getInt("unidirectional", 0) != 0;
  return finish(c, attention, c.optional(at.mask), c.optional(at.more), 3);
}

LogicalResult importMultiHeadAttention(OpContext &c) {
  return attendApart(c, {3, 4, 5, 6, 7, 8, 9}, /*isWide=*/false);
}

/// One query of each sequence.
LogicalResult importDecoderMaskedMultiHeadAttention(OpContext &c) {
  c.ignore({"output_qk"});
  return attendApart(c, {10, 3, 4, 5, 6, 7, 9}, /*isWide=*/true);
}

} // namespace

void onnx::registerMultiHeadAttention(OpRegistry &r) {
  r.add(kMicrosoft, "Attention", {1, importAttention});
  r.add(kMicrosoft, "DecoderMaskedSelfAttention",
        {1, importDecoderMaskedSelfAttention});
  r.add(kMicrosoft, "QAttention", {1, importQAttention});
  r.add(kMicrosoft, "MultiHeadAttention", {1, importMultiHeadAttention});
  r.add(kMicrosoft, "DecoderMaskedMultiHeadAttention",
        {1, importDecoderMaskedMultiHeadAttention});
}
