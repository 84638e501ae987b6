//===- RouteTablesTest.cpp - Counts of one router's decisions -------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RouteTables.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <new>

using namespace dyn::rt;

/// Number of requests for memory of this thread that are served before one is
/// refused; negative for all.
static thread_local int64_t served = -1;
void *operator new(size_t bytes) {
  void *memory = served >= 0 && served-- == 0 ? nullptr : std::malloc(bytes);
  if (!memory)
    throw std::bad_alloc();
  return memory;
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }

namespace {
const uint64_t plenty = 1 << 20;

RouterIdentity identity(uint32_t paths, uint32_t afterPaths = 0) {
  return {"r", "", "", "", paths, afterPaths ? "before" : "", afterPaths};
}

/// Adds one call whose cells have `choices` paths each.
void add(RouteTables &tables, int64_t timeMs, std::vector<int32_t> paths,
         int64_t choices = 1, std::vector<int32_t> before = {},
         int64_t beforeChoices = 1) {
  auto view = [](const std::vector<int32_t> &paths, int64_t choices) {
    return CellPaths{paths.data(), int64_t(paths.size()) / choices, choices};
  };
  tables.add(timeMs, view(paths, choices), view(before, beforeChoices));
}

using Counts = std::vector<uint64_t>;
} // namespace

TEST(RouteTablesTest, CountsLoad) {
  RouteTables tables(identity(3), 1000, plenty);
  add(tables, 5, {0, 2, 2, -1});
  add(tables, 999, {2});
  ASSERT_EQ(tables.getWindows().size(), 1u);
  const RouteWindow &window = tables.getWindows()[0];
  EXPECT_EQ(window.calls, 2u);
  EXPECT_EQ(window.cells, 5u);
  EXPECT_EQ(window.dropped, 1u);
  EXPECT_EQ(window.hottest, 3u);
  EXPECT_EQ(window.load, (Counts{1, 0, 3}));
  EXPECT_TRUE(window.pairs.empty());
  EXPECT_TRUE(window.transitions.empty());
  EXPECT_EQ(tables.decisions(), 4u);
}

TEST(RouteTablesTest, CountsPairs) {
  RouteTables tables(identity(3), 1000, plenty);
  add(tables, 0, {0, 1, 0, 2, 1, -1, -1, -1, 0, 1}, 2);
  EXPECT_EQ(tables.getWindows()[0].pairs, (Counts{0, 2, 1, 0, 0, 0, 0, 0, 0}));
}

TEST(RouteTablesTest, CountsPairsFromTheFirstOnwards) {
  // Two of three windows fit once there are pairs.
  RouteTables tables(identity(4), 1000, 2 * 8 * (4 + 16));
  for (int64_t time : {0, 1000, 2000})
    add(tables, time, {3});
  EXPECT_EQ(tables.getWindows().size(), 3u);
  add(tables, 2000, {0, 2}, 2);
  ASSERT_EQ(tables.getWindows().size(), 2u);
  EXPECT_TRUE(tables.getWindows()[0].pairs == Counts(16));
  EXPECT_EQ(tables.getWindows()[0].load, (Counts{0, 0, 0, 2}));
  EXPECT_EQ(tables.getWindows()[1].pairs[2], 1u);
  EXPECT_EQ(tables.getWindows()[1].load, (Counts{1, 0, 1, 1}));
}

TEST(RouteTablesTest, CountsTransitions) {
  RouteTables tables(identity(2, 3), 1000, plenty);
  add(tables, 0, {0, 1, -1, 1}, 1, {2, 2, 1, -1});
  // Transitions need equal numbers of cells, or are not counted.
  add(tables, 0, {0}, 1, {2, 2});
  EXPECT_EQ(tables.getWindows()[0].transitions, (Counts{0, 0, 0, 0, 1, 1}));
  // Each path of the one with each path of the other.
  RouteTables many(identity(2, 2), 1000, plenty);
  add(many, 0, {0, 1}, 2, {0, 1}, 2);
  EXPECT_EQ(many.getWindows()[0].transitions, (Counts{1, 1, 1, 1}));
}

TEST(RouteTablesTest, WindowsAreAligned) {
  RouteTables tables(identity(2), 100, plenty);
  for (int64_t time : {250, 120, -1, 199, 205})
    add(tables, time, {0});
  ASSERT_EQ(tables.getWindows().size(), 3u);
  EXPECT_EQ(tables.getWindows()[0].at, -1);
  EXPECT_EQ(tables.getWindows()[1].at, 1);
  EXPECT_EQ(tables.getWindows()[1].calls, 2u);
  EXPECT_EQ(tables.getWindows()[2].at, 2);
}

// A long run in little memory: windows grow, every decision is counted.
TEST(RouteTablesTest, WindowsGrow) {
  const uint64_t tableBytes = 3 * 8 * (2 + 4 + 4);
  RouteTables tables(identity(2, 2), 10, tableBytes);
  for (int64_t i = 0; i < 1000; ++i)
    add(tables, i * 10, {0, 1}, 2, {1, -1}, 2);
  EXPECT_LE(tables.getWindows().size(), 3u);
  EXPECT_GT(tables.getWindows().size(), 1u);
  uint64_t length = tables.windowLength(), shortest = 10;
  EXPECT_EQ(length % shortest, 0u);
  EXPECT_EQ((length / shortest) & (length / shortest - 1), 0u);
  RouteWindow sum = tables.getWindows()[0];
  for (size_t i = 1; i < tables.getWindows().size(); ++i) {
    EXPECT_GT(tables.getWindows()[i].at, tables.getWindows()[i - 1].at);
    sum.add(tables.getWindows()[i]);
  }
  EXPECT_EQ(sum.calls, 1000u);
  EXPECT_EQ(sum.load, (Counts{1000, 1000}));
  EXPECT_EQ(sum.pairs, (Counts{0, 1000, 0, 0}));
  EXPECT_EQ(sum.transitions, (Counts{0, 0, 1000, 1000}));
}

TEST(RouteTablesTest, NoRoomForTables) {
  RouteTables tables(identity(1000, 1000), 10, 1 << 20);
  for (int64_t i = 0; i < 200; ++i)
    add(tables, i * 10, {0, 999}, 2, {5, 6}, 2);
  EXPECT_LE(tables.getWindows().size(), 64u);
  EXPECT_TRUE(tables.getWindows()[0].pairs.empty());
  EXPECT_TRUE(tables.getWindows()[0].transitions.empty());
  EXPECT_EQ(tables.decisions(), 400u);
}

TEST(RouteTablesTest, NoCells) {
  RouteTables tables(identity(2, 2), 10, plenty);
  add(tables, 0, {});
  EXPECT_EQ(tables.getWindows()[0].calls, 1u);
  EXPECT_EQ(tables.decisions(), 0u);
}

/// All windows have the same tables, also if memory for more runs out.
TEST(RouteTablesTest, NoMemory) {
  bool isRefused = true;
  for (int64_t refused = 0; isRefused; ++refused) {
    ASSERT_LT(refused, 100);
    RouteTables tables(identity(8), 1, 64 << 10);
    for (int window = 0; window < 4; ++window)
      add(tables, window, {0, 1});
    std::vector<int32_t> paths = {0, 1};
    isRefused = false;
    served = refused;
    try {
      tables.add(5, {paths.data(), 1, 2}, {});
    } catch (const std::bad_alloc &) {
      isRefused = true;
    }
    served = -1;
    for (int window = 0; window < 1000; ++window)
      add(tables, window, {0, 1});
    add(tables, 1000, {2, 3}, 2);
    for (const RouteWindow &window : tables.getWindows())
      EXPECT_EQ(window.pairs.size(), 64u);
    EXPECT_EQ(tables.decisions(), isRefused ? 2010u : 2012u);
  }
}
