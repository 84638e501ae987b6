//===- Split.cpp - Branches whose results no operation joins --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The branches of an If may return tensors of different ranks, for example
// where exporters squeeze a dynamic size. No operation has such a result. So
// the nodes after the If are imported for each branch, step by step in both,
// until all values that later nodes use have equal types again: the rest is
// imported once. Nodes that depend on neither branch are imported once, before
// them.
//
// A branch after which a node is not well-formed cannot be taken: that becomes
// a condition of the call, and only the nodes after the other branch are
// imported.

#include "GraphImporter.h"
#include "Ops/Branches.h"
#include "Sequence.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

/// The maximum nesting of branches that no operation joins; the nodes after
/// them are imported two to this power times at most.
static constexpr unsigned kMaxSplits = 6;

/// One branch, with the nodes after it.
struct GraphImporter::Side {
  Side(OpContext &op, bool holds, const Graph &graph)
      : body(op, {}), graph(graph),
        facts(op.e.getFactsOf(op.splitCondition, holds)), holds(holds) {}

  bool isDead() const { return hasFailed || !trial.errors.empty(); }

  Body body;
  const Graph &graph;
  Frame frame;
  /// The facts that follow from the condition.
  SmallVector<Fact> facts;
  Trial trial;
  /// Whether a step has failed, without an error if another one failed before.
  bool hasFailed = false;
  /// Whether it is taken where the condition holds.
  bool holds;
};

LogicalResult GraphImporter::split(OpContext &op, const Step &step,
                                   Frame &frame) {
  if (frame.splits == kMaxSplits)
    return op.fatalError("expected at most " + Twine(kMaxSplits) +
                         " branches within each other that give tensors of "
                         "other ranks");
  return nest([&] { return splitWithin(op, step, frame); });
}

/// Imports the graph of a branch into a side, up to the nodes after the If.
LogicalResult GraphImporter::enter(Side &side, OpContext &op, const Step &step,
                                   Frame &frame, const Graph &graph) {
  Frame &own = side.frame;
  own.scope = frame.scope;
  own.outputs = frame.outputs;
  own.splits = frame.splits + 1;
  own.facts = frame.facts;
  llvm::append_range(own.facts, side.facts);
  auto cover = [&](Scope *scope) {
    if (own.overlays.contains(scope))
      return;
    Scope &overlay = own.scopes.emplace_back();
    overlay.isOverlay = true;
    overlay.parent = &frame.get(scope);
    overlay.opsets = overlay.parent->opsets;
    own.overlays[scope] = &overlay;
  };
  cover(step.scope);
  cover(frame.scope);
  ArrayRef<Step> rest = ArrayRef<Step>(frame.steps).drop_front(frame.next);
  for (const Step &next : rest) {
    cover(next.scope);
    if (next.branchScope)
      cover(next.branchScope);
  }
  if (!graph.inputs.empty()) {
    report("expected a graph of 0 inputs in '" + graph.name + "', found " +
           Twine(graph.inputs.size()));
    return failure();
  }
  Scope &scope = own.scopes.emplace_back();
  scope.parent = &own.get(step.scope);
  scope.opsets = scope.parent->opsets;
  SmallVector<StringRef> names;
  for (const ValueInfo &output : graph.outputs)
    names.push_back(output.name);
  std::vector<const Node *> order;
  if (failed(addInitializers(graph, scope)) ||
      failed(sortNodes(graph.nodes, scope, names, order)))
    return failure();
  for (const Node *node : order)
    own.steps.push_back({node, &scope});
  own.steps.push_back({step.node, step.scope, &graph, &scope});
  own.steps.insert(own.steps.end(), rest.begin(), rest.end());
  return success();
}

void GraphImporter::advance(Side &side, size_t left) {
  SmallVector<Fact> outer(emitter->getFacts());
  emitter->setFacts(side.frame.facts);
  (void)attempt(side.trial, [&] {
    return side.body.fill([&] {
      // After an error, only unsupported features are reported.
      while (side.frame.left() > left && (!side.isDead() || side.trial.isFatal))
        side.hasFailed |=
            failed(importSteps(side.frame, side.frame.left() - 1));
      return success();
    });
  });
  emitter->setFacts(outer);
}

/// Replaces the node by the import of the only branch that can be taken, after
/// a check that it is taken.
LogicalResult GraphImporter::adopt(OpContext &op, Side &alive, Side &dead,
                                   Frame &frame) {
  OpBuilder &builder = emitter->builder;
  const auto &[where, why] = dead.trial.errors.front();
  std::string text =
      (Twine(op.node.opType) + " '" +
       (op.node.name.empty() ? op.node.outputs.front() : op.node.name) +
       "' cannot take graph '" + dead.graph.name + "': " + why)
          .str();
  settle(alive.trial);
  warn(getLocation(op.node), text);
  Location loc = FusedLoc::get(
      context, {NameLoc::get(StringAttr::get(context, text), fileLoc)},
      StringAttr::get(context, op.node.opType));
  {
    llvm::SaveAndRestore at(emitter->loc, loc);
    Value holds = op.splitCondition;
    if (!alive.holds)
      holds = emitter->unary<dhlo::NotOp>(holds);
    DimExpr one = emitter->symbols.createSymbol("condition", 1, 1);
    dhlo::BindOp::create(builder, loc, FlatSymbolRefAttr::get(one.getName()),
                         emitter->convert(holds, builder.getI64Type()));
  }
  builder.getInsertionBlock()->getOperations().splice(
      builder.getInsertionPoint(), alive.body.block->getOperations());
  for (auto [scope, overlay] : alive.frame.overlays) {
    Scope &target = frame.get(scope);
    for (auto [name, value] : overlay->values)
      target.values[name] = value;
  }
  frame.scopes.splice(frame.scopes.end(), alive.frame.scopes);
  frame.steps = std::move(alive.frame.steps);
  frame.next = alive.frame.next;
  frame.facts = alive.frame.facts;
  emitter->setFacts(frame.facts);
  return success();
}

/// The names that the remaining steps of a frame use.
class GraphImporter::StepUses {
public:
  using Use = std::pair<Scope *, StringRef>;

  explicit StepUses(const Frame &frame) {
    for (StringRef name : frame.outputs)
      lastUses[{frame.scope, name}] = 0;
    for (size_t left = 0, number = frame.left(); left != number; ++left) {
      const Step &next = frame.steps[frame.steps.size() - 1 - left];
      auto &own = uses.emplace_back();
      if (next.branch)
        for (const ValueInfo &output : next.branch->outputs)
          own.push_back({next.branchScope, output.name});
      else
        forEachUse(*next.node,
                   [&](StringRef name) { own.push_back({next.scope, name}); });
      for (auto &use : own)
        lastUses.try_emplace(use, left + 1);
    }
  }

  /// The names of the step before the last `left - 1`.
  ArrayRef<Use> getUses(size_t left) const { return uses[left - 1]; }
  /// Whether one of the last `left` steps uses a name, or the frame returns it.
  bool isUsed(Use use, size_t left) const {
    auto last = lastUses.find(use);
    return last != lastUses.end() && last->second <= left;
  }

private:
  SmallVector<SmallVector<Use>> uses;
  /// The number of steps left before the last use of each name.
  llvm::DenseMap<Use, size_t> lastUses;
};

/// A name that later steps use, with its values on both sides.
struct GraphImporter::Live {
  Scope *scope;
  StringRef name;
  Value onTrue, onFalse;
};

/// The names that the last `left` steps use; nothing if an operation cannot
/// return them all.
std::optional<std::vector<GraphImporter::Live>>
GraphImporter::getLive(Side &onTrue, Side &onFalse, const StepUses &uses,
                       size_t left, bool anyRank) {
  std::vector<Live> live;
  for (auto [scope, overlay] : onTrue.frame.overlays)
    for (auto [name, value] : overlay->values) {
      if (!uses.isUsed({scope, name}, left))
        continue;
      Value other = onFalse.frame.get(scope).values.lookup(name);
      if (!other || !canMerge(*emitter, value, other, anyRank))
        return std::nullopt;
      live.push_back({scope, name, value, other});
    }
  llvm::sort(live,
             [](const Live &a, const Live &b) { return a.name < b.name; });
  return live;
}

/// Ends both sides: one operation returns the values that later steps use.
LogicalResult GraphImporter::join(OpContext &op, Side &onTrue, Side &onFalse,
                                  ArrayRef<Live> live, bool anyRank,
                                  Frame &frame) {
  Branch branches[] = {{onTrue.body, {}, onTrue.facts},
                       {onFalse.body, {}, onFalse.facts}};
  for (const Live &each : live) {
    branches[0].values.push_back(each.onTrue);
    branches[1].values.push_back(each.onFalse);
  }
  auto merged =
      emitBranches(op, op.splitCondition, branches[0], branches[1], anyRank);
  if (!merged)
    return failure();
  settle(onTrue.trial);
  settle(onFalse.trial);
  for (auto [each, value] : llvm::zip_equal(live, *merged))
    frame.get(each.scope).values[each.name] = value;
  return success();
}

LogicalResult GraphImporter::splitWithin(OpContext &op, const Step &step,
                                         Frame &frame) {
  StepUses uses(frame);
  Side onTrue(op, true, *op.splitGraphs[0]);
  Side onFalse(op, false, *op.splitGraphs[1]);
  Side *sides[] = {&onTrue, &onFalse};
  for (Side *side : sides)
    if (failed(enter(*side, op, step, frame, side->graph)))
      return failure();

  auto atNode = [&] {
    emitter->loc = getLocation(op.node);
    emitter->report = [&op](const Twine &why) { (void)op.error(why); };
  };
  auto isShared = [&](size_t left) {
    return llvm::none_of(uses.getUses(left), [&](auto use) {
      return llvm::any_of(sides, [&](Side *side) {
        return side->frame.get(use.first).values.contains(use.second);
      });
    });
  };

  size_t left = frame.left(), notShared = 0;
  while (true) {
    // Both to the same step: a side that was split again may be ahead.
    for (Side *side : sides)
      advance(*side, left);
    left = std::min(onTrue.frame.left(), onFalse.frame.left());
    for (Side *side : sides)
      if (side->hasFailed && side->trial.errors.empty()) {
        op.failed = true;
        return failure();
      }
    if (onTrue.trial.isFatal || onFalse.trial.isFatal ||
        (onTrue.isDead() && onFalse.isDead())) {
      for (Side *side : sides)
        if (onTrue.trial.isFatal == onFalse.trial.isFatal ||
            side->trial.isFatal)
          replay(side->trial);
      return op.error("its consumers cannot be imported for a branch");
    }
    atNode();
    if (onTrue.isDead() || onFalse.isDead())
      return onTrue.isDead() ? adopt(op, onFalse, onTrue, frame)
                             : adopt(op, onTrue, onFalse, frame);
    if (onTrue.frame.left() != onFalse.frame.left())
      continue;

    bool anyRank = left == 0 && frame.scope == modelScope;
    if (auto live = getLive(onTrue, onFalse, uses, left, anyRank)) {
      frame.next = frame.steps.size() - left;
      return join(op, onTrue, onFalse, *live, anyRank, frame);
    }
    if (left == 0)
      return op.error("expected branches that give tensors of equal rank and "
                      "element type");
    const Step &next = frame.steps[frame.steps.size() - left];
    if (!next.branch && left != notShared && isShared(left)) {
      Scope &scope = frame.get(next.scope);
      Trial trial;
      bool isImported = succeeded(attempt(
          trial, [&] { return importNode(*next.node, scope, nullptr); }));
      if (isImported) {
        settle(trial);
        for (Side *side : sides)
          ++side->frame.next;
        --left;
        continue;
      }
      // An If that is split itself, or an error, is imported in both.
      notShared = left;
      continue;
    }
    --left;
  }
}

void GraphImporter::openRanks(SmallVectorImpl<StringRef> &names,
                              SmallVectorImpl<Value> &outputs) {
  for (size_t i = 0, number = outputs.size(); i != number; ++i) {
    if (!hasOpenRank(outputs[i]))
      continue;
    SmallVector<Value> parts = getTensors(outputs[i]);
    outputs[i] = parts[0];
    outputs.push_back(parts[1]);
    names.push_back(StringAttr::get(context, names[i] + ":rank").getValue());
  }
}
