//===- PlaceRoutes.cpp - Chooses the ranks of paths -----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/Cell/Analysis/Placement.h"
#include "dyn/Dialect/Cell/Analysis/RouteCost.h"
#include "dyn/Dialect/DHLO/Analysis/RouteLoad.h"
#include "dyn/Dialect/Dist/Transforms/Passes.h"
#include "dyn/Profile/RouteProfile.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/FormatVariadic.h"

namespace dyn::dist {
#define GEN_PASS_DEF_PLACEROUTESPASS
#include "dyn/Dialect/Dist/Transforms/Passes.h.inc"
} // namespace dyn::dist

using namespace mlir;
using namespace dyn;
using namespace dyn::dist;

namespace {

struct PlaceRoutesPass : dist::impl::PlaceRoutesPassBase<PlaceRoutesPass> {
  using PlaceRoutesPassBase::PlaceRoutesPassBase;

  void runOnOperation() override;

private:
  LogicalResult readProfiles();
  cell::RouterToPlace describe(cell::RouteOp route, const SymbolicDims &dims,
                               const TargetInfo &target);
  /// Adds where rows come from, if the profiles of all ranks have the router.
  void addHomes(cell::ProbeOp probe, cell::RouterToPlace &router);
  void report(cell::RouteOp route, const cell::RouterToPlace &router,
              ArrayRef<int64_t> placement);

  cell::RanksToPlaceOn on = {0};
  std::vector<RouteProfile> profiles;
};

} // namespace

/// The probe of a router, or null.
static cell::ProbeOp getProbe(cell::RouteOp route) {
  for (Operation *user : route.getRoutes().getUsers())
    if (auto probe = dyn_cast<cell::ProbeOp>(user))
      return probe;
  return {};
}

/// Bytes of a row of a tensor.
static double getRowBytes(Value rows, const SymbolicDims &dims) {
  auto type = cast<RankedTensorType>(rows.getType());
  double bytes = (type.getElementTypeBitWidth() + 7) / 8;
  for (int64_t axis = 1; axis < type.getRank(); ++axis)
    bytes *= dims.getEstimate(dhlo::getDim(type, axis));
  return bytes;
}

LogicalResult PlaceRoutesPass::readProfiles() {
  if (!homes.empty() && int64_t(homes.size()) != on.count)
    return getOperation().emitError("expected a profile of each of ")
           << on.count << " ranks, found " << homes.size();
  for (const std::string &file : homes) {
    ProfileProblems problems;
    llvm::Expected<RouteProfile> profile = readProfile(file, problems);
    if (!profile)
      return getOperation().emitError(llvm::toString(profile.takeError()));
    for (const std::string &problem : problems)
      getOperation().emitWarning(problem);
    profiles.push_back(std::move(*profile));
  }
  return success();
}

cell::RouterToPlace PlaceRoutesPass::describe(cell::RouteOp route,
                                              const SymbolicDims &dims,
                                              const TargetInfo &target) {
  cell::RoutesType type = route.getRoutes().getType();
  RouteLoad load = RouteLoad::of(route, type.getPaths());
  double all = load.getTypicalRows().value_or(dims.getEstimate(type.getRows()));
  cell::RouterToPlace router;
  for (int64_t path = 0; path != type.getPaths(); ++path)
    router.rows.push_back(load.getExpectedRows(path, all));
  if (cell::ProbeOp probe = getProbe(route))
    addHomes(probe, router);
  cell::RouteCost cost(route, dims, target);
  for (auto [path, rows] : llvm::enumerate(router.rows)) {
    router.times.push_back(cost.getPathTime(path, rows, threads).elapsed);
    router.bytes.push_back(double(cost.getPathBytes(path)));
  }
  double bytes = 0;
  for (Operation *user : route.getRoutes().getUsers()) {
    if (auto dispatch = dyn_cast<cell::DispatchOp>(user))
      bytes += getRowBytes(dispatch.getRows(), dims);
    if (auto combine = dyn_cast<cell::CombineOp>(user))
      bytes += getRowBytes(combine.getRows(), dims);
  }
  router.moveTime = bytes / double(linkRate);
  return router;
}

void PlaceRoutesPass::addHomes(cell::ProbeOp probe,
                               cell::RouterToPlace &router) {
  std::vector<std::vector<double>> from;
  for (auto [file, profile] : llvm::zip_equal(homes, profiles)) {
    const ProfileRouter *of = profile.find(probe.getKey());
    if (!of || of->paths != router.rows.size() ||
        of->fingerprint != probe.getFingerprint().value_or("")) {
      probe.emitWarning("the profile '")
          << file << "' does not have router '" << probe.getKey()
          << "': its rows count as from all ranks";
      return;
    }
    ProfileWindow sum = of->getSum();
    auto &rows = from.emplace_back();
    for (uint64_t count : sum.load)
      rows.push_back(double(count) / double(std::max<uint64_t>(sum.calls, 1)));
  }
  if (from.empty())
    return;
  router.from = std::move(from);
  for (auto [path, rows] : llvm::enumerate(router.rows)) {
    rows = 0;
    for (const std::vector<double> &of : router.from)
      rows += of[path];
  }
}

void PlaceRoutesPass::report(cell::RouteOp route,
                             const cell::RouterToPlace &router,
                             ArrayRef<int64_t> placement) {
  cell::PlacementCost own = getCost(router, on, {placement.vec()});
  cell::PlacementCost inTurn =
      getCost(router, on, cell::placeInTurn(router, on));
  route.emitRemark(
      llvm::formatv("paths on {0} ranks: the busiest takes {1:F2} of the mean "
                    "({2:F2} in turn), {3:F0} of {4:F0} rows change rank "
                    "({5:F0} in turn)",
                    on.count, own.balance, inTurn.balance, own.moved,
                    llvm::sum_of(router.rows, 0.0), inTurn.moved)
          .str());
}

void PlaceRoutesPass::runOnOperation() {
  ModuleOp module = getOperation();
  on.count = 0;
  for (auto mesh : module.getOps<MeshOp>())
    on.count = mesh.getRanks();
  if (on.count == 0)
    return markAllAnalysesPreserved();
  if (memory)
    on.memory = double(memory);
  profiles.clear();
  TargetInfo target = TargetInfo::forIsa(Isa::V4);
  if (failed(readProfiles()) ||
      failed(target.overrideByFile(targetInfo, module)))
    return signalPassFailure();
  const auto &dims = getAnalysis<SymbolicDims>();
  SmallVector<cell::RouteOp> routes;
  std::vector<cell::RouterToPlace> routers;
  module.walk([&](cell::RouteOp route) {
    // The others stay on all ranks.
    if (!isa<FunctionOpInterface>(route->getParentOp()) ||
        route->hasAttr(DistDialect::kPlacementAttr))
      return;
    routes.push_back(route);
    routers.push_back(describe(route, dims, target));
  });
  cell::Placement placement = cell::placePaths(routers, on);
  for (auto [route, router, ranks] :
       llvm::zip_equal(routes, routers, placement)) {
    route->setAttr(DistDialect::kPlacementAttr,
                   DenseI64ArrayAttr::get(&getContext(), ranks));
    report(route, router, ranks);
    ++numPlaced;
  }
  if (double excess = getCost(routers, on, placement).excess)
    module.emitWarning("weights of paths exceed the memory of ranks by ")
        << uint64_t(excess) << " bytes";
}
