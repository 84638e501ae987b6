//===- Indexing.cpp - Operators of ONNX that read and write at indices ----===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Loops.h"

#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;
using dhlo::CompareDirection;
using llvm::Twine;

namespace {

LogicalResult importGather(OpContext &c) {
  Value x = c.in(0), indices = c.in(1);
  if (!x || !indices)
    return failure();
  auto axis = c.getAxis("axis", 0, c.e.rank(x));
  return axis ? c.result(c.e.gather(x, indices, *axis)) : failure();
}

LogicalResult importGatherElements(OpContext &c) {
  Value x = c.in(0), indices = c.e.index(c.in(1));
  if (!x || !indices)
    return failure();
  if (c.e.rank(x) != c.e.rank(indices))
    return c.error("expected indices of the data's rank");
  auto axis = c.getAxis("axis", 0, c.e.rank(x));
  if (!axis)
    return failure();
  auto type = dhlo::withElementType(cast<RankedTensorType>(indices.getType()),
                                    c.e.elementType(x));
  return c.result(dhlo::GatherElementsOp::create(c.e.builder, c.e.loc, type, x,
                                                 indices, *axis));
}

/// The static last size of index vectors; nullopt, with an error, otherwise.
std::optional<int64_t> getVectorLength(OpContext &c, Value indices,
                                       int64_t most) {
  int64_t rank = c.e.rank(indices);
  DimExpr last = rank ? c.e.dim(indices, rank - 1) : DimExpr();
  if (!last || !last.isConst() || last.getValue() > most) {
    (void)c.error("expected index vectors of a known length of at most " +
                  Twine(most));
    return std::nullopt;
  }
  return last.getValue();
}

LogicalResult importGatherNd(OpContext &c) {
  Value x = c.in(0), indices = c.e.index(c.in(1));
  int64_t batch = c.getInt("batch_dims", 0);
  if (!x || !indices)
    return failure();
  if (batch < 0 || batch >= c.e.rank(indices) || batch >= c.e.rank(x))
    return c.error("expected batch_dims below the ranks of the operands");
  auto length = getVectorLength(c, indices, c.e.rank(x) - batch);
  if (!length)
    return failure();
  Sizes chosen = c.e.sizes(indices), from = c.e.sizes(x);
  chosen.pop_back();
  chosen.append(from.begin() + batch + *length, from.end());
  return c.result(dhlo::GatherNdOp::create(c.e.builder, c.e.loc,
                                           c.e.type(chosen, c.e.elementType(x)),
                                           x, indices, batch));
}

std::optional<dhlo::ScatterKind> getScatterKind(OpContext &c) {
  StringRef name = c.getString("reduction", "none");
  auto kind = name == "none" ? dhlo::ScatterKind::Replace
                             : dhlo::symbolizeScatterKind(name);
  if (!kind)
    (void)c.error("expected reduction none, add, mul, max or min, found '" +
                  name + "'");
  return kind;
}

LogicalResult importScatterElements(OpContext &c) {
  Value x = c.in(0), indices = c.e.index(c.in(1)), updates = c.in(2);
  auto kind = getScatterKind(c);
  if (!x || !indices || !updates || !kind)
    return failure();
  if (c.e.rank(x) != c.e.rank(indices) || c.e.rank(x) != c.e.rank(updates))
    return c.error("expected data, indices and updates of equal rank");
  if (c.e.elementType(x) != c.e.elementType(updates))
    return c.error("expected updates of the data's element type");
  auto axis = c.getAxis("axis", 0, c.e.rank(x));
  if (!axis)
    return failure();
  return c.result(dhlo::ScatterElementsOp::create(
      c.e.builder, c.e.loc, x.getType(), x, indices, updates, *kind, *axis));
}

/// A cache with new elements along an axis, from an index of each batch on.
/// Each position of the cache gathers its element, so nothing is scattered.
LogicalResult importTensorScatter(OpContext &c) {
  Emitter &e = c.e;
  Value cache = c.in(0), update = c.in(1), writeIndices = c.optional(2);
  StringRef mode = c.getString("mode", "linear");
  if (!cache || !update)
    return failure();
  int64_t rank = e.rank(cache);
  auto axis = c.getAxis("axis", -2, rank);
  if (!axis)
    return failure();
  if (mode != "linear" && mode != "circular")
    return c.error("expected mode linear or circular, found '" + mode + "'");
  if (*axis == 0 || e.rank(update) != rank ||
      (writeIndices && e.rank(writeIndices) != 1))
    return c.error("expected an update of the cache's rank, an axis behind the "
                   "first and an index for each element of that");
  Type i64 = e.builder.getI64Type();
  Value zero = e.constantInt(i64, 0);
  DimExpr batch = e.dim(cache, 0), size = e.dim(cache, *axis);
  Value at = e.iota(1, {e.size(1), size}, i64);
  if (writeIndices)
    at = e.sub(at, e.unsqueeze(e.convert(writeIndices, i64), {1}));
  at = e.broadcastTo(at, {batch, size});
  if (mode == "circular") {
    Value behind = e.compare(CompareDirection::LT, at, zero);
    at = e.select(behind, e.add(at, e.fromSize(size)), at);
  }
  Value count = e.fromSize(e.dim(update, *axis));
  Value isNew =
      e.binary<dhlo::AndOp>(e.compare(CompareDirection::GE, at, zero),
                            e.compare(CompareDirection::LT, at, count));
  if (!isNew)
    return failure();
  // A row after the update's is for indices that are not read, so that there is
  // one even if the update is empty.
  at = e.select(isNew, at, count);
  Sizes low(rank, e.size(0)), high(low);
  high[*axis] = e.size(1);
  update = e.pad(update, e.constant(e.elementType(update), 0),
                 dhlo::PadMode::Constant, low, high);
  Value value = e.gather(update, at, *axis, /*batch=*/1);
  if (!value)
    return failure();
  Sizes along(rank, e.size(1));
  along[0] = batch;
  along[*axis] = size;
  return c.result(e.select(e.reshape(isNew, along), value, cache));
}

LogicalResult importScatterNd(OpContext &c) {
  Value x = c.in(0), indices = c.e.index(c.in(1)), updates = c.in(2);
  auto kind = getScatterKind(c);
  if (!x || !indices || !updates || !kind)
    return failure();
  if (!getVectorLength(c, indices, c.e.rank(x)))
    return failure();
  if (c.e.elementType(x) != c.e.elementType(updates))
    return c.error("expected updates of the data's element type");
  return c.result(dhlo::ScatterNdOp::create(c.e.builder, c.e.loc, x.getType(),
                                            x, indices, updates, *kind));
}

LogicalResult importOneHot(OpContext &c) {
  Value indices = c.in(0), depth = c.in(1), values = c.in(2);
  if (!indices || !depth || !values)
    return failure();
  int64_t rank = c.e.rank(indices);
  auto axis = c.getAxis("axis", -1, rank + 1);
  if (!axis)
    return failure();
  Type i64 = c.e.builder.getI64Type();
  DimExpr number = c.e.bind(c.e.reshape(c.e.convert(depth, i64), {}), "depth");
  if (!number)
    return failure();
  indices = c.e.convert(indices, i64);
  Value isNegative = c.e.compare(CompareDirection::LT, indices, 0.0);
  indices =
      c.e.select(isNegative, c.e.add(indices, c.e.fromSize(number)), indices);
  Sizes sizes = c.e.sizes(indices);
  sizes.insert(sizes.begin() + *axis, number);
  // An index out of range equals no position: its row is off.
  Value isHot = c.e.compare(CompareDirection::EQ, c.e.iota(*axis, sizes, i64),
                            c.e.unsqueeze(indices, {*axis}));
  auto value = [&](int64_t i) {
    return c.e.reshape(c.e.sliceAxis(values, 0, c.e.size(i), c.e.size(1)), {});
  };
  return c.result(isHot ? c.e.select(isHot, value(1), value(0)) : Value());
}

/// Indices of nonzero elements as rows, with their number bound.
Value nonzero(OpContext &c, Value x) {
  DimExpr count = c.e.symbols.createSymbol("nonzero");
  auto type =
      c.e.type({count, c.e.size(c.e.rank(x))}, c.e.builder.getI64Type());
  return dhlo::NonzeroOp::create(c.e.builder, c.e.loc, type, x,
                                 FlatSymbolRefAttr::get(count.getName()));
}

LogicalResult importNonZero(OpContext &c) {
  Value x = c.in(0);
  // ONNX has a column for each element, [rank, count].
  return x ? c.result(c.e.transpose(nonzero(c, x), {1, 0})) : failure();
}

LogicalResult importCompress(OpContext &c) {
  Value x = c.in(0), condition = c.in(1);
  bool flat = !c.hasAttr("axis");
  if (!x || !condition)
    return failure();
  if (flat)
    x = c.e.reshape(x, {c.e.product(c.e.sizes(x))});
  auto axis = c.getAxis("axis", 0, c.e.rank(x));
  if (!axis || c.e.rank(condition) != 1)
    return c.error("expected a vector of conditions and an axis in range");
  // The condition may be shorter than the axis: the rest is not selected.
  Value rows = c.e.squeeze(nonzero(c, condition), {1});
  return c.result(c.e.gather(x, rows, *axis));
}

LogicalResult importTopK(OpContext &c) {
  Value x = c.in(0);
  if (!x)
    return failure();
  auto axis = c.getAxis("axis", -1, c.e.rank(x));
  bool largest = c.getInt("largest", 1) != 0;
  // Without it any order is right, that of the values too.
  c.ignore({"sorted"});
  if (!axis)
    return failure();
  DimExpr k;
  if (c.version < 10) {
    k = c.e.size(c.getInt("k", 0));
  } else {
    auto sizes = c.e.sizesFrom(c.in(1), "k");
    if (!sizes || sizes->size() != 1)
      return c.error("expected one k");
    k = sizes->front();
  }
  Sizes sizes = c.e.sizes(x);
  if (k.isConst() && sizes[*axis].isConst() &&
      k.getValue() > sizes[*axis].getValue())
    return c.error("expected k of at most " + Twine(sizes[*axis].getValue()) +
                   ", found " + Twine(k.getValue()));
  sizes[*axis] = k;
  auto top = dhlo::TopKOp::create(
      c.e.builder, c.e.loc, c.e.type(sizes, c.e.elementType(x)),
      c.e.type(sizes, c.e.builder.getI64Type()), x, *axis, largest);
  c.out(0, top.getValues());
  c.out(1, top.getIndices());
  return success();
}

/// The order of the rows of a matrix, by the first column first: sorted by
/// each, the last one first, since sorts are stable.
Value orderRows(OpContext &c, Value rows) {
  Emitter &e = c.e;
  Type i64 = e.builder.getI64Type();
  DimExpr columns = e.dim(rows, 1);
  Value last = e.fromSize(e.dims.expand(dhlo::add(e.dims.expand(columns), -1)));
  SmallVector<Value> order = emitCountedLoop(
      c, columns, {e.iota(0, {e.dim(rows, 0)}, i64)},
      [&](Value at, ArrayRef<Value> old) {
        Value column = e.gather(rows, e.sub(last, at), 1);
        Value keys = e.gather(column, old[0], 0);
        if (!keys)
          return SmallVector<Value>();
        auto sorted = dhlo::SortOp::create(e.builder, e.loc, keys.getType(),
                                           old[0].getType(), keys, 0, false);
        return SmallVector<Value>{e.gather(old[0], sorted.getIndices(), 0)};
      });
  return order.empty() ? Value() : order.front();
}

/// Sorted unique elements of the flattened tensor, or slices along an axis: one
/// is the first of its kind where it differs from its predecessor.
LogicalResult findUnique(OpContext &c, bool sorted, bool givesFirsts) {
  Emitter &e = c.e;
  Value x = c.in(0);
  if (!x)
    return failure();
  int64_t rank = e.rank(x);
  bool hasAxis = c.hasAttr("axis") && rank != 1;
  int64_t axis = 0;
  if (c.hasAttr("axis")) {
    auto given = c.getAxis("axis", 0, rank);
    if (!given)
      return failure();
    axis = *given;
  }
  Type i64 = e.builder.getI64Type();
  auto sortBy = [&](Value keys) {
    return dhlo::SortOp::create(
        e.builder, e.loc, keys.getType(),
        dhlo::withElementType(cast<RankedTensorType>(keys.getType()), i64),
        keys, 0, false);
  };
  // Slices are rows of a matrix until the end.
  SmallVector<int64_t> toFront{axis}, back;
  Value values, origins;
  Sizes slice;
  if (hasAxis) {
    for (int64_t i = 0; i < rank; ++i) {
      if (i != axis) {
        toFront.push_back(i);
        slice.push_back(e.dim(x, i));
      }
      back.push_back(i < axis ? i + 1 : i == axis ? 0 : i);
    }
    Value rows =
        e.reshape(e.transpose(x, toFront), {e.dim(x, axis), e.product(slice)});
    origins = rows ? orderRows(c, rows) : Value();
    values = origins ? e.gather(rows, origins, 0) : Value();
  } else if (Value flat = e.reshape(x, {e.product(e.sizes(x))})) {
    auto order = sortBy(flat);
    values = order.getValues();
    origins = order.getIndices();
  }
  if (!values)
    return failure();
  DimExpr n = e.dim(values, 0);
  Value position = e.iota(0, {n}, i64);
  Value before = e.gather(values, e.maximum(e.sub(position, 1.0), 0.0), 0);
  Value differs = e.compare(CompareDirection::NE, values, before);
  if (hasAxis)
    differs = e.reduce(dhlo::ReduceKind::Or, differs, {1});
  Value isFirst = e.binary<dhlo::OrOp>(
      differs, e.compare(CompareDirection::EQ, position, 0.0));
  Value starts = e.squeeze(nonzero(c, isFirst), {1});
  Value unique = e.gather(values, starts, 0);
  // The sort is stable, so that the first of a kind is its first occurrence.
  Value firsts = e.gather(origins, starts, 0);
  DimExpr k = e.dim(unique, 0);
  Value group = e.sub(
      dhlo::CumulativeOp::create(
          e.builder, e.loc, cast<RankedTensorType>(position.getType()),
          dhlo::ReduceKind::Sum, e.convert(isFirst, i64), 0, false, false),
      1.0);
  Value ends = e.concat({starts, e.reshape(e.fromSize(n), {e.size(1)})}, 0);
  Value counts = e.sub(e.sliceAxis(ends, 0, e.size(1), k), starts);
  if (!sorted) {
    // In order of first occurrence.
    auto byFirst = sortBy(firsts);
    Value rank = dhlo::ScatterElementsOp::create(
        e.builder, e.loc, byFirst.getIndices().getType(), byFirst.getIndices(),
        byFirst.getIndices(), e.iota(0, {k}, i64), dhlo::ScatterKind::Replace,
        0);
    unique = e.gather(unique, byFirst.getIndices(), 0);
    counts = e.gather(counts, byFirst.getIndices(), 0);
    group = e.gather(rank, group, 0);
    firsts = byFirst.getValues();
  }
  if (hasAxis) {
    slice.insert(slice.begin(), k);
    unique = e.transpose(e.reshape(unique, slice), back);
  }
  unsigned next = 0;
  c.out(next++, unique);
  if (givesFirsts)
    c.out(next++, firsts);
  c.out(next++, dhlo::ScatterElementsOp::create(
                    e.builder, e.loc, position.getType(), position, origins,
                    group, dhlo::ScatterKind::Replace, 0));
  c.out(next++, counts);
  return success();
}

LogicalResult importUnique(OpContext &c) {
  return findUnique(c, c.getInt("sorted", 1) != 0, /*givesFirsts=*/true);
}

/// In order of first occurrence, which itself is not an output.
LogicalResult importRuntimeUnique(OpContext &c) {
  return findUnique(c, /*sorted=*/false, /*givesFirsts=*/false);
}

} // namespace

void onnx::registerIndexing(OpRegistry &r) {
  r.add("Gather", 1, importGather);
  r.add("GatherElements", 11, importGatherElements);
  r.add("GatherND", 11, importGatherNd);
  r.addEquivalent("GatherND", 11, importGatherNd);
  // The name of ScatterElements in opsets 9 and 10.
  r.add("Scatter", 9, importScatterElements);
  r.add("ScatterElements", 11, importScatterElements);
  r.add("TensorScatter", 24, importTensorScatter);
  r.add("ScatterND", 11, importScatterNd);
  r.add("OneHot", 9, importOneHot);
  r.add("NonZero", 9, importNonZero);
  r.add("Compress", 9, importCompress);
  r.add("TopK", 1, importTopK);
  r.add("Unique", 11, importUnique);
  r.add(kMicrosoft, "Unique", {1, importRuntimeUnique});
}
