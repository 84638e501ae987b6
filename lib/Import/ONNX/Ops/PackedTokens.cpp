//===- PackedTokens.cpp - Sequences without their padding -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Rows of all sequences concatenated, and attention on these: com.microsoft,
// set 1.

#include "Contraction.h"
#include "HeadAttention.h"

#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;
using dhlo::CompareDirection;

namespace {

/// [B, S] or [B, S, ...] as one axis of all positions.
Value flatten(Emitter &e, Value x) {
  if (!x || !e.hasAxes(x, 2))
    return {};
  Sizes sizes = e.sizes(x), flat{e.product({sizes[0], sizes[1]})};
  flat.append(sizes.begin() + 2, sizes.end());
  return e.reshape(x, flat);
}

LogicalResult importRemovePadding(OpContext &c) {
  Emitter &e = c.e;
  Value x = c.in(0), counts = c.in(1);
  if (!x || !counts || !e.hasAxes(x, 2))
    return failure();
  Type i64 = e.builder.getI64Type(), type = e.elementType(counts);
  Sizes sizes = e.sizes(x);
  Sizes positions{sizes[0], sizes[1]};
  counts = e.convert(e.reshape(counts, {sizes[0]}), i64);
  Value number = e.reduce(dhlo::ReduceKind::Sum, counts, {0});
  if (!number)
    return failure();
  DimExpr tokens = e.bind(number, "tokens");
  // A stable sort puts the tokens first, in order.
  Value isPadding = e.compare(CompareDirection::GE, e.iota(1, positions, i64),
                              e.unsqueeze(counts, {1}));
  Value keys = flatten(e, e.convert(isPadding, i64));
  if (!keys)
    return failure();
  Value order = dhlo::SortOp::create(e.builder, e.loc, keys.getType(),
                                     keys.getType(), keys, 0, false)
                    .getIndices();
  Value valid = e.sliceAxis(order, 0, e.size(0), tokens);
  Value sums = dhlo::CumulativeOp::create(
      e.builder, e.loc, cast<RankedTensorType>(counts.getType()),
      dhlo::ReduceKind::Sum, counts, 0, /*exclusive=*/false, /*reverse=*/false);
  c.out(0, e.gather(flatten(e, x), valid, 0));
  c.out(1, e.convert(e.reshape(order, positions), type));
  c.out(2, e.convert(e.concat({e.full(i64, 0, {e.size(1)}), sums}, 0), type));
  c.out(3, e.convert(e.reduce(dhlo::ReduceKind::Max, counts, {0}, true), type));
  return success();
}

LogicalResult importRestorePadding(OpContext &c) {
  Emitter &e = c.e;
  Value x = c.in(0), offsets = c.in(1);
  if (!x || !offsets || !e.hasAxes(x, 1) || !e.hasAxes(offsets, 2))
    return failure();
  Sizes positions = e.sizes(offsets), sizes = e.sizes(x), all = positions;
  all.append(sizes.begin() + 1, sizes.end());
  Value at = e.sliceAxis(flatten(e, offsets), 0, e.size(0), sizes[0]);
  at = e.unsqueeze(e.index(at), {1});
  sizes[0] = e.product(positions);
  Value zeros = e.full(e.elementType(x), 0, sizes);
  if (!at || !zeros)
    return failure();
  return c.result(e.reshape(
      dhlo::ScatterNdOp::create(e.builder, e.loc, zeros.getType(), zeros, at, x,
                                dhlo::ScatterKind::Replace),
      all));
}

/// Attention of queries, keys and values [tokens, H * D]: restores their
/// padding, and removes it again.
LogicalResult attendPacked(OpContext &c, std::array<Value, 3> parts,
                           Value offsets, Value sums, Value bias) {
  Emitter &e = c.e;
  int64_t heads = c.getInt("num_heads", 0);
  if (!parts[0] || !parts[1] || !parts[2] || !offsets || !sums)
    return failure();
  if (e.rank(parts[0]) != 2 || e.rank(offsets) != 2 || e.rank(sums) != 1)
    return c.error("expected tokens of rank 2, offsets [batch, sequence] and "
                   "running sums of lengths");
  Type i64 = e.builder.getI64Type();
  DimExpr batch = e.dim(offsets, 0), length = e.dim(offsets, 1);
  DimExpr tokens = e.dim(parts[0], 0), one = e.size(1);
  sums = e.convert(sums, i64);
  Value begin = e.sliceAxis(sums, 0, e.size(0), batch);
  Value counts = e.sub(e.sliceAxis(sums, 0, one, batch), begin);
  Value at = e.add(e.unsqueeze(begin, {1}), e.iota(1, {one, length}, i64));
  at = e.minimum(at, e.add(e.fromSize(tokens), -1.0));
  HeadAttention attention;
  attention.past = e.size(0);
  Value *to[] = {&attention.queries, &attention.keys, &attention.values};
  for (auto [part, value] : llvm::zip_equal(parts, to))
    if (!(*value = splitHeads(c, e.gather(part, at, 0), heads)))
      return failure();
  Sight sight;
  sight.past = e.size(0);
  sight.keys = e.reshape(counts, {batch, one, one, one});
  attention.bias = sight.getMask(e, length, length);
  if (bias && attention.bias) {
    Type type = e.elementType(parts[0]);
    attention.bias =
        e.add(additive(c, attention.bias, type), e.convert(bias, type));
  }
  if (!attention.bias)
    return failure();
  Value y = attention.emit(c);
  Value valid = e.sliceAxis(flatten(e, e.index(offsets)), 0, e.size(0), tokens);
  return c.result(e.gather(flatten(e, y), valid, 0));
}

LogicalResult importPackedAttention(OpContext &c) {
  Emitter &e = c.e;
  Value x = c.in(0), weights = c.in(1), bias = c.in(2);
  if (!x || !weights || !bias)
    return failure();
  Value all = e.add(matmul(c, x, weights), bias);
  DimExpr width = dhlo::floorDiv(e.dims.expand(e.dim(weights, 1)), 3);
  Sizes widths{width, width, width};
  if (auto given = c.getInts("qkv_hidden_sizes")) {
    if (given->size() != 3)
      return c.error("expected three qkv_hidden_sizes");
    widths = e.sizes(*given);
  }
  auto parts = e.split(all, 1, widths);
  return parts ? attendPacked(c, {(*parts)[0], (*parts)[1], (*parts)[2]},
                              c.in(3), c.in(4), c.optional(5))
               : failure();
}

LogicalResult importPackedMultiHeadAttention(OpContext &c) {
  Emitter &e = c.e;
  Value q = c.in(0), k = c.optional(1), v = c.optional(2);
  c.ignore({"mask_filter_value"});
  if (!q)
    return failure();
  if (!k && e.rank(q) == 4) {
    // [tokens, H, 3, D].
    Value all = q;
    Sizes flat{e.dim(q, 0), dhlo::mul(e.dims.expand(e.dim(q, 1)),
                                      e.dims.expand(e.dim(q, 3)))};
    Value *to[] = {&q, &k, &v};
    for (auto [i, part] : llvm::enumerate(to))
      *part = e.reshape(
          e.sliceAxis(all, 2, e.size(static_cast<int64_t>(i)), e.size(1)),
          flat);
  }
  if (!q || !k || !v)
    return c.error("expected queries, keys and values apart or in one tensor");
  if (Value bias = c.optional(3)) {
    DimExpr start = e.size(0);
    for (Value *part : {&q, &k, &v}) {
      DimExpr width = e.dims.expand(e.dim(*part, 1));
      *part = e.add(*part, e.sliceAxis(bias, 0, start, width));
      start = dhlo::add(start, width);
    }
  }
  return attendPacked(c, {q, k, v}, c.in(4), c.in(5), c.optional(6));
}

} // namespace

void onnx::registerPackedTokens(OpRegistry &r) {
  r.add(kMicrosoft, "RemovePadding", {1, importRemovePadding});
  r.add(kMicrosoft, "RestorePadding", {1, importRestorePadding});
  r.add(kMicrosoft, "PackedAttention", {1, importPackedAttention});
  r.add(kMicrosoft, "PackedMultiHeadAttention",
        {1, importPackedMultiHeadAttention});
}
