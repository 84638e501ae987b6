//===- GatherEmitter.cpp - Operations that index by data ------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen/Common/Elements/OpEmitters.h"

#include "Codegen/Common/Builder/CodeBuilder.h"
#include "dyn/Dialect/DHLO/Analysis/AffineIndex.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;
using dhlo::DimExpr;

bool dyn::isGather(Operation *op) { return op->hasTrait<dhlo::Gathers>(); }

static bool variesByLane(ArrayRef<Coordinate> position, int64_t lanes) {
  return lanes > 1 && llvm::any_of(position, [](const Coordinate &coordinate) {
           return !coordinate.index.isUniform();
         });
}

/// The index into an axis of size `extent` from the data of one lane, or of all
/// if they differ: from the end if negative; out of range it is clamped, and
/// reported if `reports`.
static OpFoldResult loadIndex(ElementEmitter &e, Operation *op, Value indices,
                              const Position &position, OpFoldResult extent,
                              int64_t lanes, bool reports = true) {
  KernelBuilder &b = e.getBuilder();
  int64_t count = variesByLane(position, lanes) ? lanes : 1;
  Value index = e.emit(indices, position, count);
  Type type = KernelBuilder::laneType(b.getI64Type(), count);
  if (index.getType() != type)
    index = arith::ExtSIOp::create(b, type, index);
  OpFoldResult zero = b.constant(0);
  Value isNegative = b.cmp(CmpIPredicate::slt, index, zero);
  OpFoldResult wrapped = b.select(isNegative, b.add(index, extent), index);
  // One unsigned comparison checks both bounds.
  if (reports)
    b.fail(op, b.cmp(CmpIPredicate::uge, wrapped, extent));
  OpFoldResult end = b.sub(extent, b.constant(1));
  return b.max(zero, b.min(wrapped, end));
}

/// The index into an axis of size `extent` from indices that are an affine
/// function of their own position and in range: nothing is loaded or checked,
/// and lanes that are together stay so. Nothing if they are others.
static std::optional<LaneIndex> computeIndex(ElementEmitter &e, Value indices,
                                             const Position &position,
                                             DimExpr extent, int64_t lanes,
                                             Value &guard) {
  KernelBuilder &b = e.getBuilder();
  SmallVector<DimExpr> sizes = getSizes(b, indices);
  auto index = dhlo::getAffineIndex(indices, b.getDims());
  if (!index || !isWithin(*index, sizes, extent, b.getDims()))
    return std::nullopt;
  SmallVector<std::pair<LaneIndex, DimExpr>> terms;
  for (auto [axis, step] :
       llvm::zip_equal(e.align(position, sizes, lanes, guard), index->steps))
    if (!step.isConst(0))
      terms.push_back({e.join(axis), step});
  return e.combine(index->offset, terms);
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

namespace {
/// A gather of slices at a position: the position in the indices, and the parts
/// of the position before and after the indexed axes of the operand.
struct SliceGather {
  Position index, before, behind;
  /// Sizes of the axes that are indexed.
  SmallVector<DimExpr> indexed;
};
} // namespace

static SliceGather locate(ElementEmitter &e, dhlo::GatherOp op,
                          const Position &position, int64_t lanes,
                          Value &guard) {
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
  SmallVector<Position> parts = e.align(position, runs, lanes, guard);
  SliceGather slice = {parts[0], parts[0], parts[3], {from[axis]}};
  slice.index.append(parts[2]);
  slice.before.append(parts[1]);
  return slice;
}

static SliceGather locate(ElementEmitter &e, dhlo::GatherNdOp op,
                          const Position &position, int64_t lanes,
                          Value &guard) {
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
  SmallVector<Position> parts = e.align(position, runs, lanes, guard);
  SliceGather slice = {parts[0], parts[0], parts[2],
                       SmallVector<DimExpr>(ArrayRef(from).slice(batch, n))};
  slice.index.append(parts[1]);
  return slice;
}

static SliceGather locate(ElementEmitter &e, Operation *op,
                          const Position &position, int64_t lanes,
                          Value &guard) {
  if (auto gather = dyn_cast<dhlo::GatherOp>(op))
    return locate(e, gather, position, lanes, guard);
  return locate(e, cast<dhlo::GatherNdOp>(op), position, lanes, guard);
}

/// The position in the operand, by the indices.
static Position followIndices(ElementEmitter &e, Operation *op,
                              const SliceGather &slice, int64_t lanes,
                              bool reports) {
  KernelBuilder &b = e.getBuilder();
  Value indices = op->getOperand(1);
  bool isNd = isa<dhlo::GatherNdOp>(op);
  Position operand = slice.before;
  for (auto [k, size] : llvm::enumerate(slice.indexed)) {
    Position element = slice.index;
    if (isNd)
      element.push_back({getSizes(b, indices).back(),
                         e.uniform(b.constant(static_cast<int64_t>(k)))});
    OpFoldResult i =
        loadIndex(e, op, indices, element, b.size(size), lanes, reports);
    operand.push_back({size, e.uniform(i)});
  }
  operand.append(slice.behind);
  return operand;
}

static Value emitSliceGather(ElementEmitter &e, Operation *op,
                             const Position &position, int64_t lanes) {
  Value result = op->getResult(0), guard;
  SliceGather slice = locate(e, op, position, lanes, guard);
  if (isa<dhlo::GatherOp>(op)) {
    DimExpr size = slice.indexed.front();
    if (auto index = computeIndex(e, op->getOperand(1), slice.index, size,
                                  lanes, guard)) {
      Position operand = slice.before;
      operand.push_back({size, *index});
      operand.append(slice.behind);
      return e.guarded(result, position, lanes, guard, [&] {
        return e.emit(op->getOperand(0), operand, lanes);
      });
    }
  }
  if (variesByLane(slice.index, lanes) && !e.canDiverge(lanes))
    return e.perLane(result, position, lanes,
                     "elements of a vector have different indices");
  return e.guarded(result, position, lanes, guard, [&] {
    Position operand = followIndices(e, op, slice, lanes, /*reports=*/true);
    return readUnlessEmpty(e, op, slice.indexed, lanes, [&] {
      return e.emit(op->getOperand(0), operand, lanes);
    });
  });
}

static Value emitGatherElements(ElementEmitter &e, dhlo::GatherElementsOp op,
                                const Position &position, int64_t lanes) {
  KernelBuilder &b = e.getBuilder();
  SmallVector<DimExpr> from = getSizes(b, op.getOperand()),
                       by = getSizes(b, op.getIndices());
  Value guard;
  auto computed = computeIndex(e, op.getIndices(), position, from[op.getAxis()],
                               lanes, guard);
  if (!computed && lanes > 1 && !e.canDiverge(lanes))
    return e.perLane(op.getResult(), position, lanes,
                     "each element has its own index");
  SmallVector<Position> parts = e.align(position, by, lanes, guard);
  return e.guarded(op.getResult(), position, lanes, guard, [&] {
    Position operand;
    for (auto [axis, part] : llvm::enumerate(parts)) {
      LaneIndex index = e.join(part);
      if (static_cast<int64_t>(axis) == static_cast<int64_t>(op.getAxis()))
        index = computed ? *computed
                         : e.uniform(loadIndex(e, op, op.getIndices(), position,
                                               b.size(from[axis]), lanes));
      operand.push_back({from[axis], index});
    }
    if (computed)
      return e.emit(op.getOperand(), operand, lanes);
    return readUnlessEmpty(e, op, from[op.getAxis()], lanes, [&] {
      return e.emit(op.getOperand(), operand, lanes);
    });
  });
}

Value dyn::emitGather(ElementEmitter &e, Operation *op,
                      const Position &position, int64_t lanes) {
  if (auto gather = dyn_cast<dhlo::GatherElementsOp>(op))
    return emitGatherElements(e, gather, position, lanes);
  return emitSliceGather(e, op, position, lanes);
}

bool dyn::gathersRows(Operation *op, DimExpr width, const SymbolicDims &dims) {
  if (!isa<dhlo::GatherOp, dhlo::GatherNdOp>(op) ||
      !isa<BlockArgument>(op->getOperand(0)))
    return false;
  // The axes after the indexed ones are as long as the row.
  auto from = cast<RankedTensorType>(op->getOperand(0).getType());
  auto by = cast<RankedTensorType>(op->getOperand(1).getType());
  int64_t first;
  if (auto gather = dyn_cast<dhlo::GatherOp>(op))
    first = gather.getAxis() + 1;
  else
    first =
        cast<dhlo::GatherNdOp>(op).getBatch() + by.getDimSize(by.getRank() - 1);
  SmallVector<DimExpr> sizes;
  for (int64_t axis = first; axis < from.getRank(); ++axis)
    sizes.push_back(dims.getDim(op->getOperand(0), axis));
  return dims.isEqual(product(op->getContext(), sizes), width);
}

void dyn::prefetchRow(ElementEmitter &e, Operation *op,
                      const Position &position, int64_t bytes) {
  KernelBuilder &b = e.getBuilder();
  Value guard;
  SliceGather slice = locate(e, op, position, 1, guard);
  OpFoldResult at =
      e.join(followIndices(e, op, slice, /*lanes=*/1, /*reports=*/false)).base;
  Value table = op->getOperand(0);
  Value row = b.address(
      b.buffer(cast<BlockArgument>(table).getArgNumber()), at,
      getStorageType(cast<RankedTensorType>(table.getType()).getElementType()));
  CodeBuilder code(b, b.getLoc());
  for (int64_t byte = 0; byte < bytes; byte += CpuInfo::kLineBytes)
    code.prefetch(code.offset(row, byte));
}
