//===- GroupedProblem.cpp - dhlo.grouped_dot as grouped GEMM --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The offsets cut the rows into runs: those of each group, and those before the
// first and after the last one, whose sums are empty. A tile has rows of one
// run. The number of tiles depends on data, but the size of a launch has to
// follow from sizes. So tiles have slots, such that the first slot of a run
// follows from its offset alone: run r, whose rows begin at s, has slots from
// s / height + r on, one more than there are multiples of the height below its
// end and not below s. That is enough for its tiles; the remaining slots have
// no rows. A block finds its run by bisection.

#include "Codegen/GPU/GpuSchedule.h"
#include "Codegen/GPU/GpuThread.h"
#include "GemmProblem.h"

#include "Codegen/Common/Problems/GroupOffsets.h"
#include "Codegen/Common/Problems/SumArithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;
using dhlo::DimExpr;

namespace {
class GroupedProblem : public TensorProblem {
public:
  GroupedProblem(dhlo::GroupedDotOp op, const SymbolicDims &dims);

  Position getResult(ElementEmitter &e, const Indices &indices,
                     int64_t lanes) override {
    return {{rows, e.uniform(indices.row)},
            {columns,
             lanes > 1 ? e.lanes(indices.column) : e.uniform(indices.column)}};
  }
  OpFoldResult countRowTiles(KernelBuilder &b, int64_t height) override;
  RowTile getRowTile(KernelBuilder &b, OpFoldResult batch, OpFoldResult tile,
                     int64_t height) override;

private:
  Position getLhs(KernelBuilder &b, const Indices &indices) override {
    ElementEmitter e(b);
    return {{rows, e.uniform(indices.row)}, {depth, e.uniform(indices.step)}};
  }
  Position getRhs(KernelBuilder &b, const Indices &indices) override {
    ElementEmitter e(b);
    return {{parts, e.uniform(indices.batch)},
            {depth, e.uniform(indices.step)},
            {columns, e.uniform(indices.column)}};
  }
  /// The number of runs: of the groups, before them and after them.
  OpFoldResult countRuns(KernelBuilder &b) {
    return b.add(b.size(parts), b.constant(2));
  }
  /// The first row of a run; the number of rows for the run after the last.
  OpFoldResult getFirstRow(KernelBuilder &b, OpFoldResult run);
  void checkOffsets(KernelBuilder &b);

  dhlo::GroupedDotOp op;
  GroupOffsets offsets;
  DimExpr inner; ///< rows per row that offsets count
  int64_t maxGroups;
};
} // namespace

GroupedProblem::GroupedProblem(dhlo::GroupedDotOp op, const SymbolicDims &dims)
    : op(op), offsets{op, op.getOffsets(), dims.getDim(op.getLhs(), 0)} {
  int64_t rank = op.getLhs().getType().getRank();
  parts = dims.getDim(op.getRhs(), 0);
  depth = dims.getDim(op.getRhs(), 1);
  columns = dims.getDim(op.getRhs(), 2);
  batch = inner = dhlo::getConstDim(op.getContext(), 1);
  for (int64_t axis = 1; axis < rank - 1; ++axis)
    inner = dhlo::mul(inner, dims.getDim(op.getLhs(), axis));
  rows = dhlo::mul(offsets.rows, inner);
  sum = getSumType(op.getType().getElementType());
  lhs = {op.getLhs(), /*isAlongSum=*/true, depth};
  rhs = {op.getRhs(), /*isAlongSum=*/false, columns};
  maxGroups = dims.getRange(parts).max;
}

OpFoldResult GroupedProblem::countRowTiles(KernelBuilder &b, int64_t height) {
  return b.add(b.div(b.size(rows), b.constant(height)), countRuns(b));
}

OpFoldResult GroupedProblem::getFirstRow(KernelBuilder &b, OpFoldResult run) {
  OpFoldResult zero = b.constant(0), last = b.size(parts);
  OpFoldResult number = b.min(b.max(b.sub(run, b.constant(1)), zero), last);
  OpFoldResult row = b.mul(
      offsets.emitOffset(b, number, zero, /*reports=*/false), b.size(inner));
  row = b.select(b.cmp(CmpIPredicate::eq, run, zero), zero, row);
  return b.select(b.cmp(CmpIPredicate::sge, run, countRuns(b)), b.size(rows),
                  row);
}

void GroupedProblem::checkOffsets(KernelBuilder &b) {
  OpFoldResult zero = b.constant(0), one = b.constant(1);
  b.loop(GpuThread(b).getThread(), b.add(b.size(parts), one), kBlockThreads,
         [&](Value i) {
           OpFoldResult before = offsets.emitOffset(
               b, b.max(b.sub(OpFoldResult(i), one), zero), zero,
               /*reports=*/false);
           offsets.emitOffset(
               b, i, b.select(b.cmp(CmpIPredicate::eq, i, zero), zero, before),
               /*reports=*/true);
         });
}

GemmProblem::RowTile GroupedProblem::getRowTile(KernelBuilder &b, OpFoldResult,
                                                OpFoldResult tile,
                                                int64_t height) {
  checkOffsets(b);
  OpFoldResult zero = b.constant(0), one = b.constant(1), two = b.constant(2);
  auto getFirstSlot = [&](OpFoldResult run) {
    return b.add(b.div(getFirstRow(b, run), b.constant(height)), run);
  };
  // The last run whose slots begin at or before the tile's.
  int64_t steps = llvm::Log2_64_Ceil(
      static_cast<uint64_t>(std::min<int64_t>(maxGroups, 1 << 30)) + 2);
  Value run =
      b.loop(zero, b.constant(steps), 1,
             ValueRange{b.value(zero), b.value(countRuns(b))},
             [&](Value, ValueRange bounds) -> SmallVector<Value> {
               OpFoldResult middle = b.div(b.add(bounds[0], bounds[1]), two);
               Value isBelow =
                   b.cmp(CmpIPredicate::sle, getFirstSlot(middle), tile);
               return {b.value(b.select(isBelow, middle, bounds[0])),
                       b.value(b.select(isBelow, bounds[1], middle))};
             })[0];
  OpFoldResult end = getFirstRow(b, b.add(run, one));
  OpFoldResult first =
      b.add(getFirstRow(b, run),
            b.mul(b.sub(tile, getFirstSlot(run)), b.constant(height)));
  OpFoldResult group = b.sub(OpFoldResult(run), one);
  Value hasSums =
      arith::AndIOp::create(b, b.cmp(CmpIPredicate::ult, group, b.size(parts)),
                            b.cmp(CmpIPredicate::slt, first, end));
  return {first, end, group, b.select(hasSums, b.size(depth), zero)};
}

std::unique_ptr<GemmProblem>
dyn::createGroupedProblem(dhlo::GroupedDotOp op, const SymbolicDims &dims) {
  return std::make_unique<GroupedProblem>(op, dims);
}
