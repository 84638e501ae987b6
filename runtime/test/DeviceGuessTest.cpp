//===- DeviceGuessTest.cpp - Guesses on a device, the emulator ------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The emulator reports races between streams, so that each of these calls also
// checks that both are ordered where they have to be.
//
//===----------------------------------------------------------------------===//

#include "DeviceTesting.h"

#include <cstdlib>

using namespace dyn::test;

namespace {

class DeviceGuessTest : public testing::Test {
protected:
  DeviceGuessTest() { open(); }

  /// Opens a context with the environment's DYN_GUESSES.
  void open(const char *mode = "adapt", const dyn_driver_t *driver = nullptr) {
    ::setenv("DYN_GUESSES", mode, 1);
    dyn_context_options_t options = deviceOptions();
    options.driver = driver;
    context = makeContext(artifact, options);
    ::unsetenv("DYN_GUESSES");
    execution = makeExecution(context.get());
  }
  void call(const char *entry, int times = 1) {
    for (int i = 0; i < times; ++i) {
      ASSERT_EQ(run(execution.get(), entry, {x, y}, output), DYN_STATUS_OK)
          << dyn_last_error();
      for (int k = 0; k < 300; ++k)
        ASSERT_EQ(elements<float>(output)[size_t(k)], float(2 * (k + 2 * k)));
    }
  }
  dyn_stats_t getStats() { return dyn::test::getStats(execution.get()); }
  dyn_guess_stats_t guesses() {
    dyn_guess_stats_t stats = {};
    stats.struct_size = sizeof(stats);
    EXPECT_EQ(dyn_context_guess_stats(context.get(), 0, &stats), DYN_STATUS_OK);
    return stats;
  }

  HostAllocator host;
  Artifact artifact = load(artifactPath("device.so"));
  Context context;
  Execution execution;
  dyn_tensor_t output = {};
  Value x = Value::iota<float>({300}), y = Value::iota<float>({300});
};

TEST_F(DeviceGuessTest, RunsBesideTheRouter) {
  call("guess", 3);
  EXPECT_EQ(getStats().parallel_launches, 3u);
  // No call waits but at its end.
  EXPECT_EQ(getStats().device_waits, 3u);
  EXPECT_EQ(guesses().guesses, 3u);
  EXPECT_EQ(guesses().rows, 2u * 3);
  EXPECT_EQ(guesses().right, 2u * 3);
  dyn_execution_reset_stats(execution.get());
  call("guess");
  EXPECT_EQ(getStats().allocations, 0u);
  // The outputs, and three numbers of rows.
  EXPECT_EQ(getStats().copies_to_host, 4u);
}

TEST_F(DeviceGuessTest, StopsWhereItDoesNotPay) {
  call("guess_wrong", 64);
  EXPECT_EQ(guesses().rows, 2u * 64);
  EXPECT_EQ(guesses().right, 0u);
  EXPECT_EQ(getStats().parallel_launches, 64u);
  dyn_execution_reset_stats(execution.get());
  call("guess_wrong", 64);
  EXPECT_FALSE(guesses().is_on);
  EXPECT_EQ(guesses().guesses, 64u);
  EXPECT_EQ(getStats().parallel_launches, 0u);
  EXPECT_EQ(getStats().copies_to_host, 64u);
  // One call tries, and is right.
  call("guess");
  EXPECT_TRUE(guesses().is_on);
}

TEST_F(DeviceGuessTest, Modes) {
  open("never");
  call("guess", 3);
  EXPECT_EQ(guesses().guesses, 0u);
  EXPECT_EQ(getStats().parallel_launches, 0u);
  open("always");
  call("guess_wrong", 100);
  EXPECT_EQ(guesses().guesses, 100u);
}

/// Launches beside each other are measured together.
TEST_F(DeviceGuessTest, Measured) {
  dyn_execution_options_t options = {sizeof(options), 1, 0};
  dyn_execution_t *made = nullptr;
  ASSERT_EQ(dyn_execution_create(context.get(), &options, &made),
            DYN_STATUS_OK);
  execution.reset(made);
  call("guess", 3);
  EXPECT_EQ(guesses().right, 2u * 3);
  EXPECT_EQ(getStats().parallel_launches, 3u);
  EXPECT_EQ(getStats().launches, 5u * 3);
  EXPECT_GT(getStats().kernel_time_ns, 0u);
}

TEST_F(DeviceGuessTest, ErrorsOfGuessesAreNone) {
  Value bold = Value::iota<float>({300}, 5),
        shy = Value::iota<float>({300}, -1);
  // Only the guess has y first, whose first element is negative.
  ASSERT_EQ(run(execution.get(), "guess", {bold, shy}, output), DYN_STATUS_OK)
      << dyn_last_error();
  EXPECT_EQ(elements<float>(output)[0], 2 * (5 - 2));
  EXPECT_EQ(guesses().guesses, 1u);
  EXPECT_EQ(getStats().device_waits, 2u);
  // Of the program's errors there is one.
  EXPECT_FAILURE(run(execution.get(), "guess", {shy, bold}, output),
                 DYN_STATUS_DATA_ERROR,
                 "dhlo.gather at '/first/Add': index out of range");
  EXPECT_EQ(guesses().guesses, 2u);
  call("guess");
}

/// A host gives memory for an output on the device once.
TEST_F(DeviceGuessTest, OutputsOfCallsThatRunAgain) {
  struct Given {
    EmulatedDriver driver;
    std::vector<uint64_t> blocks;
  } given;
  dyn_call_options_t options = callOptions(execution.get(), "guess");
  options.output_device = DYN_DEVICE_CUDA;
  options.output_user = &given;
  options.output = [](void *user, uint32_t, dyn_dtype_t, uint32_t,
                      const int64_t *, uint64_t bytes) -> void * {
    auto &given = *static_cast<Given *>(user);
    given.driver.memAlloc(&given.blocks.emplace_back(), bytes);
    return reinterpret_cast<void *>(given.blocks.back());
  };
  Value bold = Value::iota<float>({300}, 5),
        shy = Value::iota<float>({300}, -1);
  ASSERT_EQ(run(execution.get(), options, {bold, shy}, output), DYN_STATUS_OK)
      << dyn_last_error();
  EXPECT_EQ(given.blocks.size(), 1u);
  EXPECT_EQ(fetch(output)[0], 2 * (5 - 2));
  for (uint64_t block : given.blocks)
    given.driver.memFree(block);
}

/// Errors of asynchronous calls are known when others have begun.
TEST_F(DeviceGuessTest, AsynchronousCallsDoNotGuess) {
  open("always");
  DeviceVector a({5, 6}), b({-1, 2});
  dyn_call_options_t options = callOptions(execution.get(), "guess");
  options.output_device = DYN_DEVICE_CUDA;
  options.asynchronous = 1;
  dyn_tensor_t inputs[] = {a.tensor(), b.tensor()};
  ASSERT_EQ(dyn_execution_run(execution.get(), &options, inputs, 2, &output, 1),
            DYN_STATUS_OK);
  EXPECT_EQ(getStats().device_waits, 0u);
  EXPECT_EQ(dyn_execution_wait(execution.get()), DYN_STATUS_OK)
      << dyn_last_error();
  EXPECT_EQ(guesses().guesses, 0u);
}

/// On the stream of a host, which gets its memory back.
TEST_F(DeviceGuessTest, OnAGivenStream) {
  open("adapt", &host.driver);
  call("guess", 3);
  EXPECT_EQ(getStats().parallel_launches, 3u);
  execution.reset();
  EXPECT_TRUE(host.blocks.empty());
}

/// A failing driver leaves nothing behind, and later calls run.
TEST(DeviceGuessFailureTest, EachStep) {
  Artifact artifact = load(artifactPath("device_fatbin.so"));
  auto ofStub = [](const char *name) {
    return dlsym(dlopen(DYN_TEST_STUB, RTLD_NOW), name);
  };
  auto failAt =
      reinterpret_cast<void (*)(const char *, int)>(ofStub("dyn_stub_fail"));
  auto getHeld = reinterpret_cast<int (*)()>(ofStub("dyn_stub_held"));
  Context context = makeContext(artifact, deviceOptions(DYN_TEST_STUB));
  int held = getHeld();
  Value x = Value::iota<float>({3});
  dyn_tensor_t output = {};
  for (const char *step : {"cuEventCreate", "cuStreamCreate", "cuEventRecord",
                           "cuStreamWaitEvent"}) {
    Execution execution;
    failAt("", DYN_CUDA_SUCCESS);
    execution = makeExecution(context.get());
    failAt(step, DYN_CUDA_LAUNCH_FAILED);
    EXPECT_FAILURE(run(execution.get(), "guess", {x, x}, output),
                   DYN_STATUS_DEVICE_ERROR,
                   "cannot run kernels beside each other: as the test wants "
                   "(error 719 of the device)");
    failAt("", DYN_CUDA_SUCCESS);
    EXPECT_EQ(run(execution.get(), "guess", {x, x}, output), DYN_STATUS_OK)
        << step << ": " << dyn_last_error();
    execution.reset();
    dyn_context_trim(context.get());
    EXPECT_EQ(getHeld(), held) << step;
  }
}

} // namespace
