//===- ColumnSelection.cpp - The first elements of columns, in order ------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Adjacent segments, the columns of an outer index, are lanes of vectors. A few
// vectors are an item, and read a row after the other. The first elements of
// the columns in order so far are rows in scratch. A vector of further ones is
// compared with each of these: an element takes the row of the first element
// that it comes before, and those behind move on by one. If no element comes
// before the last row, nothing else is compared.

#include "Codegen/CPU/Loop/ItemLoop.h"
#include "Codegen/CPU/Single/SingleSchedules.h"
#include "Codegen/Common/Problems/SegmentProblem.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;

static constexpr int64_t kLanes = CodegenOptions::kLanes;
/// Columns of an item: its rows are cache lines side by side, as of a single
/// one a processor waits for each.
static constexpr int64_t kColumns = 4 * kLanes;

namespace {
/// Columns of a vector.
struct Columns {
  OpFoldResult outer, first;
  int64_t lanes;
  OpFoldResult scratch; ///< the offset of the elements that are selected
};

class ColumnSelectionSchedule : public Schedule {
public:
  explicit ColumnSelectionSchedule(Operation *op) : op(op) {}

  LogicalResult match(dlhlo::KernelOp kernel, const SymbolicDims &dims,
                      const CodegenOptions &) override {
    problem.emplace(op, dims);
    isShort = dims.isAtMost(problem->size, std::numeric_limits<int32_t>::max());
    return checkYieldsOnly(kernel, op);
  }
  Geometry emitGeometry(KernelBuilder &b) override;
  LogicalResult emitBody(KernelBuilder &b) override;

private:
  /// Visits the vectors of columns [begin, end).
  void forEachVector(KernelBuilder &b, OpFoldResult outer, OpFoldResult begin,
                     OpFoldResult end,
                     llvm::function_ref<void(const Columns &)> body);
  Position getPosition(ElementEmitter &e, const Columns &columns,
                       dhlo::DimExpr extent, OpFoldResult i);
  /// Inserts row `i` of the operand into the first `count` selected rows. If
  /// they are not yet all, the elements left are another one.
  void emitInsertion(KernelBuilder &b, const Columns &columns, Value i,
                     OpFoldResult count, bool isNew);
  void emitItem(KernelBuilder &b, OpFoldResult outer, OpFoldResult begin,
                OpFoldResult end);

  Type getType(KernelBuilder &b, bool isIndex) {
    if (isIndex)
      return isShort ? b.getI32Type() : b.getI64Type();
    return getComputeType(problem->element);
  }
  // Elements and indices take eight bytes each, whatever their type.
  Value getRow(KernelBuilder &b, const Columns &columns, OpFoldResult row,
               bool isIndex) {
    OpFoldResult number =
        b.add(b.mul(row, b.constant(2)), b.constant(isIndex ? 1 : 0));
    return b.scratch(
        b.add(columns.scratch, b.mul(number, b.constant(8 * columns.lanes))));
  }
  // All lanes, whatever is masked: a load waits until a masked store before it
  // is in the cache.
  Value load(KernelBuilder &b, const Columns &columns, OpFoldResult row,
             bool isIndex) {
    return LLVM::LoadOp::create(
        b, b.laneType(getType(b, isIndex), columns.lanes),
        getRow(b, columns, row, isIndex), /*alignment=*/8);
  }
  void store(KernelBuilder &b, Value v, const Columns &columns,
             OpFoldResult row, bool isIndex) {
    LLVM::StoreOp::create(b, v, getRow(b, columns, row, isIndex),
                          /*alignment=*/8);
  }

  Operation *op; ///< a sort or top_k
  std::optional<SegmentProblem> problem;
  bool isShort = false; ///< Indices have 32 bits.
};
} // namespace

Geometry ColumnSelectionSchedule::emitGeometry(KernelBuilder &b) {
  Geometry g;
  OpFoldResult columns = b.constant(kColumns);
  g.items =
      b.mul(b.size(problem->outer), b.ceilDiv(b.size(problem->inner), columns));
  OpFoldResult work =
      b.mul(b.max(b.size(problem->size), b.constant(1)), columns);
  g.grain = b.add(b.div(b.constant(b.getCpu().grainWork), work), b.constant(1));
  g.scratchBytes = b.mul(b.size(problem->count), b.constant(2 * 8 * kColumns));
  return g;
}

void ColumnSelectionSchedule::forEachVector(
    KernelBuilder &b, OpFoldResult outer, OpFoldResult begin, OpFoldResult end,
    llvm::function_ref<void(const Columns &)> body) {
  OpFoldResult bytes = b.mul(b.size(problem->count), b.constant(2 * 8));
  dyn::forEachVector(b, begin, end, problem->inner,
                     [&](Value first, int64_t lanes) {
                       OpFoldResult number = b.sub(OpFoldResult(first), begin);
                       body({outer, first, lanes, b.mul(number, bytes)});
                     });
}

Position ColumnSelectionSchedule::getPosition(ElementEmitter &e,
                                              const Columns &columns,
                                              dhlo::DimExpr extent,
                                              OpFoldResult i) {
  Position position = problem->at(e, {columns.outer, columns.first}, extent, i);
  if (columns.lanes > 1)
    position[2].index = e.lanes(columns.first);
  return position;
}

void ColumnSelectionSchedule::emitInsertion(KernelBuilder &b,
                                            const Columns &columns, Value i,
                                            OpFoldResult count, bool isNew) {
  ElementEmitter e(b);
  Value x = e.emit(op->getOperand(0), getPosition(e, columns, problem->size, i),
                   columns.lanes);
  auto select = [&](Value condition, Value yes, Value no) {
    return arith::SelectOp::create(b, condition, yes, no).getResult();
  };
  auto insert = [&] {
    Value index = b.splat(
        isShort ? arith::TruncIOp::create(b, b.getI32Type(), i).getResult() : i,
        columns.lanes);
    // A row that x comes before becomes the one above it, or x itself if x does
    // not come before that one. Where x comes before a row, it does before
    // those below, so that no row is stored by a selection from itself, which
    // LLVM makes a masked store of.
    Value no = b.number(0, b.getI1Type(), columns.lanes);
    SmallVector<Value> above =
        b.loop(b.constant(0), count, 1, {x, index, no},
               [&](Value row, ValueRange above) -> SmallVector<Value> {
                 Value key = load(b, columns, row, false);
                 Value number = load(b, columns, row, true);
                 Value isBefore = problem->isBefore(b, x, key);
                 auto replace = [&](Value own, Value other, Value old) {
                   return select(above[2], old, select(isBefore, own, other));
                 };
                 store(b, replace(x, key, above[0]), columns, row, false);
                 store(b, replace(index, number, above[1]), columns, row, true);
                 return {key, number, isBefore};
               });
    if (isNew) {
      store(b, select(above[2], above[0], x), columns, i, false);
      store(b, select(above[2], above[1], index), columns, i, true);
    }
  };
  if (isNew)
    return insert();
  Value bound = load(b, columns, b.sub(count, b.constant(1)), false);
  b.ifThen(b.any(problem->isBefore(b, x, bound)), insert);
}

void ColumnSelectionSchedule::emitItem(KernelBuilder &b, OpFoldResult outer,
                                       OpFoldResult begin, OpFoldResult end) {
  OpFoldResult k = b.size(problem->count);
  auto insertRows = [&](OpFoldResult from, OpFoldResult to, bool isNew) {
    b.loop(from, to, 1, [&](Value i) {
      forEachVector(b, outer, begin, end, [&](const Columns &columns) {
        emitInsertion(b, columns, i, isNew ? OpFoldResult(i) : k, isNew);
      });
    });
  };
  insertRows(b.constant(0), k, /*isNew=*/true);
  insertRows(k, b.size(problem->size), /*isNew=*/false);
  b.loop(b.constant(0), k, 1, [&](Value i) {
    forEachVector(b, outer, begin, end, [&](const Columns &columns) {
      ElementEmitter e(b);
      Position position = getPosition(e, columns, problem->count, i);
      for (auto [number, tensor] : llvm::enumerate(b.getResults())) {
        bool isIndex = tensor != op->getResult(0);
        Value v = load(b, columns, i, isIndex);
        if (isIndex && isShort)
          v = arith::ExtSIOp::create(
              b, b.laneType(b.getI64Type(), columns.lanes), v);
        e.store(v, number, position, columns.lanes);
      }
    });
  });
}

LogicalResult ColumnSelectionSchedule::emitBody(KernelBuilder &b) {
  OpFoldResult inner = b.size(problem->inner), width = b.constant(kColumns);
  Value hasElements =
      b.cmp(CmpIPredicate::sgt, b.size(problem->count), b.constant(0));
  b.ifThen(hasElements, [&] {
    SmallVector<OpFoldResult> extents = {b.size(problem->outer),
                                         b.ceilDiv(inner, width)};
    forEachItem(b, extents, b.begin(), b.end(),
                [&](ArrayRef<OpFoldResult> coordinates) {
                  OpFoldResult begin = b.mul(coordinates[1], width);
                  emitItem(b, coordinates[0], begin,
                           b.min(b.add(begin, width), inner));
                });
  });
  return success();
}

std::unique_ptr<Schedule> dyn::createColumnSelectionSchedule(Operation *op) {
  return std::make_unique<ColumnSelectionSchedule>(op);
}
