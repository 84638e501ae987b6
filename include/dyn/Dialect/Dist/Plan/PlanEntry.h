//===- PlanEntry.h - Plans an entry for many ranks ------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DIST_PLAN_PLANENTRY_H
#define DYN_DIALECT_DIST_PLAN_PLANENTRY_H

#include "dyn/Dialect/Dist/Plan/PlanModel.h"
#include "dyn/Plan/Plan.h"

#include "llvm/Support/JSON.h"

namespace dyn::dist {

/// Searches for the fastest plan, and for the ranks of the paths of its
/// routers: heavy paths with light ones (Placement.h). Emits an error if there
/// is no plan.
mlir::FailureOr<plan::Plan> planRanks(mlir::func::FuncOp entry,
                                      const PlanModel &model,
                                      const plan::Machine &machine,
                                      const plan::PlanOptions &options);

/// Plans an entry before fusion, simulates the plan, and explains both in the
/// form of dyn/Plan/Explain.h. Emits an error if there is no plan.
mlir::FailureOr<llvm::json::Value> explainPlan(mlir::func::FuncOp entry,
                                               const plan::Machine &machine,
                                               const plan::PlanOptions &options,
                                               const SizeMap &sizes);

} // namespace dyn::dist

#endif // DYN_DIALECT_DIST_PLAN_PLANENTRY_H
