//===- Embedding.cpp - Embeddings of ONNX Runtime -------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The first layer of text encoders: com.microsoft, set 1.

#include "Normalization.h"
#include "Quantization.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

namespace {

/// A table of rows; one of integers has a scale and a zero point.
struct Table {
  Value rows, scale, zero;

  Value read(Emitter &e, Value rows) const {
    if (!scale)
      return e.convert(rows, e.wideType({rows}));
    return dequantize(e, rows, scale, zero);
  }
};

struct Embedding {
  Value ids, segmentIds, mask, positionIds;
  Table words, positions, segments, gamma, beta;

  LogicalResult import(OpContext &c, Type type) const;
};

LogicalResult Embedding::import(OpContext &c, Type type) const {
  Emitter &e = c.e;
  double eps = c.getFloat("epsilon", 1e-12);
  if (c.hasFailed())
    return failure();
  if (e.rank(ids) != 2 || (segmentIds && !segments.rows))
    return c.error("expected word ids [batch, sequence], and segments with "
                   "their embedding");
  DimExpr length = e.dim(ids, 1);
  auto look = [&](const Table &table, Value at) {
    return table.read(e, e.gather(table.rows, e.index(at), 0));
  };
  Value sum = look(words, ids);
  Value position = positionIds
                       ? look(positions, positionIds)
                       : positions.read(e, e.sliceAxis(positions.rows, 0,
                                                       e.size(0), length));
  sum = e.add(sum, position);
  if (segmentIds)
    sum = e.add(sum, look(segments, segmentIds));
  if (!sum)
    return failure();
  Type i32 = e.builder.getI32Type();
  Value count = e.full(i32, 0, {e.dim(ids, 0)});
  if (mask) {
    Value isWord = e.compare(dhlo::CompareDirection::EQ, mask, 1.0);
    count = e.reduce(dhlo::ReduceKind::Sum, e.convert(isWord, i32), {1});
  }
  c.out(1, count);
  c.out(2, e.convert(sum, type));
  Value y = normalizeRows(e, sum, gamma.read(e, gamma.rows),
                          beta.read(e, beta.rows), eps);
  return c.result(e.convert(y, type));
}

LogicalResult importEmbedLayerNormalization(OpContext &c) {
  c.ignore({"mask_index_type"});
  Embedding layer;
  layer.ids = c.in(0);
  layer.segmentIds = c.optional(1);
  layer.words.rows = c.in(2);
  layer.positions.rows = c.in(3);
  layer.segments.rows = c.optional(4);
  layer.gamma.rows = c.in(5);
  layer.beta.rows = c.in(6);
  layer.mask = c.optional(7);
  layer.positionIds = c.optional(8);
  return layer.import(c, c.e.elementType(layer.words.rows));
}

LogicalResult importQEmbedLayerNormalization(OpContext &c) {
  Embedding layer;
  layer.ids = c.in(0);
  layer.segmentIds = c.optional(1);
  layer.mask = c.optional(7);
  layer.words = {c.in(2), c.in(8), c.in(13)};
  layer.positions = {c.in(3), c.in(9), c.in(14)};
  layer.segments = {c.optional(4), c.optional(10), c.optional(15)};
  layer.gamma = {c.in(5), c.in(11), c.in(16)};
  layer.beta = {c.in(6), c.in(12), c.in(17)};
  return layer.import(c, c.e.builder.getF32Type());
}

} // namespace

void onnx::registerEmbedding(OpRegistry &r) {
  r.add(kMicrosoft, "EmbedLayerNormalization",
        {1, importEmbedLayerNormalization});
  r.add(kMicrosoft, "QEmbedLayerNormalization",
        {1, importQEmbedLayerNormalization});
}
