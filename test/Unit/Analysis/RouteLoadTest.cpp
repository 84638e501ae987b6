//===- RouteLoadTest.cpp - The expected distribution of rows over paths ---===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DHLO/Analysis/RouteLoad.h"

#include "mlir/IR/BuiltinOps.h"
#include "gmock/gmock.h"

using namespace mlir;
using namespace dyn;
using testing::ElementsAre;

namespace {
struct RouteLoadTest : testing::Test {
  RouteLoadTest() { context.loadDialect<dhlo::DHLODialect>(); }
  RouteLoad get(dhlo::LoadAttr attr, int64_t paths) {
    op = ModuleOp::create(UnknownLoc::get(&context));
    if (attr)
      (*op)->setAttr(dhlo::DHLODialect::kLoadAttr, attr);
    return RouteLoad::of(*op, paths);
  }
  MLIRContext context;
  OwningOpRef<ModuleOp> op;
};
} // namespace

TEST_F(RouteLoadTest, EqualPathsWithoutProfile) {
  RouteLoad load = get({}, 4);
  EXPECT_FALSE(load.isProfiled());
  EXPECT_EQ(load.getShare(3), 0.25);
  EXPECT_EQ(load.getExpectedRows(3, 100), 25);
  EXPECT_EQ(load.getTypicalRows(), std::nullopt);
  EXPECT_THAT(load.getPathsByLoad(), ElementsAre(0, 1, 2, 3));
}

TEST_F(RouteLoadTest, Profiled) {
  RouteLoad load = get(makeLoad(&context, {100, 300, 0, 300}, 10), 4);
  EXPECT_TRUE(load.isProfiled());
  EXPECT_EQ(load.getTypicalRows(), 70);
  EXPECT_THAT(load.getPathsByLoad(), ElementsAre(1, 3, 0, 2));
  double sum = 0;
  for (int64_t path = 0; path != 4; ++path)
    sum += load.getShare(path);
  EXPECT_EQ(sum, 1.0);
  EXPECT_NEAR(load.getExpectedRows(1, 700), 300, 1);
}

TEST_F(RouteLoadTest, OfAnotherNumberOfPaths) {
  EXPECT_FALSE(get(makeLoad(&context, {1, 2}, 1), 3).isProfiled());
}

TEST_F(RouteLoadTest, SumOfShares) {
  for (unsigned paths : {1u, 3u, 7u, 1000u, 1025u, 5000u}) {
    std::vector<uint64_t> rows(paths, 1);
    dhlo::LoadAttr attr = makeLoad(&context, rows, 1);
    EXPECT_EQ(attr.getShares().size(), paths);
    EXPECT_EQ(attr.getRows(), paths);
  }
  EXPECT_EQ(makeLoad(&context, {0, 0}, 4), nullptr);
  EXPECT_EQ(makeLoad(&context, {1, 0}, 0), nullptr);
  EXPECT_NE(makeLoad(&context, {UINT64_MAX, UINT64_MAX}, 1), nullptr);
}
