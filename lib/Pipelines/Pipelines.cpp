//===- Pipelines.cpp - From a model to entries in LLVM --------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Pipelines/Pipelines.h"

#include "dyn/Codegen/CPU/CodegenCPU.h"
#include "dyn/Codegen/Codegen.h"
#include "dyn/Conversion/CellToDHLO/CellToDHLO.h"
#include "dyn/Conversion/DLHLOToLLVM/DLHLOToLLVM.h"
#include "dyn/Dialect/Cell/Transforms/Passes.h"
#include "dyn/Dialect/DHLO/Transforms/Passes.h"
#include "dyn/Dialect/DLHLO/Transforms/Passes.h"
#include "dyn/Dialect/Dist/Plan/Passes.h"
#include "dyn/Dialect/Dist/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace dyn;

//===----------------------------------------------------------------------===//
// dyn-optimize
//===----------------------------------------------------------------------===//

/// From one program to those of ranks.
static void buildRanksPipeline(OpPassManager &manager,
                               const LoweringOptions &options) {
  if (!options.machine.empty()) {
    dist::PlanPassOptions plan;
    plan.machine = options.machine;
    llvm::append_range(plan.at, options.machineSizes);
    plan.maxStages = options.stages;
    plan.microBatches = options.microBatches;
    plan.segments = options.planSegments;
    manager.addPass(dist::createPlanPass(plan));
  }
  manager.addPass(dist::createSplitBatchPass());
  manager.addPass(dist::createPropagatePass({options.tensorParallel}));
  manager.addPass(dist::createPartitionPass());
  manager.addPass(dist::createExchangeRoutesPass());
  // Nothing after the conversion handles routes.
  manager.addPass(createConvertCellToDHLOPass());
  manager.addPass(dhlo::createSimplifySizesPass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.addPass(dhlo::createFoldTransposesPass());
  // Before fusions, which would join work with what needs an exchange.
  manager.addPass(dist::createOverlapExchangesPass({options.machine}));
}

static void buildOptimizePipeline(OpPassManager &manager,
                                  const LoweringOptions &options) {
  // Routers get their names while the program is as imported.
  manager.addPass(cell::createInsertProbesPass());
  if (!options.profile.empty())
    manager.addPass(cell::createApplyProfilePass({options.profile}));
  cell::ChooseRulesPassOptions rules;
  rules.rules = options.routeRules;
  rules.memoryLimit = options.memoryLimit;
  rules.isInvariant = !(options.device && options.libraryFrom);
  rules.device = options.device;
  rules.targetInfo = options.targetInfo;
  if (options.threads)
    rules.threads = options.threads;
  manager.addPass(cell::createChooseRulesPass(rules));
  // Rows that routes would only move back and forth.
  manager.addPass(cell::createCancelRoutesPass());
  // Before paths are merged, so that copies of them are merged as well.
  manager.addPass(cell::createSpeculatePass({rules.isInvariant}));
  // Equivalent paths are merged; nothing after the conversion handles routes.
  manager.addPass(cell::createStackSiblingsPass());
  // Ranks divide paths, too, so their programs keep routes until they are made.
  if (!options.hasRanks)
    manager.addPass(createConvertCellToDHLOPass());
  // Sizes first: all later passes compare sizes, which is a comparison of names
  // once shape arithmetic has become expressions.
  manager.addPass(dhlo::createSimplifySizesPass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  // On operations in normal form, and with equal ones merged: every layer reads
  // one mask. Attention contains a softmax.
  manager.addPass(dhlo::createRecognizeCompositesPass());
  manager.addPass(dhlo::createRecognizeAttentionPass());
  // Matmuls are transposed and narrowed as others, and equal roots merged.
  manager.addPass(dhlo::createExpandFourierPass({options.device}));
  // After composites are recognised. A first-token head is a slice here.
  dhlo::RemovePaddingPassOptions padding;
  padding.mask = options.unpad;
  manager.addPass(dhlo::createRemovePaddingPass(padding));
  manager.addPass(dhlo::createReplaceIndicesPass());
  manager.addPass(dhlo::createHoistSlicesPass());
  manager.addPass(dhlo::createNarrowRepeatsPass());
  manager.addPass(dhlo::createHoistRepeatsPass());
  // The canonicalizer folds what this removes from contractions.
  manager.addPass(dhlo::createNarrowContractionsPass());
  manager.addPass(dhlo::createFoldBatchNormPass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  // Layouts depend on the types that convolutions are computed in.
  if (!options.device)
    manager.addPass(createDecomposeUnscheduledPass());
  dhlo::PropagateLayoutPassOptions layout;
  layout.device = options.device;
  layout.targetInfo = options.targetInfo;
  manager.addPass(dhlo::createPropagateLayoutPass(layout));
  manager.addPass(dhlo::createFlattenConvolutionsPass());
  manager.addPass(createCSEPass());
  // Transposes have their final positions.
  manager.addPass(dhlo::createFoldTransposesPass());
  manager.addPass(dhlo::createReduceColumnsPass());
  // Last: transposes sink through complete reductions.
  manager.addPass(dhlo::createSplitReductionsPass());
  // Composites are divided as a whole, and what all ranks share is done once.
  // Which algorithm computes a convolution or a matmul of one column, and so
  // the order of its sums, depends on layouts and transposes. It must not on
  // the number of ranks, whose exchanges bring transposes of their own.
  if (options.hasRanks && options.partition)
    buildRanksPipeline(manager, options);
  manager.addPass(dhlo::createVerifyDimsPass());
}

//===----------------------------------------------------------------------===//
// dyn-form-fusions
//===----------------------------------------------------------------------===//

static void buildFusionsPipeline(OpPassManager &manager,
                                 const LoweringOptions &options) {
  // Composites without a kernel are decomposed to operations with kernels.
  DecomposeUnscheduledPassOptions scheduling;
  scheduling.device = options.device;
  manager.addPass(createDecomposeUnscheduledPass(scheduling));
  // Constants are hoisted first, so that no fusion computes at run time what
  // the compiler can.
  manager.addPass(dlhlo::createHoistConstantsPass());
  // Before fusions hide which operand is a constant.
  dlhlo::PackConstantsPassOptions packing;
  packing.winograd = options.winograd;
  packing.targetInfo = options.targetInfo;
  if (!options.device)
    manager.addPass(dlhlo::createPackConstantsPass(packing));
  manager.addPass(dlhlo::createFusePass({options.device, options.targetInfo}));
  // Before kernels hide which operation reads a constant, and differ by marks.
  manager.addPass(dlhlo::createFetchPathsPass({options.preload}));
  manager.addPass(dlhlo::createShareNumbersPass());
  manager.addPass(dlhlo::createVerifyFusionsPass());
}

//===----------------------------------------------------------------------===//
// dyn-form-kernels
//===----------------------------------------------------------------------===//

static void buildKernelsPipeline(OpPassManager &manager,
                                 const LoweringOptions &options) {
  manager.addPass(dlhlo::createOutlineKernelsPass());
  // A GPU's kernels are tuned to constant sizes, and compiled as one module.
  if (!options.device)
    manager.addPass(dlhlo::createMergeKernelsPass());
  dlhlo::LaunchManyPassOptions together;
  together.device = options.device;
  together.targetInfo = options.targetInfo;
  if (options.together)
    manager.addPass(dlhlo::createLaunchManyPass(together));
  if (options.device)
    manager.addPass(dlhlo::createDeferSizesPass());
  if (options.device && options.libraryFrom)
    manager.addPass(dlhlo::createFindGemmsPass({*options.libraryFrom}));
  manager.addPass(dlhlo::createVerifyKernelsPass());
  ReportSlowKernelsPassOptions report;
  report.targetInfo = options.targetInfo;
  if (!options.device)
    manager.addPass(createReportSlowKernelsPass(report));
}

//===----------------------------------------------------------------------===//
// dyn-plan-buffers
//===----------------------------------------------------------------------===//

/// The maximum overrun of the widest vector, times two.
static constexpr int64_t kRedZone = 128;

static void buildBuffersPipeline(OpPassManager &manager,
                                 const LoweringOptions &options) {
  dlhlo::PlanBuffersPassOptions planning;
  planning.redZone = options.redZones ? kRedZone : 0;
  manager.addPass(dlhlo::createPlanBuffersPass(planning));
  manager.addPass(dlhlo::createVerifyBuffersPass());
  // Removes what no launch needs from the shape program.
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
}

//===----------------------------------------------------------------------===//
// dyn-lower-entries
//===----------------------------------------------------------------------===//

static void buildEntriesPipeline(OpPassManager &manager,
                                 const LoweringOptions &options) {
  ConvertDLHLOToLLVMPassOptions conversion;
  conversion.device = options.device;
  manager.addPass(createConvertDLHLOToLLVMPass(conversion));
}

void dyn::buildLevelPipeline(OpPassManager &manager, Level level,
                             const LoweringOptions &options) {
  switch (level) {
  case Level::Import:
    return;
  case Level::Optimize:
    return buildOptimizePipeline(manager, options);
  case Level::Fusions:
    return buildFusionsPipeline(manager, options);
  case Level::Kernels:
    return buildKernelsPipeline(manager, options);
  case Level::Buffers:
    return buildBuffersPipeline(manager, options);
  case Level::Entries:
    return buildEntriesPipeline(manager, options);
  }
}

void dyn::registerPipelines() {
  auto add = [](StringRef name, StringRef description, Level level) {
    PassPipelineRegistration<>(name, description,
                               [level](OpPassManager &manager) {
                                 buildLevelPipeline(manager, level);
                               });
  };
  add("dyn-optimize", "Optimise a model in dhlo", Level::Optimize);
  add("dyn-form-fusions", "Form constants and fusions from dhlo",
      Level::Fusions);
  add("dyn-form-kernels", "Outline fusions to kernels and launches",
      Level::Kernels);
  add("dyn-plan-buffers", "Place values in buffers", Level::Buffers);
  add("dyn-lower-entries", "Lower entries to the LLVM dialect", Level::Entries);
}
