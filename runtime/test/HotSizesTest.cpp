//===- HotSizesTest.cpp - The sizes that calls have most often ------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HotSizes.h"
#include "Artifact.h"

#include <gtest/gtest.h>

using namespace dyn::rt;

namespace {

class HotSizesTest : public ::testing::Test {
protected:
  HotSizesTest() {
    dyn_artifact_t *loaded = nullptr;
    EXPECT_EQ(dyn_artifact_load(DYN_TEST_ARTIFACTS "/zoo.so", nullptr, &loaded),
              DYN_STATUS_OK);
    artifact = Ref<dyn_artifact>::adopt(loaded);
    EXPECT_EQ(dyn_artifact_find_entry(loaded, "gather", &gather),
              DYN_STATUS_OK);
    hot = std::make_unique<HotSizes>(artifact->entries());
  }
  /// A call of the entry with n indices.
  HotSizes::Entry *call(int64_t n) {
    dyn_tensor_t input = {nullptr, &n, DYN_I64, 1, DYN_DEVICE_CPU, 0};
    return hot->count(gather, &input, 1);
  }

  Ref<dyn_artifact> artifact;
  uint32_t gather = 0;
  std::unique_ptr<HotSizes> hot;
};

TEST_F(HotSizesTest, CountsEachSize) {
  HotSizes::Entry *three = call(3);
  ASSERT_NE(three, nullptr);
  ASSERT_NE(call(0), nullptr);
  EXPECT_EQ(call(3), three);
  EXPECT_EQ(three->count, 2u);
  EXPECT_EQ(three->calls, 2u);
  EXPECT_EQ(hot->getDims(*three), std::vector<std::string>{"n=3"});
  EXPECT_EQ(hot->find(three->id), three);
  EXPECT_EQ(hot->find(three->id + 64), nullptr);
  EXPECT_EQ(hot->find(0), nullptr);
  EXPECT_DOUBLE_EQ(hot->getShare(*three), 2.0 / 3);
}

/// Calls that will be refused are not counted.
TEST_F(HotSizesTest, CallsWithoutSizes) {
  int64_t n = 3;
  dyn_tensor_t input = {nullptr, &n, DYN_I64, 1, DYN_DEVICE_CPU, 0};
  EXPECT_EQ(hot->count(gather, &input, 0), nullptr);
  EXPECT_EQ(hot->count(uint32_t(artifact->entries().size()), &input, 1),
            nullptr);
  input.rank = 0;
  EXPECT_EQ(hot->count(gather, &input, 1), nullptr);
  input = {nullptr, nullptr, DYN_I64, 1, DYN_DEVICE_CPU, 0};
  EXPECT_EQ(hot->count(gather, &input, 1), nullptr);
  EXPECT_EQ(hot->getTotal(), 0u);
}

/// A size that is not in a full table takes one off all, and only sizes that
/// have a variant stay without a call.
TEST_F(HotSizesTest, FullTable) {
  for (int64_t n = 0; n < 64; ++n)
    ASSERT_NE(call(n), nullptr);
  ASSERT_EQ(call(5)->count, 2u);
  HotSizes::Entry *kept = call(6), *rejected = call(7);
  kept->count = rejected->count = 1;
  kept->state = HotSizes::State::Kept;
  rejected->state = HotSizes::State::Rejected;
  const uint64_t keptId = kept->id, rejectedId = rejected->id;

  EXPECT_EQ(call(64), nullptr);
  EXPECT_EQ(hot->find(keptId), kept);
  EXPECT_EQ(kept->count, 0u);
  EXPECT_EQ(hot->find(rejectedId), nullptr);
  EXPECT_EQ(call(5)->calls, 3u);

  // The next one has the slot of one that went, and another id.
  HotSizes::Entry *next = call(64);
  ASSERT_NE(next, nullptr);
  EXPECT_EQ(next->calls, 1u);
  EXPECT_EQ(hot->find(next->id), next);
  // One that comes again begins again.
  EXPECT_EQ(call(7)->calls, 1u);
}

/// As the algorithm promises, whatever comes between.
TEST_F(HotSizesTest, FrequentAmongMany) {
  int64_t other = 100;
  for (int i = 0; i < 1000; ++i) {
    call(3);
    for (int j = 0; j < 3; ++j)
      call(other++);
  }
  HotSizes::Entry *entry = call(3);
  ASSERT_NE(entry, nullptr);
  EXPECT_LE(entry->count, 1001u);
  EXPECT_GE(entry->count, 1001 - hot->getTotal() / 65);
  EXPECT_NEAR(hot->getShare(*entry), 0.25, 1.0 / 65);
}

TEST_F(HotSizesTest, FollowsThePresent) {
  for (int i = 0; i < 4095; ++i)
    call(3);
  EXPECT_EQ(hot->getTotal(), 4095u);
  HotSizes::Entry *entry = call(3);
  EXPECT_EQ(hot->getTotal(), 2048u);
  EXPECT_EQ(entry->count, 2048u);
  EXPECT_EQ(entry->calls, 4096u);
  EXPECT_EQ(hot->getShare(*entry), 1);
}

} // namespace
