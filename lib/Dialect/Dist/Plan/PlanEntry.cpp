//===- PlanEntry.cpp - Plans an entry for many ranks ----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/Dist/Plan/PlanEntry.h"

#include "dyn/Dialect/Cell/Analysis/Placement.h"
#include "dyn/Plan/Explain.h"
#include "dyn/Plan/PlanProgram.h"
#include "dyn/Plan/StageCosts.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dist;

/// The routers of a stage are placed together, so that all their weights fit.
static void placePaths(const plan::Model &model, const plan::Machine &machine,
                       plan::Stage &stage, plan::Plan &plan) {
  plan::StageCosts costs(model, machine, stage.mesh, plan.microBatches);
  SmallVector<size_t> layers;
  std::vector<cell::RouterToPlace> routers;
  for (size_t i = stage.begin; i < stage.end; ++i) {
    if (!plan::isByPaths(plan.splits[i]))
      continue;
    const plan::Layer &layer = model.layers[i];
    stage.weightBytes -=
        plan::getWeightBytes(layer, stage.mesh, plan.splits[i]);
    layers.push_back(i);
    cell::RouterToPlace &router = routers.emplace_back();
    for (const plan::Path &path : layer.routes->paths) {
      router.rows.push_back(path.rows);
      router.bytes.push_back(path.weightBytes);
      router.times.push_back(costs.getPathTime(layer, path));
    }
    router.moveTime = (layer.routes->bytesToPaths + layer.routes->bytesToHome) /
                      machine.links.front().bytesPerSecond;
  }
  cell::RanksToPlaceOn ranks = {stage.mesh.getRanks()};
  ranks.memory = machine.memoryBytes - stage.weightBytes - stage.valueBytes;
  cell::Placement placement = cell::placePaths(routers, ranks);
  SmallVector<double> bytes(ranks.count, 0);
  for (auto [i, found, router] : llvm::zip_equal(layers, placement, routers)) {
    ArrayRef<int64_t> given = model.layers[i].routes->given;
    plan.placement[i].assign(found.begin(), found.end());
    if (!given.empty())
      plan.placement[i].assign(given.begin(), given.end());
    for (auto [rank, own] : llvm::zip_equal(plan.placement[i], router.bytes))
      bytes[rank] += own;
  }
  stage.weightBytes += *llvm::max_element(bytes);
}

FailureOr<plan::Plan> dist::planRanks(func::FuncOp entry,
                                      const PlanModel &model,
                                      const plan::Machine &machine,
                                      const plan::PlanOptions &options) {
  if (options.microBatches > 1 && model.oneBatch)
    return model.oneBatch->emitError();
  llvm::Expected<plan::Plan> found = makePlan(model.model, machine, options);
  if (!found)
    return entry.emitError(llvm::toString(found.takeError()));
  for (plan::Stage &stage : found->stages)
    placePaths(model.model, machine, stage, *found);
  return std::move(*found);
}

FailureOr<llvm::json::Value> dist::explainPlan(func::FuncOp entry,
                                               const plan::Machine &machine,
                                               const plan::PlanOptions &options,
                                               const SizeMap &sizes) {
  SymbolicDims dims(entry->getParentOfType<ModuleOp>());
  FailureOr<PlanModel> model = buildPlanModel(entry, dims, sizes);
  if (failed(model))
    return failure();
  FailureOr<plan::Plan> found = planRanks(entry, *model, machine, options);
  if (failed(found))
    return failure();
  llvm::Expected<plan::Simulation> simulation =
      simulate(makeProgram(model->model, machine, *found), machine);
  if (!simulation)
    return entry.emitError(llvm::toString(simulation.takeError()));
  return plan::explain(model->model, machine, *found, *simulation);
}
