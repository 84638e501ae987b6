//===- PlacementTest.cpp - Which rank holds which path --------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/Cell/Analysis/Placement.h"

#include "gmock/gmock.h"
#include <random>

using namespace dyn;
using namespace dyn::cell;

namespace {

/// The time of the best of all placements.
double getBestTime(llvm::ArrayRef<RouterToPlace> routers,
                   const RanksToPlaceOn &ranks) {
  Placement placement;
  for (const RouterToPlace &router : routers)
    placement.emplace_back(router.rows.size(), 0);
  double best = std::numeric_limits<double>::infinity();
  for (;;) {
    PlacementCost cost = getCost(routers, ranks, placement);
    if (cost.excess == 0)
      best = std::min(best, cost.time);
    // The next one, as a number with a digit for each path.
    bool carries = true;
    for (auto &of : placement)
      for (int64_t &rank : of)
        if (carries) {
          rank = (rank + 1) % ranks.count;
          carries = rank == 0;
        }
    if (carries)
      return best;
  }
}

RouterToPlace getRandomRouter(std::mt19937 &random, size_t paths,
                              double moveTime) {
  RouterToPlace router;
  router.moveTime = moveTime;
  for (size_t path = 0; path != paths; ++path) {
    router.rows.push_back(random() % 8 == 0 ? random() % 1000 : random() % 100);
    router.bytes.push_back(1 + random() % 3);
  }
  return router;
}

/// Distributes the rows of each path over sources at random.
void addSources(std::mt19937 &random, RouterToPlace &router, size_t sources) {
  router.from.assign(sources, std::vector<double>(router.rows.size(), 0));
  for (auto [path, rows] : llvm::enumerate(router.rows))
    for (int64_t row = 0; row < rows; ++row)
      ++router.from[random() % 3 ? path % sources : random() % sources][path];
}

/// Two routers of which blocks of paths exchange most of the rows. The
/// `shuffle` hides them.
std::vector<RouterToPlace> plantBlocks(std::mt19937 &random, size_t blocks,
                                       size_t size, double noise) {
  size_t paths = blocks * size;
  std::vector<std::vector<size_t>> shuffle(3);
  for (auto &order : shuffle) {
    for (size_t path = 0; path != paths; ++path)
      order.push_back(path);
    for (size_t i = paths; i-- > 1;)
      std::swap(order[i], order[random() % (i + 1)]);
  }
  std::vector<RouterToPlace> routers(3);
  for (auto [layer, router] : llvm::enumerate(routers)) {
    router.rows.assign(paths, 100);
    router.moveTime = 3;
    if (layer == 0)
      continue;
    router.isFromPaths = true;
    router.from.assign(paths, std::vector<double>(paths, 0));
    for (size_t a = 0; a != paths; ++a)
      for (size_t b = 0; b != paths; ++b)
        router.from[shuffle[layer - 1][a]][shuffle[layer][b]] =
            100 * (a / size == b / size ? (1 - noise) / size : 0) +
            100 * noise / paths;
  }
  return routers;
}

} // namespace

TEST(PlacementTest, CombinesHeavyPathsWithLightOnes) {
  RouterToPlace router;
  router.rows = {10, 40, 30, 20, 25, 35};
  Placement placement = placePaths(router, {2});
  PlacementCost cost = getCost(router, {2}, placement);
  EXPECT_DOUBLE_EQ(cost.balance, 1);
  EXPECT_DOUBLE_EQ(cost.moved, 80);
  EXPECT_EQ(cost.excess, 0);
  // In turn: 10 + 30 + 25 and 40 + 20 + 35.
  EXPECT_DOUBLE_EQ(getCost(router, {2}, placeInTurn(router, {2})).balance,
                   95.0 / 80);
}

TEST(PlacementTest, PutsPathsWhereTheirRowsAreAtHome) {
  RouterToPlace router;
  router.rows = {50, 50, 50, 50};
  router.from = {{0, 50, 0, 45}, {50, 0, 50, 5}};
  EXPECT_EQ(placePaths(router, {2}), (Placement{{1, 0, 1, 0}}));
  EXPECT_DOUBLE_EQ(getCost(router, {2}, {{1, 0, 1, 0}}).moved, 5);
}

TEST(PlacementTest, KeepsPathsThatFollowOneAnotherTogether) {
  RouterToPlace first, second;
  first.rows = second.rows = {10, 10, 10, 10};
  second.isFromPaths = true;
  second.from = {{0, 0, 10, 0}, {10, 0, 0, 0}, {0, 10, 0, 0}, {0, 0, 0, 10}};
  std::vector<RouterToPlace> routers = {first, second};
  Placement placement = placePaths(routers, {2});
  EXPECT_EQ(placement[0][0], placement[1][2]);
  EXPECT_EQ(placement[0][1], placement[1][0]);
  PlacementCost cost = getCost(routers, {2}, placement);
  EXPECT_DOUBLE_EQ(cost.balance, 1);
  EXPECT_DOUBLE_EQ(cost.moved, 20); // to the first router
}

TEST(PlacementTest, FitsMemory) {
  RouterToPlace router;
  router.rows = {90, 1, 1, 1};
  router.bytes = {1, 1, 1, 1};
  Placement placement = placePaths(router, {2, /*memory=*/2});
  EXPECT_EQ(getCost(router, {2, 2}, placement).excess, 0);
  EXPECT_EQ(llvm::count(placement[0], 0), 2);
  // Nothing fits: the result says by how much.
  EXPECT_EQ(getCost(router, {2, 1}, placePaths(router, {2, 1})).excess, 2);
}

TEST(PlacementTest, HasFewerPathsThanRanksAndNoRows) {
  RouterToPlace router;
  router.rows = {5, 7};
  Placement placement = placePaths(router, {4});
  EXPECT_NE(placement[0][0], placement[0][1]);
  router.rows = {0, 0};
  EXPECT_EQ(getCost(router, {4}, placePaths(router, {4})).time, 0);
  EXPECT_TRUE(placePaths({}, {4}).empty());
}

TEST(PlacementTest, IsWithinFivePercentOfTheBestOfAll) {
  std::mt19937 random(7);
  for (int trial = 0; trial != 60; ++trial) {
    int64_t ranks = 2 + trial % 2;
    std::vector<RouterToPlace> routers;
    size_t layers = 1 + trial % 3, paths = ranks == 2 ? 12 : 8;
    for (size_t layer = 0; layer != layers; ++layer) {
      routers.push_back(
          getRandomRouter(random, paths / layers, double(random() % 5)));
      if (random() % 3) {
        routers.back().isFromPaths = layer != 0;
        addSources(random, routers.back(), layer ? paths / layers : ranks);
      }
    }
    RanksToPlaceOn on = {ranks};
    if (trial % 4 == 0)
      on.memory = paths * 2.4 / double(ranks) + 1;
    double best = getBestTime(routers, on);
    PlacementCost cost = getCost(routers, on, placePaths(routers, on));
    EXPECT_LE(cost.time, 1.05 * best + 1e-6) << "trial " << trial;
    EXPECT_EQ(cost.excess, 0) << "trial " << trial;
  }
}

TEST(PlacementTest, FindsPlantedBlocks) {
  std::mt19937 random(3);
  for (auto [blocks, size] : {std::pair(2, 4), {4, 4}, {8, 4}})
    for (double noise : {0.0, 0.1, 0.3}) {
      std::vector<RouterToPlace> routers =
          plantBlocks(random, blocks, size, noise);
      RanksToPlaceOn ranks = {blocks};
      // Blocks on ranks of their own: even rows, of which noise alone moves.
      double rows = 100.0 * size, apart = 1 - 1.0 / blocks;
      double planted = 3 * rows + 3 * rows * apart * (1 + 2 * noise);
      Placement placement = placePaths(routers, ranks);
      PlacementCost cost = getCost(routers, ranks, placement);
      EXPECT_LE(cost.time, 1.05 * planted)
          << blocks << " blocks of " << size << ", noise " << noise;
      EXPECT_EQ(placement, placePaths(routers, ranks));
    }
}
