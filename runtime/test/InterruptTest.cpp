//===- InterruptTest.cpp - Cancellation and deadlines, stage by stage -----===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A call is interrupted between two kernels only. These tests make the flag and
// the time come true before the first kernel, between two, and after the last
// one, without a second thread: the host's own functions, which a call calls,
// set the flag.

#include "Testing.h"

#include <chrono>
#include <thread>

using namespace dyn::test;

namespace {
class InterruptTest : public ZooTest {
protected:
  /// Runs `entry` with the flag.
  dyn_status_t runWithFlag(const char *entry, const std::vector<Value> &values,
                           const volatile int32_t *flag,
                           uint64_t timeoutNs = 0) {
    auto options = callOptions(execution.get(), entry);
    options.cancel = flag;
    options.timeout_ns = timeoutNs;
    return run(execution.get(), options, values, output);
  }
  uint64_t launches() { return getStats(execution.get()).launches; }

  const Value x = Value::iota<float>({2, 3});
  const Value rows = Value::iota<int64_t>({2, 3});
};

/// The memory of an output, and the flag that is set when it is asked for.
struct Host {
  volatile int32_t flag = 0;
  int64_t memory[64] = {};
  int asked = 0;
};
void *giveOutput(void *user, uint32_t, dyn_dtype_t, uint32_t, const int64_t *,
                 uint64_t bytes) {
  auto &host = *static_cast<Host *>(user);
  ++host.asked;
  host.flag = 1;
  return bytes <= sizeof(host.memory) ? host.memory : nullptr;
}
} // namespace

/// No kernel of a call runs whose flag is set before it begins.
TEST_F(InterruptTest, CancelledBeforeTheFirstKernel) {
  const volatile int32_t set = 1;
  EXPECT_FAILURE(runWithFlag("add", {x, x}, &set), DYN_STATUS_CANCELLED,
                 "the call was cancelled");
  EXPECT_FAILURE(runWithFlag("reverse", {rows}, &set), DYN_STATUS_CANCELLED,
                 "the call was cancelled");
  EXPECT_FAILURE(runWithFlag("together", {rows}, &set), DYN_STATUS_CANCELLED,
                 "the call was cancelled");
  EXPECT_EQ(launches(), 0u);
  EXPECT_EQ(getStats(execution.get()).failed_calls, 3u);
}

/// The flag is an integer, not a bool: every value but zero cancels.
TEST_F(InterruptTest, AnyValueButZeroCancels) {
  for (int32_t value : {1, 2, -1, 256, INT32_MIN}) {
    const volatile int32_t set = value;
    EXPECT_EQ(runWithFlag("add", {x, x}, &set), DYN_STATUS_CANCELLED) << value;
  }
}

/// The output's memory is asked for before the kernels run.
TEST_F(InterruptTest, CancelledWhileTheHostAllocates) {
  Host host;
  auto options = callOptions(execution.get(), "add");
  options.cancel = &host.flag;
  options.output = giveOutput;
  options.output_user = &host;
  EXPECT_FAILURE(run(execution.get(), options, {x, x}, output),
                 DYN_STATUS_CANCELLED, "the call was cancelled");
  EXPECT_EQ(host.asked, 1);
  EXPECT_EQ(launches(), 0u);
  EXPECT_EQ(output.data, nullptr);
}

/// An entry that launches nothing has no place at which it could be cancelled.
TEST_F(InterruptTest, CallsWithoutKernelsEnd) {
  const volatile int32_t set = 1;
  Value data = Value::of<uint8_t>({1, 0});
  Value count = Value::scalar<int64_t>(1);
  dyn_tensor_t inputs[] = {data.tensor(), count.tensor()};
  inputs[0].dtype = DYN_BOOL;
  auto options = callOptions(execution.get(), "take");
  options.cancel = &set;
  options.timeout_ns = 1;
  EXPECT_EQ(dyn_execution_run(execution.get(), &options, inputs, 2, &output, 1),
            DYN_STATUS_OK);
  EXPECT_EQ(shapeOf(output), std::vector<int64_t>{1});
}

/// Wrong inputs are reported, not the flag: they would be wrong once more.
TEST_F(InterruptTest, InputsAreCheckedFirst) {
  const volatile int32_t set = 1;
  EXPECT_FAILURE(runWithFlag("add", {x}, &set), DYN_STATUS_INVALID_ARGUMENT,
                 "entry 'add' takes 2 inputs (x, y), got 1");
  EXPECT_EQ(runWithFlag("add", {x, rows}, &set), DYN_STATUS_INVALID_ARGUMENT);
}

/// The deadline of one nanosecond has passed when the first kernel is launched.
TEST_F(InterruptTest, DeadlineBeforeTheFirstKernel) {
  EXPECT_FAILURE(runWithFlag("add", {x, x}, nullptr, 1),
                 DYN_STATUS_DEADLINE_EXCEEDED,
                 "the call took longer than its limit of 0.000 ms");
  EXPECT_EQ(launches(), 0u);
}

/// The sum of now and the limit does not wrap around.
TEST_F(InterruptTest, LimitsThatNoClockReaches) {
  for (uint64_t limit : {UINT64_MAX, UINT64_MAX - 1, uint64_t(1) << 63})
    EXPECT_EQ(runWithFlag("add", {x, x}, nullptr, limit), DYN_STATUS_OK);
}

/// Of the two the flag is the host's wish.
TEST_F(InterruptTest, FlagAndDeadlineAtOnce) {
  const volatile int32_t set = 1;
  dyn_status_t status = runWithFlag("add", {x, x}, &set, 1);
  EXPECT_EQ(status, DYN_STATUS_CANCELLED) << dyn_status_name(status);
}

/// The time of one call is not held against the next.
TEST_F(InterruptTest, EachCallHasItsOwnLimit) {
  const uint64_t limit = 2000000000;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(runWithFlag("add", {x, x}, nullptr, limit), DYN_STATUS_OK);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  EXPECT_EQ(runWithFlag("add", {x, x}, nullptr, 1),
            DYN_STATUS_DEADLINE_EXCEEDED);
  EXPECT_EQ(runWithFlag("add", {x, x}, nullptr, 0), DYN_STATUS_OK);
}

/// An interrupted call leaves nothing behind: the next one has the same result
/// and allocates nothing.
TEST_F(InterruptTest, TheNextCallIsWhole) {
  for (uint32_t threads : {1u, 3u}) {
    Pool pool = makePool(threads);
    Context parallel = makeContext(artifact.get(), pool.get());
    execution = makeExecution(parallel.get());
    Value many = Value::iota<int64_t>({64, 100});
    volatile int32_t flag = 0;
    ASSERT_EQ(runWithFlag("reverse", {many}, &flag), DYN_STATUS_OK);
    uint64_t allocations = getStats(execution.get()).allocations;
    for (int i = 0; i < 3; ++i) {
      flag = 1;
      EXPECT_EQ(runWithFlag("reverse", {many}, &flag), DYN_STATUS_CANCELLED);
      EXPECT_EQ(runWithFlag("reverse", {many}, nullptr, 1),
                DYN_STATUS_DEADLINE_EXCEEDED);
      flag = 0;
      ASSERT_EQ(runWithFlag("reverse", {many}, &flag), DYN_STATUS_OK);
      EXPECT_EQ(elements<int64_t>(output), elements<int64_t>(many.tensor()));
    }
    EXPECT_EQ(getStats(execution.get()).allocations, allocations);
  }
}

/// The flag of another call, and a flag that is set after the last kernel.
TEST_F(InterruptTest, OtherFlagsDoNothing) {
  Execution other = makeExecution(context.get());
  volatile int32_t mine = 0, theirs = 1;
  auto options = callOptions(other.get(), "add");
  options.cancel = &theirs;
  dyn_tensor_t result = {};
  EXPECT_EQ(run(other.get(), options, {x, x}, result), DYN_STATUS_CANCELLED);
  EXPECT_EQ(runWithFlag("add", {x, x}, &mine), DYN_STATUS_OK);
  mine = 1;
  EXPECT_EQ(elements<float>(output)[5], 10.f);
}

/// Kernels of a call that is cancelled later have run, and count.
TEST_F(InterruptTest, StepsThatHaveRunAreCounted) {
  auto options = callOptions(execution.get(), "steps");
  volatile int32_t flag = 0;
  options.cancel = &flag;
  std::thread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    __atomic_store_n(&flag, 1, __ATOMIC_RELAXED);
  });
  EXPECT_EQ(run(execution.get(), options, {Value::scalar(INT64_MAX)}, output),
            DYN_STATUS_CANCELLED);
  canceller.join();
  EXPECT_GT(launches(), 0u);
  EXPECT_EQ(getStats(execution.get()).calls, 1u);
}
