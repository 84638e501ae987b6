//===- FusionCluster.cpp - Sets of operations that become fusions ---------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusionCluster.h"

#include "FusionBuilder.h"

#include "dyn/Dialect/DLHLO/Transforms/Explain.h"

#include "llvm/ADT/SetVector.h"

#include <queue>

using namespace mlir;
using namespace dyn;
using namespace dyn::dlhlo;

ClusterGraph::ClusterGraph(ArrayRef<Operation *> segment)
    : ops(segment.begin(), segment.end()) {
  for (auto [i, op] : llvm::enumerate(ops))
    position[op] = i;
}

Cluster *ClusterGraph::create(FusionKind kind, Operation *op) {
  clusters.push_back(std::make_unique<Cluster>(Cluster{kind, {op}, op}));
  clusterOf[op] = clusters.back().get();
  positionsOf[op] = {0};
  return clusters.back().get();
}

bool ClusterGraph::createsCycle(const Cluster *cluster, Operation *op) const {
  // A path through the operation cannot leave the cluster if all users are in
  // it, and cannot return to it if all sources are in it. An operation that
  // only reads inputs cannot end such a path, but may start one.
  bool hasSource = false, hasAllSources = true;
  for (Value operand : op->getOperands())
    if (Operation *source = operand.getDefiningOp();
        source && contains(source)) {
      hasSource |= getCluster(source) == cluster;
      hasAllSources &= getCluster(source) == cluster;
    }
  if ((hasSource && hasAllSources) || hasAllUsers(cluster, op))
    return false;
  auto isMember = [&](Operation *other) {
    return other == op || getCluster(other) == cluster;
  };
  // A cycle is a path that leaves the set and returns to it.
  SmallVector<Operation *> worklist;
  llvm::SmallPtrSet<Operation *, 32> seen;
  auto pushUsers = [&](Operation *from) {
    for (Operation *user : from->getUsers())
      if (contains(user) && seen.insert(user).second)
        worklist.push_back(user);
  };
  for (Operation *member : cluster->ops)
    for (Operation *user : member->getUsers())
      if (contains(user) && !isMember(user) && seen.insert(user).second)
        worklist.push_back(user);
  for (Operation *user : op->getUsers())
    if (contains(user) && !isMember(user) && seen.insert(user).second)
      worklist.push_back(user);
  while (!worklist.empty()) {
    Operation *next = worklist.pop_back_val();
    if (isMember(next))
      return true;
    if (Cluster *other = getCluster(next)) {
      for (Operation *member : other->ops) {
        seen.insert(member);
        pushUsers(member);
      }
    } else {
      pushUsers(next);
    }
  }
  return false;
}

bool ClusterGraph::hasAllUsers(const Cluster *cluster, Operation *op) const {
  return llvm::all_of(op->getUsers(), [&](Operation *user) {
    return getCluster(user) == cluster;
  });
}

unsigned ClusterGraph::countOutputs(const Cluster *cluster,
                                    Operation *added) const {
  unsigned outputs = 0;
  auto count = [&](Operation *member) {
    for (Value result : member->getResults())
      outputs += llvm::any_of(result.getUsers(), [&](Operation *user) {
        return user != added && getCluster(user) != cluster;
      });
  };
  llvm::for_each(cluster->ops, count);
  if (added)
    count(added);
  return outputs;
}

ClusterGraph::Positions ClusterGraph::findPositions(const Cluster *cluster,
                                                    Operation *op) {
  if (getCluster(op) == cluster)
    if (auto known = positionsOf.find(op); known != positionsOf.end())
      return known->second;
  Positions found;
  auto add = [&](unsigned position) {
    if (found.size() <= kMaxPositions && !llvm::is_contained(found, position))
      found.push_back(position);
  };
  for (OpOperand &use : op->getUses()) {
    Operation *reader = use.getOwner();
    if (reader == op || getCluster(reader) != cluster)
      continue;
    // A row kernel keeps the operand of its reduction.
    bool moves = movesData(reader) &&
                 !(cluster->kind == FusionKind::Row && getRowSpace(reader));
    for (unsigned position : findPositions(cluster, reader))
      add(moves ? readPositions
                      .try_emplace({&use, position}, readPositions.size() + 1)
                      .first->second
                : position);
  }
  if (found.empty())
    found.push_back(0);
  return found;
}

bool ClusterGraph::tryAdd(Cluster *cluster, Operation *op,
                          unsigned maxOutputs) {
  if (cluster->ops.size() == kMaxOps)
    return false;
  llvm::SmallDenseSet<Value> inputs;
  auto countInputs = [&](Operation *member) {
    for (Value operand : member->getOperands()) {
      Operation *source = operand.getDefiningOp();
      if (!source || (source != op && getCluster(source) != cluster))
        if (!isSplatConstant(operand))
          inputs.insert(operand);
    }
  };
  llvm::for_each(cluster->ops, countInputs);
  countInputs(op);
  Positions positions = findPositions(cluster, op);
  if (inputs.size() > kMaxInputs || countOutputs(cluster, op) > maxOutputs ||
      positions.size() > kMaxPositions || createsCycle(cluster, op))
    return false;
  positionsOf[op] = std::move(positions);
  cluster->ops.push_back(op);
  clusterOf[op] = cluster;
  return true;
}

void ClusterGraph::remove(Operation *op) {
  Cluster *cluster = clusterOf.lookup(op);
  llvm::erase(cluster->ops, op);
  clusterOf.erase(op);
}

void ClusterGraph::replace(Operation *op, Operation *equal) {
  if (Cluster *cluster = getCluster(op); cluster && cluster->root == op)
    cluster->root = equal;
  op->replaceAllUsesWith(equal);
  erase(op);
}

void ClusterGraph::erase(Operation *op) {
  if (getCluster(op))
    remove(op);
  llvm::erase(ops, op);
  position.erase(op);
  op->erase();
}

/// The number of operations of a cluster that are producers of its root.
static size_t countSources(const Cluster &cluster) {
  SmallVector<Operation *> sources;
  auto visit = [&](Operation *op) {
    for (Value operand : op->getOperands()) {
      Operation *source = operand.getDefiningOp();
      if (llvm::is_contained(cluster.ops, source) &&
          !llvm::is_contained(sources, source))
        sources.push_back(source);
    }
  };
  visit(cluster.root);
  for (unsigned i = 0; i != sources.size(); ++i)
    visit(sources[i]);
  return sources.size();
}

/// Why the operations of a cluster are together, for reports.
static StringAttr getReason(const Cluster &cluster) {
  std::string reason;
  llvm::raw_string_ostream os(reason);
  os << cluster.root->getName().stripDialect();
  bool isGemm = cluster.kind == FusionKind::Contraction ||
                cluster.kind == FusionKind::Convolution;
  size_t others = cluster.ops.size() - 1;
  size_t sources = isGemm ? countSources(cluster) : 0;
  StringRef separator = " with ";
  auto add = [&](size_t count, StringRef why) {
    if (count == 0)
      return;
    os << separator << count << (count == 1 ? " operation" : " operations")
       << why;
    separator = " and ";
  };
  if (others == 0)
    os << " by itself";
  add(sources, " that lead to its rows");
  add(others - sources, isGemm                            ? " on its result"
                        : cluster.kind == FusionKind::Row ? " of the same rows"
                                                          : " that lead to it");
  return StringAttr::get(cluster.root->getContext(), reason);
}

unsigned ClusterGraph::materialize() {
  if (ops.empty())
    return 0;
  // A stable topological order, by the first operation of each node.
  auto getNode = [&](Operation *op) -> Operation * {
    Cluster *cluster = getCluster(op);
    return cluster ? cluster->ops.front() : op;
  };
  for (auto &cluster : clusters)
    llvm::sort(cluster->ops, [&](Operation *lhs, Operation *rhs) {
      return position.lookup(lhs) < position.lookup(rhs);
    });
  llvm::DenseMap<Operation *, llvm::SetVector<Operation *>> successors;
  llvm::DenseMap<Operation *, unsigned> waiting;
  for (Operation *op : ops) {
    Operation *node = getNode(op);
    waiting.try_emplace(node, 0);
    for (Operation *user : op->getUsers())
      if (contains(user) && getNode(user) != node &&
          successors[node].insert(getNode(user)))
        ++waiting[getNode(user)];
  }
  auto later = [&](Operation *lhs, Operation *rhs) {
    return position.lookup(lhs) > position.lookup(rhs);
  };
  std::priority_queue<Operation *, std::vector<Operation *>, decltype(later)>
      ready(later);
  for (Operation *op : ops)
    if (getNode(op) == op && waiting[op] == 0)
      ready.push(op);

  Operation *end = ops.back()->getNextNode();
  unsigned numFusions = 0;
  SmallVector<Cluster *> order;
  while (!ready.empty()) {
    Operation *node = ready.top();
    ready.pop();
    for (Operation *successor : successors[node])
      if (--waiting[successor] == 0)
        ready.push(successor);
    Cluster *cluster = getCluster(node);
    if (!cluster) {
      node->moveBefore(end);
      continue;
    }
    for (Operation *op : cluster->ops)
      op->moveBefore(end);
    order.push_back(cluster);
  }
  // All users of a cluster's values now follow it.
  for (Cluster *cluster : order) {
    FusionOp fusion = createFusion(cluster->kind, cluster->ops);
    fusion->setAttr(kReasonAttr, getReason(*cluster));
    ++numFusions;
  }
  return numFusions;
}
