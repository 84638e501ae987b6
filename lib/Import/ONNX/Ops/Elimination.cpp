//===- Elimination.cpp - Det of ONNX, Inverse of com.microsoft ------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Gaussian elimination, a column at a time, with the element of the largest
// magnitude as pivot.

#include "Loops.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;
using dhlo::CompareDirection;

namespace {

/// Square matrices as a batch of them: [batch, n, n].
struct Matrices {
  Value values;
  Type type;
  Sizes outer;
  DimExpr batch, n;
};

FailureOr<Matrices> readMatrices(OpContext &c) {
  Emitter &e = c.e;
  Value x = c.in(0);
  if (!x)
    return failure();
  int64_t rank = e.rank(x);
  Type type = e.elementType(x);
  if (rank < 2 || !(type.isF32() || type.isF64()))
    return c.error("expected square matrices of f32 or f64");
  Sizes sizes = e.sizes(x);
  DimExpr n = e.dims.expand(sizes[rank - 2]);
  if (n.isConst() && sizes.back().isConst() && n != sizes.back())
    return c.error("expected square matrices");
  Sizes outer(sizes.begin(), sizes.end() - 2);
  DimExpr batch = e.dims.expand(e.product(outer));
  return Matrices{e.reshape(x, {batch, n, n}), type, outer, batch, n};
}

/// The pivot of a column: the largest magnitude from the diagonal on.
struct Pivot {
  /// The index of its row and the pivot itself, [batch, 1].
  Value index, value;
  /// Its row, [batch, columns].
  Value row;
  /// All rows, with the diagonal's at the index of the pivot's.
  Value others;
};

/// The pivot of column `at` of matrices [batch, n, columns]; `rows` has their
/// indices, [1, n].
FailureOr<Pivot> findPivot(OpContext &c, const Matrices &m, Value matrices,
                           Value rows, Value at) {
  Emitter &e = c.e;
  Value column = e.gather(matrices, at, 2), own = e.gather(matrices, at, 1);
  Value isLeft = e.compare(CompareDirection::GE, rows, at);
  if (!column || !own || !isLeft)
    return failure();
  Value size =
      e.select(isLeft, e.unary<dhlo::AbsOp>(column), e.constant(m.type, -1));
  if (!size)
    return failure();
  Pivot out;
  out.index = e.unsqueeze(
      dhlo::ArgReduceOp::create(e.builder, e.loc,
                                e.type({m.batch}, e.builder.getI64Type()),
                                dhlo::ArgKind::Max, size, 1, false),
      {1});
  out.value = e.gather(column, out.index, 1, /*batch=*/1);
  out.row = e.gather(matrices, out.index, 1, /*batch=*/1);
  Value isPivot = e.compare(CompareDirection::EQ, rows, out.index);
  if (!isPivot)
    return failure();
  out.others =
      e.select(e.unsqueeze(isPivot, {2}), e.unsqueeze(own, {1}), matrices);
  return out;
}

/// The determinant: multiplies the pivots, with a sign for each exchange of
/// rows.
LogicalResult importDet(OpContext &c) {
  Emitter &e = c.e;
  FailureOr<Matrices> m = readMatrices(c);
  if (failed(m))
    return failure();
  Sizes square{m->batch, m->n, m->n};
  Value rows = e.iota(1, {e.size(1), m->n}, e.builder.getI64Type());
  SmallVector<Value> last = emitCountedLoop(
      c, m->n, {m->values, e.full(m->type, 1, {m->batch})},
      [&](Value at, ArrayRef<Value> old) -> SmallVector<Value> {
        FailureOr<Pivot> pivot = findPivot(c, *m, old[0], rows, at);
        if (failed(pivot))
          return {};
        Value isZero = e.compare(CompareDirection::EQ, pivot->value, 0.0);
        Value stays = e.compare(CompareDirection::EQ, pivot->index, at);
        if (!isZero || !stays)
          return {};
        Value divisor = e.select(isZero, e.constant(m->type, 1), pivot->value);
        Value factor = e.div(e.gather(pivot->others, at, 2), divisor);
        Value next =
            e.sub(pivot->others, e.mul(e.unsqueeze(factor, {2}), pivot->row));
        Value signedPivot =
            e.select(stays, pivot->value, e.unary<dhlo::NegOp>(pivot->value));
        return {e.broadcastTo(next, square),
                e.mul(old[1], e.squeeze(signedPivot, {1}))};
      });
  return last.empty() ? failure() : c.result(e.reshape(last[1], m->outer));
}

/// The identity matrix beside them becomes the inverse.
LogicalResult importInverse(OpContext &c) {
  Emitter &e = c.e;
  FailureOr<Matrices> m = readMatrices(c);
  if (failed(m))
    return failure();
  DimExpr one = e.size(1), n = m->n;
  Type i64 = e.builder.getI64Type();
  Value rows = e.iota(1, {one, n}, i64);
  Value isDiagonal =
      e.compare(CompareDirection::EQ, e.iota(0, {n, one}, i64), rows);
  Value unit = e.broadcastTo(e.convert(isDiagonal, m->type), {m->batch, n, n});
  Sizes wide{m->batch, n, dhlo::mul(n, 2)};
  SmallVector<Value> last = emitCountedLoop(
      c, n, {e.concat({m->values, unit}, 2)},
      [&](Value at, ArrayRef<Value> old) -> SmallVector<Value> {
        FailureOr<Pivot> pivot = findPivot(c, *m, old[0], rows, at);
        if (failed(pivot))
          return {};
        Value row = e.div(pivot->row, e.unsqueeze(pivot->value, {2}));
        Value isHere = e.compare(CompareDirection::EQ, rows, at);
        if (!row || !isHere)
          return {};
        Value factor = e.unsqueeze(e.gather(pivot->others, at, 2), {2});
        Value next = e.sub(pivot->others, e.mul(factor, row));
        return {
            e.broadcastTo(e.select(e.unsqueeze(isHere, {2}), row, next), wide)};
      });
  return last.empty() ? failure()
                      : c.result(e.reshape(e.sliceAxis(last[0], 2, n, n),
                                           e.sizes(c.in(0))));
}

} // namespace

void onnx::registerElimination(OpRegistry &r) {
  r.addWidened("Det", 11, importDet);
  r.add(kMicrosoft, "Inverse",
        {1, importInverse, /*takesSequences=*/false, /*widens=*/true});
}
