//===- SimulatorTest.cpp - Simulations against closed forms ---------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Models.h"

#include "dyn/Plan/PlanProgram.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace dyn::plan;
using Kind = Task::Kind;

static Machine makeLinks(int64_t ranks, llvm::ArrayRef<LinkLevel> links) {
  Machine machine;
  machine.ranks = ranks;
  machine.links.assign(links.begin(), links.end());
  return machine;
}

static Simulation run(const Program &program, const Machine &machine) {
  llvm::Expected<Simulation> result = simulate(program, machine);
  EXPECT_TRUE(bool(result));
  return std::move(*result);
}

/// All ranks start an exchange of `bytes` to each other at once.
static Program makeAllToAll(int64_t ranks, double bytes) {
  Program program;
  program.exchanges.resize(1);
  for (int64_t rank = 0; rank < ranks; ++rank) {
    program.tasks.push_back({{Kind::Start}, {Kind::Wait}});
    for (int64_t i = 1; i < ranks; ++i)
      program.exchanges[0].push_back({rank, (rank + i) % ranks, bytes});
  }
  return program;
}

/// Each rank sends n - 1 messages through its link.
TEST(SimulatorTest, AllToAllTakesTheTimeOfALink) {
  for (int64_t ranks : {2, 3, 8, 64, 1024}) {
    Machine machine = makeLinks(ranks, {{1, 100, 0.5}});
    Simulation result = run(makeAllToAll(ranks, 10), machine);
    EXPECT_NEAR(result.seconds, 0.1 * (ranks - 1) + 0.5, 1e-9 * ranks);
    EXPECT_EQ(result.messages, uint64_t(ranks * (ranks - 1)));
    EXPECT_NEAR(result.bytes[0], 10.0 * ranks * (ranks - 1), 1e-3);
  }
}

/// Of g ranks of a group, each sends to n - g others through one link.
TEST(SimulatorTest, AllToAllSharesALink) {
  for (int64_t ranks : {8, 16, 256}) {
    Machine machine = makeLinks(ranks, {{1, 100, 0.1}, {4, 50, 0.5}});
    Simulation result = run(makeAllToAll(ranks, 10), machine);
    EXPECT_NEAR(result.seconds, 4 * 10.0 * (ranks - 4) / 50 + 0.5, 1e-6);
  }
}

/// K stages and M micro-batches take K + M - 1 steps.
TEST(SimulatorTest, PipelinesFillAndDrain) {
  for (int64_t stages : {2, 4, 16})
    for (int64_t microBatches : {1, 8, 64}) {
      Program program;
      program.tasks.resize(stages);
      for (int64_t stage = 0; stage < stages; ++stage)
        for (int64_t i = 0; i < microBatches; ++i) {
          auto &tasks = program.tasks[stage];
          auto number = [&](int64_t from) {
            return size_t(from * microBatches + i);
          };
          if (stage) {
            tasks.push_back({Kind::Start, 0, number(stage - 1)});
            tasks.push_back({Kind::Wait, 0, number(stage - 1)});
          }
          tasks.push_back({Kind::Compute, 2});
          if (stage + 1 < stages) {
            tasks.push_back({Kind::Start, 0, number(stage)});
            program.exchanges.push_back({{stage, stage + 1, 0}});
          }
        }
      Machine machine = makeLinks(stages, {{1, 1, 0}});
      Simulation result = run(program, machine);
      EXPECT_NEAR(result.seconds, 2.0 * (stages + microBatches - 1), 1e-9);
      EXPECT_NEAR(result.busySeconds[0], 2.0 * microBatches, 1e-9);
    }
}

/// A message leaves when the later of both ranks has started; what is computed
/// meanwhile hides it.
TEST(SimulatorTest, WorkHidesAnExchange) {
  Program program;
  program.exchanges = {{{0, 1, 100}}};
  program.tasks = {
      {{Kind::Start}, {Kind::Compute, 3}, {Kind::Wait}},
      {{Kind::Compute, 1}, {Kind::Start}, {Kind::Compute, 2}, {Kind::Wait}}};
  Machine machine = makeLinks(2, {{1, 50, 0.25}});
  Simulation result = run(program, machine);
  EXPECT_DOUBLE_EQ(result.seconds, 1 + 2 + 0.25);
  ASSERT_EQ(result.spans.size(), 5u);
  EXPECT_TRUE(result.spans.back().isWait);
}

TEST(SimulatorTest, NamesWhoWaitsForEver) {
  Program program;
  program.exchanges = {{{0, 1, 1}}};
  program.tasks = {{{Kind::Start}, {Kind::Wait}}, {}};
  llvm::Expected<Simulation> result =
      simulate(program, makeLinks(2, {{1, 1, 0}}));
  ASSERT_FALSE(bool(result));
  EXPECT_EQ(llvm::toString(result.takeError()),
            "simulation: rank 0 waits for ever for exchange 0");
}

/// A plan takes as long as the search says where nothing overlaps, and a
/// pipeline about as long.
TEST(SimulatorTest, RunsPlans) {
  for (int64_t ranks : {1, 2, 4, 6})
    for (size_t maxStages : {1, 4}) {
      Model model = makeMlp(6, 512, 256);
      Machine machine = makeMachine(ranks, 5e9, 1e-5);
      PlanOptions options;
      options.maxStages = maxStages;
      llvm::Expected<Plan> plan = makePlan(model, machine, options);
      ASSERT_TRUE(bool(plan));
      Simulation result = run(makeProgram(model, machine, *plan), machine);
      double tolerance = plan->stages.size() == 1 ? 0.01 : 0.15;
      EXPECT_NEAR(result.seconds, plan->seconds, tolerance * plan->seconds)
          << ranks << ' ' << maxStages;
    }
}

/// All ranks have the results at the end, also those of other stages.
TEST(SimulatorTest, BringsResultsToOtherStages) {
  Model model = makeMlp(4, 8, 256);
  Machine machine = makeMachine(3, 1e9, 1e-1);
  for (const Layer &layer : model.layers)
    machine.memoryBytes += layer.weightBytes;
  machine.memoryBytes = 0.5 * (machine.memoryBytes - 1e12);
  PlanOptions options;
  options.microBatches = 1;
  llvm::Expected<Plan> plan = makePlan(model, machine, options);
  ASSERT_TRUE(bool(plan));
  ASSERT_EQ(plan->stages.size(), 3u);
  double with = run(makeProgram(model, machine, *plan), machine).seconds;
  size_t last = model.layers.size() - 1;
  double bytes = model.layers[last].value.bytes;
  for (auto [i, message] :
       llvm::enumerate(getResultMessages(model, *plan, last))) {
    EXPECT_EQ(message.from, 2);
    EXPECT_EQ(message.to, int64_t(i));
    EXPECT_EQ(message.bytes, bytes);
  }
  model.layers[last].isResult = false;
  double without = run(makeProgram(model, machine, *plan), machine).seconds;
  EXPECT_NEAR(with - without, 0.1 + 2 * bytes / 1e9, 1e-9);
  EXPECT_NEAR(plan->seconds, with, 1e-9);
}
