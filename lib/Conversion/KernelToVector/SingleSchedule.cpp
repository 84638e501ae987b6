//===- SingleSchedule.cpp - Kernels of one operation ----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SingleSchedules.h"

using namespace mlir;
using namespace dyn;

LogicalResult dyn::checkYieldsOnly(dlhlo::KernelOp kernel, Operation *op) {
  Block &block = kernel.getBody().front();
  for (Value result : block.getTerminator()->getOperands())
    if (result.getDefiningOp() != op)
      return op->emitError("expected a kernel that yields results of this "
                           "operation alone");
  return success();
}

namespace {
/// Hands the kernel to the schedule of its operation.
class SingleSchedule : public Schedule {
public:
  LogicalResult match(dlhlo::KernelOp kernel, const SymbolicDims &dims,
                      const CodegenOptions &options) override {
    for (Operation &op : kernel.getBody().front()) {
      if (isa<dhlo::SortOp, dhlo::TopKOp, dhlo::CumulativeOp>(op))
        inner = createLineSchedule(&op);
      else if (isa<dhlo::ScatterNdOp, dhlo::ScatterElementsOp>(op))
        inner = createScatterSchedule(&op);
      else if (auto lstm = dyn_cast<dhlo::LstmOp>(op))
        inner = createLstmSchedule(lstm);
      else if (auto nonzero = dyn_cast<dlhlo::FindNonzeroOp>(op))
        inner = createNonzeroSchedule(nonzero);
    }
    // Windows, segments and the rest are computed element by element.
    if (!inner)
      inner = createLoopSchedule();
    return inner->match(kernel, dims, options);
  }
  Geometry emitGeometry(KernelBuilder &b) override {
    return inner->emitGeometry(b);
  }
  LogicalResult emitBody(KernelBuilder &b) override {
    return inner->emitBody(b);
  }

private:
  std::unique_ptr<Schedule> inner;
};
} // namespace

std::unique_ptr<Schedule> dyn::createSingleSchedule() {
  return std::make_unique<SingleSchedule>();
}
