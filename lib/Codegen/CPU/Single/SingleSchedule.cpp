//===- SingleSchedule.cpp - Kernels of one operation ----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen/CPU/Single/SingleSchedules.h"
#include "Codegen/Common/Problems/SegmentProblem.h"

using namespace mlir;
using namespace dyn;

/// The maximum number of elements of a top_k that are kept in order by
/// insertion.
static constexpr int64_t kMaxSelected = 16;
/// The same of columns that are sorted: vectors are faster up to more.
static constexpr int64_t kMaxSorted = 64;

namespace {
/// Selects the schedule of the kernel's operation.
class SingleSchedule : public DelegatingSchedule {
  std::unique_ptr<Schedule> choose(dlhlo::KernelOp kernel,
                                   const SymbolicDims &dims) override {
    for (Operation &op : kernel.getBody().front()) {
      if (auto cumulative = dyn_cast<dhlo::CumulativeOp>(op))
        return createCumulativeSchedule(cumulative);
      auto top = dyn_cast<dhlo::TopKOp>(op);
      if (top || isa<dhlo::SortOp>(op)) {
        SegmentProblem problem(&op, dims);
        if (!problem.inner.isConst(1) &&
            dims.isAtMost(problem.count, top ? kMaxSelected : kMaxSorted))
          return createColumnSelectionSchedule(&op);
        if (top && dims.isAtMost(problem.count, kMaxSelected))
          return createSelectionSchedule(top);
      }
      if (op.hasTrait<dhlo::AlongSegments>())
        return createSortSchedule(&op);
      if (isa<dhlo::ScatterNdOp, dhlo::ScatterElementsOp>(op))
        return createScatterSchedule(&op);
      if (auto lstm = dyn_cast<dhlo::LstmOp>(op))
        return createLstmSchedule(lstm);
      if (auto group = dyn_cast<dhlo::GroupOp>(op))
        return createGroupSchedule(group);
      if (auto nonzero = dyn_cast<dlhlo::FindNonzeroOp>(op))
        return createNonzeroSchedule(nonzero);
      if (auto suppress = dyn_cast<dhlo::SuppressOp>(op))
        return createSuppressSchedule(suppress);
      if (auto fft = dyn_cast<dhlo::FftOp>(op))
        return createFourierSchedule(fft);
      auto window = dyn_cast<dhlo::ReduceWindowOp>(op);
      if (window && hasWindowSchedule(window))
        return createWindowSchedule(window);
      auto resize = dyn_cast<dhlo::ResizeOp>(op);
      if (resize && hasResizeSchedule(resize, dims))
        return createResizeSchedule(resize);
    }
    // Segments and the rest are loops at the elements of their results.
    return createLoopSchedule();
  }
};
} // namespace

std::unique_ptr<Schedule> dyn::createSingleSchedule() {
  return std::make_unique<SingleSchedule>();
}
