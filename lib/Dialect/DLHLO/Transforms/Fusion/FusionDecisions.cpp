//===- FusionDecisions.cpp - Decisions by costs, with remarks -------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusionDecisions.h"

#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dlhlo;

bool FusionDecisions::isFusedCheaper(Cluster *cluster, Operation *source,
                                     Recomputation often) {
  FusionCost cost = getFusionCost(source, often, costs);
  if (!isFree(source))
    decisions[source] = {cluster, cost};
  return cost.isFusedCheaper();
}

void FusionDecisions::explain(const ClusterGraph &graph) const {
  for (auto &[op, decision] : decisions) {
    bool isFused = graph.getCluster(op) == decision.cluster;
    StringRef root = decision.cluster->root->getName().getStringRef();
    auto options = remark::RemarkOpts::name(op->getName().getStringRef())
                       .category("dlhlo-fuse");
    auto remark = isFused ? remark::passed(op->getLoc(), options)
                          : remark::missed(op->getLoc(), options);
    if (isFused)
      remark << remark::add("computed in the kernel of {0}", root);
    else if (decision.cost.isFusedCheaper())
      remark << remark::add("the kernel of {0} cannot compute it", root);
    else
      remark << remark::add("not computed again in the kernel of {0}", root);
    if (decision.cost.fused == FusionCost::kUnbounded)
      remark << remark::metric("fused", "unbounded");
    else
      remark << remark::metric("fused", decision.cost.fused);
    remark << remark::metric("split", decision.cost.split);
  }
}
