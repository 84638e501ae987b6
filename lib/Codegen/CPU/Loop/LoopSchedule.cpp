//===- LoopSchedule.cpp - Kernels computed element by element -------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Results with the same number of elements are computed together, over their
// iteration space. Its innermost dimension is vectorised and split into chunks;
// an item is a chunk of it at one setting of the outer indices. So a flat space
// is parallel, and so is a single long row. Indices are incremented from item
// to item: only those of the first item take a division.
//
// Of a concatenation along the innermost dimension, the part of each operand is
// a range of its own, so that no vector reads two of them. So are the parts of
// a pad: before, in and behind its operand.
//
// Rows that a gather reads from a table are prefetched some rows ahead: their
// addresses are known early, and a core waits for as many at a time as it has
// buffers.

#include "Codegen/CPU/Schedule.h"
#include "Codegen/Common/Elements/ElementEmitter.h"

#include "Codegen/CPU/Loop/ItemLoop.h"
#include "Codegen/Common/Elements/ConcatStarts.h"
#include "Codegen/Common/Elements/OpEmitters.h"
#include "Codegen/Common/Problems/IterationSpace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;
using dhlo::DimExpr;

namespace {
class LoopSchedule : public Schedule {
public:
  LogicalResult match(dlhlo::KernelOp kernel, const SymbolicDims &dims,
                      const CodegenOptions &options) override;
  Geometry emitGeometry(KernelBuilder &b) override;
  LogicalResult emitBody(KernelBuilder &b) override;

private:
  OpFoldResult numChunks(KernelBuilder &b, const ResultGroup &group) {
    return b.ceilDiv(b.size(group.space.back()), b.constant(chunk));
  }
  OpFoldResult numItems(KernelBuilder &b, const ResultGroup &group) {
    OpFoldResult items = numChunks(b, group);
    for (DimExpr extent : ArrayRef(group.space).drop_back())
      items = b.mul(items, b.size(extent));
    return items;
  }
  void emitGroup(KernelBuilder &b, const ResultGroup &group, OpFoldResult begin,
                 OpFoldResult end);
  void emitAhead(KernelBuilder &b, const ResultGroup &group,
                 ArrayRef<Operation *> gathers, OpFoldResult row);

  SmallVector<ResultGroup> groups;
  /// Cost of an element in the unit of CpuInfo::grainWork, and elements of a
  /// chunk.
  int64_t cost = 1, chunk = 1;
};
} // namespace

int64_t dyn::getElementBytes(Value tensor) {
  Type element = cast<RankedTensorType>(tensor.getType()).getElementType();
  return std::max(1u, element.getIntOrFloatBitWidth() / 8);
}

int64_t dyn::getElementCost(Operation &op) {
  if (op.hasTrait<dhlo::Transcendental>())
    return 8;
  if (auto window = dyn_cast<dhlo::ReduceWindowOp>(op)) {
    int64_t taps = 1;
    for (int64_t n : window.getWindow())
      taps *= n;
    return taps * 2;
  }
  if (isa<dhlo::DotGeneralOp>(op))
    return 16;
  if (isReduction(&op))
    return 64;
  return op.hasTrait<dhlo::Elementwise>() ? 1 : 0;
}

LogicalResult LoopSchedule::match(dlhlo::KernelOp kernel,
                                  const SymbolicDims &dims,
                                  const CodegenOptions &options) {
  if (failed(checkElements(kernel)))
    return failure();
  Block &block = kernel.getBody().front();
  for (Operation &op : block.without_terminator())
    cost += getElementCost(op);
  for (Value argument : block.getArguments())
    cost += getElementBytes(argument);
  for (Value result : block.getTerminator()->getOperands())
    cost += getElementBytes(result);
  groups = getResultGroups(kernel, dims);
  // A quarter of a grain, in full cache lines.
  chunk =
      std::clamp<int64_t>(options.target.cpu.grainWork / 4 / cost, 256, 16384) /
      256 * 256;
  return success();
}

Geometry LoopSchedule::emitGeometry(KernelBuilder &b) {
  Geometry g;
  g.items = b.constant(0);
  for (const ResultGroup &group : groups)
    g.items = b.add(g.items, numItems(b, group));
  // Items hold at most a chunk; small rows are handed out together.
  OpFoldResult width = b.constant(chunk);
  if (groups.size() == 1)
    width = b.max(b.constant(1), b.min(width, b.size(groups[0].space.back())));
  g.grain = b.ceilDiv(
      b.constant(std::max<int64_t>(b.getCpu().grainWork / cost, 1)), width);
  g.scratchBytes = b.constant(0);
  if (groups.size() == 1) {
    const ResultGroup &group = groups.front();
    // If a row is several chunks, the last one is shorter.
    OpFoldResult last = b.size(group.space.back());
    g.setInOrder(
        b, group.space.size() == 1
               ? b.constant(chunk)
               : b.select(b.cmp(CmpIPredicate::sle, last, b.constant(chunk)),
                          last, b.constant(0)));
  }
  return g;
}

/// Gathers of rows at the positions of a group's results, if a row is one item.
static SmallVector<Operation *>
getRowGathers(KernelBuilder &b, const ResultGroup &group, OpFoldResult chunks) {
  SmallVector<Operation *> gathers;
  if (group.space.size() < 2 || getConstantIntValue(chunks) != 1)
    return gathers;
  SmallVector<Value> values;
  for (int64_t result : group.results)
    values.push_back(b.getResults()[result]);
  for (unsigned i = 0; i != values.size(); ++i) {
    Operation *op = values[i].getDefiningOp();
    if (!op || llvm::is_contained(gathers, op))
      continue;
    if (gathersRows(op, group.space.back(), b.getDims()))
      gathers.push_back(op);
    else if (op->hasTrait<dhlo::Elementwise>() || isa<dhlo::ReshapeOp>(op))
      llvm::append_range(values, op->getOperands());
  }
  return gathers;
}

/// Whether results read a value at their own positions alone.
static bool isReadInPlace(Value value) {
  llvm::SmallSetVector<Value, 8> values;
  values.insert(value);
  for (unsigned i = 0; i != values.size(); ++i)
    for (Operation *user : values[i].getUsers()) {
      if (user->hasTrait<OpTrait::IsTerminator>())
        continue;
      if (!user->hasTrait<dhlo::Elementwise>())
        return false;
      values.insert(user->result_begin(), user->result_end());
    }
  return true;
}

/// Whether an operation has parts along its last axis.
static bool hasParts(Operation *op) {
  if (auto concat = dyn_cast<dhlo::ConcatOp>(op))
    return int64_t(concat.getAxis()) + 1 == concat.getType().getRank();
  auto pad = dyn_cast<dhlo::PadOp>(op);
  if (!pad || pad.getType().getRank() == 0)
    return false;
  auto isZero = [](ArrayAttr sizes) {
    return cast<dhlo::DimExprAttr>(sizes.getValue().back()).isConst(0);
  };
  return !isZero(pad.getLow()) || !isZero(pad.getHigh());
}

/// A concatenation or pad along the innermost dimension of a group's results,
/// which is read at their positions alone. Null if there is none.
static Operation *findParts(KernelBuilder &b, const ResultGroup &group) {
  llvm::SmallSetVector<Value, 8> values;
  for (int64_t result : group.results)
    values.insert(b.getResults()[result]);
  for (unsigned i = 0; i != values.size(); ++i) {
    Operation *op = values[i].getDefiningOp();
    if (op && hasParts(op)) {
      Value result = op->getResult(0);
      int64_t last = cast<RankedTensorType>(result.getType()).getRank() - 1;
      if (isReadInPlace(result) &&
          b.getDims().isEqual(b.getDims().getDim(result, last),
                              group.space.back()))
        return op;
    } else if (op && op->hasTrait<dhlo::Elementwise>()) {
      values.insert(op->operand_begin(), op->operand_end());
    }
  }
  return {};
}

/// Where the parts of an operation end.
static SmallVector<OpFoldResult> getEnds(KernelBuilder &b, Operation *op) {
  int64_t axis =
      cast<RankedTensorType>(op->getResult(0).getType()).getRank() - 1;
  SmallVector<OpFoldResult> ends;
  if (auto pad = dyn_cast<dhlo::PadOp>(op)) {
    OpFoldResult zero = b.constant(0), all = b.size(pad.getResult(), axis);
    OpFoldResult low = b.size(cast<dhlo::DimExprAttr>(pad.getLow()[axis]));
    // A negative pad leaves elements of the operand out.
    ends.push_back(b.max(zero, b.min(low, all)));
    OpFoldResult end = b.add(low, b.size(pad.getOperand(), axis));
    ends.push_back(b.max(zero, b.min(end, all)));
    ends.push_back(all);
    return ends;
  }
  ends = getConcatStarts(b, cast<dhlo::ConcatOp>(op));
  ends.erase(ends.begin());
  return ends;
}

/// Covers [lower, upper) of a group's innermost dimension by vectors.
static void
coverRange(KernelBuilder &b, Operation *parts, OpFoldResult lower,
           OpFoldResult upper,
           llvm::function_ref<void(ElementEmitter &, Value, int64_t)> body) {
  auto cover = [&](OpFoldResult begin, OpFoldResult end,
                   std::optional<int64_t> part) {
    b.coverLanes(begin, end, [&](Value i, int64_t lanes) {
      ElementEmitter e(b);
      if (part)
        e.setPart(parts, *part);
      body(e, i, lanes);
    });
  };
  if (!parts)
    return cover(lower, upper, std::nullopt);
  OpFoldResult start = b.constant(0);
  for (auto [number, end] : llvm::enumerate(getEnds(b, parts))) {
    cover(b.max(lower, start), b.min(upper, end), number);
    start = end;
  }
}

void LoopSchedule::emitAhead(KernelBuilder &b, const ResultGroup &group,
                             ArrayRef<Operation *> gathers, OpFoldResult row) {
  DimExpr rows = product(b.getContext(), ArrayRef(group.space).drop_back());
  OpFoldResult last = b.sub(b.size(rows), b.constant(1));
  OpFoldResult ahead =
      b.min(b.add(row, b.constant(b.getCpu().gatherRowsAhead)), last);
  for (Operation *op : gathers) {
    ElementEmitter e(b);
    int64_t width = group.space.back().getValue();
    prefetchRow(e, op,
                {{rows, e.uniform(ahead)},
                 {group.space.back(), e.uniform(b.constant(0))}},
                std::min(b.getCpu().gatherBytesAhead,
                         width * getElementBytes(op->getOperand(0))));
  }
}

void LoopSchedule::emitGroup(KernelBuilder &b, const ResultGroup &group,
                             OpFoldResult begin, OpFoldResult end) {
  DimExpr lastExtent = group.space.back();
  OpFoldResult width = b.size(lastExtent);
  SmallVector<OpFoldResult> extents;
  for (DimExpr extent : ArrayRef(group.space).drop_back())
    extents.push_back(b.size(extent));
  extents.push_back(numChunks(b, group));

  Operation *parts = findParts(b, group);
  auto emitItem = [&](ArrayRef<OpFoldResult> coordinates) {
    OpFoldResult lower = b.mul(coordinates.back(), b.constant(chunk));
    OpFoldResult upper = b.min(b.add(lower, b.constant(chunk)), width);
    auto emit = [&](ElementEmitter &e, Value i, int64_t lanes) {
      Position position;
      for (auto [extent, coordinate] :
           llvm::zip(group.space, coordinates.drop_back()))
        position.push_back({extent, e.uniform(coordinate)});
      position.push_back({lastExtent, lanes > 1 ? e.lanes(i) : e.uniform(i)});
      // Compute all before storing any: a result may reuse an operand's buffer.
      SmallVector<Value> values;
      for (int64_t result : group.results)
        values.push_back(e.emit(b.getResults()[result], position, lanes));
      for (auto [result, value] : llvm::zip_equal(group.results, values))
        e.store(value, result, position, lanes);
    };
    coverRange(b, parts, lower, upper, emit);
  };

  if (extents.size() == 1) {
    // A flat space: consecutive chunks are one range.
    OpFoldResult lower = b.mul(begin, b.constant(chunk));
    OpFoldResult upper = b.min(b.mul(end, b.constant(chunk)), width);
    auto emit = [&](ElementEmitter &e, Value i, int64_t lanes) {
      Position position = {{lastExtent, lanes > 1 ? e.lanes(i) : e.uniform(i)}};
      SmallVector<Value> values;
      for (int64_t result : group.results)
        values.push_back(e.emit(b.getResults()[result], position, lanes));
      for (auto [result, value] : llvm::zip_equal(group.results, values))
        e.store(value, result, position, lanes);
    };
    return coverRange(b, parts, lower, upper, emit);
  }

  SmallVector<Operation *> gathers =
      getRowGathers(b, group, numChunks(b, group));
  if (gathers.empty())
    return forEachItem(b, extents, begin, end, emitItem);
  forEachItem(b, extents, begin, end, ValueRange{b.value(begin)},
              [&](ArrayRef<OpFoldResult> coordinates,
                  ValueRange row) -> SmallVector<Value> {
                emitAhead(b, group, gathers, row[0]);
                emitItem(coordinates);
                return {b.value(b.add(row[0], b.constant(1)))};
              });
}

LogicalResult LoopSchedule::emitBody(KernelBuilder &b) {
  if (groups.size() == 1) {
    emitGroup(b, groups.front(), b.begin(), b.end());
    return success();
  }
  // Each group has its own range of items.
  OpFoldResult start = b.constant(0);
  for (const ResultGroup &group : groups) {
    OpFoldResult items = numItems(b, group);
    auto inGroup = [&](OpFoldResult item) {
      return b.min(b.max(b.sub(item, start), b.constant(0)), items);
    };
    emitGroup(b, group, inGroup(b.begin()), inGroup(b.end()));
    start = b.add(start, items);
  }
  return success();
}

std::unique_ptr<Schedule> dyn::createLoopSchedule() {
  return std::make_unique<LoopSchedule>();
}
