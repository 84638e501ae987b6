//===- DeviceMemoryTest.cpp - The device memory of contexts ---------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceTesting.h"

using namespace dyn::test;

namespace {

class DeviceMemoryTest : public testing::Test {
protected:
  void open(uint64_t limit, const dyn_driver_t *driver = nullptr) {
    dyn_context_options_t options = deviceOptions();
    options.device_memory_limit = limit;
    options.driver = driver;
    context = makeContext(artifact, options);
    ASSERT_TRUE(context);
    execution = makeExecution(context.get());
  }
  dyn_status_t add(int64_t n) {
    Value x = Value::iota<float>({n});
    dyn_tensor_t output = {};
    return run(execution.get(), "add", {x, x}, output);
  }
  dyn_memory_stats_t getMemory() {
    dyn_memory_stats_t stats = {};
    stats.struct_size = sizeof(stats);
    EXPECT_EQ(dyn_context_memory_stats(context.get(), &stats), DYN_STATUS_OK);
    return stats;
  }

  Artifact artifact = load(artifactPath("device.so"));
  Context context;
  Execution execution;
};

// A call has a block of two inputs, a head and an output, and an arena; the
// constant takes 256 bytes.
constexpr uint64_t kConstants = 256;
constexpr uint64_t getCallBytes(uint64_t n) {
  return 4 * ((4 * n + 255) / 256 * 256) + 256;
}

TEST_F(DeviceMemoryTest, Counts) {
  open(0);
  EXPECT_EQ(getMemory().used_bytes, kConstants);
  EXPECT_EQ(getMemory().driver_calls, 1u);
  ASSERT_EQ(add(64), DYN_STATUS_OK);
  EXPECT_EQ(getMemory().used_bytes, kConstants + getCallBytes(64));
  EXPECT_EQ(getMemory().driver_calls, 3u);
  ASSERT_EQ(add(64), DYN_STATUS_OK);
  EXPECT_EQ(getMemory().driver_calls, 3u);
  EXPECT_EQ(getMemory().peak_bytes, getMemory().used_bytes);
  EXPECT_EQ(getMemory().limit_bytes, 0u);
}

TEST_F(DeviceMemoryTest, BlocksThatAreGivenBackServeOthers) {
  open(0);
  ASSERT_EQ(add(1024), DYN_STATUS_OK);
  uint64_t calls = getMemory().driver_calls;
  for (int i = 0; i < 3; ++i) {
    execution = makeExecution(context.get());
    ASSERT_EQ(add(1024 - i), DYN_STATUS_OK);
    EXPECT_EQ(getMemory().driver_calls, calls);
  }
  execution.reset();
  EXPECT_EQ(getMemory().used_bytes, kConstants);
  EXPECT_EQ(getMemory().cached_bytes, getCallBytes(1024));
  dyn_context_trim(context.get());
  EXPECT_EQ(getMemory().cached_bytes, 0u);
  EXPECT_EQ(getMemory().driver_calls, calls + 2);
  execution = makeExecution(context.get());
  EXPECT_EQ(add(3), DYN_STATUS_OK);
}

TEST_F(DeviceMemoryTest, BlocksOfOtherSizesGoToTheDriver) {
  open(0);
  ASSERT_EQ(add(4096), DYN_STATUS_OK);
  execution = makeExecution(context.get());
  // Much less than the cached block, which is therefore not used for it.
  ASSERT_EQ(add(64), DYN_STATUS_OK);
  EXPECT_EQ(getMemory().used_bytes, kConstants + getCallBytes(64));
  EXPECT_EQ(getMemory().cached_bytes, getCallBytes(4096));
}

TEST_F(DeviceMemoryTest, Limit) {
  open(kConstants + getCallBytes(64));
  ASSERT_EQ(add(64), DYN_STATUS_OK) << dyn_last_error();
  EXPECT_FAILURE(add(1000), DYN_STATUS_OUT_OF_MEMORY,
                 "'emulator' has no 12544 bytes for intermediate results or "
                 "outputs: the context uses 512 bytes, of at most 1536");
  // Cached blocks are freed where the limit would be exceeded.
  EXPECT_EQ(getMemory().cached_bytes, 0u);
  ASSERT_EQ(add(64), DYN_STATUS_OK) << dyn_last_error();

  dyn_context_options_t options = deviceOptions();
  options.device_memory_limit = 100;
  EXPECT_FAILURE(tryContext(artifact, options), DYN_STATUS_OUT_OF_MEMORY,
                 "'emulator' has no 256 bytes for the model's constants: the "
                 "context uses 0 bytes, of at most 100");
}

TEST_F(DeviceMemoryTest, MoreThanTheDeviceHas) {
  open(0);
  Value x = Value::iota<float>({8});
  dyn_tensor_t output = {};
  EXPECT_FAILURE(run(execution.get(), "huge", {x}, output),
                 DYN_STATUS_OUT_OF_MEMORY,
                 "'emulator' has no 35184372088832 bytes for intermediate "
                 "results or outputs: the context uses 1024 bytes");
  EXPECT_EQ(add(8), DYN_STATUS_OK);
}

TEST_F(DeviceMemoryTest, AllocatorAndStreamOfTheHost) {
  HostAllocator host;
  open(0, &host.driver);
  for (int64_t n : {64, 3000, 64}) {
    ASSERT_EQ(add(n), DYN_STATUS_OK) << dyn_last_error();
    // When a call has ended, blocks that it has outgrown are returned to the
    // host.
    EXPECT_EQ(host.blocks.size(), 2u);
  }
  EXPECT_EQ(getMemory().used_bytes, kConstants);
  host.isEmpty = true;
  EXPECT_FAILURE(add(5000), DYN_STATUS_OUT_OF_MEMORY,
                 "cannot allocate 60928 bytes for intermediate results or "
                 "outputs");
  host.isEmpty = false;
  EXPECT_EQ(add(5000), DYN_STATUS_OK);
  execution.reset();
  EXPECT_TRUE(host.blocks.empty());
}

TEST_F(DeviceMemoryTest, NoneOnTheCpu) {
  context = makeContext(artifact.get());
  EXPECT_EQ(getMemory().used_bytes, 0u);
  dyn_context_trim(context.get());
  dyn_context_options_t options = {};
  options.struct_size = sizeof(options);
  options.device_memory_limit = 100;
  EXPECT_FAILURE(tryContext(artifact, options), DYN_STATUS_INVALID_ARGUMENT,
                 "device_memory_limit: expected none on the CPU, got 100");
  EXPECT_FAILURE(dyn_context_memory_stats(nullptr, nullptr),
                 DYN_STATUS_INVALID_ARGUMENT, "context is null");
}

} // namespace
