//===- SortSchedule.cpp - Sorting segments --------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A segment is an item. Its elements become records in scratch, which are
// sorted there. Of a segment of which only the first elements are wanted, few
// are records at a time: when the records are full, they are sorted, those that
// are wanted stay, and further elements become records if they come before the
// last of these.

#include "Codegen/CPU/Loop/ItemLoop.h"
#include "Codegen/CPU/Single/SegmentFilter.h"
#include "Codegen/CPU/Single/SingleSchedules.h"
#include "Codegen/CPU/Single/SortRecords.h"
#include "Codegen/Common/Builder/ElementNotes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;

static constexpr int64_t kLanes = CodegenOptions::kLanes;
/// Records for each wanted element. Sorting takes longer with more of them, but
/// is needed less often.
static constexpr int64_t kRecordsPerElement = 4;

namespace {
class SortSchedule : public Schedule {
public:
  explicit SortSchedule(Operation *op) : op(op) {}

  LogicalResult match(dlhlo::KernelOp kernel, const SymbolicDims &dims,
                      const CodegenOptions &) override {
    problem.emplace(op, dims);
    return checkYieldsOnly(kernel, op);
  }
  Geometry emitGeometry(KernelBuilder &b) override;
  LogicalResult emitBody(KernelBuilder &b) override;

private:
  using Line = SegmentProblem::Line;

  OpFoldResult getCapacity(KernelBuilder &b);
  void emitSegment(ElementEmitter &e, const SortRecords &records, Line line);
  /// Makes the first elements records, up to `end`.
  void emitFill(ElementEmitter &e, const SortRecords &records, Line line,
                Value array, OpFoldResult end);
  /// Adds elements from `at` on to `count` records, until these are full.
  /// Returns the next element and the number of records.
  SmallVector<Value> emitFilter(ElementEmitter &e, const SortRecords &records,
                                Line line, Value array, Value at, Value count,
                                Value bound);

  Operation *op;
  std::optional<SegmentProblem> problem;
};
} // namespace

OpFoldResult SortSchedule::getCapacity(KernelBuilder &b) {
  OpFoldResult n = b.size(problem->size);
  if (problem->count == problem->size)
    return n;
  // If they are at least twice the wanted elements, as many as are sorted by
  // rank. A vector may be added to all but one of them.
  constexpr int64_t kMost = SortRecords::kMaxRanked - kLanes;
  OpFoldResult k = b.size(problem->count);
  if (b.getDims().isAtMost(problem->count, kMost / 2))
    return b.min(n, b.constant(kMost));
  Value isSmall = b.cmp(CmpIPredicate::sle, k, b.constant(kMost / 2));
  return b.min(n, b.select(isSmall, b.constant(kMost),
                           b.mul(k, b.constant(kRecordsPerElement))));
}

/// Whether an index has more than 32 bits, as a condition; null if none has.
static Value isLong(KernelBuilder &b, const SegmentProblem &problem) {
  constexpr int64_t kMost = int64_t(1) << 32;
  if (b.getDims().isAtMost(problem.size, kMost))
    return {};
  return b.cmp(CmpIPredicate::sgt, b.size(problem.size), b.constant(kMost));
}

Geometry SortSchedule::emitGeometry(KernelBuilder &b) {
  Geometry g;
  g.items = b.mul(b.size(problem->outer), b.size(problem->inner));
  OpFoldResult capacity = getCapacity(b);
  OpFoldResult work = b.add(b.mul(capacity, b.constant(16)),
                            b.add(b.size(problem->size), b.constant(1)));
  g.grain = b.add(b.div(b.constant(b.getCpu().grainWork), work), b.constant(1));
  g.scratchBytes = SortRecords(*problem, capacity, false).getBytes(b);
  if (Value flag = isLong(b, *problem))
    g.scratchBytes =
        b.select(flag, SortRecords(*problem, capacity, true).getBytes(b),
                 g.scratchBytes);
  return g;
}

void SortSchedule::emitFill(ElementEmitter &e, const SortRecords &records,
                            Line line, Value array, OpFoldResult end) {
  KernelBuilder &b = e.getBuilder();
  b.coverLanes(b.constant(0), end, [&](Value i, int64_t lanes) {
    records.store(b, array, i, problem->key(e, line, i, lanes),
                  e.toValue(e.lanes(i), lanes), lanes);
  });
}

SmallVector<Value> SortSchedule::emitFilter(ElementEmitter &e,
                                            const SortRecords &records,
                                            Line line, Value array, Value at,
                                            Value count, Value bound) {
  KernelBuilder &b = e.getBuilder();
  OpFoldResult n = b.size(problem->size), capacity = getCapacity(b);
  auto addElement = [&](OpFoldResult i, Value element,
                        Value at) -> SmallVector<Value> {
    records.store(b, array, at, element, b.value(i), 1);
    return {b.value(b.add(OpFoldResult(at), b.constant(1)))};
  };
  auto addVector = [&](OpFoldResult i, Value at) {
    return filterVector(
        e, *problem, line, b.value(i), bound, at,
        [&](Value elements, Value found) -> SmallVector<Value> {
          if (b.getOptions().hasMasks())
            return {records.storeFound(b, array, at, elements,
                                       e.toValue(e.lanes(i), kLanes), found)};
          return forEachFound(b, found, at, [&](Value lane, ValueRange at) {
            OpFoldResult own = b.add(i, lane);
            return addElement(own, problem->key(e, line, own), at[0]);
          });
        });
  };
  auto addIfBefore = [&](OpFoldResult i, Value at) {
    Value element = problem->key(e, line, i);
    return b.valuesIf(problem->isBefore(b, element, bound), at,
                      [&] { return addElement(i, element, at); });
  };
  auto scan = [&](ValueRange from, int64_t lanes) {
    Type i64 = b.getI64Type();
    auto loop = scf::WhileOp::create(
        b, TypeRange{i64, i64}, from,
        [&](OpBuilder &, Location, ValueRange old) {
          Value isInside =
              b.cmp(CmpIPredicate::sle, old[0], b.sub(n, b.constant(lanes)));
          Value isFree = b.cmp(CmpIPredicate::slt, old[1], capacity);
          scf::ConditionOp::create(
              b, arith::AndIOp::create(b, isInside, isFree), old);
        },
        [&](OpBuilder &, Location, ValueRange old) {
          SmallVector<Value> count = lanes == 1 ? addIfBefore(old[0], old[1])
                                                : addVector(old[0], old[1]);
          Value next = b.value(b.add(OpFoldResult(old[0]), b.constant(lanes)));
          scf::YieldOp::create(b, ValueRange{next, count[0]});
        });
    return SmallVector<Value>(loop.getResults());
  };
  return scan(scan({at, count}, kLanes), 1);
}

void SortSchedule::emitSegment(ElementEmitter &e, const SortRecords &records,
                               Line line) {
  KernelBuilder &b = e.getBuilder();
  Type i64 = b.getI64Type();
  OpFoldResult n = b.size(problem->size), k = b.size(problem->count);
  OpFoldResult capacity = getCapacity(b);
  Value first = records.getArray(b, 0), second = records.getArray(b, 1);
  emitFill(e, records, line, first, capacity);
  Value sorted;
  if (capacity == n) {
    sorted = records.sort(b, first, second, n)[0];
  } else {
    auto loop = scf::WhileOp::create(
        b, TypeRange{i64, i64, first.getType(), first.getType()},
        ValueRange{b.value(capacity), b.value(capacity), first, second},
        [&](OpBuilder &, Location, ValueRange old) {
          SmallVector<Value> arrays = records.sort(b, old[2], old[3], old[1]);
          scf::ConditionOp::create(
              b, b.cmp(CmpIPredicate::slt, old[0], n),
              ValueRange{old[0], old[1], arrays[0], arrays[1]});
        },
        [&](OpBuilder &, Location, ValueRange old) {
          Value last = records.getIndex(b, old[2], b.sub(k, b.constant(1)));
          SmallVector<Value> next =
              emitFilter(e, records, line, old[2], old[0], b.value(k),
                         problem->key(e, line, last));
          scf::YieldOp::create(b, ValueRange{next[0], next[1], old[2], old[3]});
        });
    sorted = loop.getResult(2);
  }
  b.loop(b.constant(0), k, 1, [&](Value i) {
    problem->storeSorted(e, line, i, records.getIndex(b, sorted, i));
  });
  noteElementsOfLoop(b, op, "each element moves to its own position");
}

LogicalResult SortSchedule::emitBody(KernelBuilder &b) {
  OpFoldResult capacity = getCapacity(b);
  auto emit = [&](bool longSegments) {
    SortRecords records(*problem, capacity, longSegments);
    SmallVector<OpFoldResult> extents = {b.size(problem->outer),
                                         b.size(problem->inner)};
    forEachItem(b, extents, b.begin(), b.end(),
                [&](ArrayRef<OpFoldResult> coordinates) {
                  ElementEmitter e(b);
                  emitSegment(e, records, {coordinates[0], coordinates[1]});
                });
  };
  Value hasElements =
      b.cmp(CmpIPredicate::sgt, b.size(problem->count), b.constant(0));
  b.ifThen(hasElements, [&] {
    Value flag = isLong(b, *problem);
    if (!flag || SortRecords(*problem, capacity, false).holdsLongSegments())
      return emit(false);
    b.ifThen(flag, [&] { emit(true); }, [&] { emit(false); });
  });
  return success();
}

std::unique_ptr<Schedule> dyn::createSortSchedule(Operation *op) {
  return std::make_unique<SortSchedule>(op);
}
