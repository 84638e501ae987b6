//===- PlanBuffers.cpp - Assigns memory to every value --------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DLHLO/Transforms/Passes.h"

#include "BufferPlanner.h"

namespace dyn::dlhlo {
#define GEN_PASS_DEF_PLANBUFFERSPASS
#include "dyn/Dialect/DLHLO/Transforms/Passes.h.inc"
} // namespace dyn::dlhlo

using namespace mlir;
using namespace dyn;
using namespace dyn::dlhlo;

namespace {

struct PlanBuffersPass : dlhlo::impl::PlanBuffersPassBase<PlanBuffersPass> {
  using PlanBuffersPassBase::PlanBuffersPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<func::FuncOp> entries;
    for (auto function : module.getOps<func::FuncOp>())
      if (function->hasAttr(dhlo::DHLODialect::kEntryAttr) &&
          !function.isExternal())
        entries.push_back(function);
    if (entries.empty())
      return markAllAnalysesPreserved();

    if (redZone < 0 || redZone % 64 != 0) {
      module.emitError("expected a red zone of a multiple of 64 bytes, found ")
          << redZone.getValue();
      return signalPassFailure();
    }
    const auto &dims = getAnalysis<SymbolicDims>();
    SymbolTable symbols(module);
    LaunchSizes launchSizes(symbols);
    SiteTable sites(module);
    // Guesses name routers whose probes come after them.
    ProbeTable probes(module);
    for (func::FuncOp entry : entries)
      entry.walk([&](dhlo::ProbeOp probe) { probes.add(probe); });
    for (func::FuncOp entry : entries) {
      BufferPlanner planner(dims, symbols, launchSizes, sites, probes,
                            {reuse, redZone});
      if (failed(planner.plan(entry)))
        return signalPassFailure();
      numSegments += planner.numSegments;
      numValues += planner.numValues;
      numSlots += planner.numSlots;
    }
    numKernels += launchSizes.getNumKernels();
    sites.store(module);
    probes.store(module);
  }
};

} // namespace
