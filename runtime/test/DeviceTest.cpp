//===- DeviceTest.cpp - Calls on a device, the emulator -------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceTesting.h"

#include <thread>

using namespace dyn::test;

namespace {

class DeviceTest : public testing::Test {
protected:
  void SetUp() override {
    context = makeContext(artifact, deviceOptions());
    ASSERT_TRUE(context);
    execution = makeExecution(context.get());
  }
  dyn_stats_t getStats() { return dyn::test::getStats(execution.get()); }

  Artifact artifact = load(artifactPath("device.so"));
  Context context;
  Execution execution;
  dyn_tensor_t output = {};
};

TEST_F(DeviceTest, Calls) {
  for (int64_t n : {3, 0, 1000}) {
    Value x = Value::iota<float>({n}), y = Value::iota<float>({n}, 5);
    ASSERT_EQ(run(execution.get(), "add", {x, y}, output), DYN_STATUS_OK)
        << dyn_last_error();
    std::vector<float> sums = elements<float>(output);
    ASSERT_EQ(int64_t(sums.size()), n);
    for (int64_t i = 0; i < n; ++i)
      EXPECT_EQ(sums[i], float(i + 2 * (i + 5)));
  }
  EXPECT_EQ(output.device, uint32_t(DYN_DEVICE_CPU));
}

TEST_F(DeviceTest, CountsCopiesAndWaits) {
  Value x = Value::iota<float>({300}), y = Value::iota<float>({300});
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(run(execution.get(), "add", {x, y}, output), DYN_STATUS_OK);
    // Two inputs are one copy, and so are the output and the error word.
    EXPECT_EQ(getStats().copies_to_device, 1u);
    EXPECT_EQ(getStats().copies_to_host, 1u);
    EXPECT_EQ(getStats().device_waits, 1u);
    EXPECT_EQ(getStats().launches, 2u);
    if (i)
      EXPECT_EQ(getStats().allocations, 0u);
    dyn_execution_reset_stats(execution.get());
  }
}

TEST_F(DeviceTest, SeveralOutputsAreOneCopy) {
  dyn_call_options_t options = callOptions(execution.get(), "both");
  std::vector<float> given[2];
  options.output_user = given;
  dyn_output_fn give = [](void *user, uint32_t index, dyn_dtype_t, uint32_t,
                          const int64_t *shape, uint64_t) -> void * {
    std::vector<float> &memory = static_cast<std::vector<float> *>(user)[index];
    memory.resize(size_t(shape[0]) + 1);
    return memory.data();
  };
  // With gaps after the first output, and without; in memory of the execution,
  // and of the host.
  for (int64_t n : {3, 64, 5, 1000, 3})
    for (bool isGiven : {false, true}) {
      options.output = isGiven ? give : nullptr;
      Value x = Value::iota<float>({n}), y = Value::iota<float>({n}, 7);
      dyn_tensor_t inputs[] = {x.tensor(), y.tensor()}, outputs[2] = {};
      dyn_execution_reset_stats(execution.get());
      ASSERT_EQ(
          dyn_execution_run(execution.get(), &options, inputs, 2, outputs, 2),
          DYN_STATUS_OK)
          << dyn_last_error();
      for (const dyn_tensor_t &result : outputs)
        for (int64_t i = 0; i < n; ++i)
          EXPECT_EQ(elements<float>(result)[i], float(2 * i + 7));
      EXPECT_EQ(getStats().copies_to_device, 1u);
      EXPECT_EQ(getStats().copies_to_host, 1u);
      EXPECT_EQ(getStats().device_waits, 1u);
    }
  EXPECT_EQ(getStats().allocations, 0u);
}

TEST_F(DeviceTest, WaitsForSizesThatAreData) {
  for (int i = 0; i < 2; ++i) {
    dyn_execution_reset_stats(execution.get());
    ASSERT_EQ(run(execution.get(), "count", {Value::iota<float>({2})}, output),
              DYN_STATUS_OK)
        << dyn_last_error();
    // The constant is 16.
    EXPECT_EQ(shapeOf(output), std::vector<int64_t>({16}));
    EXPECT_EQ(elements<float>(output)[3], 30);
    EXPECT_EQ(getStats().device_waits, 2u);
    // The size and the error word; then again the word, and the output, for
    // which the first call had reserved no memory.
    EXPECT_EQ(getStats().copies_to_host, i == 0 ? 4u : 3u);
  }
}

TEST_F(DeviceTest, KernelsHaveStatistics) {
  Value x = Value::iota<float>({300});
  ASSERT_EQ(run(execution.get(), "add", {x, x}, output), DYN_STATUS_OK);
  dyn_kernel_stats_t stats = {};
  stats.struct_size = sizeof(stats);
  ASSERT_EQ(dyn_execution_kernel_stats(execution.get(), 0, &stats),
            DYN_STATUS_OK);
  EXPECT_STREQ(stats.name, "add");
  EXPECT_EQ(stats.launches, 2u);
  EXPECT_EQ(stats.flops, 600u);
}

TEST_F(DeviceTest, TensorsStayOnTheDevice) {
  DeviceVector x({1, 2, 3, 4});
  dyn_tensor_t inputs[] = {x.tensor(), x.tensor()};
  dyn_call_options_t options = callOptions(execution.get(), "add");
  options.output_device = DYN_DEVICE_CUDA;
  ASSERT_EQ(dyn_execution_run(execution.get(), &options, inputs, 2, &output, 1),
            DYN_STATUS_OK)
      << dyn_last_error();
  EXPECT_EQ(fetch(output), std::vector<float>({3, 6, 9, 12}));
  inputs[1].data = static_cast<char *>(inputs[1].data) + 4;
  EXPECT_FAILURE(
      dyn_execution_run(execution.get(), &options, inputs, 2, &output, 1),
      DYN_STATUS_INVALID_ARGUMENT,
      "input 'y': expected memory of the device that begins at a multiple of "
      "16");
}

TEST_F(DeviceTest, DataErrors) {
  Value x = Value::of<float>({1, -2}), y = Value::of<float>({0, 0});
  EXPECT_FAILURE(run(execution.get(), "add", {x, y}, output),
                 DYN_STATUS_DATA_ERROR,
                 "dhlo.gather at '/second/Add': index out of range");
  ASSERT_EQ(run(execution.get(), "add", {y, y}, output), DYN_STATUS_OK);
}

TEST_F(DeviceTest, FaultsOfKernels) {
  Value x = Value::iota<float>({8});
  EXPECT_EQ(run(execution.get(), "overrun", {x}, output),
            DYN_STATUS_DEVICE_ERROR);
  std::string message = dyn_last_error();
  EXPECT_NE(message.find("cannot run the model: access out of bounds in kernel "
                         "'overrun' at llvm.store (/block/Out)"),
            std::string::npos)
      << message;
  EXPECT_EQ(run(execution.get(), "race", {x}, output), DYN_STATUS_DEVICE_ERROR);
  EXPECT_NE(std::string(dyn_last_error()).find("race in kernel 'race'"),
            std::string::npos);
  // In a new execution, whose memory was never written.
  Execution fresh = makeExecution(context.get());
  EXPECT_FAILURE(run(fresh.get(), "nothing", {x}, output),
                 DYN_STATUS_DEVICE_ERROR,
                 "cannot run the model: read of uninitialized memory in kernel "
                 "'copy to the host': byte 256 of 288 (error 719 of the "
                 "device)");
  // The device still works.
  ASSERT_EQ(run(execution.get(), "add", {x, x}, output), DYN_STATUS_OK);
}

TEST_F(DeviceTest, ConcurrentCalls) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      Execution mine = makeExecution(context.get());
      for (int i = 0; i < 20; ++i) {
        Value x = Value::iota<float>({50}, float(t));
        dyn_tensor_t out = {};
        ASSERT_EQ(run(mine.get(), "add", {x, x}, out), DYN_STATUS_OK);
        EXPECT_EQ(elements<float>(out)[1], float(3 * (t + 1)));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST_F(DeviceTest, OptionsOfTheOtherKind) {
  dyn_context_options_t options = deviceOptions();
  options.isa = "v3";
  EXPECT_FAILURE(tryContext(artifact, options), DYN_STATUS_INVALID_ARGUMENT,
                 "isa: expected none on a device, got 'v3'");
  options = deviceOptions();
  options.stream_from = 1;
  EXPECT_FAILURE(tryContext(artifact, options), DYN_STATUS_INVALID_ARGUMENT,
                 "stream_from: expected none on a device, got 1");
  options = deviceOptions();
  options.device = DYN_DEVICE_CPU;
  EXPECT_FAILURE(tryContext(artifact, options), DYN_STATUS_INVALID_ARGUMENT,
                 "device_library: expected none on the CPU, got "
                 "'libdynemu.so'");
  Context host = makeContext(artifact.get());
  Execution onHost = makeExecution(host.get());
  dyn_call_options_t call = callOptions(onHost.get(), "add");
  call.output_device = DYN_DEVICE_CUDA;
  Value x = Value::iota<float>({8});
  EXPECT_FAILURE(run(onHost.get(), call, {x, x}, output),
                 DYN_STATUS_INVALID_ARGUMENT,
                 "output_device: expected DYN_DEVICE_CPU, got 1");
}

} // namespace
