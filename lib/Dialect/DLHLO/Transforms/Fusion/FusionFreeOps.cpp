//===- FusionFreeOps.cpp - Clones and merges what costs nothing -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusionFreeOps.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dlhlo;

/// Whether an operation gathers the rows of grouped GEMMs, which copy them
/// anyway.
static bool isDispatch(Operation *op) {
  return isRowGather(op) && llvm::all_of(op->getUsers(), [](Operation *user) {
           return llvm::isa<dhlo::GroupedDotOp>(user);
         });
}

void dlhlo::cloneFreeOps(Block &block) {
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(block.getOperations()))) {
    if (isOpTriviallyDead(&op)) {
      op.erase();
      continue;
    }
    if (!isFree(&op) && !isDispatch(&op))
      continue;
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : op.getUses())
      if (use.getOwner()->getBlock() == &block && !staysOutside(use.getOwner()))
        uses.push_back(&use);
    bool isFirst =
        uses.size() == size_t(std::distance(op.use_begin(), op.use_end()));
    for (OpOperand *use : uses) {
      if (isFirst) {
        isFirst = false;
        continue;
      }
      OpBuilder builder(use->getOwner());
      use->set(builder.clone(op)->getResult(0));
    }
  }
}

/// Removes reshapes whose operand is an input of the cluster or whose result is
/// an output.
static void trimCluster(ClusterGraph &graph, Cluster *cluster) {
  bool changed = true;
  while (changed) {
    changed = false;
    for (Operation *op : cluster->ops) {
      if (!llvm::isa<dhlo::ReshapeOp>(op) || cluster->ops.size() == 1)
        continue;
      Operation *source = op->getOperand(0).getDefiningOp();
      bool readsInput = !source || graph.getCluster(source) != cluster;
      bool isResult = llvm::none_of(op->getUsers(), [&](Operation *user) {
        return graph.getCluster(user) == cluster;
      });
      if (!readsInput && !isResult)
        continue;
      graph.remove(op);
      changed = true;
      break;
    }
  }
}

void dlhlo::trimReshapes(ClusterGraph &graph) {
  for (Operation *op : graph.getOps())
    if (Cluster *cluster = graph.getCluster(op))
      trimCluster(graph, cluster);
}

void dlhlo::mergeFreeOps(ClusterGraph &graph) {
  llvm::DenseMap<std::pair<Cluster *, unsigned>, SmallVector<Operation *>>
      known;
  SmallVector<Operation *> all(graph.getOps());
  for (Operation *op : all) {
    Cluster *cluster = graph.getCluster(op);
    if (!isFree(op) || (!cluster && !llvm::isa<dhlo::ReshapeOp>(op)))
      continue;
    if (llvm::isa<dhlo::ReshapeOp>(op)) {
      auto inner = op->getOperand(0).getDefiningOp<dhlo::ReshapeOp>();
      if (inner && graph.contains(inner) &&
          graph.getCluster(inner) == cluster) {
        op->setOperand(0, inner.getOperand());
        // The second one undoes the first one.
        if (inner.getOperand().getType() == op->getResult(0).getType())
          op->replaceAllUsesWith(op->getOperands());
      }
    }
    auto flags = OperationEquivalence::IgnoreLocations;
    unsigned hash = OperationEquivalence::computeHash(
        op, OperationEquivalence::directHashValue,
        OperationEquivalence::ignoreHashValue, flags);
    SmallVector<Operation *> &others = known[{cluster, hash}];
    auto *equal = llvm::find_if(others, [&](Operation *other) {
      return OperationEquivalence::isEquivalentTo(
          op, other, OperationEquivalence::exactValueMatch,
          /*markEquivalent=*/nullptr, flags);
    });
    if (equal == others.end())
      others.push_back(op);
    else
      graph.replace(op, *equal);
  }
  // Views that were only used by other views. None is the root of a cluster,
  // whose results are used.
  SmallVector<Operation *> rest(graph.getOps());
  for (Operation *op : llvm::reverse(rest))
    if (llvm::isa<dhlo::ReshapeOp>(op) && op->use_empty())
      graph.erase(op);
}
