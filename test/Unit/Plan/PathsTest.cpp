//===- PathsTest.cpp - The paths of a router on ranks ---------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Models.h"

#include "dyn/Plan/PlanProgram.h"
#include "dyn/Plan/StageCosts.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace dyn::plan;

/// An input and a router of paths with these rows, each of which moves 8 bytes
/// there and 4 back, and takes 1e9 operations.
static Model makeRouter(llvm::ArrayRef<double> rows) {
  Model model;
  double all = 0;
  Layer layer;
  layer.name = "router";
  layer.hasRows = layer.hasColumns = false;
  layer.operands = {{0}};
  layer.routes.emplace();
  layer.routes->bytesToPaths = 8;
  layer.routes->bytesToHome = 4;
  for (double own : rows) {
    all += own;
    layer.routes->paths.push_back({own, 1e9 * own, 100});
    layer.operations += 1e9 * own;
    layer.weightBytes += 100;
  }
  layer.value = {int64_t(all), 1, 4 * all};
  model.layers.push_back(makeInput(int64_t(all), 2));
  model.layers.push_back(layer);
  model.layers.back().isResult = true;
  return model;
}

static double sumBytes(llvm::ArrayRef<Message> messages) {
  double bytes = 0;
  for (const Message &message : messages)
    bytes += message.bytes;
  return bytes;
}

TEST(PathsTest, SharesAreThoseOfPaths) {
  Model model = makeRouter({6, 2, 4, 0});
  const Routes &routes = *model.layers[1].routes;
  auto shares = getPathShares(routes, makeMachine(3, 1e6, 0), 3, {2, 0, 0, 2});
  EXPECT_EQ(shares[0].rows, 6);
  EXPECT_EQ(shares[0].weightBytes, 200);
  EXPECT_EQ(shares[1].paths, 0);
  EXPECT_EQ(shares[2].paths, 2);
  // Of 6e9 operations at 1e11 in a second.
  EXPECT_NEAR(shares[2].seconds, 0.06, 1e-12);
}

/// Without a placement, the heaviest path bounds the busiest rank.
TEST(PathsTest, NoPlacementIsBetterThanTheBound) {
  Machine machine = makeMachine(3, 1e6, 0);
  Model hot = makeRouter({9, 1, 1, 1}), even = makeRouter({3, 3, 3, 3});
  auto bounded = getPathShares(*hot.layers[1].routes, machine, 3, {});
  EXPECT_EQ(bounded[0].rows, 9);
  EXPECT_NEAR(bounded[0].seconds, 0.09, 1e-12);
  EXPECT_EQ(bounded[1].rows, 1.5);
  auto mean = getPathShares(*even.layers[1].routes, machine, 2, {});
  EXPECT_EQ(mean[0].rows, 6);
  EXPECT_EQ(mean[1].rows, 6);
}

/// Of the rows of a path, those of its own rank stay.
TEST(PathsTest, MovesRowsThatChangeRank) {
  Model model = makeRouter({6, 2, 4});
  Routes &routes = *model.layers[1].routes;
  Mesh mesh = {{2, 2}, 4};
  auto shares = getPathShares(routes, makeMachine(4, 1e6, 0), 4, {2, 2, 0});
  auto getBytes = [&](RowsMove move) {
    auto messages = getPathMessages(routes, shares, mesh, move, 1);
    EXPECT_LE(messages.size(), 12u);
    for (const Message &message : messages)
      EXPECT_TRUE(message.from >= 4 && message.to >= 4);
    return sumBytes(messages);
  };
  EXPECT_EQ(getBytes(RowsMove::Counts), 3 * 3 * 8);
  EXPECT_EQ(getBytes(RowsMove::ToPaths), 12 * 8 * 0.75);
  EXPECT_EQ(getBytes(RowsMove::ToHome), 12 * 4 * 0.75);
  // All ranks have all cells, and get all results.
  routes.isDivided = false;
  EXPECT_EQ(getBytes(RowsMove::Counts), 0);
  EXPECT_EQ(getBytes(RowsMove::ToPaths), 0);
  EXPECT_EQ(getBytes(RowsMove::ToHome), 12 * 4 * 3);
}

/// Of a part of the rows, a path has each with the same chance, and its weights
/// are read if it has any.
TEST(PathsTest, ReadsWeightsOfPathsThatGetRows) {
  Model model = makeRouter({64, 1, 0});
  const Routes &routes = *model.layers[1].routes;
  Machine machine = makeMachine(3, 1e6, 0);
  machine.flops = 1e30;
  machine.bytesPerSecond = 1;
  auto shares = getPathShares(routes, machine, 1, {0, 0, 0});
  EXPECT_NEAR(shares[0].seconds, 100 + 100 * (1 - std::exp(-1)), 1e-9);
  EXPECT_EQ(shares[0].weightBytes, 300);
  shares = getPathShares(routes, machine, 3, {0, 1, 2}, 0.5);
  EXPECT_NEAR(shares[1].seconds, 100 * (1 - std::exp(-0.5)), 1e-9);
  EXPECT_NEAR(shares[2].seconds, 0, 1e-9);
  // One path computes, and another one waits for its weights.
  machine.flops = 64e9 / 300;
  shares = getPathShares(routes, machine, 1, {0, 0, 0});
  EXPECT_NEAR(shares[0].seconds, 300 + 100 * (1 - std::exp(-1)), 1e-9);
}

/// Kernels that do not ask which rows a path has compute all that there can be:
/// on each rank with paths, or those of its paths if it knows their number.
TEST(PathsTest, RanksComputeAllRows) {
  Model model = makeRouter({6, 2});
  Routes &routes = *model.layers[1].routes;
  routes.bytesToPaths = routes.bytesToHome = 0;
  routes.rowBytes = 1e6;
  for (Path &path : routes.paths)
    path.operations = path.weightBytes = 0;
  Machine machine = makeMachine(2, 1e6, 1e-3);
  auto getBytes = [&](const PathShare &share) {
    StageCosts costs(model, machine, {{2}}, 1);
    return (costs.getComputeTime(model.layers[1], share) -
            model.layers[1].kernels * machine.kernelSeconds) *
           machine.bytesPerSecond;
  };
  auto shares = getPathShares(routes, machine, 3, {0, 1});
  EXPECT_NEAR(getBytes(shares[0]), 8e6, 1);
  EXPECT_NEAR(getBytes(shares[1]), 8e6, 1);
  StageCosts costs(model, machine, {{2}}, 1);
  EXPECT_EQ(costs.getComputeTime(model.layers[1], shares[2]), 0);
  routes.isDivided = false;
  EXPECT_NEAR(getBytes(shares[0]), 4e6, 1);
}

/// Paths are shared if links are fast, and all operands are read by rows.
TEST(PathsTest, ArePlanned) {
  Model model = makeRouter({64, 64, 64, 64});
  PlanOptions options;
  options.maxStages = options.microBatches = 1;
  auto fast = makePlan(model, makeMachine(4, 1e9, 1e-6), options);
  ASSERT_TRUE(bool(fast));
  EXPECT_TRUE(isByPaths(fast->splits[1]));
  EXPECT_EQ(fast->stages[0].mesh.getRanks(), 4);
  EXPECT_EQ(getValueSplits(model.layers[1], fast->splits[1]),
            Splits(2, Split::Rows));
  auto slow = makePlan(model, makeMachine(4, 100, 1), options);
  ASSERT_TRUE(bool(slow));
  EXPECT_FALSE(isByPaths(slow->splits[1]));
  // A rank has the paths that the user gives it.
  model.layers[1].routes->given = {3, 3, 3, 3};
  model.mesh = {4};
  auto given = makePlan(model, makeMachine(4, 100, 1), options);
  ASSERT_TRUE(bool(given));
  EXPECT_TRUE(isByPaths(given->splits[1]));
  EXPECT_EQ(given->stages[0].weightBytes, 400);
}

/// A simulation takes the exchanges and the busiest rank, one after another.
TEST(PathsTest, SimulatedTimeIsTheSum) {
  Model model = makeRouter({64, 64, 64, 64});
  Machine machine = makeMachine(2, 1e6, 1e-3);
  Plan plan;
  plan.stages = {{0, 2, Mesh{{2}}}};
  plan.splits = {{Split::None}, {Split::Paths}};
  plan.placement = {{}, {0, 1, 1, 1}};
  auto simulation = simulate(makeProgram(model, machine, plan), machine);
  ASSERT_TRUE(bool(simulation));
  StageCosts costs(model, machine, plan.stages[0].mesh, 1);
  auto shares = costs.getPathShares(model.layers[1], plan.placement[1]);
  double seconds = costs.getComputeTime(model.layers[1], shares[1]);
  for (RowsMove move : {RowsMove::Counts, RowsMove::ToPaths, RowsMove::ToHome})
    seconds +=
        machine.getTime(costs.getPathMessages(model.layers[1], shares, move));
  // The result is gathered.
  seconds += costs.getExchangeTime(model.layers[1], Splits{Split::Rows},
                                   Splits{Split::None});
  EXPECT_NEAR(simulation->seconds, seconds, 1e-9);
  EXPECT_EQ(simulation->messages, 8u);
}
