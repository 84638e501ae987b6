//===- SuppressProblem.cpp - Non-maximum suppression in lists of boxes ----===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen/Common/Problems/SuppressProblem.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dyn;
using arith::CmpFPredicate;
using arith::CmpIPredicate;
using dhlo::DimExpr;

SuppressProblem::SuppressProblem(dhlo::SuppressOp op, const SymbolicDims &dims)
    : op(op), element(op.getBoxes().getType().getElementType()),
      lists(dhlo::getConstDim(op.getContext(), 1)) {
  int64_t axis = op.getType().getRank() - 1;
  for (int64_t i = 0; i < axis; ++i)
    lists = dhlo::mul(lists, dims.getDim(op.getCandidates(), i));
  size = dims.getDim(op.getCandidates(), axis);
}

Position SuppressProblem::at(ElementEmitter &e, OpFoldResult list,
                             OpFoldResult i) {
  return {{lists, e.uniform(list)}, {size, e.uniform(i)}};
}

SuppressProblem::Box
SuppressProblem::readBox(ElementEmitter &e, OpFoldResult list, OpFoldResult i) {
  KernelBuilder &b = e.getBuilder();
  auto read = [&](int64_t bound) {
    Position position = at(e, list, i);
    position.push_back(
        {dhlo::getConstDim(op.getContext(), 4), e.uniform(b.constant(bound))});
    return e.emit(op.getBoxes(), position, 1);
  };
  Box box = {{read(0), read(1)}, {read(2), read(3)}, Value()};
  auto side = [&](int64_t axis) -> Value {
    return arith::SubFOp::create(b, box.high[axis], box.low[axis]);
  };
  box.area = arith::MulFOp::create(b, side(0), side(1));
  return box;
}

Value SuppressProblem::isConsidered(ElementEmitter &e, OpFoldResult list,
                                    OpFoldResult i, OpFoldResult count) {
  KernelBuilder &b = e.getBuilder();
  Value most = e.emit(op.getMost(), Position(), 1);
  return arith::AndIOp::create(b, e.emit(op.getCandidates(), at(e, list, i), 1),
                               b.cmp(CmpIPredicate::slt, count, most));
}

Value SuppressProblem::overlapsAny(ElementEmitter &e, const Box &box,
                                   const Box &others, int64_t lanes) {
  KernelBuilder &b = e.getBuilder();
  Value zero = b.number(0, element, lanes);
  auto isGreater = [&](Value x, Value y) -> Value {
    return arith::CmpFOp::create(b, CmpFPredicate::OGT, x, y);
  };
  auto both = [&](Value x, Value y) -> Value {
    return arith::AndIOp::create(b, x, y);
  };
  // A bound that is NaN makes the area NaN, so it does not matter which operand
  // these choose.
  auto minimum = [&](Value x, Value y) -> Value {
    return arith::SelectOp::create(b, isGreater(y, x), x, y);
  };
  auto maximum = [&](Value x, Value y) -> Value {
    return arith::SelectOp::create(b, isGreater(x, y), x, y);
  };
  auto side = [&](int64_t axis) -> Value {
    Value high = minimum(b.splat(box.high[axis], lanes), others.high[axis]);
    Value low = maximum(b.splat(box.low[axis], lanes), others.low[axis]);
    return arith::SubFOp::create(b, high, low);
  };
  Value width = side(0), height = side(1);
  Value meets = both(isGreater(width, zero), isGreater(height, zero));
  // Most boxes do not meet, so that there is nothing to divide.
  return b.ifElse(
      b.any(meets), b.getI1Type(),
      [&] {
        Value shared = arith::MulFOp::create(b, width, height);
        Value own = b.splat(box.area, lanes);
        Value sum = arith::AddFOp::create(b, own, others.area);
        Value joint = arith::SubFOp::create(b, sum, shared);
        Value threshold = e.emit(op.getThreshold(), Position(), 1);
        Value overlaps = isGreater(arith::DivFOp::create(b, shared, joint),
                                   b.splat(threshold, lanes));
        for (Value area : {shared, own, others.area, joint})
          overlaps = both(overlaps, isGreater(area, zero));
        return b.any(both(overlaps, meets));
      },
      [&] { return b.number(0, b.getI1Type()); });
}

void SuppressProblem::store(ElementEmitter &e, OpFoldResult list,
                            OpFoldResult i, Value isKept) {
  // The kernel may yield the result several times.
  for (int64_t r = 0, end = e.getBuilder().getResults().size(); r < end; ++r)
    e.store(isKept, r, at(e, list, i), 1);
}
