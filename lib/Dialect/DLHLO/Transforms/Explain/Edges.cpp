//===- Edges.cpp - Values that launches pass on ---------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Edges.h"

#include "dyn/Dialect/DLHLO/IR/DLHLO.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dlhlo;

/// The values that a branch or loop may give for one of its results or of its
/// blocks' arguments; none for other values.
static SmallVector<Value> getSources(Value value) {
  SmallVector<Value> sources;
  if (auto result = llvm::dyn_cast<OpResult>(value)) {
    if (auto branch =
            llvm::dyn_cast<RegionBranchOpInterface>(result.getOwner()))
      branch.getPredecessorValues(RegionSuccessor(branch, branch->getResults()),
                                  static_cast<int>(result.getResultNumber()),
                                  sources);
    return sources;
  }
  auto argument = llvm::cast<BlockArgument>(value);
  Region *region = argument.getOwner()->getParent();
  if (auto branch =
          llvm::dyn_cast<RegionBranchOpInterface>(region->getParentOp()))
    branch.getPredecessorValues(RegionSuccessor(region, region->getArguments()),
                                static_cast<int>(argument.getArgNumber()),
                                sources);
  return sources;
}

/// The buffers whose values `buffer` may have: views of memory, and arguments.
static SetVector<Value> getRoots(Value buffer) {
  SetVector<Value> seen, roots;
  SmallVector<Value> left = {buffer};
  while (!left.empty()) {
    Value value = left.pop_back_val();
    if (!seen.insert(value))
      continue;
    SmallVector<Value> sources = getSources(value);
    auto view = value.getDefiningOp<ViewOp>();
    // Several views of one reserve are values of their own.
    if (view && !view.getBase().getDefiningOp<ReserveOp>())
      sources.push_back(view.getBase());
    if (sources.empty())
      roots.insert(value);
    left.append(sources);
  }
  return roots;
}

void Edges::write(Value buffer, End from, dhlo::DimExpr bytes) {
  for (Value root : getRoots(buffer))
    current[root] = edges.size();
  edges.push_back({from, bytes, {}});
}

void Edges::read(Value buffer, End to) {
  for (Value root : getRoots(buffer)) {
    auto found = current.find(root);
    if (found == current.end())
      early.push_back({root, to});
    else if (Edge &edge = edges[found->second];
             !llvm::is_contained(edge.to, to))
      edge.to.push_back(to);
  }
}

SmallVector<Edges::Edge> Edges::finish() {
  for (auto [root, to] : early)
    if (auto found = current.find(root); found != current.end())
      edges[found->second].to.push_back(to);
  early.clear();
  llvm::erase_if(edges, [](const Edge &edge) { return edge.to.empty(); });
  return std::move(edges);
}
