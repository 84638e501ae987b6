//===- AllocationTest.cpp - Warm calls never reach malloc ----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program of its own, because it puts its own malloc in place of libc's.
//
//===----------------------------------------------------------------------===//

#include "Testing.h"

#include <atomic>
#include <dlfcn.h>

using namespace dyn::test;

extern "C" void *__libc_malloc(size_t bytes);
static std::atomic<uint64_t> mallocs;
extern "C" void *malloc(size_t bytes) {
  mallocs.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(bytes);
}

namespace {
class AllocationTest : public ZooTest {};
} // namespace

TEST_F(AllocationTest, CountsThoseOfTheLibrary) {
  uint64_t before = mallocs;
  Execution another = makeExecution(context.get());
  EXPECT_GT(mallocs, before);
}

TEST_F(AllocationTest, NoneInAWarmCall) {
  for (uint32_t threads : {1u, 3u}) {
    Pool pool = makePool(threads);
    Context context = makeContext(artifact.get(), pool.get());
    Execution execution = makeExecution(context.get());
    auto options = callOptions(execution.get(), "reverse");
    Value large = Value::iota<int64_t>({64, 1000});
    Value small = Value::iota<int64_t>({3, 17});
    dyn_tensor_t inputs[] = {large.tensor(), small.tensor()};
    ASSERT_EQ(
        dyn_execution_run(execution.get(), &options, &inputs[0], 1, &output, 1),
        DYN_STATUS_OK);
    uint64_t before = mallocs;
    bool good = true;
    for (int i = 0; i < 100; ++i)
      good &= dyn_execution_run(execution.get(), &options, &inputs[i % 2], 1,
                                &output, 1) == DYN_STATUS_OK;
    EXPECT_EQ(mallocs, before);
    EXPECT_TRUE(good);
  }
}

TEST_F(AllocationTest, NoneInAFailingCall) {
  auto options = callOptions(execution.get(), "gather");
  Value bad = Value::of<int64_t>({99});
  dyn_tensor_t input = bad.tensor();
  ASSERT_EQ(dyn_execution_run(execution.get(), &options, &input, 1, &output, 1),
            DYN_STATUS_DATA_ERROR);
  uint64_t before = mallocs;
  dyn_status_t status =
      dyn_execution_run(execution.get(), &options, &input, 1, &output, 1);
  EXPECT_EQ(mallocs, before);
  EXPECT_EQ(status, DYN_STATUS_DATA_ERROR);
}

// A profile takes memory for its buffers and tables, once.
TEST_F(AllocationTest, NoneInARecordedCall) {
  dyn_profile_options_t options = {};
  options.struct_size = sizeof(options);
  options.window_ms = 86400000;
  dyn_profile_t *created = nullptr;
  ASSERT_EQ(dyn_profile_create(&options, &created), DYN_STATUS_OK);
  Profile profile(created);
  ASSERT_EQ(dyn_profile_start(created), DYN_STATUS_OK);
  auto call = callOptions(execution.get(), "route");
  Value ids = Value::of<int64_t>(std::vector<int64_t>(200, 3), {100, 2});
  dyn_tensor_t input = ids.tensor();
  bool good = true;
  auto runAll = [&](int calls) {
    for (int i = 0; i < calls; ++i)
      good &= dyn_execution_run(execution.get(), &call, &input, 1, &output,
                                1) == DYN_STATUS_OK;
    good &= dyn_profile_decisions(created) > 0;
  };
  // How many blocks wait at once is up to the profile's thread, so warm-up has
  // no fixed length; it ends, though.
  int rounds = 0;
  for (uint64_t before = 0; before != mallocs && rounds < 50; ++rounds) {
    before = mallocs;
    runAll(50);
  }
  EXPECT_LT(rounds, 50);
  EXPECT_TRUE(good);
  EXPECT_EQ(dyn_profile_decisions(created), uint64_t(rounds) * 50 * 200 * 3);
  EXPECT_EQ(dyn_profile_stop(created), DYN_STATUS_OK);
}
