//===- GatherEmitter.cpp - Operations that index by data ------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Elements/OpEmitters.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;
using dhlo::DimExpr;

bool dyn::isGather(Operation *op) {
  return isa<dhlo::GatherOp, dhlo::GatherElementsOp, dhlo::GatherNdOp>(op);
}

static bool variesByLane(ArrayRef<Digit> position, int64_t lanes) {
  return lanes > 1 && llvm::any_of(position, [](const Digit &digit) {
           return getConstantIntValue(digit.index.step) != 0;
         });
}

/// The index that one lane's data gives into an axis of size `extent`: from the
/// end if negative; out of range it is reported and clamped.
static OpFoldResult loadIndex(ElementEmitter &e, Operation *op, Value indices,
                              const Position &position, OpFoldResult extent) {
  KernelBuilder &b = e.getBuilder();
  Value index = e.emit(indices, position, 1);
  if (!index.getType().isInteger(64))
    index = arith::ExtSIOp::create(b, b.getI64Type(), index);
  OpFoldResult zero = b.constant(0);
  Value isNegative = b.cmp(CmpIPredicate::slt, index, zero);
  OpFoldResult wrapped = b.select(isNegative, b.add(index, extent), index);
  // One unsigned comparison sees both ends.
  b.fail(op, b.cmp(CmpIPredicate::uge, wrapped, extent));
  OpFoldResult end = b.sub(extent, b.constant(1));
  return b.max(zero, b.min(wrapped, end));
}

/// `read()`, or zeros where an axis that is indexed has no elements.
static Value readUnlessEmpty(ElementEmitter &e, Operation *op,
                             ArrayRef<DimExpr> indexed, int64_t lanes,
                             llvm::function_ref<Value()> read) {
  KernelBuilder &b = e.getBuilder();
  Value hasElements;
  for (DimExpr size : indexed) {
    if (b.getDims().isAtLeast(size, 1))
      continue;
    Value one = b.cmp(CmpIPredicate::sgt, b.size(size), b.constant(0));
    hasElements = hasElements
                      ? arith::AndIOp::create(b, hasElements, one).getResult()
                      : one;
  }
  if (!hasElements)
    return read();
  Type type = getComputeType(
      cast<RankedTensorType>(op->getResult(0).getType()).getElementType());
  return b.ifElse(hasElements, KernelBuilder::laneType(type, lanes), read,
                  [&] { return b.number(0, type, lanes); });
}

static Value emitGather(ElementEmitter &e, dhlo::GatherOp op,
                        const Position &position, int64_t lanes) {
  KernelBuilder &b = e.getBuilder();
  MLIRContext *context = b.getContext();
  int64_t axis = op.getAxis(), batch = op.getBatch();
  SmallVector<DimExpr> from = getSizes(b, op.getOperand()),
                       by = getSizes(b, op.getIndices());
  ArrayRef<DimExpr> sizes(from);
  // batch | operand before the axis | indices | operand after the axis
  SmallVector<DimExpr> runs = {
      product(context, sizes.take_front(batch)),
      product(context, sizes.slice(batch, axis - batch)),
      product(context, ArrayRef(by).drop_front(batch)),
      product(context, sizes.drop_front(axis + 1))};
  Value guard;
  SmallVector<Position> parts = e.align(position, runs, lanes, guard);
  Position index = parts[0];
  index.append(parts[2]);
  if (variesByLane(index, lanes))
    return e.perLane(op.getResult(), position, lanes);
  return e.guarded(op.getResult(), position, lanes, guard, [&] {
    OpFoldResult i =
        loadIndex(e, op, op.getIndices(), index, b.size(from[axis]));
    Position operand = parts[0];
    operand.append(parts[1]);
    operand.push_back({from[axis], e.uniform(i)});
    operand.append(parts[3]);
    return readUnlessEmpty(e, op, from[axis], lanes, [&] {
      return e.emit(op.getOperand(), operand, lanes);
    });
  });
}

static Value emitGather(ElementEmitter &e, dhlo::GatherElementsOp op,
                        const Position &position, int64_t lanes) {
  KernelBuilder &b = e.getBuilder();
  if (lanes > 1)
    return e.perLane(op.getResult(), position, lanes);
  SmallVector<DimExpr> from = getSizes(b, op.getOperand()),
                       by = getSizes(b, op.getIndices());
  Value guard;
  SmallVector<Position> parts = e.align(position, by, lanes, guard);
  Position operand;
  for (auto [axis, part] : llvm::enumerate(parts)) {
    LaneIndex index = e.join(part);
    if (static_cast<int64_t>(axis) == static_cast<int64_t>(op.getAxis()))
      index = e.uniform(
          loadIndex(e, op, op.getIndices(), position, b.size(from[axis])));
    operand.push_back({from[axis], index});
  }
  return readUnlessEmpty(e, op, from[op.getAxis()], lanes, [&] {
    return e.emit(op.getOperand(), operand, lanes);
  });
}

static Value emitGather(ElementEmitter &e, dhlo::GatherNdOp op,
                        const Position &position, int64_t lanes) {
  KernelBuilder &b = e.getBuilder();
  MLIRContext *context = b.getContext();
  int64_t batch = op.getBatch();
  SmallVector<DimExpr> from = getSizes(b, op.getOperand()),
                       by = getSizes(b, op.getIndices());
  int64_t n = by.back().getValue();
  // batch | indices but the last axis | slices
  SmallVector<DimExpr> runs = {
      product(context, ArrayRef(from).take_front(batch)),
      product(context, ArrayRef(by).drop_front(batch).drop_back()),
      product(context, ArrayRef(from).drop_front(batch + n))};
  Value guard;
  SmallVector<Position> parts = e.align(position, runs, lanes, guard);
  Position index = parts[0];
  index.append(parts[1]);
  if (variesByLane(index, lanes))
    return e.perLane(op.getResult(), position, lanes);
  return e.guarded(op.getResult(), position, lanes, guard, [&] {
    Position operand = parts[0];
    for (int64_t k = 0; k < n; ++k) {
      Position element = index;
      element.push_back({by.back(), e.uniform(b.constant(k))});
      OpFoldResult i =
          loadIndex(e, op, op.getIndices(), element, b.size(from[batch + k]));
      operand.push_back({from[batch + k], e.uniform(i)});
    }
    operand.append(parts[2]);
    return readUnlessEmpty(e, op, ArrayRef(from).slice(batch, n), lanes, [&] {
      return e.emit(op.getOperand(), operand, lanes);
    });
  });
}

Value dyn::emitGather(ElementEmitter &e, Operation *op,
                      const Position &position, int64_t lanes) {
  if (auto gather = dyn_cast<dhlo::GatherOp>(op))
    return ::emitGather(e, gather, position, lanes);
  if (auto gather = dyn_cast<dhlo::GatherElementsOp>(op))
    return ::emitGather(e, gather, position, lanes);
  return ::emitGather(e, cast<dhlo::GatherNdOp>(op), position, lanes);
}
