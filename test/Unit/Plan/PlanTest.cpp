//===- PlanTest.cpp - Plans against all that there are --------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Models.h"

#include "dyn/Plan/Pipeline.h"
#include "dyn/Plan/Plan.h"
#include "dyn/Plan/Strategies.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <chrono>

using namespace dyn::plan;
using testing::HasSubstr;

/// The least time of all strategies.
static double tryAll(StageCosts &costs, int64_t segments,
                     std::vector<Splits> splits = {}) {
  const Model &model = costs.getModel();
  if (splits.size() == model.layers.size())
    return costs.getTime(0, splits.size(), splits);
  double best = kInfinity;
  for (const Splits &each :
       costs.getStrategies(model.layers[splits.size()], segments)) {
    auto longer = splits;
    longer.push_back(each);
    best = std::min(best, tryAll(costs, segments, longer));
  }
  return best;
}

static Plan plan(const Model &model, const Machine &machine,
                 const PlanOptions &options = {}) {
  llvm::Expected<Plan> found = makePlan(model, machine, options);
  EXPECT_TRUE(bool(found));
  return std::move(*found);
}

static std::string messageOf(const Model &model, const Machine &machine,
                             const PlanOptions &options = {}) {
  llvm::Expected<Plan> found = makePlan(model, machine, options);
  return found ? "" : llvm::toString(found.takeError());
}

TEST(StrategiesTest, AreTheBest) {
  for (int64_t rows : {1, 7, 512})
    for (double bytesPerSecond : {1e8, 1e10, 1e12})
      for (int64_t segments : {0, 8})
        for (Mesh mesh : {Mesh{{4}}, Mesh{{2, 2}}}) {
          Model model = makeMlp(mesh.sizes.size() == 1 ? 2 : 1, rows, 64);
          Machine machine = makeMachine(4, bytesPerSecond, 1e-6);
          StageCosts costs(model, machine, mesh, 1);
          StrategyTable table(costs, segments, 0);
          Strategies strategies(table, 0);
          size_t end = model.layers.size();
          double best = tryAll(costs, segments);
          EXPECT_NEAR(strategies.getTime(end), best, 1e-9 * best);
          std::vector<Splits> splits(end);
          strategies.getSplits(end, splits);
          EXPECT_NEAR(costs.getTime(0, end, splits), best, 1e-9 * best);
        }
}

/// With many rows they are divided, with few the columns of weights.
TEST(PlanTest, DividesWhatIsLarge) {
  Machine machine = makeMachine(4, 1e10, 1e-6);
  PlanOptions options;
  options.maxStages = 1;
  Plan rows = plan(makeMlp(4, 4096, 256), machine, options);
  EXPECT_EQ(rows.stages[0].mesh.count(rows.splits[1], Split::Rows), 4);
  Plan columns = plan(makeMlp(4, 1, 4096), machine, options);
  EXPECT_EQ(columns.stages[0].mesh.count(columns.splits[1], Split::Columns), 4);
  // Of a small model, nothing is divided.
  Plan none = plan(makeMlp(1, 1, 4), machine, options);
  EXPECT_EQ(none.stages[0].mesh.getRanks(), 1);
}

/// Sums are divided if they may be: Megatron's pairs of matmuls.
TEST(PlanTest, DividesSumsOnlyIfAsked) {
  Machine machine = makeMachine(4, 1e10, 1e-6);
  PlanOptions options;
  options.maxStages = 1;
  Model model = makeMlp(4, 16, 1024);
  Plan exact = plan(model, machine, options);
  options.segments = 8;
  Plan reduced = plan(model, machine, options);
  auto countSums = [](const Plan &plan) {
    return llvm::count_if(plan.splits, [](const Splits &splits) {
      return llvm::is_contained(splits, Split::Sum);
    });
  };
  EXPECT_EQ(countSums(exact), 0);
  EXPECT_EQ(countSums(reduced), 4);
  EXPECT_LT(reduced.seconds, exact.seconds);
}

/// Slow links leave stages, and each has four micro-batches at least.
TEST(PlanTest, MakesStages) {
  Machine machine = makeMachine(4, 1e9, 1e-5);
  Model model = makeMlp(8, 1024, 1024);
  for (Layer &layer : model.layers)
    layer.hasColumns = false;
  Plan found = plan(model, machine);
  ASSERT_GT(found.stages.size() * found.stages[0].mesh.getRanks(), 1u);
  if (found.stages.size() > 1) {
    EXPECT_GE(found.microBatches, int64_t(4 * found.stages.size()));
  }
  int64_t rank = 0;
  for (const Stage &stage : found.stages) {
    EXPECT_EQ(stage.mesh.first, rank);
    rank += stage.mesh.getRanks();
  }
  EXPECT_LE(rank, 4);
}

/// A model that fits no rank is divided, however slow links are.
TEST(PlanTest, KeepsToTheMemory) {
  Machine machine = makeMachine(4, 1e6, 1e-3);
  Model model = makeMlp(4, 8, 256);
  double weights = 0;
  for (const Layer &layer : model.layers)
    weights += layer.weightBytes;
  machine.memoryBytes = 0.4 * weights;
  Plan found = plan(model, machine);
  double sum = 0;
  for (const Stage &stage : found.stages) {
    EXPECT_LE(stage.weightBytes + stage.valueBytes, machine.memoryBytes);
    sum += stage.weightBytes * stage.mesh.getRanks();
  }
  EXPECT_GE(sum, weights * 0.99);
  machine.memoryBytes = 0.1 * weights;
  EXPECT_THAT(messageOf(model, machine),
              HasSubstr("plan: the model does not fit the memory of 4 ranks"));
}

/// Stages have no time ahead of one rank in one micro-batch, and divisions need
/// more messages than stages, but no rank has the memory for all weights.
TEST(PlanTest, MakesStagesForTheMemory) {
  Machine machine = makeMachine(2, 1e9, 1e-1);
  Model model = makeMlp(4, 8, 256);
  double weights = 0;
  for (const Layer &layer : model.layers)
    weights += layer.weightBytes;
  PlanOptions options;
  options.microBatches = 1;
  llvm::Expected<Plan> whole = makePlan(model, machine, options);
  ASSERT_TRUE(bool(whole));
  EXPECT_EQ(whole->stages.size(), 1u);
  machine.memoryBytes = 0.8 * weights;
  llvm::Expected<Plan> found = makePlan(model, machine, options);
  ASSERT_TRUE(bool(found));
  ASSERT_EQ(found->stages.size(), 2u);
  for (const Stage &stage : found->stages)
    EXPECT_EQ(stage.mesh.getRanks(), 1);
}

/// Memory divides a table by its columns; time alone does not, as a call reads
/// few of its rows.
TEST(PlanTest, HoldsColumnsOfTables) {
  Model model = makeMlp(1, 64, 64);
  Layer &layer = model.layers[1];
  layer.hasSum = false;
  layer.terms = 0;
  layer.operations = 0;
  layer.weightBytes = layer.tableBytes = 1e9;
  Machine machine = makeMachine(2, 1e6, 1e-6);
  StageCosts costs(model, machine, Mesh{{2}}, 1);
  EXPECT_NEAR(costs.getComputeTime(layer, {Split::None}),
              1e-6 + (2 * layer.value.bytes + model.layers[0].value.bytes) /
                         machine.bytesPerSecond,
              1e-12);
  EXPECT_EQ(getWeightBytes(layer, Mesh{{2}}, {Split::Columns}), 5e8);
  layer.wholeBytes = 2e8;
  EXPECT_EQ(getWeightBytes(layer, Mesh{{2}}, {Split::Columns}), 6e8);
  EXPECT_EQ(plan(model, machine).stages[0].mesh.getRanks(), 1);
  machine.memoryBytes = 7e8;
  Plan found = plan(model, machine);
  EXPECT_EQ(found.stages[0].mesh.count(found.splits[1], Split::Columns), 2);
}

/// Stages begin where all values can change the stage.
TEST(PlanTest, BeginsStagesWhereItCan) {
  Model model = makeMlp(4, 64, 64);
  double weights = 0;
  for (const Layer &layer : model.layers)
    weights += layer.weightBytes;
  Machine machine = makeMachine(4, 1e6, 1e-6);
  machine.memoryBytes = 0.6 * weights;
  PlanOptions options;
  options.maxStages = 4;
  EXPECT_GT(plan(model, machine, options).stages.size(), 1u);
  for (size_t i = 3; i <= 9; ++i)
    model.layers[i].canBegin = false;
  for (const Stage &stage : plan(model, machine, options).stages)
    EXPECT_TRUE(stage.begin <= 2 || stage.begin > 9) << stage.begin;
  for (Layer &layer : model.layers)
    layer.canBegin = false;
  EXPECT_EQ(plan(model, machine, options).stages.size(), 1u);
}

TEST(PlanTest, KeepsWhatIsGiven) {
  Machine machine = makeMachine(4, 1e10, 1e-6);
  Model model = makeMlp(2, 4096, 256);
  model.mesh = {2, 2};
  model.layers[1].given = {Split::None, Split::Columns};
  Plan found = plan(model, machine);
  ASSERT_EQ(found.stages.size(), 1u);
  EXPECT_EQ(found.splits[1], (Splits{Split::None, Split::Columns}));
  model.mesh = {2, 4};
  EXPECT_THAT(messageOf(model, machine),
              HasSubstr("plan: expected a mesh of at most 4 ranks, found 8"));
  model.mesh = {1, 1, 1, 1};
  EXPECT_THAT(messageOf(model, machine),
              HasSubstr("plan: expected a mesh of at most 3 axes, found 4"));
}

TEST(PlanTest, ChecksMicroBatches) {
  PlanOptions options;
  options.microBatches = 9;
  EXPECT_THAT(messageOf(makeMlp(1, 8, 4), makeMachine(2, 1e9, 0), options),
              HasSubstr("plan: expected at most 8 micro-batches, found 9"));
}

/// 24 layers of a transformer and 16 ranks.
TEST(PlanTest, IsFast) {
  Machine machine = makeMachine(16, 1e10, 2e-6);
  machine.links.push_back({8, 1e9, 2e-5});
  Model model;
  int64_t rows = 64, width = 1024;
  model.layers.push_back(makeInput(rows, width));
  for (int i = 0; i < 24; ++i) {
    size_t x = model.layers.size() - 1;
    model.layers.push_back(makeNorm({x}, rows, width));
    for (int j = 0; j < 3; ++j)
      model.layers.push_back(makeMatmul(x + 1, rows, width, width));
    Layer attention = makeNorm({x + 2, x + 3, x + 4}, rows, width);
    attention.hasColumns = true;
    attention.operations = 1e7;
    model.layers.push_back(attention);
    model.layers.push_back(makeMatmul(x + 5, rows, width, width));
    Layer add = makeNorm({x, x + 6}, rows, width);
    add.hasColumns = true;
    model.layers.push_back(add);
    model.layers.push_back(makeNorm({x + 7}, rows, width));
    model.layers.push_back(makeMatmul(x + 8, rows, width, 4 * width));
    model.layers.push_back(makeMatmul(x + 9, rows, 4 * width, width));
    add.operands = {{x + 7}, {x + 10}};
    model.layers.push_back(add);
  }
  model.layers.back().isResult = true;
  auto begin = std::chrono::steady_clock::now();
  Plan found = plan(model, machine);
  std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  RecordProperty("seconds", std::to_string(time.count()));
  // A loose bound: tests run on busy machines and without optimisation.
  EXPECT_LT(time.count(), 60);
  EXPECT_FALSE(found.stages.empty());
}

/// Rows come as they are in memory, columns are put into rows.
TEST(PlanTest, CopiesColumnsOfOtherRanks) {
  Model model = makeMlp(1, 512, 64);
  Machine machine = makeMachine(4, 1e9, 1e-5);
  StageCosts costs(model, machine, {{4}}, 1);
  const Layer &layer = model.layers[1];
  auto getTime = [&](Split from, Split to) {
    return costs.getArrangeTime(layer, Splits{from}, Splits{to});
  };
  EXPECT_EQ(getTime(Split::Rows, Split::None), 0);
  EXPECT_EQ(getTime(Split::None, Split::Columns), 0);
  double copied = 2 * layer.value.bytes / machine.bytesPerSecond;
  EXPECT_NEAR(getTime(Split::Columns, Split::None),
              machine.kernelSeconds + copied, 1e-12);
  EXPECT_NEAR(getTime(Split::Columns, Split::Rows),
              machine.kernelSeconds + copied / 4, 1e-12);
}
