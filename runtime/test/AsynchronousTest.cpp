//===- AsynchronousTest.cpp - Calls that the host does not wait for -------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceTesting.h"

using namespace dyn::test;

namespace {

class AsynchronousTest : public testing::Test {
protected:
  AsynchronousTest() { open(); }

  void open(const dyn_driver_t *driver = nullptr) {
    dyn_context_options_t options = deviceOptions();
    options.driver = driver;
    context = makeContext(artifact, options);
    execution = makeExecution(context.get());
  }
  /// An asynchronous call.
  dyn_status_t queue(const char *entry, std::vector<dyn_tensor_t> inputs) {
    dyn_call_options_t options = callOptions(execution.get(), entry);
    options.output_device = DYN_DEVICE_CUDA;
    options.asynchronous = 1;
    return dyn_execution_run(execution.get(), &options, inputs.data(),
                             uint32_t(inputs.size()), &output, 1);
  }
  dyn_status_t add(const dyn_tensor_t &x) { return queue("add", {x, x}); }
  dyn_status_t wait() { return dyn_execution_wait(execution.get()); }
  dyn_stats_t getStats() { return dyn::test::getStats(execution.get()); }

  HostAllocator host;
  Artifact artifact = load(artifactPath("device.so"));
  Context context;
  Execution execution;
  dyn_tensor_t output = {};
  DeviceVector x{{1, 2, 3, 4}}, negative{{1, -2}};
};

TEST_F(AsynchronousTest, WaitsForNothing) {
  open(&host.driver);
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(add(x.tensor()), DYN_STATUS_OK) << dyn_last_error();
    EXPECT_EQ(fetch(output, host.driver.stream),
              std::vector<float>({3, 6, 9, 12}));
  }
  EXPECT_EQ(getStats().launches, 6u);
  EXPECT_EQ(getStats().device_waits, 0u);
  EXPECT_EQ(getStats().copies_to_device, 0u);
  EXPECT_EQ(getStats().copies_to_host, 0u);
  EXPECT_EQ(wait(), DYN_STATUS_OK);
  EXPECT_EQ(getStats().device_waits, 1u);
  EXPECT_EQ(wait(), DYN_STATUS_OK);
  EXPECT_EQ(getStats().device_waits, 1u);
}

TEST_F(AsynchronousTest, InputsOfTheHostWaitForTheCopyBefore) {
  open(&host.driver);
  for (float first : {0.f, 5.f}) {
    Value values = Value::iota<float>({3}, first);
    ASSERT_EQ(add(values.tensor()), DYN_STATUS_OK) << dyn_last_error();
    EXPECT_EQ(
        fetch(output, host.driver.stream),
        std::vector<float>({3 * first, 3 * (first + 1), 3 * (first + 2)}));
  }
  EXPECT_EQ(getStats().copies_to_device, 2u);
  EXPECT_EQ(getStats().device_waits, 1u);
  // So does a call that is not asynchronous.
  Value values = Value::iota<float>({3});
  ASSERT_EQ(run(execution.get(), "add", {values, values}, output),
            DYN_STATUS_OK);
  EXPECT_EQ(getStats().device_waits, 3u);
}

TEST_F(AsynchronousTest, ErrorsInTheDataStayUntilTheyAreAskedFor) {
  ASSERT_EQ(add(negative.tensor()), DYN_STATUS_OK);
  ASSERT_EQ(add(x.tensor()), DYN_STATUS_OK);
  // Calls that are not asynchronous report their own errors.
  Value values = Value::iota<float>({3});
  ASSERT_EQ(run(execution.get(), "add", {values, values}, output),
            DYN_STATUS_OK)
      << dyn_last_error();
  EXPECT_EQ(elements<float>(output), std::vector<float>({0, 3, 6}));
  EXPECT_FAILURE(wait(), DYN_STATUS_DATA_ERROR,
                 "dhlo.gather at '/second/Add': index out of range");
  // The output that was lent to the host is unchanged.
  EXPECT_EQ(elements<float>(output), std::vector<float>({0, 3, 6}));
  EXPECT_EQ(wait(), DYN_STATUS_OK);
  ASSERT_EQ(add(x.tensor()), DYN_STATUS_OK);
  EXPECT_EQ(wait(), DYN_STATUS_OK) << dyn_last_error();
}

TEST_F(AsynchronousTest, SizesThatAreDataAreWaitedFor) {
  ASSERT_EQ(queue("count", {x.tensor()}), DYN_STATUS_OK) << dyn_last_error();
  EXPECT_EQ(getStats().device_waits, 1u);
  EXPECT_EQ(output.shape[0], 16);
  ASSERT_EQ(add(negative.tensor()), DYN_STATUS_OK);
  // Reading a value reports the errors that are known so far, as does a wait.
  EXPECT_EQ(queue("count", {x.tensor()}), DYN_STATUS_DATA_ERROR);
  EXPECT_EQ(wait(), DYN_STATUS_DATA_ERROR);
  EXPECT_EQ(queue("count", {x.tensor()}), DYN_STATUS_OK);
}

TEST_F(AsynchronousTest, RecordedRoutesAreWaitedFor) {
  dyn_profile_t *made = nullptr;
  ASSERT_EQ(dyn_profile_create(nullptr, &made), DYN_STATUS_OK);
  Profile profile(made);
  for (bool isRecorded : {false, true}) {
    dyn_execution_reset_stats(execution.get());
    if (isRecorded)
      ASSERT_EQ(dyn_profile_start(made), DYN_STATUS_OK) << dyn_last_error();
    ASSERT_EQ(queue("route", {x.tensor(), x.tensor()}), DYN_STATUS_OK)
        << dyn_last_error();
    EXPECT_EQ(getStats().device_waits, isRecorded ? 1u : 0u);
    EXPECT_EQ(dyn_profile_decisions(made), isRecorded ? 2u : 0u);
  }
  // Routes of a call that has failed are not counted.
  EXPECT_EQ(queue("route", {negative.tensor(), negative.tensor()}),
            DYN_STATUS_DATA_ERROR);
  EXPECT_EQ(dyn_profile_decisions(made), 2u);
  EXPECT_EQ(dyn_profile_stop(made), DYN_STATUS_OK);
}

TEST_F(AsynchronousTest, FaultsOfKernels) {
  ASSERT_EQ(queue("overrun", {x.tensor()}), DYN_STATUS_OK);
  EXPECT_EQ(wait(), DYN_STATUS_DEVICE_ERROR);
  EXPECT_NE(std::string(dyn_last_error()).find("access out of bounds"),
            std::string::npos)
      << dyn_last_error();
  ASSERT_EQ(add(x.tensor()), DYN_STATUS_OK);
  EXPECT_EQ(wait(), DYN_STATUS_OK) << dyn_last_error();
}

TEST_F(AsynchronousTest, FaultsAreOfTheirStream) {
  ASSERT_EQ(queue("overrun", {x.tensor()}), DYN_STATUS_OK);
  Execution other = makeExecution(context.get());
  Value values = Value::iota<float>({3});
  EXPECT_EQ(run(other.get(), "add", {values, values}, output), DYN_STATUS_OK)
      << dyn_last_error();
  EXPECT_EQ(wait(), DYN_STATUS_DEVICE_ERROR);
}

TEST_F(AsynchronousTest, MemoryIsInUseUntilTheWait) {
  open(&host.driver);
  DeviceVector more(std::vector<float>(1000, 1));
  ASSERT_EQ(add(x.tensor()), DYN_STATUS_OK);
  // Block, arena, output, and the error word.
  EXPECT_EQ(host.blocks.size(), 4u);
  ASSERT_EQ(add(more.tensor()), DYN_STATUS_OK);
  EXPECT_EQ(host.blocks.size(), 6u);
  ASSERT_EQ(wait(), DYN_STATUS_OK);
  EXPECT_EQ(host.blocks.size(), 4u);
  ASSERT_EQ(add(x.tensor()), DYN_STATUS_OK);
  execution.reset();
  EXPECT_TRUE(host.blocks.empty());
}

TEST_F(AsynchronousTest, Refusals) {
  dyn_call_options_t options = callOptions(execution.get(), "add");
  options.asynchronous = 1;
  Value values = Value::iota<float>({3});
  const char *message = "asynchronous: expected outputs on a device, not in "
                        "the host's memory";
  EXPECT_FAILURE(run(execution.get(), options, {values, values}, output),
                 DYN_STATUS_INVALID_ARGUMENT, message);
  Context host = makeContext(artifact.get());
  Execution onHost = makeExecution(host.get());
  EXPECT_FAILURE(run(onHost.get(), options, {values, values}, output),
                 DYN_STATUS_INVALID_ARGUMENT, message);
  EXPECT_EQ(dyn_execution_wait(onHost.get()), DYN_STATUS_OK);
  EXPECT_FAILURE(dyn_execution_wait(nullptr), DYN_STATUS_INVALID_ARGUMENT,
                 "execution is null");
}

} // namespace
