//===- PlanEntry.cpp - Plans an entry for many ranks ----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/Dist/Plan/PlanEntry.h"

#include "dyn/Plan/Explain.h"
#include "dyn/Plan/PlanProgram.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dist;

FailureOr<llvm::json::Value> dist::explainPlan(func::FuncOp entry,
                                               const plan::Machine &machine,
                                               const plan::PlanOptions &options,
                                               const SizeMap &sizes) {
  SymbolicDims dims(entry->getParentOfType<ModuleOp>());
  FailureOr<PlanModel> model = buildPlanModel(entry, dims, sizes);
  if (failed(model))
    return failure();
  llvm::Expected<plan::Plan> found = makePlan(model->model, machine, options);
  if (!found)
    return entry.emitError(llvm::toString(found.takeError()));
  llvm::Expected<plan::Simulation> simulation =
      simulate(makeProgram(model->model, machine, *found), machine);
  if (!simulation)
    return entry.emitError(llvm::toString(simulation.takeError()));
  return plan::explain(model->model, machine, *found, *simulation);
}
