//===- GpuNonzeroSchedule.cpp - Indices of nonzero elements ---------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A block has a run of elements. It counts the nonzero elements before its run,
// then writes its own rows, 256 elements at a time. So no block waits for
// another, at the cost of reading all earlier elements: runs grow with the
// number of elements, so that the number of blocks is bounded. The last block
// stores the count.

#include "Codegen/GPU/GpuSchedule.h"
#include "Codegen/GPU/GpuThread.h"

#include "Codegen/Common/Elements/OpEmitters.h"
#include "Codegen/Common/Problems/SingleOperation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;
using dhlo::DimExpr;

/// The minimum number of elements of a run, and the maximum number of runs.
static constexpr int64_t kRun = 1024, kRuns = 256;

namespace {
class GpuNonzeroSchedule : public GpuSchedule {
public:
  explicit GpuNonzeroSchedule(dlhlo::FindNonzeroOp op) : op(op) {}

  LogicalResult match(dlhlo::KernelOp kernel, const SymbolicDims &) override {
    return checkYieldsOnly(kernel, op);
  }
  OpFoldResult emitBlocks(KernelBuilder &b, int64_t) override {
    // At least one block, which stores the count.
    OpFoldResult runs =
        b.ceilDiv(b.numElements(op.getOperand()), b.constant(kRun));
    return b.max(b.constant(1), b.min(runs, b.constant(kRuns)));
  }
  void emitBody(KernelBuilder &b, int64_t version) override;

private:
  void emitRun(KernelBuilder &b, OpFoldResult begin, OpFoldResult run);
  OpFoldResult getRun(KernelBuilder &b) {
    OpFoldResult share =
        b.ceilDiv(b.numElements(op.getOperand()), b.constant(kRuns * kRun));
    return b.mul(b.max(share, b.constant(1)), b.constant(kRun));
  }
  /// 1 if element i is before `end` and nonzero, else 0.
  Value emitFlag(KernelBuilder &b, OpFoldResult i, OpFoldResult end);
  void storeRow(KernelBuilder &b, OpFoldResult i, OpFoldResult row);

  dlhlo::FindNonzeroOp op;
};
} // namespace

Value GpuNonzeroSchedule::emitFlag(KernelBuilder &b, OpFoldResult i,
                                   OpFoldResult end) {
  DimExpr total = b.getDims().getNumElements(op.getOperand().getType());
  return b.ifElse(
      b.cmp(CmpIPredicate::slt, i, end), b.getI64Type(),
      [&]() -> Value {
        ElementEmitter e(b);
        return arith::ExtUIOp::create(
            b, b.getI64Type(),
            isNonzero(e, op.getOperand(), {{total, e.uniform(i)}}, 1));
      },
      [&] { return b.value(b.constant(0)); });
}

void GpuNonzeroSchedule::storeRow(KernelBuilder &b, OpFoldResult i,
                                  OpFoldResult row) {
  SmallVector<OpFoldResult> coordinates =
      delinearize(b, i, getSizes(b, op.getOperand()));
  OpFoldResult first = b.mul(row, b.constant(coordinates.size()));
  for (auto [number, result] : llvm::enumerate(b.getResults()))
    if (result == op.getIndices())
      for (auto [axis, coordinate] : llvm::enumerate(coordinates))
        b.store(b.value(coordinate), b.resultBuffer(number),
                b.add(first, b.constant(axis)), b.getI64Type(), 1);
}

void GpuNonzeroSchedule::emitBody(KernelBuilder &b, int64_t version) {
  OpFoldResult run = getRun(b), begin = b.mul(GpuThread(b).getBlock(), run);
  OpFoldResult total = b.numElements(op.getOperand());
  // There may be fewer runs than blocks if runs are longer than kRun.
  b.ifThen(b.cmp(CmpIPredicate::slt, begin, b.max(total, b.constant(1))),
           [&] { emitRun(b, begin, run); });
}

void GpuNonzeroSchedule::emitRun(KernelBuilder &b, OpFoldResult begin,
                                 OpFoldResult run) {
  GpuThread self(b);
  OpFoldResult thread = self.getThread();
  OpFoldResult total = b.numElements(op.getOperand());
  OpFoldResult end = b.min(b.add(begin, run), total);
  Value zero = b.value(b.constant(0));
  Value before =
      b.loop(b.constant(0), begin, kBlockThreads, zero,
             [&](Value i, ValueRange carried) -> SmallVector<Value> {
               return {arith::AddIOp::create(
                   b, carried[0], emitFlag(b, b.add(i, thread), begin))};
             })[0];
  Value row =
      b.loop(begin, end, kBlockThreads, self.scan(before).total,
             [&](Value first, ValueRange carried) -> SmallVector<Value> {
               OpFoldResult i = b.add(first, thread);
               Value flag = emitFlag(b, i, end);
               GpuThread::Scan scan = self.scan(flag);
               b.ifThen(b.cmp(CmpIPredicate::ne, flag, b.constant(0)), [&] {
                 storeRow(b, i, b.add(carried[0], scan.before));
               });
               return {b.value(b.add(carried[0], scan.total))};
             })[0];
  Value isLast = arith::AndIOp::create(
      b, b.cmp(CmpIPredicate::eq, thread, b.constant(0)),
      b.cmp(CmpIPredicate::sge, b.add(begin, run), total));
  b.ifThen(isLast, [&] {
    for (auto [number, result] : llvm::enumerate(b.getResults()))
      if (result == op.getCount())
        b.store(row, b.resultBuffer(number), b.constant(0), b.getI64Type(), 1);
  });
}

std::unique_ptr<GpuSchedule>
dyn::createGpuNonzeroSchedule(dlhlo::FindNonzeroOp op) {
  return std::make_unique<GpuNonzeroSchedule>(op);
}
