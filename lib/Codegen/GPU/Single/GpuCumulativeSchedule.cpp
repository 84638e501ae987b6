//===- GpuCumulativeSchedule.cpp - Cumulative operations along an axis ----===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// If the axes inside of the operation's are large, a thread processes a segment
// alone: a warp reads consecutive elements at each step. Otherwise a warp
// processes a segment, 32 elements at a time: each lane combines its element
// with those of lanes below it in five steps, then with the carried value. The
// size of the inner axes alone selects between the two, so the bits depend only
// on sizes.

#include "Codegen/GPU/GpuSchedule.h"
#include "Codegen/GPU/GpuThread.h"

#include "Codegen/Common/Elements/OpEmitters.h"
#include "Codegen/Common/Problems/SegmentProblem.h"
#include "Codegen/Common/Problems/SingleOperation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;

namespace {
class GpuCumulativeSchedule : public GpuSchedule {
public:
  explicit GpuCumulativeSchedule(dhlo::CumulativeOp op) : op(op) {}

  LogicalResult match(dlhlo::KernelOp kernel,
                      const SymbolicDims &dims) override {
    problem.emplace(op, dims);
    return checkYieldsOnly(kernel, op);
  }
  SmallVector<StringRef> getVersions() override { return {"$warp", "$thread"}; }
  OpFoldResult emitVersion(KernelBuilder &b) override;
  OpFoldResult emitBlocks(KernelBuilder &b, int64_t version) override;
  void emitBody(KernelBuilder &b, int64_t version) override;

private:
  OpFoldResult getLines(KernelBuilder &b) {
    return b.mul(b.size(problem->outer), b.size(problem->inner));
  }
  Value join(KernelBuilder &b, Value lhs, Value rhs) {
    return combine(b, op.getKind(), problem->element, lhs, rhs);
  }
  /// The position that step `step` of a segment reads and writes.
  OpFoldResult getOffset(KernelBuilder &b, OpFoldResult step) {
    return op.getReverse()
               ? b.sub(b.sub(b.size(problem->size), b.constant(1)), step)
               : step;
  }
  void emitAlone(ElementEmitter &e, SegmentProblem::Line line);
  void emitTogether(ElementEmitter &e, SegmentProblem::Line line,
                    OpFoldResult lane);
  void store(ElementEmitter &e, SegmentProblem::Line line,
             OpFoldResult position, Value value) {
    for (size_t i = 0; i < e.getBuilder().getResults().size(); ++i)
      e.store(value, i, problem->at(e, line, problem->size, position), 1);
  }

  dhlo::CumulativeOp op;
  std::optional<SegmentProblem> problem;
};
} // namespace

OpFoldResult GpuCumulativeSchedule::emitVersion(KernelBuilder &b) {
  Value isAlone =
      b.cmp(CmpIPredicate::sge, b.size(problem->inner), b.constant(kWarp));
  return b.select(isAlone, b.constant(1), b.constant(0));
}

OpFoldResult GpuCumulativeSchedule::emitBlocks(KernelBuilder &b,
                                               int64_t version) {
  int64_t threads = version == 1 ? 1 : kWarp;
  return b.ceilDiv(getLines(b), b.constant(kBlockThreads / threads));
}

void GpuCumulativeSchedule::emitAlone(ElementEmitter &e,
                                      SegmentProblem::Line line) {
  KernelBuilder &b = e.getBuilder();
  b.loop(b.constant(0), b.size(problem->size), 1,
         neutral(b, op.getKind(), problem->element, 1),
         [&](Value step, ValueRange carried) -> SmallVector<Value> {
           OpFoldResult position = getOffset(b, step);
           Value next = join(b, carried[0], problem->key(e, line, position));
           store(e, line, position, op.getExclusive() ? carried[0] : next);
           return {next};
         });
}

void GpuCumulativeSchedule::emitTogether(ElementEmitter &e,
                                         SegmentProblem::Line line,
                                         OpFoldResult lane) {
  KernelBuilder &b = e.getBuilder();
  GpuThread self(b);
  OpFoldResult size = b.size(problem->size);
  Value none = neutral(b, op.getKind(), problem->element, 1);
  auto hasBelow = [&](int64_t distance) {
    return b.cmp(CmpIPredicate::sge, lane, b.constant(distance));
  };
  b.loop(b.constant(0), size, kWarp, none,
         [&](Value first, ValueRange carried) -> SmallVector<Value> {
           OpFoldResult step = b.add(first, lane),
                        position = getOffset(b, step);
           Value isInside = b.cmp(CmpIPredicate::slt, step, size);
           Value sum = b.ifElse(
               isInside, none.getType(),
               [&] { return problem->key(e, line, position); },
               [&] { return none; });
           for (int64_t distance = 1; distance < kWarp; distance *= 2)
             sum = arith::SelectOp::create(
                 b, hasBelow(distance),
                 join(b, self.getFromBelow(sum, distance), sum), sum);
           Value result = sum;
           if (op.getExclusive())
             result = arith::SelectOp::create(b, hasBelow(1),
                                              self.getFromBelow(sum, 1), none);
           b.ifThen(isInside, [&] {
             store(e, line, position, join(b, carried[0], result));
           });
           return {join(b, carried[0], self.getFromLane(sum, kWarp - 1))};
         });
}

void GpuCumulativeSchedule::emitBody(KernelBuilder &b, int64_t version) {
  int64_t threads = version == 0 ? kWarp : 1;
  OpFoldResult thread = GpuThread(b).getNumber();
  OpFoldResult number = b.div(thread, b.constant(threads));
  b.ifThen(b.cmp(CmpIPredicate::slt, number, getLines(b)), [&] {
    OpFoldResult inner = b.size(problem->inner);
    SegmentProblem::Line line = {b.div(number, inner), b.rem(number, inner)};
    ElementEmitter e(b);
    if (threads == 1)
      emitAlone(e, line);
    else
      emitTogether(e, line, b.rem(thread, b.constant(kWarp)));
  });
}

std::unique_ptr<GpuSchedule>
dyn::createGpuCumulativeSchedule(dhlo::CumulativeOp op) {
  return std::make_unique<GpuCumulativeSchedule>(op);
}
