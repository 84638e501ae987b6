//===- PipelineTest.cpp - Stages against all that there are ---------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Plan/Pipeline.h"

#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

#include <numeric>
#include <random>

using namespace dyn::plan;

namespace {
/// Parts with a time that ranks share, beside one that they do not.
struct Parts {
  std::vector<double> shared, own, transfers;
  int64_t ranks;

  double stage(size_t begin, size_t end, int64_t count) const {
    double sum = 0;
    for (size_t i = begin; i < end; ++i)
      sum += shared[i] / count + own[i];
    return sum;
  }
};

Parts makeParts(unsigned seed, size_t parts, int64_t ranks) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  Parts made;
  made.ranks = ranks;
  for (size_t i = 0; i < parts; ++i) {
    made.shared.push_back(uniform(random));
    made.own.push_back(0.1 * uniform(random));
    made.transfers.push_back(0.3 * uniform(random));
  }
  return made;
}

/// The least time of all pipelines.
double tryAll(const PipelineCosts &costs, int64_t microBatches,
              size_t maxStages, llvm::SmallVector<PipelineStage> stages = {}) {
  size_t begin = stages.empty() ? 0 : stages.back().end;
  if (begin == costs.parts)
    return getPipelineTime(costs, stages, microBatches);
  int64_t used = 0;
  for (const PipelineStage &stage : stages)
    used += stage.ranks;
  double best = kInfinity;
  for (size_t end = begin + 1; end <= costs.parts; ++end)
    for (int64_t ranks = 1; used + ranks <= costs.ranks; ++ranks) {
      if (stages.size() == maxStages)
        continue;
      auto longer = stages;
      longer.push_back({begin, end, ranks});
      best = std::min(best, tryAll(costs, microBatches, maxStages, longer));
    }
  return best;
}
} // namespace

TEST(PipelineTest, IsWithinFivePercentOfTheBest) {
  for (unsigned seed = 0; seed < 30; ++seed)
    for (int64_t microBatches : {1, 4, 16, 1000})
      for (size_t maxStages : {2, 8}) {
        Parts parts = makeParts(seed, 3 + seed % 4, 1 + seed % 5);
        auto stage = [&](size_t begin, size_t end, int64_t ranks) {
          return parts.stage(begin, end, ranks);
        };
        auto transfer = [&](size_t part, int64_t) {
          return parts.transfers[part];
        };
        PipelineCosts costs = {parts.shared.size(), parts.ranks, stage,
                               transfer};
        auto stages = planPipeline(costs, microBatches, maxStages);
        ASSERT_FALSE(stages.empty());
        EXPECT_LE(stages.size(), maxStages);
        EXPECT_EQ(stages.front().begin, 0u);
        EXPECT_EQ(stages.back().end, costs.parts);
        double best = tryAll(costs, microBatches, maxStages);
        EXPECT_LE(getPipelineTime(costs, stages, microBatches), 1.05 * best)
            << seed << ' ' << microBatches;
      }
}

/// Two equal halves on two ranks, and filling takes one of them.
TEST(PipelineTest, DividesEqualParts) {
  auto stage = [](size_t begin, size_t end, int64_t) {
    return double(end - begin);
  };
  auto transfer = [](size_t, int64_t) { return 0.0; };
  PipelineCosts costs = {4, 2, stage, transfer};
  auto stages = planPipeline(costs, 8, 2);
  ASSERT_EQ(stages.size(), 2u);
  EXPECT_EQ(stages[0].end, 2u);
  EXPECT_EQ(getPipelineTime(costs, stages, 8), 2 * (8 + 1));
}

TEST(PipelineTest, FindsNoneWhereNoneFits) {
  auto stage = [](size_t, size_t, int64_t) { return kInfinity; };
  auto transfer = [](size_t, int64_t) { return 0.0; };
  EXPECT_TRUE(planPipeline({3, 2, stage, transfer}, 4, 2).empty());
}
