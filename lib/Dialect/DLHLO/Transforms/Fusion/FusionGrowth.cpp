//===- FusionGrowth.cpp - Adds users and producers to clusters ------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusionGrowth.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dlhlo;

void dlhlo::growDown(ClusterGraph &graph, Cluster *cluster,
                     llvm::function_ref<bool(Operation *)> accept) {
  // A value may cease to be an output once all its users are in the cluster.
  size_t fits = cluster->ops.size();
  // The cluster grows while it is visited.
  for (unsigned i = 0; i != cluster->ops.size(); ++i) {
    SmallVector<Operation *> users(cluster->ops[i]->getUsers());
    llvm::sort(users, [](Operation *lhs, Operation *rhs) {
      return lhs != rhs && lhs->isBeforeInBlock(rhs);
    });
    for (Operation *user : users)
      if (graph.isAvailable(user) && accept(user) &&
          graph.tryAdd(cluster, user, 2 * kMaxOutputs) &&
          graph.countOutputs(cluster) <= kMaxOutputs)
        fits = cluster->ops.size();
  }
  // Each prefix of the list was acyclic.
  while (cluster->ops.size() > fits)
    graph.remove(cluster->ops.back());
}

void dlhlo::growUp(ClusterGraph &graph, Cluster *cluster,
                   llvm::function_ref<bool(Operation *, Operation *)> accept) {
  for (unsigned i = 0; i != cluster->ops.size(); ++i)
    for (Value operand : cluster->ops[i]->getOperands()) {
      Operation *source = operand.getDefiningOp();
      if (graph.isAvailable(source) && isLoopOp(source) &&
          accept(cluster->ops[i], source))
        graph.tryAdd(cluster, source);
    }
}

SmallVector<Operation *>
dlhlo::findSources(const ClusterGraph &graph, Value value,
                   llvm::function_ref<bool(Operation *)> accept) {
  SmallVector<Operation *> sources;
  auto add = [&](Value value) {
    Operation *source = value.getDefiningOp();
    if (graph.isAvailable(source) && accept(source) &&
        !llvm::is_contained(sources, source))
      sources.push_back(source);
  };
  add(value);
  for (unsigned i = 0; i != sources.size(); ++i)
    for (Value operand : sources[i]->getOperands())
      add(operand);
  return sources;
}

void dlhlo::addSources(ClusterGraph &graph, Cluster *cluster,
                       ArrayRef<Operation *> sources) {
  // An operation with two users is added after both.
  for (bool changes = true; changes;) {
    changes = false;
    for (Operation *source : sources)
      changes |= graph.isAvailable(source) &&
                 graph.hasAllUsers(cluster, source) &&
                 graph.tryAdd(cluster, source);
  }
}
