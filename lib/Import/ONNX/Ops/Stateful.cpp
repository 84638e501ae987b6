//===- Stateful.cpp - Operators of ONNX with a state from call to call ----===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The state of a sequence after a call is an output, and an input of the call
// that continues it.

#include "Convolution.h"
#include "Loops.h"

#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

namespace {

/// 16-bit floats are computed with in f32.
Type getWide(Emitter &e, Type type) {
  return type.getIntOrFloatBitWidth() < 32 ? e.builder.getF32Type() : type;
}

/// A convolution along the last axis that reads earlier elements: of the call
/// before, or zeros.
LogicalResult importCausalConv(OpContext &c) {
  Emitter &e = c.e;
  Value x = c.in(0), filter = c.in(1), past = c.optional(3);
  StringRef activation = c.getString("activation", "none");
  if (!x || !filter)
    return failure();
  if (activation != "none" && activation != "silu" && activation != "swish")
    return c.error("expected activation none, silu or swish, found '" +
                   activation + "'");
  if (e.rank(x) != 3 || e.rank(filter) != 3 || (past && e.rank(past) != 3))
    return c.error("expected input, filter and state of rank 3");
  DimExpr channels = e.dim(filter, 0), width = e.dim(filter, 2);
  if (!channels.isConst() || !width.isConst())
    return c.error("expected a filter of static sizes");
  if (width.getValue() < 1 || channels.getValue() < 1)
    return c.error("expected a filter that is not empty");

  DimExpr batch = e.dim(x, 0), length = e.dim(x, 2);
  Sizes before{batch, channels, e.size(width.getValue() - 1)};
  past =
      past ? e.broadcastTo(past, before) : e.full(e.elementType(x), 0, before);
  Sizes own{batch, channels, length};
  Value all = e.concat({past, e.broadcastTo(x, own)}, 2);
  if (!all)
    return failure();
  ArrayAttr zeros = e.builder.getArrayAttr({e.size(0)});
  Value y = dhlo::ConvolutionOp::create(
      e.builder, e.loc, e.type(own, e.elementType(x)), all, filter,
      dhlo::Layout::ChannelsFirst, /*strides=*/ArrayRef<int64_t>{1}, zeros,
      zeros, ArrayRef<int64_t>{1}, ArrayRef<int64_t>{1}, channels.getValue());
  if (c.has(2))
    y = addChannelBias(c, y, c.in(2));
  if (y && activation != "none") {
    Type type = e.elementType(y);
    Value wide = e.convert(y, getWide(e, type));
    y = e.convert(e.mul(wide, e.unary<dhlo::LogisticOp>(wide)), type);
  }
  c.out(0, y);
  c.out(1, e.sliceAxis(all, 2, length, before[2]));
  return success(y != nullptr);
}

/// Attention whose keys and values are accumulated in a matrix, step by step:
/// the state [B, G, D, E] of G heads. Several queries may read one head.
LogicalResult importLinearAttention(OpContext &c) {
  Emitter &e = c.e;
  Value q = c.in(0), k = c.in(1), v = c.in(2), past = c.optional(3);
  Value decay = c.optional(4), beta = c.optional(5);
  int64_t heads = c.getInt("q_num_heads", 0);
  int64_t groups = c.getInt("kv_num_heads", 0);
  StringRef rule = c.getString("update_rule", "gated_delta");
  double scale = c.getFloat("scale", 0);
  c.ignore({"chunk_size"});
  if (!q || !k || !v)
    return failure();
  bool isGated = rule == "gated" || rule == "gated_delta";
  bool isDelta = rule == "delta" || rule == "gated_delta";
  if (!isGated && !isDelta && rule != "linear")
    return c.error("expected update_rule linear, gated, delta or gated_delta, "
                   "found '" +
                   rule + "'");
  if (isGated != (decay != nullptr) || isDelta != (beta != nullptr))
    return c.error("expected a decay with the gated rules, a beta with the "
                   "delta rules, and neither with others");
  if (heads < 1 || groups < 1 || heads % groups != 0)
    return c.error("expected kv_num_heads that divide q_num_heads");
  for (Value x : {q, k, v, decay, beta})
    if (x && e.rank(x) != 3)
      return c.error("expected tensors [batch, steps, heads * size]");
  if (past && e.rank(past) != 4)
    return c.error("expected a state of rank 4");

  Type type = e.elementType(q), wide = getWide(e, type);
  DimExpr batch = e.dim(q, 0), steps = e.dim(q, 1);
  DimExpr number = e.size(groups);
  auto getSize = [&](Value x, int64_t parts) {
    return dhlo::floorDiv(e.dims.expand(e.dim(x, 2)), parts);
  };
  DimExpr depth = getSize(q, heads), width = getSize(v, groups);
  // [T, B, G, size], for a step to be a row.
  auto split = [&](Value x, DimExpr size) {
    x = e.reshape(e.convert(x, wide),
                  {e.dim(x, 0), e.dim(x, 1), number, getSize(x, groups)});
    return e.transpose(e.broadcastTo(x, {batch, steps, number, size}),
                       {1, 0, 2, 3});
  };
  DimExpr perGroup = e.size(heads / groups);
  Value queries = e.transpose(
      e.reshape(e.convert(q, wide), {batch, steps, number, perGroup, depth}),
      {1, 0, 2, 3, 4});
  if (scale == 0) {
    Value root = e.unary<dhlo::SqrtOp>(e.convert(e.fromSize(depth), wide));
    queries = e.div(queries, root);
  } else {
    queries = e.mul(queries, scale);
  }
  Value keys = split(k, depth), values = split(v, width);
  // One for each head, or for each element of its keys.
  Value kept = decay ? e.unary<dhlo::ExpOp>(split(decay, depth)) : Value();
  // One for each head, or for all.
  Value rate;
  if (beta)
    rate = e.unsqueeze(e.transpose(e.broadcastTo(e.convert(beta, wide),
                                                 {batch, steps, number}),
                                   {1, 0, 2}),
                       {3});
  Sizes stateSizes{batch, number, depth, width};
  Value state = past ? e.broadcastTo(e.convert(past, wide), stateSizes)
                     : e.full(wide, 0, stateSizes);
  Value rows = e.full(wide, 0, {steps, batch, number, perGroup, width});
  if (!queries || !keys || !values || !state || (decay && !kept) ||
      (beta && !rate))
    return failure();

  SmallVector<Value> last = emitCountedLoop(
      c, steps, {state, rows}, [&](Value at, ArrayRef<Value> old) {
        Value next = old[0];
        Value key = readRow(c, keys, at), value = readRow(c, values, at);
        if (kept)
          next = e.mul(next, e.unsqueeze(readRow(c, kept, at), {3}));
        if (rate) {
          // The state's value for the key is not added again.
          Value known = e.dot(key, next, 2, {2}, {2});
          value = e.mul(readRow(c, rate, at), e.sub(value, known));
        }
        next =
            e.add(next, e.mul(e.unsqueeze(key, {3}), e.unsqueeze(value, {2})));
        Value row = e.dot(readRow(c, queries, at), next, 2, {3}, {2});
        return SmallVector<Value>{next, writeRow(c, old[1], at, row)};
      });
  if (last.empty())
    return failure();
  Value y = e.reshape(e.transpose(last[1], {1, 0, 2, 3, 4}),
                      {batch, steps, dhlo::mul(width, heads)});
  c.out(1, e.convert(last[0], past ? e.elementType(past) : type));
  return c.result(e.convert(y, type));
}

} // namespace

void onnx::registerStateful(OpRegistry &r) {
  r.add("CausalConvWithState", 27, importCausalConv);
  r.add("LinearAttention", 27, importLinearAttention);
  r.addEquivalent("CausalConvWithState", 27, importCausalConv);
  r.addEquivalent("LinearAttention", 27, importLinearAttention);
}
