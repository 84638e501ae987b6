//===- LaunchMany.cpp - Launches independent small kernels together -------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A list schedule. The first remaining launch in program order starts a list;
// any remaining launch that is small and depends on no remaining one joins it
// until the list is full. Launches only move up, to the first one, so nothing
// is read before it is computed.
//
// Where paths run by a guess beside the router, launches are chains instead
// (Chains.h), each of which needs a thread for itself.
//
//   program          lists
//   a0 a1 a2         a0 b0
//   b0 b1            a1 b1
//   c                a2
//                    c

#include "dyn/Dialect/DLHLO/Transforms/Passes.h"

#include "Dialect/DLHLO/Transforms/Buffers/MemoryPlan.h"
#include "Dialect/DLHLO/Transforms/Fusion/FusionRules.h"

#include "dyn/Dialect/DHLO/IR/RouteMarks.h"
#include "dyn/Dialect/DLHLO/Analysis/KernelCost.h"
#include "dyn/Dialect/DLHLO/IR/Chains.h"
#include "dyn/Support/DeviceRates.h"
#include "dyn/Support/TargetInfo.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

namespace dyn::dlhlo {
#define GEN_PASS_DEF_LAUNCHMANYPASS
#include "dyn/Dialect/DLHLO/Transforms/Passes.h.inc"
} // namespace dyn::dlhlo

using namespace mlir;
using namespace dyn;
using namespace dyn::dlhlo;
using dhlo::DimExpr;

namespace {

/// The least work, in bytes, that chains must take from the longest one: some
/// microseconds.
constexpr double minHidden = 65536;
/// The bytes that a device moves while it launches a kernel. Chains cost two:
/// events on both ends.
constexpr double launchBytes =
    DeviceRates::kLaunchMicroseconds * DeviceRates::kBytesPerMicrosecond;
constexpr double minHiddenOnDevice = 2 * launchBytes;

/// A launch of a segment, and its data for the schedule.
struct Node {
  LaunchOp launch;
  /// The launches whose results it takes, through views.
  SmallVector<unsigned> needs;
  /// The maximum length of a chain of dependent launches that starts here.
  int64_t height = 1;
  double cost = 0, bytes = 0;
  bool mayFail = false, isDone = false;
};

/// The cost of launches at the estimates of their sizes.
class Estimator {
public:
  Estimator(ModuleOp module, const SymbolicDims &dims, const TargetInfo &target)
      : dims(dims), symbols(module),
        flopsPerByte(target.isDevice ? DeviceRates::kFlopsPerByte
                                     : target.cpu.flopsPerByte),
        least(target.isDevice ? launchBytes : 0) {}

  /// The bytes and flops of --explain, the latter converted to bytes of equal
  /// time.
  double getCost(LaunchOp launch) {
    auto kernel = symbols.lookup<KernelOp>(launch.getKernel());
    auto [entry, isNew] = costs.try_emplace(kernel);
    if (isNew)
      entry->second = getKernelCost(kernel, SymbolicDims(kernel));
    // Numbers, since formulas of the program's sizes may be long: a
    // concatenation of many results of unknown sizes is their sum.
    llvm::DenseMap<StringAttr, int64_t> values;
    for (auto [dim, size] : llvm::zip_equal(
             kernel.getDims(), launch.getDims().getAsRange<DimExpr>()))
      values[dim.getSymNameAttr()] = getEstimate(size);
    auto estimate = [&](DimExpr expr) {
      std::optional<int64_t> value = dhlo::evaluate(expr, [&](StringAttr name) {
        return std::optional<int64_t>(values.lookup(name));
      });
      return double(value.value_or(std::numeric_limits<int64_t>::max()));
    };
    return std::max(estimate(entry->second.bytes) +
                        estimate(entry->second.flops) / flopsPerByte,
                    least);
  }

  /// The bytes of the launch's results.
  double getBytes(LaunchOp launch) {
    double bytes = 0;
    for (Type type : launch.getResultTypes())
      bytes +=
          getEstimate(getByteSize(llvm::cast<RankedTensorType>(type), dims));
    return bytes;
  }

private:
  int64_t getEstimate(DimExpr expr) {
    auto [entry, isNew] = estimates.try_emplace(expr);
    if (isNew)
      entry->second = dims.getEstimate(expr);
    return entry->second;
  }

  const SymbolicDims &dims;
  SymbolTable symbols;
  double flopsPerByte, least;
  llvm::DenseMap<Operation *, KernelCost> costs;
  llvm::DenseMap<DimExpr, int64_t> estimates;
};

struct LaunchManyPass : dlhlo::impl::LaunchManyPassBase<LaunchManyPass> {
  using LaunchManyPassBase::LaunchManyPassBase;

  void runOnOperation() override {
    TargetInfo target = TargetInfo::forProgram(device);
    if (failed(target.overrideByFile(targetInfo, getOperation())))
      return signalPassFailure();
    const CpuInfo &cpu = target.cpu;
    // Results stay in a part of a core's L2 cache until they are read.
    mostCost = maxCost < 0 ? cpu.launchManyCost : maxCost.getValue();
    mostBytes = maxBytes < 0 ? cpu.l2Bytes / 2 : maxBytes.getValue();
    Estimator estimator(getOperation(), getAnalysis<SymbolicDims>(), target);
    for (auto function : getOperation().getOps<func::FuncOp>())
      function.walk([&](Block *block) { scheduleBlock(*block, estimator); });
  }

private:
  /// Splits a block at operations that make the host wait or do work. A fetch
  /// announces weights, and no launch waits for it.
  void scheduleBlock(Block &block, Estimator &estimator) {
    SmallVector<Node> segment;
    llvm::DenseMap<Operation *, unsigned> positions;
    auto flush = [&](bool isAfterGuess) {
      if (isAfterGuess)
        segment.truncate(launchChains(segment));
      if (device)
        numLeft += segment.size();
      else
        schedule(segment);
      segment.clear();
      positions.clear();
    };
    for (Operation &op : llvm::make_early_inc_range(block)) {
      auto launch = llvm::dyn_cast<LaunchOp>(op);
      if (launch) {
        Node node{launch};
        addNeeds(&op, positions, node.needs);
        node.cost = estimator.getCost(launch);
        node.bytes = estimator.getBytes(launch);
        node.mayFail = !launch.getSites().empty();
        positions[&op] = segment.size();
        segment.push_back(node);
      } else if (!isMovable(&op) && !llvm::isa<FetchOp>(op) &&
                 !isBesideGuess(&op)) {
        flush(op.hasAttr(dhlo::kAfterGuessAttr));
      }
    }
    flush(false);
  }

  /// Whether an operation between launches does no work.
  static bool isMovable(Operation *op) {
    return isView(op) || llvm::isa<GetConstantOp, dhlo::FromDimsOp>(op);
  }

  /// Whether an operation observes a router beside which paths run by a guess:
  /// launches may move before it.
  static bool isBesideGuess(Operation *op) {
    auto isObserver = llvm::IsaPred<dhlo::ProbeOp, dhlo::GuessedOp>;
    auto isPassed = [&](Operation *next) {
      return llvm::isa<LaunchOp, FetchOp>(next) || isObserver(next) ||
             isMovable(next);
    };
    if (!isObserver(op))
      return false;
    while (op && isPassed(op))
      op = op->getNextNode();
    return op && op->hasAttr(dhlo::kAfterGuessAttr);
  }

  static void addNeeds(Operation *op,
                       const llvm::DenseMap<Operation *, unsigned> &positions,
                       SmallVectorImpl<unsigned> &needs) {
    for (Value operand : op->getOperands()) {
      Operation *maker = operand.getDefiningOp();
      if (!maker)
        continue;
      auto found = positions.find(maker);
      if (found != positions.end())
        needs.push_back(found->second);
      else if (isView(maker))
        addNeeds(maker, positions, needs);
    }
  }

  /// Launches the end of a segment as chains that do not depend on each other,
  /// if most of its cost is not in one. Returns the number of launches before
  /// these.
  unsigned launchChains(MutableArrayRef<Node> nodes) {
    // Launches are added from the last one on, and join the chains of those
    // that need them, so what all need joins all.
    llvm::EquivalenceClasses<unsigned> chains;
    SmallVector<SmallVector<unsigned>> needed(nodes.size());
    for (unsigned i = 0; i != nodes.size(); ++i)
      for (unsigned need : nodes[i].needs)
        needed[need].push_back(i);
    unsigned best = nodes.size();
    double mostHidden = device ? minHiddenOnDevice : minHidden;
    for (unsigned i = nodes.size(); i-- > 0;) {
      if (nodes.size() - i > DLHLODialect::kMaxLaunches)
        break;
      chains.insert(i);
      for (unsigned user : needed[i])
        chains.unionSets(i, user);
      llvm::DenseMap<unsigned, double> costs;
      double all = 0, most = 0;
      for (unsigned j = i; j != nodes.size(); ++j) {
        double &cost = costs[chains.getLeaderValue(j)];
        most = std::max(most, cost += nodes[j].cost);
        all += nodes[j].cost;
      }
      if (all - most >= mostHidden) {
        mostHidden = all - most;
        best = i;
      }
    }
    if (best == nodes.size())
      return best;
    // Once more, without launches before the best one.
    llvm::EquivalenceClasses<unsigned> parts;
    for (unsigned i = best; i != nodes.size(); ++i) {
      parts.insert(i);
      for (unsigned need : nodes[i].needs)
        if (need >= best)
          parts.unionSets(i, need);
    }
    llvm::MapVector<unsigned, int64_t> numbers;
    SmallVector<int64_t> chainOf;
    SmallVector<unsigned> list;
    for (unsigned i = best; i != nodes.size(); ++i) {
      auto [number, isNew] =
          numbers.insert({parts.getLeaderValue(i), numbers.size() + 1});
      chainOf.push_back(number->second);
      list.push_back(i);
    }
    LaunchManyOp many = launchTogether(nodes, list);
    many->setAttr(kChainsAttr, DenseI64ArrayAttr::get(&getContext(), chainOf));
    return best;
  }

  void schedule(MutableArrayRef<Node> nodes) {
    for (const Node &node : llvm::reverse(nodes))
      for (unsigned need : node.needs)
        nodes[need].height = std::max(nodes[need].height, node.height + 1);
    for (unsigned i = 0; i != nodes.size(); ++i) {
      if (nodes[i].isDone)
        continue;
      SmallVector<unsigned> list = collect(nodes, i);
      for (unsigned member : list)
        nodes[member].isDone = true;
      if (list.size() > 1)
        launchTogether(nodes, list);
      else
        ++numLeft;
    }
  }

  /// The launches that run together with the first one.
  SmallVector<unsigned> collect(ArrayRef<Node> nodes, unsigned first) const {
    SmallVector<unsigned> list = {first};
    if (nodes[first].cost > mostCost)
      return list;
    double bytes = nodes[first].bytes;
    bool mayPassFail = false;
    for (unsigned i = first + 1; i != nodes.size(); ++i) {
      const Node &node = nodes[i];
      if (node.isDone)
        continue;
      bool fits = node.cost <= mostCost && bytes + node.bytes <= mostBytes &&
                  node.height >= nodes[first].height - maxLead;
      bool isReady = llvm::all_of(
          node.needs, [&](unsigned need) { return nodes[need].isDone; });
      if (!fits || !isReady || (node.mayFail && mayPassFail)) {
        mayPassFail |= node.mayFail;
        continue;
      }
      list.push_back(i);
      bytes += node.bytes;
      if (list.size() == DLHLODialect::kMaxLaunches)
        break;
    }
    return list;
  }

  LaunchManyOp launchTogether(MutableArrayRef<Node> nodes,
                              ArrayRef<unsigned> list) {
    LaunchOp first = nodes[list.front()].launch;
    SmallVector<Value> results;
    SmallVector<Location> locations;
    llvm::DenseSet<Value> made;
    for (unsigned member : list) {
      LaunchOp launch = nodes[member].launch;
      llvm::append_range(results, launch.getResults());
      made.insert_range(launch.getResults());
      locations.push_back(launch.getLoc());
    }
    for (unsigned member : list)
      for (Value operand : nodes[member].launch.getOperands())
        if (!isMadeBy(made, operand))
          moveBefore(operand.getDefiningOp(), first);
    OpBuilder builder(first);
    Location loc = FusedLoc::get(&getContext(), locations);
    auto many = LaunchManyOp::create(builder, loc, TypeRange(results));
    Block &body = many.getBody().emplaceBlock();
    for (unsigned member : list) {
      LaunchOp launch = nodes[member].launch;
      builder.setInsertionPointToEnd(&body);
      for (OpOperand &operand : launch->getOpOperands())
        if (isMadeBy(made, operand.get()))
          operand.set(copyViews(builder, operand.get()));
      launch->moveBefore(&body, body.end());
    }
    for (auto [from, to] : llvm::zip_equal(results, many.getResults()))
      from.replaceUsesWithIf(to, [&](OpOperand &use) {
        return !many->isAncestor(use.getOwner());
      });
    builder.setInsertionPointToEnd(&body);
    YieldOp::create(builder, loc, results);
    ++numMade;
    numMerged += list.size();
    return many;
  }

  /// Whether a value is one of `made`, or a view of one.
  static bool isMadeBy(const llvm::DenseSet<Value> &made, Value value) {
    while (value.getDefiningOp() && isView(value.getDefiningOp()))
      value = value.getDefiningOp()->getOperand(0);
    return made.contains(value);
  }

  /// Copies the views through which a value is read.
  static Value copyViews(OpBuilder &builder, Value value) {
    Operation *view = value.getDefiningOp();
    if (!isView(view))
      return value;
    Value source = copyViews(builder, view->getOperand(0));
    Operation *copy = builder.clone(*view);
    copy->setOperand(0, source);
    return copy->getResult(0);
  }

  /// Moves a view or constant, and its operands, before a launch.
  static void moveBefore(Operation *op, Operation *position) {
    if (!op || op->getBlock() != position->getBlock() || !isMovable(op) ||
        op->isBeforeInBlock(position))
      return;
    for (Value operand : op->getOperands())
      moveBefore(operand.getDefiningOp(), position);
    op->moveBefore(position);
  }

  int64_t mostCost = 0, mostBytes = 0;
};

} // namespace
