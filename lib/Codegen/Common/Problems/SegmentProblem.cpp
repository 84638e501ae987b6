//===- SegmentProblem.cpp - Operations on segments along an axis ----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen/Common/Problems/SegmentProblem.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dyn;
using arith::CmpFPredicate;
using arith::CmpIPredicate;
using dhlo::DimExpr;

SegmentProblem::SegmentProblem(Operation *op, const SymbolicDims &dims)
    : op(op) {
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  element = type.getElementType();
  int64_t axis = op->getAttrOfType<IntegerAttr>("axis").getInt();
  outer = inner = dhlo::getConstDim(op->getContext(), 1);
  for (int64_t i = 0; i < type.getRank(); ++i) {
    DimExpr n = dims.getDim(op->getOperand(0), i);
    if (i < axis)
      outer = dhlo::mul(outer, n);
    else if (i == axis)
      size = n;
    else
      inner = dhlo::mul(inner, n);
  }
  count = dims.getDim(op->getResult(0), axis);
  if (auto sort = dyn_cast<dhlo::SortOp>(op))
    descending = sort.getDescending();
  if (auto top = dyn_cast<dhlo::TopKOp>(op))
    descending = top.getLargest();
}

Position SegmentProblem::at(ElementEmitter &e, Line line, DimExpr extent,
                            OpFoldResult i) const {
  return {{outer, e.uniform(line.outer)},
          {extent, e.uniform(i)},
          {inner, e.uniform(line.inner)}};
}

bool SegmentProblem::isUnsigned() const {
  return element.isUnsignedInteger() || element.isInteger(1);
}

Value SegmentProblem::key(ElementEmitter &e, Line line, OpFoldResult i,
                          int64_t lanes) const {
  Position position = at(e, line, size, i);
  if (lanes > 1)
    position[1].index = e.lanes(i);
  return e.emit(op->getOperand(0), position, lanes);
}

Value SegmentProblem::isBefore(KernelBuilder &b, Value x, Value y) const {
  if (descending)
    std::swap(x, y);
  if (!isa<FloatType>(element))
    return arith::CmpIOp::create(
        b, isUnsigned() ? CmpIPredicate::ult : CmpIPredicate::slt, x, y);
  // Of a number and NaN, or two NaN, `less` holds, too.
  Value less = arith::CmpFOp::create(b, CmpFPredicate::ULT, x, y);
  Value isNumber = arith::CmpFOp::create(b, CmpFPredicate::ORD, x, x);
  return arith::AndIOp::create(b, less, isNumber);
}

void SegmentProblem::storeSorted(ElementEmitter &e, Line line, OpFoldResult i,
                                 Value from) const {
  for (auto [result, tensor] : llvm::enumerate(e.getBuilder().getResults())) {
    Value v = tensor == op->getResult(0) ? key(e, line, from) : from;
    e.store(v, result, at(e, line, count, i), 1);
  }
}
