//===- GpuGroupSchedule.cpp - Counting sort of choices --------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// One block. A warp has a group, reads 32 choices at a time and counts those of
// its group; the offsets are a scan over the counts. Then it iterates over the
// choices again and writes each to the next position of its group, so that
// groups keep the order of choices, without atomics. Last, a thread sorts the
// `seats` of a row.
//
// All choices are read once per eight groups, from the L1 cache, which holds
// those of a thousand rows.

#include "Codegen/GPU/GpuSchedule.h"
#include "Codegen/GPU/GpuThread.h"

#include "Codegen/Common/Problems/GroupProblem.h"
#include "Codegen/Common/Problems/SingleOperation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;

/// Groups whose counts and offsets fit in shared memory.
static constexpr int64_t kMaxGroups = 2048;
static constexpr int64_t kWarps = kBlockThreads / kWarp;

namespace {
class GpuGroupSchedule : public GpuSchedule {
public:
  explicit GpuGroupSchedule(dhlo::GroupOp op) : op(op), problem(op) {}

  LogicalResult match(dlhlo::KernelOp kernel, const SymbolicDims &) override {
    if (problem.numGroups() > kMaxGroups)
      return op.emitError("no code generation for a GPU for more than ")
             << kMaxGroups << " groups, found " << problem.numGroups();
    return checkYieldsOnly(kernel, op);
  }
  int32_t getLeastBlocks() override { return 4; }
  OpFoldResult emitBlocks(KernelBuilder &b, int64_t) override {
    return b.constant(1);
  }
  void emitBody(KernelBuilder &b, int64_t version) override;

private:
  /// The buffer of a result; null if it is unused.
  Value getTarget(KernelBuilder &b, Value result) {
    for (auto [i, yielded] : llvm::enumerate(b.getResults()))
      if (yielded == result)
        return b.resultBuffer(i);
    return {};
  }
  Value load(KernelBuilder &b, Value buffer, OpFoldResult index) {
    return b.load(buffer, index, b.getI64Type(), 1);
  }
  void store(KernelBuilder &b, OpFoldResult value, Value buffer,
             OpFoldResult index) {
    if (buffer)
      b.store(b.value(value), buffer, index, b.getI64Type(), 1);
  }
  /// Calls `body` for i from `begin` to `end`, distributed over the threads.
  void forThreads(KernelBuilder &b, OpFoldResult begin, OpFoldResult end,
                  llvm::function_ref<void(OpFoldResult i)> body) {
    b.loop(b.add(begin, GpuThread(b).getThread()), end, kBlockThreads,
           [&](Value i) { body(i); });
  }
  /// Calls `body` with each group of the warp.
  void forGroups(KernelBuilder &b, llvm::function_ref<void(Value group)> body) {
    OpFoldResult warp = b.div(GpuThread(b).getThread(), b.constant(kWarp));
    b.loop(warp, b.constant(problem.numGroups()), kWarps, body);
  }
  OpFoldResult getLane(KernelBuilder &b) {
    return b.rem(GpuThread(b).getThread(), b.constant(kWarp));
  }
  /// 1 if the choice exists and is for `group`, else 0.
  Value emitFlag(KernelBuilder &b, OpFoldResult choice, Value group);
  void emitCounts(KernelBuilder &b);
  /// Returns the number of choices that are placed.
  Value emitOffsets(KernelBuilder &b);
  void emitSeats(KernelBuilder &b);
  void emitSortedRows(KernelBuilder &b);

  dhlo::GroupOp op;
  GroupProblem problem;
  /// By group, in shared memory: the number of its choices, and its offset.
  Value counts, offsets;
};
} // namespace

Value GpuGroupSchedule::emitFlag(KernelBuilder &b, OpFoldResult choice,
                                 Value group) {
  OpFoldResult perRow = problem.perRow(b);
  return b.ifElse(
      b.cmp(CmpIPredicate::slt, choice, problem.numChoices(b)), b.getI64Type(),
      [&]() -> Value {
        ElementEmitter e(b);
        Value chosen =
            problem.readGroup(e, b.div(choice, perRow), b.rem(choice, perRow));
        return arith::ExtUIOp::create(b, b.getI64Type(),
                                      b.cmp(CmpIPredicate::eq, chosen, group));
      },
      [&] { return b.value(b.constant(0)); });
}

void GpuGroupSchedule::emitCounts(KernelBuilder &b) {
  GpuThread self(b);
  OpFoldResult choices = problem.numChoices(b), perRow = problem.perRow(b);
  forThreads(b, b.constant(0), choices, [&](OpFoldResult choice) {
    ElementEmitter e(b);
    problem.check(
        b, problem.readGroup(e, b.div(choice, perRow), b.rem(choice, perRow)));
  });
  forGroups(b, [&](Value group) {
    OpFoldResult lane = getLane(b);
    Value count =
        b.loop(b.constant(0), choices, kWarp, b.value(b.constant(0)),
               [&](Value first, ValueRange carried) -> SmallVector<Value> {
                 return {b.value(b.add(
                     carried[0], emitFlag(b, b.add(first, lane), group)))};
               })[0];
    for (int64_t distance = kWarp / 2; distance > 0; distance /= 2)
      count = b.value(b.add(count, self.exchange(count, distance)));
    b.ifThen(b.cmp(CmpIPredicate::eq, lane, b.constant(0)),
             [&] { store(b, count, counts, group); });
  });
}

Value GpuGroupSchedule::emitOffsets(KernelBuilder &b) {
  GpuThread self(b);
  Value target = getTarget(b, op.getOffsets());
  OpFoldResult zero = b.constant(0), groups = b.constant(problem.numGroups());
  OpFoldResult thread = self.getThread();
  b.ifThen(b.cmp(CmpIPredicate::eq, thread, zero),
           [&] { store(b, zero, target, zero); });
  return b.loop(zero, groups, kBlockThreads, b.value(zero),
                [&](Value first, ValueRange carried) -> SmallVector<Value> {
                  OpFoldResult group = b.add(first, thread);
                  Value isGroup = b.cmp(CmpIPredicate::slt, group, groups);
                  Value count = b.ifElse(
                      isGroup, b.getI64Type(),
                      [&] {
                        return b.value(
                            problem.clampToCapacity(b, load(b, counts, group)));
                      },
                      [&] { return b.value(zero); });
                  GpuThread::Scan scan = self.scan(count);
                  b.ifThen(isGroup, [&] {
                    OpFoldResult offset = b.add(carried[0], scan.before);
                    store(b, count, counts, group);
                    store(b, offset, offsets, group);
                    store(b, b.add(offset, count), target,
                          b.add(group, b.constant(1)));
                  });
                  return {b.value(b.add(carried[0], scan.total))};
                })[0];
}

void GpuGroupSchedule::emitSeats(KernelBuilder &b) {
  GpuThread self(b);
  Value order = getTarget(b, op.getOrder());
  Value seats = getTarget(b, op.getSeats());
  forGroups(b, [&](Value group) {
    OpFoldResult lane = getLane(b);
    OpFoldResult offset = load(b, offsets, group);
    Value count = load(b, counts, group);
    b.loop(b.constant(0), problem.numChoices(b), kWarp, b.value(b.constant(0)),
           [&](Value first, ValueRange carried) -> SmallVector<Value> {
             OpFoldResult choice = b.add(first, lane);
             Value flag = emitFlag(b, choice, group);
             Value sum = self.scanWarp(flag);
             OpFoldResult number = b.add(carried[0], b.sub(sum, flag));
             Value hasSeat = arith::AndIOp::create(
                 b, b.cmp(CmpIPredicate::ne, flag, b.constant(0)),
                 b.cmp(CmpIPredicate::slt, number, count));
             b.ifThen(hasSeat, [&] {
               OpFoldResult seat = b.add(offset, number);
               store(b, choice, order, seat);
               store(b, seat, seats, choice);
             });
             return {
                 b.value(b.add(carried[0], self.getFromLane(sum, kWarp - 1)))};
           });
  });
}

void GpuGroupSchedule::emitSortedRows(KernelBuilder &b) {
  Value seats = getTarget(b, op.getSeats());
  OpFoldResult perRow = problem.perRow(b);
  forThreads(b, b.constant(0), problem.numRows(b), [&](OpFoldResult row) {
    OpFoldResult first = b.mul(row, perRow), end = b.add(first, perRow);
    b.loop(first, end, 1, [&](Value i) {
      b.loop(b.add(i, b.constant(1)), end, 1, [&](Value j) {
        // -1, the unsigned maximum, comes last.
        Value x = load(b, seats, i), y = load(b, seats, j);
        store(b, arith::MinUIOp::create(b, x, y).getResult(), seats, i);
        store(b, arith::MaxUIOp::create(b, x, y).getResult(), seats, j);
      });
    });
  });
}

void GpuGroupSchedule::emitBody(KernelBuilder &b, int64_t version) {
  GpuThread self(b);
  counts = self.getShared(b.getI64Type(), problem.numGroups());
  offsets = self.getShared(b.getI64Type(), problem.numGroups());
  OpFoldResult choices = problem.numChoices(b), none = b.constant(-1);
  emitCounts(b);
  self.barrier();
  Value placed = emitOffsets(b);
  if (Value order = getTarget(b, op.getOrder()))
    forThreads(b, placed, choices,
               [&](OpFoldResult i) { store(b, none, order, i); });
  if (Value seats = getTarget(b, op.getSeats()))
    forThreads(b, b.constant(0), choices,
               [&](OpFoldResult i) { store(b, none, seats, i); });
  self.barrier();
  emitSeats(b);
  if (!getTarget(b, op.getSeats()))
    return;
  self.barrier();
  emitSortedRows(b);
}

std::unique_ptr<GpuSchedule> dyn::createGpuGroupSchedule(dhlo::GroupOp op) {
  return std::make_unique<GpuGroupSchedule>(op);
}
