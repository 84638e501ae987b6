//===- Determinant.cpp - Det of ONNX
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Loops.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;
using dhlo::CompareDirection;

/// Elimination with the greatest element of each column as its pivot: the
/// determinant is the product of the pivots, with a sign for each exchange.
static LogicalResult importDet(OpContext &c) {
  Emitter &e = c.e;
  Value x = c.in(0);
  if (!x)
    return failure();
  int64_t rank = e.rank(x);
  Type type = e.elementType(x), i64 = e.builder.getI64Type();
  if (rank < 2 || !(type.isF32() || type.isF64()))
    return c.error("expected square matrices of f32 or f64");
  Sizes sizes = e.sizes(x);
  DimExpr one = e.size(1), n = sizes[rank - 2];
  Sizes outer(sizes.begin(), sizes.end() - 2);
  DimExpr batch = e.dims.expand(e.product(outer));
  if (n.isConst() && sizes.back().isConst() && n != sizes.back())
    return c.error("expected square matrices");
  Sizes square{batch, n, n};
  Value matrix = e.reshape(x, square);
  Value row = e.iota(1, {one, n}, i64);
  SmallVector<Value> last = emitCountedLoop(
      c, n, {matrix, e.full(type, 1, {batch})},
      [&](Value at, ArrayRef<Value> old) {
        Value column = e.gather(old[0], at, 2), own = e.gather(old[0], at, 1);
        Value isLeft = e.compare(CompareDirection::GE, row, at);
        if (!column || !isLeft)
          return SmallVector<Value>();
        Value size = e.select(isLeft, e.unary<dhlo::AbsOp>(column),
                              e.constant(type, -1));
        if (!size)
          return SmallVector<Value>();
        Value best =
            dhlo::ArgReduceOp::create(e.builder, e.loc, e.type({batch}, i64),
                                      dhlo::ArgKind::Max, size, 1, false);
        Value line = e.gather(old[0], e.unsqueeze(best, {1}), 1, /*batch=*/1);
        Value pivot = e.gather(column, e.unsqueeze(best, {1}), 1, /*batch=*/1);
        // The row that was here goes to where the pivot's was.
        Value isBest =
            e.compare(CompareDirection::EQ, row, e.unsqueeze(best, {1}));
        Value isZero = e.compare(CompareDirection::EQ, pivot, 0.0);
        Value stays = e.compare(CompareDirection::EQ, best, at);
        if (!isBest || !isZero || !stays)
          return SmallVector<Value>();
        Value next =
            e.select(e.unsqueeze(isBest, {2}), e.unsqueeze(own, {1}), old[0]);
        Value factor = e.div(e.gather(next, at, 2),
                             e.select(isZero, e.constant(type, 1), pivot));
        next = e.sub(next, e.mul(e.unsqueeze(factor, {2}), line));
        Value signedPivot = e.squeeze(pivot, {1});
        signedPivot =
            e.select(stays, signedPivot, e.unary<dhlo::NegOp>(signedPivot));
        return SmallVector<Value>{e.broadcastTo(next, square),
                                  e.mul(old[1], signedPivot)};
      });
  return last.empty() ? failure() : c.result(e.reshape(last[1], outer));
}

void onnx::registerDeterminant(OpRegistry &r) {
  r.addWidened("Det", 11, importDet);
}
