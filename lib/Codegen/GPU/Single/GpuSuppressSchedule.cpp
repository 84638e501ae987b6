//===- GpuSuppressSchedule.cpp - Non-maximum suppression ------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A block has a list. Its boxes are visited in order: the threads compare a box
// with those before it that were kept, each with every 256th, and then agree
// whether one overlaps it. Which ones were kept is read from the result.

#include "Codegen/GPU/GpuSchedule.h"
#include "Codegen/GPU/GpuThread.h"

#include "Codegen/Common/Problems/SingleOperation.h"
#include "Codegen/Common/Problems/SuppressProblem.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;
using Box = SuppressProblem::Box;

namespace {
class GpuSuppressSchedule : public GpuSchedule {
public:
  explicit GpuSuppressSchedule(dhlo::SuppressOp op) : op(op) {}

  LogicalResult match(dlhlo::KernelOp kernel,
                      const SymbolicDims &dims) override {
    problem.emplace(op, dims);
    return checkYieldsOnly(kernel, op);
  }
  OpFoldResult emitBlocks(KernelBuilder &b, int64_t) override {
    return b.size(problem->lists);
  }
  void emitBody(KernelBuilder &b, int64_t version) override;

private:
  /// 1 if a kept box of this thread, before number `end`, overlaps a box.
  Value emitSearch(KernelBuilder &b, const Box &box, OpFoldResult end);

  dhlo::SuppressOp op;
  std::optional<SuppressProblem> problem;
};
} // namespace

Value GpuSuppressSchedule::emitSearch(KernelBuilder &b, const Box &box,
                                      OpFoldResult end) {
  OpFoldResult list = GpuThread(b).getBlock();
  auto compare = [&](Value first, ValueRange carried) -> SmallVector<Value> {
    OpFoldResult i = b.add(first, GpuThread(b).getThread());
    auto isKept = [&] {
      OpFoldResult at = b.add(b.mul(list, b.size(problem->size)), i);
      return b.load(b.resultBuffer(0), at, b.getI1Type(), 1);
    };
    auto no = [&] { return b.number(0, b.getI1Type()); };
    Value isOther =
        b.ifElse(b.cmp(CmpIPredicate::slt, i, end), b.getI1Type(), isKept, no);
    Value overlaps = b.ifElse(
        isOther, b.getI1Type(),
        [&] {
          ElementEmitter e(b);
          return problem->overlapsAny(e, box, problem->readBox(e, list, i), 1);
        },
        no);
    return {arith::OrIOp::create(b, carried[0], overlaps)};
  };
  Value found = b.loop(b.constant(0), end, kBlockThreads,
                       ValueRange{b.number(0, b.getI1Type())}, compare)[0];
  return arith::ExtUIOp::create(b, b.getI64Type(), found);
}

void GpuSuppressSchedule::emitBody(KernelBuilder &b, int64_t version) {
  GpuThread self(b);
  OpFoldResult list = self.getBlock();
  auto visit = [&](Value i, ValueRange carried) -> SmallVector<Value> {
    ElementEmitter e(b);
    Value found =
        self.scan(emitSearch(b, problem->readBox(e, list, i), i)).total;
    Value isKept =
        arith::AndIOp::create(b, problem->isConsidered(e, list, i, carried[0]),
                              b.cmp(CmpIPredicate::eq, found, b.constant(0)));
    b.ifThen(b.cmp(CmpIPredicate::eq, self.getThread(), b.constant(0)),
             [&] { problem->store(e, list, i, isKept); });
    // The next box is compared with this one.
    self.barrier();
    Value one = arith::ExtUIOp::create(b, b.getI64Type(), isKept);
    return {b.value(b.add(carried[0], one))};
  };
  b.loop(b.constant(0), b.size(problem->size), 1,
         ValueRange{b.value(b.constant(0))}, visit);
}

std::unique_ptr<GpuSchedule>
dyn::createGpuSuppressSchedule(dhlo::SuppressOp op) {
  return std::make_unique<GpuSuppressSchedule>(op);
}
