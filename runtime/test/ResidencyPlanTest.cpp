//===- ResidencyPlanTest.cpp - Which blocks are read and dropped ----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ResidencyPlan.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>

using namespace dyn::rt;

namespace {
constexpr uint32_t kPathBlocks = 16, kPaths = 64;
constexpr uint32_t kBlocks = kPaths * kPathBlocks, kCapacity = kBlocks / 4;

/// Reads what a plan says at once, and waits for what it does not.
class ResidencyPlanTest : public ::testing::Test {
protected:
  void readAll() {
    BlockRange read;
    std::vector<uint32_t> dropped;
    while (plan.takeRead(read, dropped)) {
      for (uint32_t block : dropped)
        EXPECT_EQ(there.erase(block), 1u);
      dropped.clear();
      for (uint32_t block = read.begin; block < read.end; ++block)
        EXPECT_TRUE(there.insert(block).second), ++readOften[block];
      reads += read.end - read.begin;
      EXPECT_LE(plan.getResident(), kCapacity);
      plan.arrive(read);
      EXPECT_LE(there.size(), kCapacity);
    }
  }
  void use(uint32_t block) {
    if (!there.count(block)) {
      EXPECT_TRUE(plan.demand(block));
      readAll();
    }
    EXPECT_FALSE(plan.demand(block));
    plan.finish({block, block + 1});
  }
  /// A call of these paths, in their order.
  void call(const std::vector<uint32_t> &paths, bool announces = true) {
    plan.beginCall();
    for (uint32_t path : paths)
      if (announces)
        plan.announce({path * kPathBlocks, (path + 1) * kPathBlocks});
    readAll();
    for (uint32_t path : paths)
      for (uint32_t i = 0; i < kPathBlocks; ++i) {
        use(path * kPathBlocks + i);
        accesses.push_back(path * kPathBlocks + i);
      }
    plan.endCall();
  }
  /// Reads of the optimum (Belady), from an empty memory.
  uint64_t countLeast() const {
    std::vector<size_t> next(accesses.size());
    std::map<uint32_t, size_t> seen;
    for (size_t i = accesses.size(); i-- > 0;) {
      auto it = seen.find(accesses[i]);
      next[i] = it == seen.end() ? accesses.size() + i : it->second;
      seen[accesses[i]] = i;
    }
    std::set<std::pair<size_t, uint32_t>> memory;
    std::map<uint32_t, size_t> uses;
    uint64_t count = 0;
    for (size_t i = 0; i < accesses.size(); ++i) {
      auto it = uses.find(accesses[i]);
      if (it != uses.end()) {
        memory.erase({it->second, accesses[i]});
      } else {
        ++count;
        if (memory.size() == kCapacity) {
          uses.erase(memory.rbegin()->second);
          memory.erase(std::prev(memory.end()));
        }
      }
      uses[accesses[i]] = next[i];
      memory.insert({next[i], accesses[i]});
    }
    return count;
  }

  ResidencyPlan plan{kBlocks, kCapacity};
  std::set<uint32_t> there;
  std::vector<uint32_t> accesses;
  std::map<uint32_t, int> readOften;
  uint64_t reads = 0;
};
} // namespace

TEST_F(ResidencyPlanTest, IsNearTheOptimumIfAllIsUsedInTurn) {
  std::vector<uint32_t> all(kPaths);
  for (uint32_t i = 0; i < kPaths; ++i)
    all[i] = i;
  for (int i = 0; i < 20; ++i)
    call(all);
  EXPECT_LE(double(reads), 1.1 * double(countLeast()));
}

TEST_F(ResidencyPlanTest, KeepsWhatIsUsedMost) {
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {
    std::set<uint32_t> paths = {1, 2, 3, 10, 20, 30, 40, 50};
    for (int j = 0; j < 2; ++j)
      paths.insert(random() % kPaths);
    if (i == 20)
      readOften.clear();
    call({paths.begin(), paths.end()});
  }
  for (uint32_t path : {1, 2, 3, 10, 20, 30, 40, 50})
    EXPECT_EQ(readOften.count(path * kPathBlocks), 0u) << path;
}

TEST_F(ResidencyPlanTest, ForgetsWhatIsUsedNoMore) {
  for (int i = 0; i < 40; ++i)
    call({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  for (int i = 0; i < 40; ++i)
    call({20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31});
  uint64_t before = reads;
  for (int i = 0; i < 10; ++i)
    call({20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31});
  EXPECT_EQ(reads, before);
}

TEST_F(ResidencyPlanTest, ServesWhatNobodyAnnounced) {
  call({5, 6, 7}, /*announces=*/false);
  EXPECT_EQ(reads, 3u * kPathBlocks);
  std::vector<uint32_t> all(kPaths);
  for (uint32_t i = 0; i < kPaths; ++i)
    all[i] = i;
  for (int i = 0; i < 3; ++i)
    call(all, /*announces=*/false);
}

TEST_F(ResidencyPlanTest, ReadsDemandedBlocksFirst) {
  plan.beginCall();
  plan.announce({0, 64});
  plan.announce({100, 110});
  EXPECT_TRUE(plan.demand(105));
  EXPECT_TRUE(plan.demand(300));
  // Once, however many wait.
  EXPECT_TRUE(plan.demand(105));
  BlockRange read;
  std::vector<uint32_t> dropped;
  auto next = [&] {
    EXPECT_TRUE(plan.takeRead(read, dropped));
    return std::pair(read.begin, read.end);
  };
  EXPECT_EQ(next(), std::pair(105u, 110u));
  EXPECT_EQ(next(), std::pair(300u, 301u));
  EXPECT_EQ(next(), std::pair(0u, 16u));
  // Nothing more is there to drop, or to read, than was announced.
  for (uint32_t begin : {16u, 32u, 48u})
    EXPECT_EQ(next(), std::pair(begin, begin + 16));
  EXPECT_EQ(next(), std::pair(100u, 105u));
  EXPECT_FALSE(plan.takeRead(read, dropped));
  EXPECT_TRUE(dropped.empty());
}

TEST_F(ResidencyPlanTest, DropsNothingThatIsNeededSooner) {
  plan.beginCall();
  plan.announce({0, kCapacity});
  readAll();
  plan.announce({kCapacity, kCapacity + 16});
  readAll();
  EXPECT_EQ(reads, kCapacity);
  plan.finish({0, 16});
  // The blocks that came last are kept, whatever is known of them.
  readAll();
  EXPECT_EQ(reads, kCapacity + 16);
  EXPECT_EQ(there.count(0), 0u);
  EXPECT_EQ(there.count(16), 1u);
}

TEST_F(ResidencyPlanTest, ReadsPredictedBlocksLast) {
  plan.beginCall();
  plan.expect({32, 48});
  plan.announce({0, 16});
  plan.expect({8, 20});
  BlockRange read;
  std::vector<uint32_t> dropped;
  for (std::pair<uint32_t, uint32_t> next :
       {std::pair(0u, 16u), {32u, 48u}, {16u, 20u}}) {
    ASSERT_TRUE(plan.takeRead(read, dropped));
    EXPECT_EQ(std::pair(read.begin, read.end), next);
    plan.arrive(read);
  }
  EXPECT_FALSE(plan.takeRead(read, dropped));
  plan.expect({64, 80});
  // Of a call that is over.
  plan.endCall();
  plan.beginCall();
  EXPECT_FALSE(plan.takeRead(read, dropped));
}

TEST_F(ResidencyPlanTest, KeepsWhatIsUsedFromWrongPredictions) {
  std::vector<uint32_t> hot(kPaths / 4 - 2);
  for (uint32_t i = 0; i < hot.size(); ++i)
    hot[i] = i;
  for (int i = 0; i < 20; ++i)
    call(hot);
  readOften.clear();
  for (uint32_t i = 0; i < 40; ++i) {
    uint32_t wrong = 20 + i % 40;
    plan.beginCall();
    plan.expect({wrong * kPathBlocks, (wrong + 1) * kPathBlocks});
    readAll();
    EXPECT_EQ(there.count(wrong * kPathBlocks), 1u) << i;
    plan.endCall();
    call(hot);
  }
  for (uint32_t path : hot)
    EXPECT_EQ(readOften.count(path * kPathBlocks), 0u) << path;
}

TEST_F(ResidencyPlanTest, ForgetsAnnouncementsThatAreTooMany) {
  plan.beginCall();
  for (int i = 0; i < 100000; ++i) {
    plan.announce({0, 16});
    plan.expect({16, 32});
  }
  plan.announce({32, 48});
  readAll();
  EXPECT_EQ(reads, 32u);
  use(40);
  plan.endCall();
  call({2});
  EXPECT_EQ(there.count(47), 1u);
}

TEST_F(ResidencyPlanTest, JoinsWhatMostCallsUse) {
  uint32_t group = 0;
  call({0, 1, 2, 3});
  EXPECT_FALSE(plan.joinGroup(group));
  for (int i = 0; i < 10; ++i)
    call(i < 8 ? std::vector<uint32_t>{2, 3, 4, 8}
               : std::vector<uint32_t>{2, 3, 4});
  // Two paths are a group; of path 4's, the other one was never used.
  ASSERT_TRUE(plan.joinGroup(group));
  EXPECT_EQ(group, 1u);
  EXPECT_FALSE(plan.joinGroup(group));
  // It is dropped as a whole, and can be joined again.
  std::vector<uint32_t> others(kPaths / 4);
  for (uint32_t i = 0; i < others.size(); ++i)
    others[i] = 32 + i;
  for (int i = 0; i < 60; ++i) {
    call(others);
    EXPECT_EQ(there.count(32), there.count(63));
  }
  EXPECT_EQ(there.count(32), 0u);
  for (int i = 0; i < 60; ++i)
    call({2, 3});
  while (plan.joinGroup(group) && group != 1)
    ;
  EXPECT_EQ(group, 1u);
}

// All that is read is pinned, so that none is kept because it came last.
TEST(PinnedPlanTest, PinnedBlocksStay) {
  ResidencyPlan plan(/*blocks=*/16, /*capacity=*/4, /*together=*/1,
                     /*margin=*/0);
  auto readAll = [&] {
    BlockRange read;
    std::vector<uint32_t> dropped;
    while (plan.takeRead(read, dropped))
      plan.arrive(read);
    return std::set<uint32_t>(dropped.begin(), dropped.end());
  };
  plan.beginCall();
  // Ranges may share a block.
  ASSERT_TRUE(plan.pin({{0, 2}, {1, 3}}));
  for (uint32_t block : {0, 1, 2})
    EXPECT_TRUE(plan.demand(block));
  EXPECT_TRUE(readAll().empty());
  EXPECT_TRUE(plan.isResident({0, 3}));
  EXPECT_FALSE(plan.pin({{8, 10}}));
  ASSERT_TRUE(plan.pin({{8, 9}}));
  EXPECT_TRUE(plan.demand(8));
  EXPECT_TRUE(readAll().empty());
  // No room, whatever is wanted.
  plan.announce({10, 12});
  EXPECT_TRUE(plan.demand(10));
  EXPECT_TRUE(readAll().empty());
  EXPECT_FALSE(plan.isResident({10, 11}));
  plan.unpin({{0, 2}, {1, 3}});
  readAll();
  EXPECT_TRUE(plan.isResident({10, 12}));
  EXPECT_TRUE(plan.isResident({8, 9}));
  EXPECT_EQ(plan.getResident(), 4u);
}

TEST(PinnedPlanTest, ReadsThatFail) {
  ResidencyPlan plan(16, 4, 1, 0);
  plan.beginCall();
  plan.announce({3, 5});
  EXPECT_TRUE(plan.demand(3));
  BlockRange read;
  std::vector<uint32_t> dropped;
  ASSERT_TRUE(plan.takeRead(read, dropped));
  EXPECT_EQ(read.begin, 3u);
  plan.abandon(read);
  EXPECT_EQ(plan.getResident(), 0u);
  // Only the other one is read, until somebody asks again.
  ASSERT_TRUE(plan.takeRead(read, dropped));
  EXPECT_EQ(read.begin, 4u);
  plan.arrive(read);
  EXPECT_FALSE(plan.takeRead(read, dropped));
  EXPECT_TRUE(plan.demand(3));
  ASSERT_TRUE(plan.takeRead(read, dropped));
  EXPECT_EQ(read.begin, 3u);
  plan.arrive(read);
  EXPECT_TRUE(plan.isResident({3, 5}));
}
