//===- GpuSortSchedule.cpp - Sorting segments along an axis ---------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A thread has an element, whose rank is the number of elements of its segment
// that come before it, or are equal and precede it, so each thread reads its
// segment and none waits for another. A segment of n elements takes n^2
// comparisons, but they spread over the whole device, in one launch without
// scratch: meant for segments of some thousand elements, as models have them.

#include "Codegen/GPU/GpuSchedule.h"
#include "Codegen/GPU/GpuThread.h"

#include "Codegen/Common/Problems/SegmentProblem.h"
#include "Codegen/Common/Problems/SingleOperation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;

namespace {
class GpuSortSchedule : public GpuSchedule {
public:
  explicit GpuSortSchedule(Operation *op) : op(op) {}

  LogicalResult match(dlhlo::KernelOp kernel,
                      const SymbolicDims &dims) override {
    problem.emplace(op, dims);
    return checkYieldsOnly(kernel, op);
  }
  OpFoldResult emitBlocks(KernelBuilder &b, int64_t) override {
    return b.ceilDiv(getThreads(b), b.constant(kBlockThreads));
  }
  void emitBody(KernelBuilder &b, int64_t version) override;

private:
  OpFoldResult getThreads(KernelBuilder &b) {
    return b.mul(b.mul(b.size(problem->outer), b.size(problem->size)),
                 b.size(problem->inner));
  }
  /// The number of elements of a segment that come before its element i.
  Value emitRank(ElementEmitter &e, SegmentProblem::Line line, OpFoldResult i);

  Operation *op;
  std::optional<SegmentProblem> problem;
};
} // namespace

Value GpuSortSchedule::emitRank(ElementEmitter &e, SegmentProblem::Line line,
                                OpFoldResult i) {
  KernelBuilder &b = e.getBuilder();
  Value own = problem->key(e, line, i), none = b.value(b.constant(0));
  auto count = [&](OpFoldResult from, OpFoldResult to, Value sum,
                   llvm::function_ref<Value(Value)> counts) {
    return b.loop(from, to, 1, sum,
                  [&](Value j, ValueRange carried) -> SmallVector<Value> {
                    Value one = arith::ExtUIOp::create(
                        b, b.getI64Type(), counts(problem->key(e, line, j)));
                    return {arith::AddIOp::create(b, carried[0], one)};
                  })[0];
  };
  Value all = arith::ConstantOp::create(b, b.getBoolAttr(true));
  Value rank = count(b.constant(0), i, none, [&](Value key) -> Value {
    return arith::XOrIOp::create(b, problem->isBefore(b, own, key), all);
  });
  return count(b.add(i, b.constant(1)), b.size(problem->size), rank,
               [&](Value key) { return problem->isBefore(b, key, own); });
}

void GpuSortSchedule::emitBody(KernelBuilder &b, int64_t version) {
  OpFoldResult thread = GpuThread(b).getNumber();
  b.ifThen(b.cmp(CmpIPredicate::slt, thread, getThreads(b)), [&] {
    OpFoldResult inner = b.size(problem->inner), size = b.size(problem->size);
    OpFoldResult rest = b.div(thread, inner), i = b.rem(rest, size);
    SegmentProblem::Line line = {b.div(rest, size), b.rem(thread, inner)};
    ElementEmitter e(b);
    Value rank = emitRank(e, line, i);
    b.ifThen(b.cmp(CmpIPredicate::slt, rank, b.size(problem->count)),
             [&] { problem->storeSorted(e, line, rank, b.value(i)); });
  });
}

std::unique_ptr<GpuSchedule> dyn::createGpuSortSchedule(Operation *op) {
  return std::make_unique<GpuSortSchedule>(op);
}
