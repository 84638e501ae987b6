//===- NonzeroSchedule.cpp - Indices of nonzero elements ------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// An item is a run of elements. The position of its indices depends on the
// number of nonzero elements before it: a range of items counts those first,
// with vectors, and then writes its own rows consecutively. So any split gives
// the same rows, and a range needs nothing from another. Counting costs little
// compared to writing as long as there are few ranges, so the grain is at least
// a quarter of all items. The range with the last item stores the count.

#include "Codegen/Common/Elements/ElementEmitter.h"

#include "Codegen/CPU/Loop/ItemLoop.h"
#include "Codegen/CPU/Single/SingleSchedules.h"
#include "Codegen/Common/Builder/ElementNotes.h"
#include "Codegen/Common/Elements/OpEmitters.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;
using dhlo::DimExpr;

/// Elements of an item, a multiple of the lanes.
static constexpr int64_t kRun = 1024;
/// The maximum number of ranges of items.
static constexpr int64_t kRanges = 4;

namespace {
class NonzeroSchedule : public Schedule {
public:
  explicit NonzeroSchedule(dlhlo::FindNonzeroOp op) : op(op) {}

  LogicalResult match(dlhlo::KernelOp kernel, const SymbolicDims &,
                      const CodegenOptions &) override {
    return checkYieldsOnly(kernel, op);
  }
  Geometry emitGeometry(KernelBuilder &b) override;
  LogicalResult emitBody(KernelBuilder &b) override;

private:
  OpFoldResult numItems(KernelBuilder &b) {
    // At least one item, which stores the count.
    return b.max(b.constant(1),
                 b.ceilDiv(b.numElements(op.getOperand()), b.constant(kRun)));
  }
  /// The number of nonzero elements in [0, end); `end` is a multiple of kRun.
  Value emitCount(KernelBuilder &b, OpFoldResult end);
  /// Writes the rows of elements [begin, end) from row `row` on, and returns
  /// the row after them.
  Value emitRows(KernelBuilder &b, OpFoldResult begin, OpFoldResult end,
                 Value row);

  dlhlo::FindNonzeroOp op;
};
} // namespace

Geometry NonzeroSchedule::emitGeometry(KernelBuilder &b) {
  int64_t rank = op.getOperand().getType().getRank();
  int64_t cost = getElementBytes(op.getOperand()) + 8 * rank;
  Geometry g;
  g.items = numItems(b);
  g.grain = b.max(b.constant(b.getCpu().grainWork / kRun / cost + 1),
                  b.ceilDiv(g.items, b.constant(kRanges)));
  g.scratchBytes = b.constant(0);
  return g;
}

Value NonzeroSchedule::emitCount(KernelBuilder &b, OpFoldResult end) {
  constexpr int64_t kLanes = CodegenOptions::kLanes;
  DimExpr total = b.getDims().getNumElements(op.getOperand().getType());
  Type type = KernelBuilder::laneType(b.getI64Type(), kLanes);
  SmallVector<Value> counts =
      b.loop(b.constant(0), end, kLanes,
             ValueRange{b.number(0, b.getI64Type(), kLanes)},
             [&](Value i, ValueRange carried) -> SmallVector<Value> {
               ElementEmitter e(b);
               Value found =
                   isNonzero(e, op.getOperand(), {{total, e.lanes(i)}}, kLanes);
               Value one = arith::ExtUIOp::create(b, type, found);
               return {arith::AddIOp::create(b, carried[0], one)};
             });
  return vector::ReductionOp::create(b, vector::CombiningKind::ADD, counts[0]);
}

Value NonzeroSchedule::emitRows(KernelBuilder &b, OpFoldResult begin,
                                OpFoldResult end, Value row) {
  SmallVector<DimExpr> sizes = getSizes(b, op.getOperand());
  SmallVector<OpFoldResult> extents;
  for (DimExpr size : sizes)
    extents.push_back(b.size(size));
  SmallVector<int64_t> targets;
  for (auto [i, result] : llvm::enumerate(b.getResults()))
    if (result == op.getIndices())
      targets.push_back(i);
  SmallVector<Value> rows = forEachItem(
      b, extents, begin, end, row,
      [&](ArrayRef<OpFoldResult> coordinates,
          ValueRange carried) -> SmallVector<Value> {
        ElementEmitter e(b);
        Position position;
        for (auto [size, coordinate] : llvm::zip_equal(sizes, coordinates))
          position.push_back({size, e.uniform(coordinate)});
        Value found = isNonzero(e, op.getOperand(), position, 1);
        b.ifThen(found, [&] {
          for (int64_t target : targets) {
            OpFoldResult first =
                b.mul(carried[0], b.constant(coordinates.size()));
            for (auto [axis, coordinate] : llvm::enumerate(coordinates))
              b.store(b.value(coordinate), b.resultBuffer(target),
                      b.add(first, b.constant(axis)), b.getI64Type(), 1);
          }
        });
        Value one = arith::ExtUIOp::create(b, b.getI64Type(), found);
        return {arith::AddIOp::create(b, carried[0], one)};
      });
  noteElements(b, rows[0].getDefiningOp(), op,
               "the position of an index depends on all elements before it");
  return rows[0];
}

LogicalResult NonzeroSchedule::emitBody(KernelBuilder &b) {
  // An empty range of items writes nothing.
  Value hasItems = b.cmp(CmpIPredicate::slt, b.begin(), b.end());
  b.ifThen(hasItems, [&] {
    OpFoldResult total = b.numElements(op.getOperand());
    OpFoldResult begin = b.mul(b.begin(), b.constant(kRun));
    OpFoldResult end = b.min(b.mul(b.end(), b.constant(kRun)), total);
    Value row = emitRows(b, begin, end, emitCount(b, begin));
    Value isLast = b.cmp(CmpIPredicate::eq, b.end(), numItems(b));
    b.ifThen(isLast, [&] {
      for (auto [i, result] : llvm::enumerate(b.getResults()))
        if (result == op.getCount())
          b.store(row, b.resultBuffer(i), b.constant(0), b.getI64Type(), 1);
    });
  });
  return success();
}

std::unique_ptr<Schedule> dyn::createNonzeroSchedule(dlhlo::FindNonzeroOp op) {
  return std::make_unique<NonzeroSchedule>(op);
}
