//===- DriftTest.cpp - The distance between two distributions -------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Profile/Drift.h"

#include "gtest/gtest.h"

using namespace dyn;

namespace {

ProfileWindow load(std::vector<uint64_t> rows) {
  ProfileWindow window;
  window.load = std::move(rows);
  return window;
}

PathTable table(std::vector<std::pair<PathTable::Paths, uint64_t>> counts) {
  PathTable table;
  for (auto [paths, count] : counts)
    table[paths] += count;
  return table;
}

/// The distance is symmetric; both directions are computed.
template <typename T> double distance(const T &lhs, const T &rhs) {
  double there = getTotalVariation(lhs, rhs);
  EXPECT_DOUBLE_EQ(there, getTotalVariation(rhs, lhs));
  return there;
}

} // namespace

TEST(DriftTest, OfLoads) {
  EXPECT_EQ(distance(load({1, 2, 3}), load({1, 2, 3})), 0);
  // Shares are compared, not numbers of rows.
  EXPECT_EQ(distance(load({1, 2, 3}), load({100, 200, 300})), 0);
  EXPECT_EQ(distance(load({5, 0}), load({0, 7})), 1);
  // A quarter of the rows would have to move.
  EXPECT_DOUBLE_EQ(distance(load({3, 1}), load({2, 2})), 0.25);
  EXPECT_DOUBLE_EQ(distance(load({1, 1, 1, 1}), load({4, 0, 0, 0})), 0.75);
}

/// Nothing is known of a load without rows, so that it is no drift.
TEST(DriftTest, OfNothing) {
  EXPECT_EQ(distance(load({0, 0}), load({1, 2})), 0);
  EXPECT_EQ(distance(load({0, 0}), load({0, 0})), 0);
  EXPECT_EQ(distance(load({}), load({})), 0);
  EXPECT_EQ(distance(table({}), table({{{0, 1}, 3}})), 0);
  EXPECT_EQ(distance(table({}), table({})), 0);
  EXPECT_EQ(distance(table({{{0, 1}, 0}}), table({{{0, 1}, 3}})), 0);
}

TEST(DriftTest, OfTables) {
  EXPECT_EQ(distance(table({{{0, 1}, 3}}), table({{{0, 1}, 9}})), 0);
  // The first path of a pair is not the second.
  EXPECT_EQ(distance(table({{{0, 1}, 3}}), table({{{1, 0}, 3}})), 1);
  EXPECT_DOUBLE_EQ(
      distance(table({{{0, 1}, 1}, {{2, 2}, 1}}), table({{{0, 1}, 5}})), 0.5);
  // Pairs that only one of them has, on both sides.
  EXPECT_DOUBLE_EQ(distance(table({{{0, 1}, 2}, {{1, 1}, 2}}),
                            table({{{0, 1}, 2}, {{3, 1}, 2}})),
                   0.5);
}

TEST(DriftTest, Chance) {
  // With one path nothing can differ.
  EXPECT_EQ(getChance({1.0}, 10), 0);
  EXPECT_EQ(getChance({1.0, 0.0, 0.0}, 10), 0);
  EXPECT_EQ(getChance({}, 10), 0);
  // Twice sqrt(1/4 / (2 pi 100)).
  EXPECT_NEAR(getChance({0.5, 0.5}, 100), 0.0398942, 1e-6);
  // Four times as many rows halve it.
  EXPECT_NEAR(getChance({0.5, 0.5}, 100) / getChance({0.5, 0.5}, 400), 2,
              1e-12);
  // It is at most the largest distance, and defined without rows.
  std::vector<double> many(10000, 1e-4);
  EXPECT_EQ(getChance(many, 1), 1);
  EXPECT_EQ(getChance({0.5, 0.5}, 0), getChance({0.5, 0.5}, 1));
}
