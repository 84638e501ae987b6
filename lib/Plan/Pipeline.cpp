//===- Pipeline.cpp - Stages of a pipeline and their ranks ----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Plan/Pipeline.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <vector>

using namespace dyn::plan;
using namespace llvm;

/// The ratio of two bounds of the longest stage.
static constexpr double kStep = 1.03;

double dyn::plan::getPipelineTime(const PipelineCosts &costs,
                                  ArrayRef<PipelineStage> stages,
                                  int64_t microBatches) {
  double sum = 0, longest = 0;
  int64_t rank = 0;
  auto add = [&](double seconds) {
    sum += seconds;
    longest = std::max(longest, seconds);
  };
  for (const PipelineStage &stage : stages) {
    if (stage.begin)
      add(costs.transfer(stage.begin, rank));
    add(costs.stage(stage.begin, stage.end, stage.ranks));
    rank += stage.ranks;
  }
  return sum + (microBatches - 1) * longest;
}

namespace {
/// The tables of the dynamic programme.
class Programme {
public:
  Programme(const PipelineCosts &costs, size_t maxStages);

  /// The stages with the least sum of which none takes longer than `bound`.
  /// With an infinite bound and `isLongest`, those whose longest is least.
  SmallVector<PipelineStage> solve(double bound, bool isLongest);
  double getStage(size_t begin, size_t end, int64_t ranks) const {
    return stages[(begin * (parts + 1) + end) * (ranks_ + 1) + ranks];
  }

private:
  /// The best way to compute the parts before one on so many ranks.
  struct State {
    double cost = kInfinity;
    size_t begin = 0;
    int64_t ranks = 0;
  };

  State &at(size_t count, size_t part, int64_t ranks) {
    return states[(count * (parts + 1) + part) * (ranks_ + 1) + ranks];
  }

  size_t parts, maxStages;
  int64_t ranks_;
  std::vector<double> stages, transfers;
  std::vector<State> states;
};
} // namespace

Programme::Programme(const PipelineCosts &costs, size_t maxStages)
    : parts(costs.parts),
      maxStages(std::min({maxStages, parts, size_t(costs.ranks)})),
      ranks_(costs.ranks),
      stages((parts + 1) * (parts + 1) * (ranks_ + 1), kInfinity),
      transfers((parts + 1) * (ranks_ + 1), kInfinity) {
  for (size_t begin = 0; begin < parts; ++begin)
    for (int64_t ranks = 1; ranks <= ranks_; ++ranks) {
      for (size_t end = begin + 1; end <= parts; ++end)
        stages[(begin * (parts + 1) + end) * (ranks_ + 1) + ranks] =
            costs.stage(begin, end, ranks);
      if (begin && ranks < ranks_)
        transfers[begin * (ranks_ + 1) + ranks] = costs.transfer(begin, ranks);
    }
}

SmallVector<PipelineStage> Programme::solve(double bound, bool isLongest) {
  states.assign((maxStages + 1) * (parts + 1) * (ranks_ + 1), State());
  at(0, 0, 0).cost = 0;
  for (size_t count = 0; count < maxStages; ++count)
    for (size_t begin = 0; begin < parts; ++begin)
      for (int64_t used = 0; used < ranks_; ++used) {
        double before = at(count, begin, used).cost;
        double transfer = begin ? transfers[begin * (ranks_ + 1) + used] : 0;
        if (before == kInfinity || transfer > bound)
          continue;
        for (size_t end = begin + 1; end <= parts; ++end)
          for (int64_t ranks = 1; used + ranks <= ranks_; ++ranks) {
            double stage = getStage(begin, end, ranks);
            if (stage > bound || stage == kInfinity)
              continue;
            double cost = isLongest ? std::max({before, transfer, stage})
                                    : before + transfer + stage;
            State &state = at(count + 1, end, used + ranks);
            if (cost < state.cost)
              state = {cost, begin, ranks};
          }
      }
  size_t count = 0;
  int64_t used = 0;
  double best = kInfinity;
  for (size_t i = 1; i <= maxStages; ++i)
    for (int64_t ranks = 1; ranks <= ranks_; ++ranks)
      if (at(i, parts, ranks).cost < best) {
        best = at(i, parts, ranks).cost;
        count = i;
        used = ranks;
      }
  SmallVector<PipelineStage> found;
  for (size_t end = parts; count; --count) {
    const State &state = at(count, end, used);
    found.push_back({state.begin, end, state.ranks});
    end = state.begin;
    used -= state.ranks;
  }
  std::reverse(found.begin(), found.end());
  return found;
}

SmallVector<PipelineStage> dyn::plan::planPipeline(const PipelineCosts &costs,
                                                   int64_t microBatches,
                                                   size_t maxStages) {
  Programme programme(costs, maxStages);
  SmallVector<PipelineStage> best;
  double bestTime = kInfinity;
  auto consider = [&](SmallVector<PipelineStage> stages) {
    double time = stages.empty() ? kInfinity
                                 : getPipelineTime(costs, stages, microBatches);
    if (time >= bestTime)
      return;
    bestTime = time;
    best = std::move(stages);
  };
  consider(programme.solve(kInfinity, /*isLongest=*/false));
  if (microBatches == 1 || best.empty())
    return best;
  // The longest stage of the best plan is between the least possible one and
  // that of the least sum.
  SmallVector<PipelineStage> fastest = programme.solve(kInfinity, true);
  auto getLongest = [&](ArrayRef<PipelineStage> stages) {
    return (getPipelineTime(costs, stages, 2) -
            getPipelineTime(costs, stages, 1));
  };
  double most = getLongest(best);
  for (double bound = getLongest(fastest); bound < most; bound *= kStep)
    consider(programme.solve(bound * (1 + 1e-9), /*isLongest=*/false));
  return best;
}
