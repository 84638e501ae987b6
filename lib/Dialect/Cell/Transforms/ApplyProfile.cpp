//===- ApplyProfile.cpp - Annotates routers with a profile's facts --------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/Cell/Analysis/RoutePrediction.h"
#include "dyn/Dialect/Cell/Transforms/Passes.h"
#include "dyn/Dialect/DHLO/Analysis/RouteLoad.h"

#include "llvm/ADT/StringMap.h"

namespace dyn::cell {
#define GEN_PASS_DEF_APPLYPROFILEPASS
#include "dyn/Dialect/Cell/Transforms/Passes.h.inc"
} // namespace dyn::cell

using namespace mlir;
using namespace dyn;
using namespace dyn::cell;

namespace {

struct ApplyProfilePass : cell::impl::ApplyProfilePassBase<ApplyProfilePass> {
  using ApplyProfilePassBase::ApplyProfilePassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    ProfileProblems problems;
    llvm::Expected<RouteProfile> profile = readProfile(file, problems);
    if (!profile) {
      module.emitError(llvm::toString(profile.takeError()));
      return signalPassFailure();
    }
    for (const std::string &problem : problems) {
      module.emitWarning(problem);
      ++numRefused;
    }
    routes.clear();
    module.walk([&](ProbeOp probe) {
      routes[probe.getKey()] = probe.getRoutes().getDefiningOp<RouteOp>();
    });
    module.walk([&](ProbeOp probe) { apply(probe, *profile); });
    for (const ProfileRouter &router : profile->routers)
      if (!routes.contains(router.key)) {
        module.emitWarning(file)
            << ": router '" << router.key << "': the program has none";
        ++numRefused;
      }
  }

private:
  void apply(ProbeOp probe, const RouteProfile &profile) {
    auto route = probe.getRoutes().getDefiningOp<RouteOp>();
    if (!route)
      return;
    const ProfileRouter *router = profile.find(probe.getKey());
    if (!router) {
      route.emitRemark("router '")
          << probe.getKey() << "': not in the profile '" << file << "'";
      return;
    }
    // Only paths and fingerprint must agree; windows and history need not.
    ProfileRouter own = *router;
    own.paths = probe.getRoutes().getType().getPaths();
    own.fingerprint = probe.getFingerprint().value_or("").str();
    std::string mismatch =
        own.getMismatch(*router, "the program", "'" + file + "'");
    if (!mismatch.empty()) {
      ++numRefused;
      route.emitWarning("router '")
          << probe.getKey() << "' of the profile is refused: " << mismatch;
      return;
    }
    ProfileWindow sum = router->getSum();
    dhlo::LoadAttr load = makeLoad(&getContext(), sum.load, sum.calls);
    if (!load) {
      route.emitRemark("router '")
          << probe.getKey() << "': no rows in the profile '" << file << "'";
      return;
    }
    ++numMatched;
    route->setAttr(dhlo::DHLODialect::kLoadAttr, load);
    route.emitRemark("router '")
        << probe.getKey() << "': " << sum.getRows() << " rows of " << sum.calls
        << " calls in the profile '" << file << "'";
    SmallVector<Attribute> predictions = predict(probe, route, *router, sum);
    if (predictions.empty())
      return;
    ++numPredicted;
    route->setAttr(kPredictionsAttr,
                   ArrayAttr::get(&getContext(), predictions));
  }

  SmallVector<Attribute> predict(ProbeOp probe, RouteOp route,
                                 const ProfileRouter &router,
                                 const ProfileWindow &sum) {
    SmallVector<Attribute> predictions;
    if (PredictionAttr majority = predictMajority(route, sum))
      predictions.push_back(majority);
    // The transitions are those of the same two routers.
    RouteOp before = routes.lookup(router.after);
    if (!before || probe.getAfter() != StringRef(router.after) ||
        before.getRoutes().getType().getPaths() != router.afterPaths)
      return predictions;
    if (PredictionAttr after =
            predictAfter(route, before, probe.getAfterAttr(), sum))
      predictions.push_back(after);
    return predictions;
  }

  /// The routers of the program by key, null for routes from elsewhere.
  llvm::StringMap<RouteOp> routes;
};

} // namespace
