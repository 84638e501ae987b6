//===- CallTest.cpp - Calls and their failures ----------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Testing.h"

#include <chrono>
#include <filesystem>
#include <functional>
#include <limits>
#include <thread>

using namespace dyn::test;

namespace {
class CallTest : public ZooTest {
protected:
  dyn_stats_t stats() { return getStats(execution.get()); }
  dyn_status_t breach(int64_t which) {
    return run(execution.get(), "breach", {Value::scalar(which)}, output);
  }
  /// Runs an entry that copies its input, for several shapes, with several
  /// numbers of threads, with and without profiling; `check` gets both and
  /// looks at the statistics.
  void runForThreads(const char *entry,
                     const std::function<void(uint32_t, uint32_t)> &check);
};
} // namespace

TEST_F(CallTest, Adds) {
  for (auto shape : std::vector<std::vector<int64_t>>{
           {2, 3}, {1, 1}, {0, 5}, {5, 0}, {3, 509}}) {
    ASSERT_EQ(run(execution.get(), "add",
                  {Value::iota<float>(shape, 1), Value::iota<float>(shape, 2)},
                  output),
              DYN_STATUS_OK);
    EXPECT_EQ(shapeOf(output), shape);
    std::vector<float> expected(size_t(shape[0] * shape[1]));
    for (size_t i = 0; i < expected.size(); ++i)
      expected[i] = 3 + 2 * float(i);
    EXPECT_EQ(elements<float>(output), expected);
  }
}

TEST_F(CallTest, SizeThatDependsOnTheData) {
  Value data = Value::of<uint8_t>({1, 0, 1, 1});
  int64_t shape[] = {4};
  auto options = callOptions(execution.get(), "take");
  for (int64_t k : {0, 1, 4}) {
    Value count = Value::scalar(k);
    dyn_tensor_t inputs[] = {data.tensor(), count.tensor()};
    inputs[0].dtype = DYN_BOOL;
    inputs[0].shape = shape;
    ASSERT_EQ(
        dyn_execution_run(execution.get(), &options, inputs, 2, &output, 1),
        DYN_STATUS_OK);
    EXPECT_EQ(shapeOf(output), std::vector<int64_t>{k});
  }
  Value count = Value::scalar<int64_t>(-2);
  dyn_tensor_t inputs[] = {data.tensor(), count.tensor()};
  inputs[0].dtype = DYN_BOOL;
  EXPECT_FAILURE(
      dyn_execution_run(execution.get(), &options, inputs, 2, &output, 1),
      DYN_STATUS_DATA_ERROR,
      "dhlo.slice at '/head/Slice': size negative or outside its declared "
      "range: got -2");
}

TEST_F(CallTest, FirstDataErrorIsReported) {
  Pool pool = makePool(4);
  Context parallel = makeContext(artifact.get(), pool.get());
  Execution many = makeExecution(parallel.get());
  std::vector<int64_t> ids(1000);
  ids[7] = ids[900] = 8;
  for (dyn_execution_t *one : {execution.get(), many.get()})
    EXPECT_FAILURE(run(one, "gather", {Value::of(ids)}, output),
                   DYN_STATUS_DATA_ERROR,
                   "dhlo.gather at '/embed/Gather': index out of range");
  ids[7] = ids[900] = 7;
  EXPECT_EQ(run(many.get(), "gather", {Value::of(ids)}, output), DYN_STATUS_OK);
}

TEST_F(CallTest, FailedCallLeavesOutputsAlone) {
  dyn_tensor_t untouched = output;
  untouched.data = output.data = this;
  EXPECT_EQ(run(execution.get(), "gather", {Value::of<int64_t>({-1})}, output),
            DYN_STATUS_DATA_ERROR);
  EXPECT_EQ(std::memcmp(&output, &untouched, sizeof(output)), 0);
  EXPECT_EQ(stats().failed_calls, 1u);
}

TEST_F(CallTest, ArenasAndScratch) {
  for (uint32_t threads : {1u, 2u, 3u}) {
    Pool pool = makePool(threads);
    Context parallel = makeContext(artifact.get(), pool.get());
    Execution many = makeExecution(parallel.get());
    for (int64_t rows : {1, 2, 64, 0, 7}) {
      Value x = Value::iota<int64_t>({rows, 1001});
      ASSERT_EQ(run(many.get(), "reverse", {x}, output), DYN_STATUS_OK);
      EXPECT_EQ(elements<int64_t>(output), elements<int64_t>(x.tensor()));
    }
  }
}

TEST_F(CallTest, WarmCallsAllocateNothing) {
  auto reverse = [&](int64_t rows, int64_t n) {
    ASSERT_EQ(run(execution.get(), "reverse", {Value::iota<int64_t>({rows, n})},
                  output),
              DYN_STATUS_OK);
  };
  reverse(8, 100);
  dyn_stats_t first = stats();
  EXPECT_EQ(first.arena_bytes_used, 6400u);
  EXPECT_GE(first.arena_bytes, 6400u);
  EXPECT_GT(first.scratch_bytes, 0u);
  EXPECT_GE(first.output_bytes, 6400u);
  reverse(8, 100);
  reverse(3, 17);
  EXPECT_EQ(stats().allocations, first.allocations);
  EXPECT_EQ(stats().arena_bytes_used, 8u * 3 * 17);
  reverse(64, 100000);
  EXPECT_EQ(stats().allocations, first.allocations + 3);
}

TEST_F(CallTest, SeedDecides) {
  auto options = callOptions(execution.get(), "random");
  auto bits = [&](uint64_t seed) {
    options.seed = seed;
    EXPECT_EQ(
        run(execution.get(), options, {Value::iota<int8_t>({100})}, output),
        DYN_STATUS_OK);
    return elements<uint64_t>(output);
  };
  EXPECT_EQ(bits(1), bits(1));
  EXPECT_NE(bits(1), bits(2));
}

//===----------------------------------------------------------------------===//
// Memory of the host
//===----------------------------------------------------------------------===//

namespace {
struct Host {
  std::vector<std::vector<char>> outputs;
  uint64_t live = 0, allocated = 0;
  bool refuses = false;
};
void *giveOutput(void *user, uint32_t output, dyn_dtype_t dtype, uint32_t rank,
                 const int64_t *shape, uint64_t bytes) {
  auto &host = *static_cast<Host *>(user);
  if (host.refuses)
    return nullptr;
  EXPECT_EQ(output, 0u);
  EXPECT_EQ(dtype, DYN_F32);
  EXPECT_EQ(rank, 2u);
  EXPECT_EQ(bytes, uint64_t(shape[0] * shape[1] * 4));
  host.outputs.emplace_back(bytes + 1);
  return host.outputs.back().data();
}
} // namespace

TEST_F(CallTest, OutputsOfTheHost) {
  Host host;
  auto options = callOptions(execution.get(), "add");
  options.output = giveOutput;
  options.output_user = &host;
  Value x = Value::iota<float>({2, 3});
  ASSERT_EQ(run(execution.get(), options, {x, x}, output), DYN_STATUS_OK);
  ASSERT_EQ(host.outputs.size(), 1u);
  EXPECT_EQ(output.data, host.outputs[0].data());
  EXPECT_EQ(stats().output_bytes, 0u);
  host.refuses = true;
  EXPECT_FAILURE(run(execution.get(), options, {x, x}, output),
                 DYN_STATUS_OUT_OF_MEMORY,
                 "output 'sum': the host gave no memory for 24 bytes");
}

TEST_F(CallTest, MemoryOfTheDriver) {
  Host host;
  dyn_driver_t driver = {};
  driver.struct_size = sizeof(driver);
  driver.user = &host;
  driver.allocate = [](void *user, uint64_t bytes, uint64_t alignment) {
    auto &host = *static_cast<Host *>(user);
    ++host.allocated;
    host.live += bytes;
    return host.refuses ? nullptr : ::aligned_alloc(alignment, bytes);
  };
  driver.deallocate = [](void *user, void *memory, uint64_t bytes) {
    static_cast<Host *>(user)->live -= bytes;
    ::free(memory);
  };
  Context context = makeContext(artifact.get(), nullptr, &driver);
  Execution execution = makeExecution(context.get());
  auto reverse = [&](int64_t n) {
    return run(execution.get(), "reverse", {Value::iota<int64_t>({4, n})},
               output);
  };
  ASSERT_EQ(reverse(100), DYN_STATUS_OK);
  EXPECT_EQ(host.allocated, 3u);
  ASSERT_EQ(reverse(100), DYN_STATUS_OK);
  EXPECT_EQ(host.allocated, 3u);
  host.refuses = true;
  EXPECT_EQ(reverse(1000), DYN_STATUS_OUT_OF_MEMORY);
  host.refuses = false;
  host.live = 0; // refused requests were counted
  execution.reset();
  execution = makeExecution(context.get());
  host.live = 0;
  ASSERT_EQ(reverse(1000), DYN_STATUS_OK);
  EXPECT_GT(host.live, 0u);
  execution.reset();
  EXPECT_EQ(host.live, 0u);
}

//===----------------------------------------------------------------------===//
// Cancellation and deadlines
//===----------------------------------------------------------------------===//

TEST_F(CallTest, Cancels) {
  auto options = callOptions(execution.get(), "steps");
  volatile int32_t cancel = 0;
  options.cancel = &cancel;
  EXPECT_EQ(run(execution.get(), options, {Value::scalar<int64_t>(10)}, output),
            DYN_STATUS_OK);
  std::thread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    __atomic_store_n(&cancel, 1, __ATOMIC_RELAXED);
  });
  EXPECT_FAILURE(
      run(execution.get(), options, {Value::scalar(INT64_MAX)}, output),
      DYN_STATUS_CANCELLED, "the call was cancelled");
  canceller.join();
}

TEST_F(CallTest, KeepsItsDeadline) {
  auto options = callOptions(execution.get(), "steps");
  options.timeout_ns = 2000000;
  EXPECT_FAILURE(
      run(execution.get(), options, {Value::scalar(INT64_MAX)}, output),
      DYN_STATUS_DEADLINE_EXCEEDED,
      "the call took longer than its limit of 2.000 ms");
  options.timeout_ns = UINT64_MAX;
  EXPECT_EQ(run(execution.get(), options, {Value::scalar<int64_t>(10)}, output),
            DYN_STATUS_OK);
}

TEST_F(CallTest, OneCallAtATime) {
  auto options = callOptions(execution.get(), "steps");
  volatile int32_t cancel = 0;
  options.cancel = &cancel;
  std::thread other([&] {
    // Busy while the loop below reads the statistics: then try again.
    dyn_tensor_t ignored;
    auto status = DYN_STATUS_BUSY;
    while (status == DYN_STATUS_BUSY)
      status =
          run(execution.get(), options, {Value::scalar(INT64_MAX)}, ignored);
    EXPECT_EQ(status, DYN_STATUS_CANCELLED);
  });
  dyn_stats_t stats = {};
  stats.struct_size = sizeof(stats);
  while (dyn_execution_stats(execution.get(), &stats) == DYN_STATUS_OK)
    std::this_thread::yield();
  EXPECT_FAILURE(
      run(execution.get(), "steps", {Value::scalar<int64_t>(1)}, output),
      DYN_STATUS_BUSY,
      "the execution is in a call: expected one execution per concurrent call");
  __atomic_store_n(&cancel, 1, __ATOMIC_RELAXED);
  other.join();
}

//===----------------------------------------------------------------------===//
// Compiled code that breaks the contract
//===----------------------------------------------------------------------===//

TEST_F(CallTest, Breaches) {
  EXPECT_FAILURE(breach(0), DYN_STATUS_INTERNAL,
                 "entry 'breach' returned status 77 without a reason");
  EXPECT_FAILURE(breach(1), DYN_STATUS_INTERNAL,
                 "entry 'breach' left output 'pair' without memory");
  EXPECT_FAILURE(breach(2), DYN_STATUS_INTERNAL,
                 "entry 'breach' asked for output 0 of 1 out of turn");
  EXPECT_FAILURE(breach(3), DYN_STATUS_INTERNAL,
                 "output 'pair', axis 0: expected 2, got 3");
  EXPECT_FAILURE(breach(4), DYN_STATUS_INTERNAL,
                 "entry 'breach' asked for 1 bytes of arena 9 of 1");
  EXPECT_FAILURE(breach(5), DYN_STATUS_INTERNAL,
                 "entry 'breach' asked for -8 bytes of arena 0 of 1");
  EXPECT_FAILURE(breach(6), DYN_STATUS_INTERNAL, "kernel 6 does not exist");
  EXPECT_FAILURE(breach(7), DYN_STATUS_INTERNAL,
                 "compiled code reports an error at site 3 of 3");
  EXPECT_FAILURE(breach(8), DYN_STATUS_OUT_OF_MEMORY,
                 "the sizes of this call need more bytes than fit in 63 bits");
  EXPECT_FAILURE(breach(10), DYN_STATUS_INTERNAL,
                 "65 kernels are launched together, more than 64");
  EXPECT_FAILURE(breach(11), DYN_STATUS_INTERNAL, "kernel 6 does not exist");
  EXPECT_FAILURE(breach(12), DYN_STATUS_INTERNAL,
                 "code of the CPU reads from a device");
  EXPECT_FAILURE(breach(13), DYN_STATUS_INTERNAL,
                 "code of the CPU writes to a device");
  EXPECT_FAILURE(breach(14), DYN_STATUS_INTERNAL,
                 "compiled code guesses router 3 of 3");
  EXPECT_FAILURE(breach(15), DYN_STATUS_INTERNAL,
                 "compiled code guesses router 3 of 3");
  // Not checked unless a profile records; ProfileTest does.
  EXPECT_EQ(breach(9), DYN_STATUS_OK);
  EXPECT_EQ(run(execution.get(), "steps", {Value::scalar<int64_t>(1)}, output),
            DYN_STATUS_OK);
}

//===----------------------------------------------------------------------===//
// Kernels together
//===----------------------------------------------------------------------===//

void CallTest::runForThreads(
    const char *entry, const std::function<void(uint32_t, uint32_t)> &check) {
  for (uint32_t threads : {1u, 2u, 5u}) {
    Pool pool = makePool(threads);
    Context context = makeContext(artifact.get(), pool.get());
    for (uint32_t profile : {0u, 1u}) {
      dyn_execution_options_t options = {sizeof(options), profile, 0};
      dyn_execution_t *made = nullptr;
      ASSERT_EQ(dyn_execution_create(context.get(), &options, &made),
                DYN_STATUS_OK);
      execution.reset(made);
      for (auto shape : std::vector<std::vector<int64_t>>{
               {1, 1}, {2, 3}, {64, 100}, {3, 509}}) {
        Value x = Value::iota<int64_t>(shape, 1);
        ASSERT_EQ(run(made, entry, {x}, output), DYN_STATUS_OK);
        std::vector<int64_t> expected(size_t(shape[0] * shape[1]));
        for (size_t i = 0; i < expected.size(); ++i)
          expected[i] = 1 + int64_t(i);
        EXPECT_EQ(elements<int64_t>(output), expected);
      }
      check(threads, profile);
    }
  }
}

TEST_F(CallTest, RunsKernelsTogether) {
  runForThreads("together", [&](uint32_t threads, uint32_t profile) {
    // Each kernel counts; in turn or together, so does the one launch.
    EXPECT_EQ(stats().launches, 4u * 2 * 3);
    if (threads == 1)
      EXPECT_EQ(stats().parallel_launches, 0u);
    else
      EXPECT_LE(stats().parallel_launches, 4u * 2);
    EXPECT_EQ(stats().kernel_time_ns > 0, profile == 1);
  });
}

TEST_F(CallTest, RunsChains) {
  runForThreads("chains", [&](uint32_t threads, uint32_t profile) {
    // One row is work for one thread, so chains always pay.
    EXPECT_EQ(stats().launches, 4u * 4);
    EXPECT_EQ(stats().parallel_launches, threads == 1 ? 0u : 4u);
    EXPECT_EQ(stats().kernel_time_ns > 0, profile == 1);
  });
}

//===----------------------------------------------------------------------===//
// Guesses
//===----------------------------------------------------------------------===//

namespace {
class GuessTest : public CallTest {
protected:
  /// Opens a context on `threads` threads with the environment's DYN_GUESSES.
  void open(uint32_t threads, const char *mode = nullptr) {
    if (mode)
      ::setenv("DYN_GUESSES", mode, 1);
    pool = makePool(threads);
    context = makeContext(artifact.get(), pool.get());
    ::unsetenv("DYN_GUESSES");
    execution = makeExecution(context.get());
  }
  /// Calls with `right` of four rows right, and with equal results.
  void call(int times, int64_t right, int64_t numbers = 64) {
    for (int i = 0; i < times; ++i) {
      Value x = Value::iota<int64_t>({1, numbers}, right);
      ASSERT_EQ(run(execution.get(), "guess", {x}, output), DYN_STATUS_OK);
      for (size_t k = 0; k < size_t(numbers); ++k)
        ASSERT_EQ(elements<int64_t>(output)[k], right + int64_t(k));
    }
  }
  dyn_guess_stats_t guesses() {
    dyn_guess_stats_t stats = {};
    stats.struct_size = sizeof(stats);
    EXPECT_EQ(dyn_context_guess_stats(context.get(), 0, &stats), DYN_STATUS_OK);
    return stats;
  }
  Pool pool;
};
} // namespace

TEST_F(GuessTest, StopsWhereItDoesNotPay) {
  open(2);
  call(64, 1);
  EXPECT_EQ(guesses().guesses, 64u);
  EXPECT_EQ(guesses().rows, 4u * 64);
  EXPECT_EQ(guesses().right, 64u);
  EXPECT_STREQ(guesses().key, "layers.0");
  dyn_execution_reset_stats(execution.get());
  call(64, 1);
  EXPECT_EQ(guesses().guesses, 64u);
  EXPECT_FALSE(guesses().is_on);
  // No thread is handed the other chain.
  EXPECT_EQ(stats().parallel_launches, 0u);
  call(1, 3);
  EXPECT_TRUE(guesses().is_on);
  call(64, 3);
  EXPECT_EQ(guesses().guesses, 64u + 1 + 64);
}

TEST_F(GuessTest, NeedsThreads) {
  open(1);
  call(3, 4);
  EXPECT_EQ(guesses().calls, 0u);
  open(1, "always");
  call(3, 4);
  EXPECT_EQ(guesses().guesses, 3u);
  // Rows that were not computed beside the router gained nothing.
  EXPECT_EQ(guesses().right, 0u);
  open(2, "never");
  call(3, 4);
  EXPECT_EQ(guesses().calls, 3u);
  EXPECT_EQ(guesses().guesses, 0u);
}

/// Less work than wakes a thread otherwise: what pays is known.
TEST_F(GuessTest, WakesThreads) {
  auto countThreads = [] {
    std::filesystem::directory_iterator tasks("/proc/self/task");
    return std::distance(begin(tasks), end(tasks));
  };
  open(2, "never");
  call(3, 4, 8192);
  auto before = countThreads();
  open(2);
  call(3, 4, 8192);
  EXPECT_EQ(countThreads(), before + 1);
}

TEST_F(GuessTest, ErrorsOfGuessesAreNone) {
  open(2);
  std::vector<std::vector<char>> given;
  dyn_call_options_t options = callOptions(execution.get(), "guess_fail");
  options.output_user = &given;
  options.output = [](void *user, uint32_t, dyn_dtype_t, uint32_t,
                      const int64_t *, uint64_t bytes) -> void * {
    auto &memory = *static_cast<std::vector<std::vector<char>> *>(user);
    return memory.emplace_back(bytes).data();
  };
  Value x = Value::iota<int64_t>({2, 3}, 7);
  ASSERT_EQ(run(execution.get(), options, {x}, output), DYN_STATUS_OK);
  EXPECT_EQ(elements<int64_t>(output), elements<int64_t>(x.tensor()));
  EXPECT_EQ(guesses().guesses, 1u);
  EXPECT_EQ(given.size(), 1u);
  // Without a guess the error is the program's.
  Value negative = Value::iota<int64_t>({1, 1}, -1);
  EXPECT_FAILURE(run(execution.get(), options, {negative}, output),
                 DYN_STATUS_DATA_ERROR,
                 "dhlo.slice at '/head/Slice': size negative or outside its "
                 "declared range: got -1");
  EXPECT_EQ(guesses().guesses, 2u);
  EXPECT_EQ(stats().calls, 2u);
  EXPECT_EQ(stats().failed_calls, 1u);
}

TEST_F(GuessTest, ReportsMistakes) {
  ::setenv("DYN_GUESSES", "maybe", 1);
  dyn_context_t *made = nullptr;
  EXPECT_FAILURE(
      dyn_context_create(artifact.get(), nullptr, &made),
      DYN_STATUS_INVALID_ARGUMENT,
      "DYN_GUESSES: expected 'adapt', 'always' or 'never', got 'maybe'");
  ::unsetenv("DYN_GUESSES");
  open(1);
  dyn_guess_stats_t stats = {};
  stats.struct_size = sizeof(stats);
  EXPECT_FAILURE(dyn_context_guess_stats(context.get(), 3, &stats),
                 DYN_STATUS_INVALID_ARGUMENT,
                 "router 3 does not exist: the artifact has 3");
}

//===----------------------------------------------------------------------===//
// Statistics
//===----------------------------------------------------------------------===//

TEST_F(CallTest, CountsPerKernel) {
  Value x = Value::iota<float>({4, 5});
  ASSERT_EQ(run(execution.get(), "add", {x, x}, output), DYN_STATUS_OK);
  ASSERT_EQ(run(execution.get(), "add", {x, x}, output), DYN_STATUS_OK);
  dyn_kernel_stats_t kernel = {};
  kernel.struct_size = sizeof(kernel);
  ASSERT_EQ(dyn_execution_kernel_stats(execution.get(), 0, &kernel),
            DYN_STATUS_OK);
  EXPECT_STREQ(kernel.name, "add");
  EXPECT_STREQ(kernel.kind, "loop");
  EXPECT_EQ(kernel.launches, 2u);
  EXPECT_EQ(kernel.flops, 40u);
  EXPECT_EQ(kernel.bytes, 480u);
  EXPECT_EQ(kernel.time_ns, 0u);
  dyn_stats_t sums = stats();
  EXPECT_EQ(sums.calls, 2u);
  EXPECT_EQ(sums.launches, 2u);
  EXPECT_EQ(sums.flops, 40u);
  EXPECT_EQ(sums.kernel_time_ns, 0u);
  EXPECT_GT(sums.time_ns, 0u);
  ASSERT_EQ(dyn_execution_reset_stats(execution.get()), DYN_STATUS_OK);
  EXPECT_EQ(stats().calls, 0u);
  EXPECT_EQ(stats().launches, 0u);
  EXPECT_FAILURE(dyn_execution_kernel_stats(execution.get(), 6, &kernel),
                 DYN_STATUS_INVALID_ARGUMENT,
                 "kernel 6 does not exist: the artifact has 6");
}

TEST_F(CallTest, ProfilesOnRequest) {
  dyn_execution_options_t options = {sizeof(options), 1, 0};
  dyn_execution_t *made = nullptr;
  ASSERT_EQ(dyn_execution_create(context.get(), &options, &made),
            DYN_STATUS_OK);
  execution.reset(made);
  ASSERT_EQ(run(made, "steps", {Value::scalar<int64_t>(1000)}, output),
            DYN_STATUS_OK);
  EXPECT_GT(stats().kernel_time_ns, 0u);
  EXPECT_LE(stats().kernel_time_ns, stats().time_ns);
}

TEST_F(CallTest, OlderCallersGetWhatTheyKnow) {
  dyn_stats_t stats = {};
  stats.struct_size = offsetof(dyn_stats_t, failed_calls);
  stats.failed_calls = 42;
  ASSERT_EQ(dyn_execution_stats(execution.get(), &stats), DYN_STATUS_OK);
  EXPECT_EQ(stats.failed_calls, 42u);
  EXPECT_FAILURE(dyn_execution_stats(execution.get(), nullptr),
                 DYN_STATUS_INVALID_ARGUMENT, "dyn_stats_t is null");
  stats.struct_size = 0;
  EXPECT_FAILURE(dyn_execution_stats(execution.get(), &stats),
                 DYN_STATUS_INVALID_ARGUMENT,
                 "dyn_stats_t.struct_size is 0: expected sizeof(dyn_stats_t)");
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

TEST(Names, OfValues) {
  EXPECT_STREQ(dyn_status_name(DYN_STATUS_DATA_ERROR), "data error");
  EXPECT_STREQ(dyn_status_name(dyn_status_t(99)), "unknown status");
  EXPECT_STREQ(dyn_dtype_name(DYN_BF16), "bf16");
  EXPECT_STREQ(dyn_dtype_name(DYN_BOOL), "bool");
  EXPECT_STREQ(dyn_dtype_name(dyn_dtype_t(0)), "unknown");
  EXPECT_EQ(dyn_dtype_size(DYN_U64), 8u);
  EXPECT_EQ(dyn_dtype_size(dyn_dtype_t(14)), 0u);
  EXPECT_STREQ(dyn_isa_name(DYN_ISA_X86_64_V3), "x86-64-v3");
  EXPECT_STREQ(dyn_isa_name(dyn_isa_t(7)), "unknown");
  EXPECT_STREQ(dyn_runtime_version(), "0.1.0");
}
