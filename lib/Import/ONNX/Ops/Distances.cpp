//===- Distances.cpp - Distances and inverses of matrices
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What ONNX Runtime has of linear algebra: com.microsoft, set 1.

#include "Loops.h"

#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;
using dhlo::CompareDirection;

namespace {

/// The distance of each row of one matrix to each of another.
LogicalResult importCDist(OpContext &c) {
  Emitter &e = c.e;
  Value a = c.in(0), b = c.in(1);
  StringRef metric = c.getString("metric", "sqeuclidean");
  if (!a || !b)
    return failure();
  if (e.rank(a) != 2 || e.rank(b) != 2)
    return c.error("expected matrices");
  if (metric != "euclidean" && metric != "sqeuclidean")
    return c.error("expected metric euclidean or sqeuclidean, found '" +
                   llvm::Twine(metric) + "'");
  Value way = e.sub(e.unsqueeze(a, {1}), e.unsqueeze(b, {0}));
  Value y = e.reduce(dhlo::ReduceKind::Sum, e.mul(way, way), {2});
  return c.result(metric == "euclidean" ? e.unary<dhlo::SqrtOp>(y) : y);
}

/// Elimination of all columns, each with its greatest element as the pivot:
/// what becomes of the unit matrix beside it is the inverse.
LogicalResult importInverse(OpContext &c) {
  Emitter &e = c.e;
  Value x = c.in(0);
  if (!x)
    return failure();
  int64_t rank = e.rank(x);
  Type type = e.elementType(x), i64 = e.builder.getI64Type();
  if (rank < 2 || !(type.isF32() || type.isF64()))
    return c.error("expected square matrices of f32 or f64");
  Sizes sizes = e.sizes(x);
  DimExpr one = e.size(1), n = e.dims.expand(sizes[rank - 2]);
  if (n.isConst() && sizes.back().isConst() && n != sizes.back())
    return c.error("expected square matrices");
  Sizes outer(sizes.begin(), sizes.end() - 2);
  DimExpr batch = e.dims.expand(e.product(outer)), wide = dhlo::mul(n, 2);
  Value row = e.iota(0, {n, one}, i64), column = e.iota(1, {one, n}, i64);
  Value isDiagonal = e.compare(CompareDirection::EQ, row, column);
  Value unit = e.broadcastTo(e.convert(isDiagonal, type), {batch, n, n});
  Value both = e.concat({e.reshape(x, {batch, n, n}), unit}, 2);
  Value rows = e.iota(1, {one, n}, i64);
  Sizes all{batch, n, wide};
  SmallVector<Value> last =
      emitCountedLoop(c, n, {both}, [&](Value at, ArrayRef<Value> old) {
        Value column = e.gather(old[0], at, 2), own = e.gather(old[0], at, 1);
        Value isLeft = e.compare(CompareDirection::GE, rows, at);
        if (!column || !own || !isLeft)
          return SmallVector<Value>();
        Value size = e.select(isLeft, e.unary<dhlo::AbsOp>(column),
                              e.constant(type, -1));
        if (!size)
          return SmallVector<Value>();
        Value best = e.unsqueeze(
            dhlo::ArgReduceOp::create(e.builder, e.loc, e.type({batch}, i64),
                                      dhlo::ArgKind::Max, size, 1, false),
            {1});
        Value line = e.gather(old[0], best, 1, /*batch=*/1);
        Value pivot = e.gather(column, best, 1, /*batch=*/1);
        line = e.div(line, e.unsqueeze(pivot, {2}));
        // The row that was here goes to where the pivot's was, and the pivot's
        // comes here.
        Value isBest = e.compare(CompareDirection::EQ, rows, best);
        Value isHere = e.compare(CompareDirection::EQ, rows, at);
        if (!isBest || !isHere || !line)
          return SmallVector<Value>();
        Value next =
            e.select(e.unsqueeze(isBest, {2}), e.unsqueeze(own, {1}), old[0]);
        Value factor = e.unsqueeze(e.gather(next, at, 2), {2});
        next = e.sub(next, e.mul(factor, line));
        next = e.select(e.unsqueeze(isHere, {2}), line, next);
        return SmallVector<Value>{e.broadcastTo(next, all)};
      });
  return last.empty()
             ? failure()
             : c.result(e.reshape(e.sliceAxis(last[0], 2, n, n), sizes));
}

} // namespace

void onnx::registerDistances(OpRegistry &r) {
  r.add(kMicrosoft, "CDist", {1, importCDist});
  r.add(kMicrosoft, "Inverse",
        {1, importInverse, /*takesSequences=*/false, /*widens=*/true});
}
