//===- Control.cpp - Control flow of ONNX ---------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Sequence.h"
#include "Branches.h"
#include "CarriedLoop.h"
#include "Unroll.h"

#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

namespace {

//===----------------------------------------------------------------------===//
// If
//===----------------------------------------------------------------------===//

/// Imports both branches into one operation; failure, with or without an error,
/// if no operation can represent both.
LogicalResult importBranches(OpContext &c, Value condition,
                             const Graph *const graphs[2]) {
  Emitter &e = c.e;
  SmallVector<Fact> outer(e.getFacts());
  Body bodies[] = {{c, {}}, {c, {}}};
  SmallVector<Branch> branches;
  SmallVector<Fact> facts[2];
  bool ok = true;
  for (unsigned i = 0; i != 2; ++i) {
    facts[i] = e.getFactsOf(condition, i == 0);
    branches.push_back({bodies[i], {}, facts[i]});
    SmallVector<Fact> all(outer);
    llvm::append_range(all, facts[i]);
    e.setFacts(all);
    ok &= succeeded(bodies[i].import(*graphs[i], {}, branches[i].values));
    e.setFacts(outer);
  }
  if (!ok)
    return failure();
  for (const Branch &branch : branches)
    if (branch.values.size() != c.numOutputs())
      return c.fatalError("expected branches with as many outputs as the node");
  for (auto [a, b] : llvm::zip_equal(branches[0].values, branches[1].values))
    if (!canMerge(e, a, b, /*anyRank=*/false))
      return failure();
  auto results = emitBranches(c, condition, branches[0], branches[1]);
  if (!results)
    return failure();
  for (auto [i, value] : llvm::enumerate(*results))
    c.out(i, value);
  return success();
}

LogicalResult importIf(OpContext &c) {
  Emitter &e = c.e;
  Value condition = c.in(0);
  const Graph *graphs[] = {getGraph(c, "then_branch"),
                           getGraph(c, "else_branch")};
  if (!condition || !graphs[0] || !graphs[1])
    return failure();
  condition = e.reshape(condition, {});
  if (!condition)
    return failure();
  if (auto known = e.constants(condition)) {
    // Only one branch can run.
    SmallVector<Value> values;
    if (failed(importGraph(c, *graphs[known->front() ? 0 : 1], {}, values)))
      return failure();
    for (auto [i, value] : llvm::enumerate(values))
      c.out(i, value);
    return success();
  }
  // A node that is imported for each branch anyhow is not tried again.
  if (!c.importer.isSplit(c.node)) {
    Trial trial;
    if (succeeded(c.importer.attempt(
            trial, [&] { return importBranches(c, condition, graphs); }))) {
      c.importer.settle(trial);
      return success();
    }
    if (trial.isFatal) {
      c.importer.replay(trial);
      return failure();
    }
    c.clearOutputs();
    c.importer.markSplit(c.node);
  }
  c.splitBy(condition, *graphs[0], *graphs[1]);
  return success();
}

//===----------------------------------------------------------------------===//
// Loop
//===----------------------------------------------------------------------===//

/// Fails, with an error, if input i is a sequence.
LogicalResult expectTensor(OpContext &c, unsigned i) {
  return isSequence(c.in(i)) ? c.error("expected a tensor as input " +
                                       llvm::Twine(i) + ", found a sequence")
                             : success();
}

LogicalResult importLoop(OpContext &c) {
  const Graph *graph = getGraph(c, "body");
  if (!graph)
    return failure();
  for (unsigned i = 0; i < 2; ++i)
    if (c.has(i) && failed(expectTensor(c, i)))
      return failure();
  SmallVector<Value> inits;
  bool carriesSequence = false;
  for (unsigned i = 2; i < c.numInputs(); ++i) {
    inits.push_back(c.in(i));
    if (!inits.back())
      return failure();
    carriesSequence |= isSequence(inits.back());
  }
  // Values carried by an unrolled loop may change in any way.
  if (carriesSequence && succeeded(unrollLoop(c, *graph)))
    return success();
  CarriedLoop loop{c.optional(0), c.optional(1), inits};
  return importCarriedLoop(
      c, loop, [&](ArrayRef<Value> inputs, SmallVectorImpl<Value> &outputs) {
        return importGraph(c, *graph, inputs, outputs);
      });
}

} // namespace

void onnx::registerControl(OpRegistry &r) {
  r.add("If", 1, importIf);
  r.addWithSequences("Loop", 1, importLoop);
}
