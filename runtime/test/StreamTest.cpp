//===- StreamTest.cpp - Launches with non-temporal stores -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Stream.h"
#include "Testing.h"

#include <numeric>

using namespace dyn::test;

namespace {
class StreamTest : public ZooTest {
protected:
  /// A context that streams launches of `from` bytes and more.
  Context streaming(uint64_t from, dyn_pool_t *pool = nullptr) {
    dyn_context_options_t options = {};
    options.struct_size = sizeof(options);
    options.pool = pool;
    options.stream_from = from;
    dyn_context_t *context = nullptr;
    EXPECT_EQ(dyn_context_create(artifact.get(), &options, &context),
              DYN_STATUS_OK);
    return Context(context);
  }
  static dyn_stats_t stats(dyn_execution_t *execution) {
    dyn_stats_t stats = {};
    stats.struct_size = sizeof(stats);
    EXPECT_EQ(dyn_execution_stats(execution, &stats), DYN_STATUS_OK);
    return stats;
  }
};
} // namespace

TEST_F(StreamTest, ResultsAreTheSame) {
  for (uint32_t threads : {1u, 3u}) {
    Pool pool = makePool(threads);
    Context context = streaming(1, pool.get());
    Execution execution = makeExecution(context.get());
    for (auto shape : std::vector<std::vector<int64_t>>{
             {1, 1}, {5, 0}, {7, 3}, {63, 509}, {64, 4096}}) {
      Value x = Value::iota<float>(shape, 1);
      ASSERT_EQ(run(execution.get(), "add", {x, x}, output), DYN_STATUS_OK);
      std::vector<float> expected = elements<float>(x.tensor());
      for (float &element : expected)
        element *= 2;
      EXPECT_EQ(elements<float>(output), expected);
    }
    // The empty one launches nothing.
    EXPECT_EQ(stats(execution.get()).streamed_launches, 4u);
  }
}

TEST_F(StreamTest, ItemsOfSeveralElements) {
  Context context = streaming(1);
  Execution execution = makeExecution(context.get());
  std::vector<int64_t> ids(5000);
  std::iota(ids.begin(), ids.end(), 0);
  for (int64_t &id : ids)
    id %= 8;
  dyn_tensor_t plain = {};
  Execution other = makeExecution(this->context.get());
  ASSERT_EQ(run(other.get(), "gather", {Value::of(ids)}, plain), DYN_STATUS_OK);
  ASSERT_EQ(run(execution.get(), "gather", {Value::of(ids)}, output),
            DYN_STATUS_OK);
  EXPECT_EQ(elements<float>(output), elements<float>(plain));
  EXPECT_GT(stats(execution.get()).streamed_launches, 0u);
  ids[4999] = 8;
  EXPECT_FAILURE(run(execution.get(), "gather", {Value::of(ids)}, output),
                 DYN_STATUS_DATA_ERROR,
                 "dhlo.gather at '/embed/Gather': index out of range");
}

TEST_F(StreamTest, BytesOfALaunchDecide) {
  Value x = Value::iota<float>({10, 100}); // 12000 bytes with the sum
  auto streamed = [&](uint64_t from) {
    Context context = streaming(from);
    Execution execution = makeExecution(context.get());
    EXPECT_EQ(run(execution.get(), "add", {x, x}, output), DYN_STATUS_OK);
    return stats(execution.get()).streamed_launches;
  };
  EXPECT_EQ(streamed(12000), 1u);
  EXPECT_EQ(streamed(12001), 0u);
  EXPECT_EQ(streamed(UINT64_MAX), 0u);
  EXPECT_EQ(streamed(0), 0u);
}

TEST_F(StreamTest, KernelsThatDoNotSayWhereTheyWrite) {
  Context context = streaming(1);
  Execution execution = makeExecution(context.get());
  Value x = Value::iota<int64_t>({8, 100});
  ASSERT_EQ(run(execution.get(), "reverse", {x}, output), DYN_STATUS_OK);
  EXPECT_EQ(elements<int64_t>(output), elements<int64_t>(x.tensor()));
  EXPECT_EQ(stats(execution.get()).streamed_launches, 0u);
}

TEST_F(StreamTest, WarmCallsAllocateNothing) {
  Context context = streaming(1);
  Execution execution = makeExecution(context.get());
  Value x = Value::iota<float>({8, 100});
  ASSERT_EQ(run(execution.get(), "add", {x, x}, output), DYN_STATUS_OK);
  uint64_t first = stats(execution.get()).allocations;
  ASSERT_EQ(run(execution.get(), "add", {x, x}, output), DYN_STATUS_OK);
  EXPECT_EQ(stats(execution.get()).allocations, first);
}

TEST(StoresTest, AnyOffsetAndLength) {
  EXPECT_GE(dyn::rt::lastCacheBytes(), 1u << 15);
  std::vector<char> from(300), to(512);
  std::iota(from.begin(), from.end(), char(1));
  for (int64_t offset = 0; offset < 70; ++offset)
    for (int64_t bytes : {0, 1, 15, 63, 64, 65, 127, 128, 200, 300}) {
      std::fill(to.begin(), to.end(), char(-1));
      dyn::rt::storePastCaches(to.data() + offset, from.data(), bytes);
      dyn::rt::finishStores();
      for (int64_t i = 0; i < int64_t(to.size()); ++i) {
        bool isInside = i >= offset && i < offset + bytes;
        ASSERT_EQ(to[size_t(i)], isInside ? from[size_t(i - offset)] : char(-1))
            << bytes << " bytes at " << offset << ": byte " << i;
      }
    }
}
