//===- NGrams.cpp - TfIdfVectorizer of ONNX -------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../OpContext.h"

#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;
using dhlo::CompareDirection;
using llvm::Twine;

namespace {

/// The n-grams of one length, concatenated.
struct Grams {
  int64_t length;
  ArrayRef<int64_t> items;

  int64_t count() const { return static_cast<int64_t>(items.size()) / length; }
  /// Item `position` of each.
  SmallVector<int64_t> column(int64_t position) const {
    SmallVector<int64_t> result;
    for (int64_t i = 0; i < count(); ++i)
      result.push_back(items[i * length + position]);
    return result;
  }
};

/// The attributes of a vectorizer.
struct Vectorizer {
  int64_t least, most, skips;
  StringRef mode;
  ArrayRef<int64_t> pool, indices;
  ArrayRef<float> weights;
  /// By length, from 1 on.
  SmallVector<Grams> grams;

  bool read(OpContext &c);
  int64_t width() const { return *llvm::max_element(indices) + 1; }
};

/// The maximum distance from the first item of an n-gram to its last one, and
/// the maximum number of columns.
constexpr int64_t kMostReach = 1 << 12, kMostColumns = 1 << 20;

bool Vectorizer::read(OpContext &c) {
  auto fail = [&](const Twine &why) {
    (void)c.error(why);
    return false;
  };
  least = c.getInt("min_gram_length", 0);
  most = c.getInt("max_gram_length", 0);
  skips = c.getInt("max_skip_count", -1);
  mode = c.getString("mode", "");
  auto items = c.getInts("pool_int64s");
  auto starts = c.getInts("ngram_counts"), columns = c.getInts("ngram_indexes");
  if (c.hasAttr("pool_strings"))
    return fail("strings are not supported");
  if (least < 1 || most < least || most > kMostReach || skips < 0 ||
      skips > kMostReach || (most - 1) * (skips + 1) > kMostReach)
    return fail("expected a range of lengths from 1 on, and a number of items "
                "to skip");
  if (mode != "TF" && mode != "IDF" && mode != "TFIDF")
    return fail("expected mode TF, IDF or TFIDF, found '" + mode + "'");
  if (!items || !starts || !columns)
    return fail("expected pool_int64s, ngram_counts and ngram_indexes");
  pool = *items;
  indices = *columns;
  int64_t number = 0;
  for (auto [i, start] : llvm::enumerate(*starts)) {
    auto length = static_cast<int64_t>(i + 1);
    auto size = static_cast<int64_t>(pool.size());
    int64_t end = length < int64_t(starts->size()) ? (*starts)[length] : size;
    if (start < 0 || end < start || end > size || (end - start) % length)
      return fail("expected ngram_counts to cut the pool into n-grams");
    grams.push_back({length, pool.slice(start, end - start)});
    number += grams.back().count();
  }
  if (indices.empty() || number != static_cast<int64_t>(indices.size()) ||
      llvm::any_of(indices,
                   [](int64_t p) { return p < 0 || p >= kMostColumns; }))
    return fail("expected a column of at most " + Twine(kMostColumns) +
                " for each n-gram");
  if (auto given = c.getFloats("weights"))
    weights = *given;
  if (!weights.empty() && weights.size() != indices.size())
    return fail("expected a weight for each n-gram");
  return true;
}

/// An item that no n-gram contains.
int64_t getStranger(ArrayRef<int64_t> pool) {
  llvm::SmallSet<int64_t, 16> known(pool.begin(), pool.end());
  int64_t item = 0;
  while (known.contains(item))
    ++item;
  return item;
}

/// The count of each n-gram in the rows of `x` [N, length + reach], its items
/// `distance` apart; [N, n-grams].
Value countGrams(Emitter &e, Value x, DimExpr length, const Grams &grams,
                 int64_t distance) {
  Value found;
  for (int64_t position = 0; position < grams.length; ++position) {
    Value items = e.sliceAxis(x, 1, e.size(position * distance), length);
    Value same = e.compare(CompareDirection::EQ, e.unsqueeze(items, {2}),
                           e.constantInts(grams.column(position)));
    found = found ? e.binary<dhlo::AndOp>(found, same) : same;
  }
  return e.reduce(dhlo::ReduceKind::Sum,
                  e.convert(found, e.builder.getF32Type()), {1});
}

LogicalResult importTfIdfVectorizer(OpContext &c) {
  Emitter &e = c.e;
  Value x = c.in(0);
  Vectorizer v;
  if (!x || !v.read(c))
    return failure();
  Type i64 = e.builder.getI64Type(), f32 = e.builder.getF32Type();
  int64_t rank = e.rank(x);
  if (rank > 2 || !isa<IntegerType>(e.elementType(x)))
    return c.error("expected integers of rank at most 2");
  DimExpr rows = rank == 2 ? e.dim(x, 0) : e.size(1);
  DimExpr length = rank ? e.dim(x, rank - 1) : e.size(1);
  // Positions past the end of a row have items that no n-gram contains.
  DimExpr reach = e.size((v.most - 1) * (v.skips + 1));
  x = e.pad(e.reshape(e.convert(x, i64), {rows, length}),
            e.constantInt(i64, getStranger(v.pool)), dhlo::PadMode::Constant,
            e.sizes({0, 0}), {e.size(0), reach});
  SmallVector<Value> counts;
  for (const Grams &grams : v.grams) {
    if (!grams.count())
      continue;
    bool isCounted = grams.length >= v.least && grams.length <= v.most;
    // A single item has nothing to skip.
    int64_t distances = isCounted ? grams.length == 1 ? 1 : v.skips + 1 : 0;
    Value sum = e.full(f32, 0, {rows, e.size(grams.count())});
    for (int64_t distance = 1; distance <= distances && sum; ++distance)
      sum = e.add(sum, countGrams(e, x, length, grams, distance));
    counts.push_back(sum);
  }
  Value weighed = e.concat(counts, 1);
  if (v.mode == "IDF")
    weighed = e.minimum(weighed, 1.0);
  if (v.mode != "TF" && !v.weights.empty()) {
    SmallVector<double> weights(v.weights.begin(), v.weights.end());
    weighed = e.mul(weighed, e.constantFloats(f32, weights));
  }
  // Scatters each count to its column.
  Value all = e.transpose(weighed, {1, 0});
  Value columns = e.unsqueeze(e.constantInts(v.indices), {1});
  Value zeros = e.full(f32, 0, {e.size(v.width()), rows});
  if (!all || !columns || !zeros)
    return failure();
  Value result = e.transpose(
      dhlo::ScatterNdOp::create(e.builder, e.loc, zeros.getType(), zeros,
                                columns, all, dhlo::ScatterKind::Add),
      {1, 0});
  Sizes sizes = e.sizes(result);
  if (rank < 2)
    sizes.erase(sizes.begin());
  return c.result(e.reshape(result, sizes));
}

} // namespace

void onnx::registerNGrams(OpRegistry &r) {
  r.add("TfIdfVectorizer", 9, importTfIdfVectorizer);
}
