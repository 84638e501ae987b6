//===- Place.cpp - Which rank holds which path, by a profile --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include "dyn/Dialect/Cell/Analysis/Placement.h"

#include "llvm/Support/JSON.h"

using namespace dyn;

/// The router's counts in a mean call. Cells come from the router before if the
/// profile has counted their transitions, else from all ranks.
static cell::RouterToPlace getRouter(const ProfileRouter &router,
                                     const ProfileRouter *before) {
  ProfileWindow sum = router.getSum();
  const double calls = double(std::max<uint64_t>(sum.calls, 1));
  cell::RouterToPlace result;
  for (uint64_t rows : sum.load)
    result.rows.push_back(double(rows) / calls);
  if (!before || before->key != router.after || sum.transitions.empty())
    return result;
  result.isFromPaths = true;
  result.from.assign(router.afterPaths, std::vector<double>(router.paths));
  for (auto [paths, count] : sum.transitions.getSorted())
    result.from[paths.first][paths.second] = double(count) / calls;
  return result;
}

void dyn::placeProfile(llvm::raw_ostream &os, const RouteProfile &profile,
                       unsigned ranks, double moveTime) {
  std::vector<cell::RouterToPlace> routers;
  const ProfileRouter *before = nullptr;
  for (const ProfileRouter &router : profile.routers) {
    routers.push_back(getRouter(router, before));
    routers.back().moveTime = moveTime;
    before = &router;
  }
  const cell::RanksToPlaceOn all{int64_t(ranks)};
  cell::Placement placement = cell::placePaths(routers, all);
  cell::PlacementCost cost = cell::getCost(routers, all, placement);
  cell::PlacementCost inTurn =
      cell::getCost(routers, all, cell::placeInTurn(routers, all));

  llvm::json::OStream json(os, 1);
  json.object([&] {
    json.attribute("dyn_placement", 1);
    json.attribute("ranks", int64_t(ranks));
    json.attribute("moved", cost.moved);
    json.attribute("moved_in_turn", inTurn.moved);
    json.attribute("balance", cost.balance);
    json.attributeArray("routers", [&] {
      for (auto [router, rankOf] : llvm::zip_equal(profile.routers, placement))
        json.object([&, &key = router.key, &rankOf = rankOf] {
          json.attribute("key", key);
          json.attribute("ranks", llvm::json::Array(rankOf));
        });
    });
  });
  os << '\n';
}
