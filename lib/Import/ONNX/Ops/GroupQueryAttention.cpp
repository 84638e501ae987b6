//===- GroupQueryAttention.cpp - Attention of decoders --------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Attention of groups of queries with a cache, and rotary embeddings:
// com.microsoft, set 1.

#include "HeadAttention.h"
#include "Normalization.h"

#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;
using dhlo::CompareDirection;

namespace {

/// Rows of the tables of angles, for each position [B, S].
Rotation makeRotation(Emitter &e, Value cosines, Value sines, Value positions,
                      DimExpr half, bool isInterleaved) {
  auto look = [&](Value table) {
    return e.sliceAxis(e.gather(table, positions, 0), 2, e.size(0), half);
  };
  return {look(cosines), look(sines), dhlo::mul(half, 2), isInterleaved};
}

LogicalResult importRotaryEmbedding(OpContext &c) {
  Emitter &e = c.e;
  Value x = c.in(0), positions = c.in(1), cosines = c.in(2), sines = c.in(3);
  bool isInterleaved = c.getInt("interleaved", 0) != 0;
  int64_t heads = c.getInt("num_heads", 0);
  int64_t rotary = c.getInt("rotary_embedding_dim", 0);
  c.ignore({"is_packed_batching"});
  if (c.getFloat("scale", 1) != 1)
    return c.error("scale is not supported");
  if (!x || !positions || !cosines || !sines)
    return failure();
  if (e.rank(cosines) != 2 || e.rank(sines) != 2 || rotary < 0 || heads < 0 ||
      (rotary > 0 && heads < 1))
    return c.error("expected tables of rank 2, and num_heads with "
                   "rotary_embedding_dim");
  // A table has an angle for two elements of a head.
  DimExpr half = e.dims.expand(e.dim(cosines, 1));
  if (rotary)
    half = e.size(rotary / 2);
  bool isMerged = e.rank(x) == 3;
  Sizes sizes = e.sizes(x);
  if (isMerged && heads < 1) {
    DimExpr depth = dhlo::mul(half, 2);
    x = e.transpose(
        e.reshape(x, {sizes[0], sizes[1],
                      dhlo::floorDiv(e.dims.expand(sizes[2]), depth), depth}),
        {0, 2, 1, 3});
  } else {
    x = splitHeads(c, x, heads);
  }
  if (!x)
    return failure();
  // One number is the position of the first query in each sequence.
  if (e.rank(positions) < 2) {
    Value first = e.reshape(positions, {});
    positions =
        e.add(e.iota(1, {e.size(1), e.dim(x, 2)}, e.elementType(first)), first);
  }
  Value y = makeRotation(e, cosines, sines, positions, half, isInterleaved)
                .rotate(c, x);
  if (isMerged && y)
    y = e.reshape(e.transpose(y, {0, 2, 1, 3}), sizes);
  return c.result(y);
}

class GroupQueries {
public:
  explicit GroupQueries(OpContext &c) : c(c), e(c.e) {}

  LogicalResult import();

private:
  bool readAttributes();
  bool readProjections();
  /// The first query's position in each sequence: `before`, [B].
  bool readLengths();
  void rotate();
  /// Stores `fresh` at the end of each sequence's cache.
  Value append(Value past, Value fresh);

  OpContext &c;
  Emitter &e;
  int64_t heads, groups, window;
  bool isCausal;
  Value q, k, v;
  DimExpr batch, queries;
  /// The number of keys of the longest sequence, and of rows of the cache.
  DimExpr total, rows;
  Value lengths, before;
  /// Whether there was no earlier call; null if there cannot have been one.
  Value isFirst;
  bool hasPast = false;
};

bool GroupQueries::readAttributes() {
  heads = c.getInt("num_heads", 0);
  groups = c.getInt("kv_num_heads", 0);
  window = c.getInt("local_window_size", -1);
  isCausal = c.getInt("causal", 1) != 0;
  if (heads < 1 || groups < 1 || heads % groups != 0) {
    (void)c.error("expected num_heads that are a multiple of kv_num_heads");
    return false;
  }
  for (StringRef name : {"k_quant_type", "v_quant_type"}) {
    StringRef kind = c.getString(name, "NONE");
    if (!kind.empty() && kind != "NONE") {
      (void)c.error("a quantized cache is not supported");
      return false;
    }
  }
  c.ignore({"kv_cache_bit_width"});
  for (StringRef name : {"sliding_window_cache", "qk_output"})
    if (c.getInt(name, 0) != 0) {
      (void)c.error(llvm::Twine(name) + " is not supported");
      return false;
    }
  return !refuses(c, 12, "k_scale") && !refuses(c, 13, "v_scale");
}

bool GroupQueries::readProjections() {
  q = c.in(0);
  k = c.optional(1);
  v = c.optional(2);
  if (!q)
    return false;
  if (e.rank(q) != 3 || !k != !v) {
    (void)c.error("expected queries of rank 3, and keys and values together");
    return false;
  }
  batch = e.dim(q, 0);
  queries = e.dim(q, 1);
  if (!k) {
    // All three in one tensor: the width of a head follows.
    DimExpr depth =
        dhlo::floorDiv(e.dims.expand(e.dim(q, 2)), heads + 2 * groups);
    DimExpr width = dhlo::mul(depth, groups);
    auto parts = e.split(q, 2, {dhlo::mul(depth, heads), width, width});
    if (!parts)
      return false;
    q = (*parts)[0];
    k = (*parts)[1];
    v = (*parts)[2];
  }
  q = splitHeads(c, q, heads);
  k = splitHeads(c, k, groups);
  v = splitHeads(c, v, groups);
  if (!q || !k || !v)
    return false;
  if (c.has(14) != c.has(15)) {
    (void)c.error("expected q_norm_weight and k_norm_weight together");
    return false;
  }
  double eps = c.getFloat("qk_norm_epsilon", 1e-6);
  if (c.has(14)) {
    q = normalizeRowsByRoot(e, q, c.in(14), eps);
    k = normalizeRowsByRoot(e, k, c.in(15), eps);
  }
  return q && k;
}

bool GroupQueries::readLengths() {
  Type i64 = e.builder.getI64Type();
  hasPast = c.has(3);
  if (c.has(3) != c.has(4)) {
    (void)c.error("expected past_key and past_value together");
    return false;
  }
  Value last = c.in(5);
  if (!last || !c.in(6))
    return false;
  // A vector, though some exporters write a column.
  lengths = e.add(e.convert(e.reshape(last, {batch}), i64), 1.0);
  if (!hasPast) {
    // Without a cache, all keys are those of this call.
    total = rows = e.dims.expand(queries);
    before = e.full(i64, 0, {batch});
    return lengths && before;
  }
  total = getSize(c, 6, "total");
  if (!total)
    return false;
  total = e.dims.expand(total);
  DimExpr past = e.dims.expand(e.dim(c.in(3), 2));
  rows = e.dims.expand(dhlo::max(past, total));
  before = e.sub(lengths, e.fromSize(queries));
  isFirst =
      e.compare(CompareDirection::EQ, e.fromSize(total), e.fromSize(queries));
  before = isFirst ? e.select(isFirst, e.constantInt(i64, 0), before) : Value();
  return before != nullptr;
}

void GroupQueries::rotate() {
  bool isInterleaved = c.getInt("rotary_interleaved", 0) != 0;
  if (c.getInt("do_rotary", 0) == 0)
    return;
  Value cosines = c.in(7), sines = c.in(8);
  if (!cosines || !sines)
    return;
  Type i64 = e.builder.getI64Type();
  Value step = e.iota(1, {e.size(1), queries}, i64), positions;
  if (c.has(9)) {
    positions = e.convert(c.in(9), i64);
    // In a first call only the first number counts, if there is one.
    Value index = e.add(e.iota(0, {batch, queries}, i64),
                        e.iota(1, {batch, queries}, i64));
    Value isOrigin = e.compare(dhlo::CompareDirection::EQ, index, 0);
    Value origin =
        e.reduce(dhlo::ReduceKind::Sum,
                 e.select(isOrigin, positions, e.constant(i64, 0)), {0, 1});
    Value counted = e.broadcastTo(e.add(step, origin), {batch, queries});
    positions = !isFirst ? counted : e.select(isFirst, counted, positions);
  } else {
    positions = e.add(e.unsqueeze(before, {1}), step);
  }
  DimExpr half = e.dims.expand(e.dim(cosines, 1));
  Rotation rotation =
      makeRotation(e, cosines, sines, positions, half, isInterleaved);
  q = rotation.rotate(c, q);
  k = rotation.rotate(c, k);
}

Value GroupQueries::append(Value past, Value fresh) {
  if (!past || !fresh)
    return fresh;
  Type i64 = e.builder.getI64Type(), type = e.elementType(fresh);
  Value row = e.iota(1, {e.size(1), rows}, i64);
  Value begin = e.unsqueeze(before, {1});
  Value last = e.add(e.fromSize(queries), -1.0);
  Value at = e.minimum(e.maximum(e.sub(row, begin), 0.0), last);
  // [B, S, G, D] by rows of the cache.
  Value moved = e.transpose(
      e.gather(e.transpose(fresh, {0, 2, 1, 3}), at, 1, /*batch=*/1),
      {0, 2, 1, 3});
  Sizes low(4, e.size(0)), high(low);
  high[2] = dhlo::sub(rows, e.dims.expand(e.dim(past, 2)));
  Value old =
      e.pad(past, e.constant(type, 0), dhlo::PadMode::Constant, low, high);
  Value isOld = e.compare(CompareDirection::LT, row, begin);
  Value isFree =
      e.compare(CompareDirection::GE, row, e.add(begin, e.fromSize(queries)));
  if (!isOld || !isFree || !moved || !old)
    return {};
  auto perRow = [&](Value v) { return e.unsqueeze(v, {1, 3}); };
  Value all = e.select(perRow(isFree), e.constant(type, 0), moved);
  return e.select(perRow(isOld), old, all);
}

LogicalResult GroupQueries::import() {
  if (!readAttributes() || !readProjections() || !readLengths())
    return failure();
  rotate();
  k = append(c.optional(3), k);
  v = append(c.optional(4), v);
  if (!q || !k || !v)
    return failure();
  c.out(1, k);
  c.out(2, v);
  HeadAttention attention;
  attention.queries = q;
  attention.keys = k;
  attention.values = v;
  attention.softcap = c.getFloat("softcap", 0);
  attention.past = e.size(0);
  auto perBatch = [&](Value v) {
    return e.reshape(v, {batch, e.size(1), e.size(1), e.size(1)});
  };
  if (!hasPast && isCausal && window <= 0) {
    attention.isCausal = true;
  } else {
    Sight sight;
    sight.past = e.size(0);
    sight.more = hasPast ? perBatch(before) : Value();
    sight.isCausal = isCausal;
    sight.left = window > 0 ? window - 1 : -1;
    if (!isCausal)
      sight.keys = perBatch(lengths);
    attention.bias = sight.getMask(e, queries, rows);
    if (!attention.bias)
      return failure();
  }
  if (Value more = c.optional(10)) {
    Type type = e.elementType(q);
    if (!e.dims.isEqual(rows, total)) {
      Sizes low(4, e.size(0)), high(low);
      high[3] = dhlo::sub(rows, total);
      more = e.pad(more, e.constant(e.elementType(more), 0),
                   dhlo::PadMode::Constant, low, high);
    }
    more = e.convert(more, type);
    attention.bias =
        attention.bias ? e.add(additive(c, attention.bias, type), more) : more;
    if (!attention.bias)
      return failure();
  }
  attention.sink = c.optional(11);
  if (c.getInt("smooth_softmax", 0) == 1 && !attention.sink)
    attention.sink = e.full(e.elementType(q), 0, {e.size(heads)});
  return c.result(attention.emit(c));
}

LogicalResult importGroupQueryAttention(OpContext &c) {
  return GroupQueries(c).import();
}

} // namespace

void onnx::registerGroupQueryAttention(OpRegistry &r) {
  r.add(kMicrosoft, "RotaryEmbedding", {1, importRotaryEmbedding});
  r.add(kMicrosoft, "GroupQueryAttention", {1, importGroupQueryAttention});
}
