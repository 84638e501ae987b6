//===- GroupSchedule.cpp - Counting sort of choices -----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Three passes over the choices, by one thread: count those of each group,
// write each to the next position of its group, and record for each row the
// positions of its choices, in ascending order. There are a few choices per row
// of activations, so this costs little compared to the work on the rows.
//
// Scratch holds, as i64, the next position and the end of each group, the
// number of placed choices of each row, and results that are unused.

#include "Codegen/Common/Elements/ElementEmitter.h"

#include "Codegen/CPU/Single/SingleSchedules.h"
#include "Codegen/Common/Builder/ElementNotes.h"
#include "Codegen/Common/Problems/GroupProblem.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;

static constexpr int64_t kWord = 8;

namespace {
class GroupSchedule : public Schedule {
public:
  explicit GroupSchedule(dhlo::GroupOp op) : op(op), problem(op) {}

  LogicalResult match(dlhlo::KernelOp kernel, const SymbolicDims &,
                      const CodegenOptions &) override {
    return checkYieldsOnly(kernel, op);
  }
  Geometry emitGeometry(KernelBuilder &b) override;
  LogicalResult emitBody(KernelBuilder &b) override;

private:
  /// The buffer of a result, or part of scratch.
  Value getTarget(KernelBuilder &b, Value result, OpFoldResult scratchWord);
  Value load(KernelBuilder &b, Value buffer, OpFoldResult index) {
    return b.load(buffer, index, b.getI64Type(), 1);
  }
  void store(KernelBuilder &b, OpFoldResult value, Value buffer,
             OpFoldResult index) {
    b.store(b.value(value), buffer, index, b.getI64Type(), 1);
  }
  void fill(KernelBuilder &b, int64_t value, Value buffer, OpFoldResult begin,
            OpFoldResult end) {
    b.loop(begin, end, 1,
           [&](Value i) { store(b, b.constant(value), buffer, i); });
  }

  /// Calls `body` with each choice that is for a group.
  void forEachChoice(
      KernelBuilder &b, bool reports,
      llvm::function_ref<void(OpFoldResult choice, Value group)> body);
  void emitSort(KernelBuilder &b);

  dhlo::GroupOp op;
  GroupProblem problem;
};
} // namespace

Geometry GroupSchedule::emitGeometry(KernelBuilder &b) {
  Geometry g;
  g.items = g.grain = b.constant(1);
  OpFoldResult rows = problem.numRows(b), choices = problem.numChoices(b);
  OpFoldResult words = b.add(b.constant(3 * problem.numGroups() + 1),
                             b.add(rows, b.mul(b.constant(2), choices)));
  g.scratchBytes = b.mul(words, b.constant(kWord));
  return g;
}

Value GroupSchedule::getTarget(KernelBuilder &b, Value result,
                               OpFoldResult scratchWord) {
  for (auto [i, yielded] : llvm::enumerate(b.getResults()))
    if (yielded == result)
      return b.resultBuffer(i);
  return b.scratch(b.mul(scratchWord, b.constant(kWord)));
}

void GroupSchedule::forEachChoice(
    KernelBuilder &b, bool reports,
    llvm::function_ref<void(OpFoldResult, Value)> body) {
  OpFoldResult perRow = problem.perRow(b);
  b.loop(b.constant(0), problem.numRows(b), 1, [&](Value row) {
    b.loop(b.constant(0), perRow, 1, [&](Value slot) {
      ElementEmitter e(b);
      Value group = problem.readGroup(e, row, slot);
      if (reports)
        problem.check(b, group);
      b.ifThen(problem.isGroup(b, group),
               [&] { body(b.add(b.mul(row, perRow), slot), group); });
    });
  });
}

void GroupSchedule::emitSort(KernelBuilder &b) {
  OpFoldResult zero = b.constant(0), one = b.constant(1);
  OpFoldResult groups = b.constant(problem.numGroups()),
               rows = problem.numRows(b);
  OpFoldResult choices = problem.numChoices(b), perRow = problem.perRow(b);
  Value next = b.scratch(zero);
  Value ends = b.scratch(b.constant(problem.numGroups() * kWord));
  OpFoldResult word = b.constant(2 * problem.numGroups());
  Value placed = b.scratch(b.mul(word, b.constant(kWord)));
  Value offsets = getTarget(b, op.getOffsets(), word = b.add(word, rows));
  word = b.add(word, b.constant(problem.numGroups() + 1));
  Value order = getTarget(b, op.getOrder(), word);
  Value seats = getTarget(b, op.getSeats(), b.add(word, choices));

  // Counts, in `next`.
  fill(b, 0, next, zero, groups);
  forEachChoice(b, /*reports=*/true, [&](OpFoldResult, Value group) {
    store(b, b.add(load(b, next, group), one), next, group);
  });
  // Offsets. Choices beyond the capacity are not placed.
  store(b, zero, offsets, zero);
  Value total =
      b.loop(zero, groups, 1, ValueRange{b.value(zero)},
             [&](Value group, ValueRange carried) -> SmallVector<Value> {
               OpFoldResult count =
                   problem.clampToCapacity(b, load(b, next, group));
               store(b, carried[0], next, group);
               Value end = b.value(b.add(carried[0], count));
               store(b, end, ends, group);
               store(b, end, offsets, b.add(group, one));
               return {end};
             })[0];
  forEachChoice(b, /*reports=*/false, [&](OpFoldResult choice, Value group) {
    Value seat = load(b, next, group);
    b.ifThen(b.cmp(CmpIPredicate::slt, seat, load(b, ends, group)), [&] {
      store(b, choice, order, seat);
      store(b, b.add(seat, one), next, group);
    });
  });
  fill(b, -1, order, total, choices);
  // In the order of positions, so that those of a row ascend.
  fill(b, -1, seats, zero, choices);
  fill(b, 0, placed, zero, rows);
  b.loop(zero, total, 1, [&](Value seat) {
    OpFoldResult row = b.div(load(b, order, seat), perRow);
    Value slot = load(b, placed, row);
    store(b, seat, seats, b.add(b.mul(row, perRow), slot));
    store(b, b.add(slot, one), placed, row);
  });
}

LogicalResult GroupSchedule::emitBody(KernelBuilder &b) {
  noteElements(b, b.getFunction(), op,
               "the seat of a choice depends on all choices before it");
  // An empty range of items writes nothing.
  b.ifThen(b.cmp(CmpIPredicate::slt, b.begin(), b.end()), [&] { emitSort(b); });
  return success();
}

std::unique_ptr<Schedule> dyn::createGroupSchedule(dhlo::GroupOp op) {
  return std::make_unique<GroupSchedule>(op);
}
