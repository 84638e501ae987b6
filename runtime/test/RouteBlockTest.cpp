//===- RouteBlockTest.cpp - The routes that one call's probes record ------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RouteBlock.h"

#include "gtest/gtest.h"

using namespace dyn::rt;

namespace {
using Words = std::vector<int64_t>;
using Paths = std::vector<int32_t>;

/// Adds a record of three paths with two rows, one and none.
bool add(RouteBlock &block, const Words &seats, const Words &order = {},
         int64_t choices = 1, const Words &offsets = {0, 2, 3, 3}) {
  return block.add(7, uint32_t(offsets.size()) - 1, offsets.data(),
                   seats.data(), order.empty() ? nullptr : order.data(),
                   int64_t(seats.size()) / choices, choices);
}

Paths pathsOf(const RouteReader::Routes &routes) {
  const CellPaths &cells = routes.cells;
  return Paths(cells.paths, cells.paths + cells.cells * cells.choices);
}

/// The paths of a block's only record.
Paths read(const RouteBlock &block) {
  RouteReader reader;
  const std::vector<RouteReader::Routes> &routes = reader.read(block);
  EXPECT_EQ(routes.size(), 1u);
  EXPECT_EQ(routes[0].tables, 7u);
  return pathsOf(routes[0]);
}
} // namespace

TEST(RouteBlockTest, OneChoice) {
  RouteBlock block;
  ASSERT_TRUE(add(block, {2, 0, -1, 1}));
  EXPECT_EQ(read(block), (Paths{1, 0, -1, 0}));
}

TEST(RouteBlockTest, ManyChoices) {
  RouteBlock block;
  ASSERT_TRUE(add(block, {0, 2, 1, -1, -1, -1}, {}, 2));
  EXPECT_EQ(read(block), (Paths{0, 1, 0, -1, -1, -1}));
}

TEST(RouteBlockTest, SortedLines) {
  RouteBlock block;
  ASSERT_TRUE(add(block, {0, 1, 2, -1}, {3, 1, 0, 2}));
  EXPECT_EQ(read(block), (Paths{1, 0, -1, 0}));
}

TEST(RouteBlockTest, SortedLinesOfManyChoices) {
  RouteBlock block;
  ASSERT_TRUE(add(block, {0, 2, 1, -1}, {1, 0}, 2));
  EXPECT_EQ(read(block), (Paths{0, -1, 0, 1}));
}

TEST(RouteBlockTest, ManyRecordsAndNoCells) {
  RouteBlock block;
  ASSERT_TRUE(add(block, {0, 1, 2}));
  ASSERT_TRUE(add(block, {}, {}, 1, {0, 0}));
  ASSERT_TRUE(add(block, {2, 1, 0}, {0, 1, 2}));
  RouteReader reader;
  const std::vector<RouteReader::Routes> &routes = reader.read(block);
  ASSERT_EQ(routes.size(), 3u);
  EXPECT_EQ(pathsOf(routes[0]), (Paths{0, 0, 1}));
  EXPECT_EQ(pathsOf(routes[1]), Paths());
  EXPECT_EQ(pathsOf(routes[2]), (Paths{1, 0, 0}));
}

/// Seats that are out of range access no memory outside, and have no path.
TEST(RouteBlockTest, WhatIsOutOfRangeHasNoPath) {
  const int64_t vast = INT32_MAX, low = INT32_MIN;
  RouteReader reader;
  RouteBlock block;
  ASSERT_TRUE(add(block, {2, 1, 0})); // not to be kept by a reader
  ASSERT_EQ(reader.read(block).size(), 1u);

  block.clear();
  ASSERT_TRUE(add(block, {3, vast, low}));
  EXPECT_EQ(pathsOf(reader.read(block)[0]), (Paths{-1, -1, -1}));
  block.clear();
  ASSERT_TRUE(add(block, {0, 1, 2}, {0, vast, low}));
  EXPECT_EQ(pathsOf(reader.read(block)[0]), (Paths{0, -1, -1}));
  block.clear();
  ASSERT_TRUE(add(block, {0, 1, 2}, {}, 1, {low, 1, vast, low}));
  EXPECT_EQ(pathsOf(reader.read(block)[0]), (Paths{0, 1, 1}));
}

TEST(RouteBlockTest, TooManyRows) {
  RouteBlock block;
  int64_t offset = 0;
  EXPECT_FALSE(block.add(0, 0, &offset, nullptr, nullptr, int64_t(1) << 20,
                         int64_t(1) << 11));
  EXPECT_EQ(block.bytes(), 0u);
}
