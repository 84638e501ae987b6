//===- ChooseRules.cpp - Chooses what is speculated and preloaded ---------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuleList.h"

#include "dyn/Dialect/Cell/Analysis/RouteCost.h"
#include "dyn/Dialect/Cell/Analysis/RoutePrediction.h"
#include "dyn/Dialect/Cell/Transforms/Passes.h"
#include "dyn/Dialect/DHLO/Analysis/RouteLoad.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"

namespace dyn::cell {
#define GEN_PASS_DEF_CHOOSERULESPASS
#include "dyn/Dialect/Cell/Transforms/Passes.h.inc"
} // namespace dyn::cell

using namespace mlir;
using namespace dyn;
using namespace dyn::cell;

/// Microseconds for the start of predicted paths, the wait for them and the
/// selection of their rows.
static constexpr double kSpeculationMicroseconds = 10;
/// The part of the time that speculation saves, at least.
static constexpr double kLeastGain = 0.02;
/// The share of rows from which a prediction says what to fetch: a wrong fetch
/// delays a right one.
static constexpr int64_t kPreloadShare = kWholeShare / 2;

namespace {

/// The choice for a router.
struct Decision {
  PredictionAttr speculate, preload;
  int64_t paysFrom = 0; ///< with `speculate`
  bool fuse = false;
  /// Reasons, in the order of the actions.
  std::string why;

  std::string getName() const {
    SmallVector<StringRef> names;
    if (fuse)
      names.push_back("fuse");
    if (speculate)
      names.push_back("speculate");
    if (preload)
      names.push_back("preload");
    return names.empty() ? "leave" : llvm::join(names, ", ");
  }
};

/// Times in microseconds: of the router and then its paths, on all threads; and
/// of the router on one thread, predicted paths on the others, and then the
/// rest. On a device, of streams.
struct Times {
  RouteCost::Time router, paths, alone, shadow, redone;

  double getPlain() const { return router.elapsed + paths.elapsed; }
  /// Streams share multiprocessors.
  double getBusy() const { return alone.busy + shadow.busy; }
  double getSpeculated() const {
    return std::max({alone.elapsed, shadow.elapsed, getBusy()}) +
           redone.elapsed + kSpeculationMicroseconds;
  }
  bool isGain() const {
    return getSpeculated() < (1 - kLeastGain) * getPlain();
  }
  /// The share of right rows, in 1024ths, from which speculation takes no more
  /// time, if what is computed again is proportional to the wrong ones.
  int64_t getPaysFrom() const {
    double beside = std::max({router.elapsed, shadow.elapsed, getBusy()}) +
                    kSpeculationMicroseconds - router.elapsed;
    double all = std::max(paths.elapsed, 1e-3);
    return std::clamp<int64_t>(std::ceil(beside / all * kWholeShare), 0,
                               kWholeShare);
  }
};

std::string describe(PredictionAttr prediction) {
  std::string text = stringifyPredictionKind(prediction.getKind()).str();
  ArrayRef<int64_t> paths = prediction.getPaths();
  if (prediction.getKind() == PredictionKind::Majority && paths.size() <= 8) {
    text += " (path ";
    llvm::raw_string_ostream os(text);
    llvm::interleaveComma(paths, os);
    text += ")";
  }
  if (StringAttr after = prediction.getAfter())
    text += (" '" + after.getValue() + "'").str();
  // Profiles do not have it.
  if (prediction.getKind() == PredictionKind::Early)
    return text + ", right for an unknown share";
  return text + llvm::formatv(", right for {0:F1} %",
                              100.0 * prediction.getShare() / kWholeShare)
                    .str();
}

struct ChooseRulesPass : cell::impl::ChooseRulesPassBase<ChooseRulesPass> {
  using ChooseRulesPassBase::ChooseRulesPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<ProbeOp> probes;
    module.walk([&](ProbeOp probe) {
      if (probe.getRoutes().getDefiningOp<RouteOp>())
        probes.push_back(probe);
    });
    TargetInfo target = TargetInfo::forProgram(device);
    if (failed(readRules(probes)) ||
        failed(target.overrideByFile(targetInfo, module)))
      return signalPassFailure();
    if (probes.empty())
      return markAllAnalysesPreserved();
    weightBytes = 0;
    if (memoryLimit)
      module.walk([&](Operation *op) {
        if (isa<dhlo::WeightOp, dhlo::ConstantOp>(op))
          weightBytes += getWeightBytes(op->getResult(0));
      });
    const auto &dims = getAnalysis<SymbolicDims>();
    SmallVector<Attribute> chosen;
    for (ProbeOp probe : probes) {
      auto route = probe.getRoutes().getDefiningOp<RouteOp>();
      RouteCost cost(route, dims, target);
      Decision decision;
      if (failed(decide(probe, route, cost, decision)))
        return signalPassFailure();
      apply(probe, route, decision, chosen);
    }
    module->setAttr(kRulesAttr, ArrayAttr::get(&getContext(), chosen));
    markAnalysesPreserved<SymbolicDims>();
  }

private:
  LogicalResult readRules(ArrayRef<ProbeOp> probes) {
    ModuleOp module = getOperation();
    routers.clear();
    for (ProbeOp probe : probes)
      routers[probe.getKey()] = probe.getRoutes().getDefiningOp<RouteOp>();
    llvm::Expected<std::vector<Rule>> parsed = parseRules(rules);
    if (!parsed)
      return module.emitError("rules of routes: ")
             << llvm::toString(parsed.takeError());
    list = std::move(*parsed);
    for (const Rule &rule : list) {
      if (rule.isForAll() || routers.contains(rule.key))
        continue;
      InFlightDiagnostic error =
          module.emitError("rules of routes: there is no router '")
          << rule.key << '\'';
      if (probes.empty())
        return error << "; the program has none";
      error << "; there are ";
      llvm::interleaveComma(probes, error, [&](ProbeOp probe) {
        error << "'" << probe.getKey() << "'";
      });
      return error;
    }
    return success();
  }

  /// The prediction of a rule. Null if the router has none: an error, unless
  /// the rule is for all routers.
  FailureOr<PredictionAttr> getPrediction(const Rule &rule, ProbeOp probe,
                                          RouteOp route, std::string &why) {
    auto refuse = [&](const Twine &reason) -> FailureOr<PredictionAttr> {
      why = reason.str();
      if (rule.isForAll())
        return PredictionAttr();
      return FailureOr<PredictionAttr>(
          route.emitError("rules of routes: router '")
          << probe.getKey() << "': " << reason);
    };
    int64_t paths = route.getRoutes().getType().getPaths();
    if (route.getCapacity())
      return refuse("it has a capacity, so its choices are not predicted");
    if (rule.kind == PredictionKind::Early)
      return PredictionAttr::get(&getContext(), PredictionKind::Early,
                                 StringAttr(), {}, kWholeShare);
    if (rule.paths.empty()) {
      for (PredictionAttr prediction : getPredictions(route))
        if (!rule.kind || prediction.getKind() == *rule.kind)
          return prediction;
      return refuse("there is no such prediction in a profile");
    }
    for (int64_t path : rule.paths)
      if (path >= paths)
        return refuse("expected a path below " + Twine(paths) + ", found " +
                      Twine(path));
    double share = 0;
    StringAttr after;
    RouteLoad load = RouteLoad::of(route, paths);
    if (rule.kind == PredictionKind::After) {
      after = probe.getAfterAttr();
      RouteOp before = after ? routers.lookup(after.getValue()) : RouteOp();
      if (!before || !hasOneChoice(before) || !hasOneChoice(route))
        return refuse("no router before it chooses one path of each of its "
                      "cells, as it does");
      int64_t number = before.getRoutes().getType().getPaths();
      if (number != int64_t(rule.paths.size()))
        return refuse("expected a path for each of " + Twine(number) + " of '" +
                      after.getValue() + "', found " +
                      Twine(rule.paths.size()));
      share = 1.0 / paths;
    } else {
      llvm::SmallSetVector<int64_t, 4> own(rule.paths.begin(),
                                           rule.paths.end());
      for (int64_t path : own)
        share += load.getShare(path);
    }
    return PredictionAttr::get(&getContext(), *rule.kind, after, rule.paths,
                               int64_t(share * kWholeShare));
  }

  /// The times of a router and its paths for the rows of a mean call.
  Times getTimes(RouteOp route, PredictionAttr prediction,
                 const RouteCost &cost) {
    int64_t paths = route.getRoutes().getType().getPaths();
    // With fewer the runtime does not speculate.
    int64_t threads = std::max<int64_t>(this->threads, 2);
    RouteLoad load = RouteLoad::of(route, paths);
    double share = double(prediction.getShare()) / kWholeShare;
    // A call without rows takes no time.
    double predicted = std::max<double>(load.getTypicalRows().value_or(1), 1);
    double rows = predicted;
    // Of a single path, what may be wrong is that a cell takes it.
    double missed = 1 - share;
    if (paths == 1) {
      rows = std::max(predicted * share, 1e-3);
      missed = 0;
    }
    ArrayRef<int64_t> sure = prediction.getKind() == PredictionKind::Majority
                                 ? prediction.getPaths()
                                 : ArrayRef<int64_t>();
    double cells = predicted / std::max<size_t>(sure.size(), 1);
    Times times;
    auto all = llvm::to_vector(llvm::seq<int64_t>(0, paths));
    ArrayRef<int64_t> guessed = sure.empty() ? all : sure;
    times.router = cost.getRouterTime(cells, guessed, threads);
    times.alone = cost.getRouterTime(cells, guessed, 1);
    for (int64_t path = 0; path < paths; ++path) {
      double own = load.getShare(path) * rows;
      bool isSure = llvm::is_contained(sure, path);
      times.paths += cost.getPathTime(path, own, threads);
      double shadow = sure.empty() ? own : isSure ? cells : 0;
      // One thread is the router's. Paths that are not predicted are not there.
      if (sure.empty() || isSure)
        times.shadow +=
            cost.getPathTime(path, shadow, std::max<int64_t>(threads - 1, 1));
      double redone = paths == 1     ? 0
                      : sure.empty() ? own * missed
                      : isSure       ? 0
                                     : own;
      times.redone += cost.getPathTime(path, redone, threads);
    }
    return times;
  }

  void decideSpeculation(RouteOp route, const RouteCost &cost,
                         Decision &decision) {
    auto decline = [&](const Twine &why) {
      decision.why += ("not speculated: " + why + "; ").str();
    };
    if (route.getCapacity())
      return decline("it has a capacity");
    SmallVector<PredictionAttr> predictions = getPredictions(route);
    if (predictions.empty())
      return decline("no profile predicts it");
    if (!cost.hasPaths())
      return decline("its rows are not computed with");
    if (threads < 2 && !device)
      return decline("there is one thread");
    if (!isInvariant)
      return decline("a library computes other bits for other numbers of rows");
    PredictionAttr best = predictions.front();
    Times times = getTimes(route, best, cost);
    std::string numbers =
        llvm::formatv("{0}; {1:F1} us instead of {2:F1} us: router {3:F1}, "
                      "paths {4:F1}; beside each other {5:F1} and {6:F1}, "
                      "again {7:F1}",
                      describe(best), times.getSpeculated(), times.getPlain(),
                      times.router.elapsed, times.paths.elapsed,
                      times.alone.elapsed, times.shadow.elapsed,
                      times.redone.elapsed)
            .str();
    if (device)
      numbers +=
          llvm::formatv(", {0:F1} with the whole device busy", times.getBusy())
              .str();
    if (!times.isGain())
      return decline(numbers);
    decision.speculate = best;
    decision.paysFrom = times.getPaysFrom();
    decision.why += "speculated by " + numbers + "; ";
  }

  void decidePreloading(RouteOp route, const RouteCost &cost,
                        Decision &decision) {
    auto decline = [&](const Twine &why) {
      decision.why += ("not preloaded: " + why).str();
    };
    if (!memoryLimit)
      return decline("no memory limit");
    std::string sizes = llvm::formatv("{0} bytes of weights, limit {1}",
                                      weightBytes, memoryLimit.getValue())
                            .str();
    if (weightBytes <= memoryLimit)
      return decline(sizes);
    int64_t bytes = 0;
    for (int64_t path = 0; path < route.getRoutes().getType().getPaths();
         ++path)
      bytes += cost.getPathBytes(path);
    if (bytes == 0)
      return decline("its paths have no weights");
    SmallVector<PredictionAttr> predictions = getPredictions(route);
    if (predictions.empty())
      return decline("no profile predicts it");
    if (predictions.front().getShare() < kPreloadShare)
      return decline(describe(predictions.front()));
    decision.preload = predictions.front();
    decision.why +=
        llvm::formatv("preloaded by {0}; {1} bytes of its paths, {2}",
                      describe(decision.preload), bytes, sizes)
            .str();
  }

  LogicalResult decide(ProbeOp probe, RouteOp route, const RouteCost &cost,
                       Decision &decision) {
    SmallVector<Rule> own = getRulesOf(list, probe.getKey());
    decision.fuse = cost.areEquivalent();
    if (own.empty()) {
      decideSpeculation(route, cost, decision);
      decidePreloading(route, cost, decision);
      return success();
    }
    decision.why = "by a rule";
    for (const Rule &rule : own) {
      if (rule.action == RuleAction::Leave || rule.action == RuleAction::Fuse)
        continue;
      if (rule.action == RuleAction::Speculate && !isInvariant)
        return route.emitError("rules of routes: router '")
               << probe.getKey()
               << "': a library computes other bits for other numbers of rows, "
                  "so it is not speculated";
      std::string why;
      FailureOr<PredictionAttr> prediction =
          getPrediction(rule, probe, route, why);
      if (failed(prediction))
        return failure();
      if (!*prediction) {
        decision.why += " that does not apply: " + why;
        continue;
      }
      (rule.action == RuleAction::Speculate ? decision.speculate
                                            : decision.preload) = *prediction;
      if (decision.speculate)
        decision.paysFrom =
            getTimes(route, decision.speculate, cost).getPaysFrom();
      decision.why += ": " + describe(*prediction);
    }
    return success();
  }

  void apply(ProbeOp probe, RouteOp route, const Decision &decision,
             SmallVectorImpl<Attribute> &chosen) {
    bool isAsked = getRulesOf(list, probe.getKey()).size() || memoryLimit ||
                   route->hasAttr(dhlo::DHLODialect::kLoadAttr);
    Builder b(&getContext());
    if (decision.speculate) {
      route->setAttr(CellDialect::kSpeculateAttr, decision.speculate);
      route->setAttr(CellDialect::kPaysFromAttr,
                     b.getI64IntegerAttr(decision.paysFrom));
    }
    if (decision.preload)
      route->setAttr(CellDialect::kPreloadAttr, decision.preload);
    numSpeculated += decision.speculate != nullptr;
    numPreloaded += decision.preload != nullptr;
    numLeft += !decision.speculate && !decision.preload;
    std::string name = decision.getName();
    if (isAsked)
      route.emitRemark(device ? "on devices, router '" : "router '")
          << probe.getKey() << "': " << name << ": " << decision.why;
    chosen.push_back(b.getDictionaryAttr(
        {b.getNamedAttr("router", probe.getKeyAttr()),
         b.getNamedAttr("rule", b.getStringAttr(name)),
         b.getNamedAttr("why", b.getStringAttr(decision.why))}));
  }

  std::vector<Rule> list;
  llvm::StringMap<RouteOp> routers;
  int64_t weightBytes = 0;
};

} // namespace
