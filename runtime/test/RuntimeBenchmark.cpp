//===- RuntimeBenchmark.cpp - The overhead of the runtime -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scenarios, on kernels with almost no work, so that only the runtime is
// measured:
//
//   Call            an entry without kernels: checks, outputs, bookkeeping
//   Launches        a call of as many kernels as the argument says; the counter
//                   is one launch
//   DeviceLaunches  the same on a device, whose driver does nothing
//   Sizes           an entry whose four inputs have nine sizes, two of them
//                   expressions, all of which are bound and checked
//   Expression      one size expression, interpreted as the signature's are
//   Arenas/WarmCall a call that reserves an arena which is large enough, and
//                   launches two kernels
//   Arenas/Growth   a fresh arena of so many bytes, grown in eight steps
//   ForkAndJoin     a task for each of two threads, which spin between forks
//   ForkSleeping    the same where they sleep at once, and a fork wakes them
//   Load            dlopen to a context that can run
//
// The goal is 20 us per call and 0.5 us per kernel. Times are not tested: `./x
// bench --runtime` builds and runs this.
//
//===----------------------------------------------------------------------===//

#include "Buffer.h"
#include "DeviceTesting.h"
#include "SizeExpression.h"
#include "ThreadPool.h"

#include <atomic>
#include <benchmark/benchmark.h>
#include <iterator>
#include <xmmintrin.h>

using namespace dyn::test;

namespace {

/// An entry of the zoo with its inputs, ready to run again and again.
class Prepared {
public:
  Prepared(const char *entry, std::vector<Value> values)
      : Prepared("zoo.so", {sizeof(dyn_context_options_t)}, entry,
                 std::move(values)) {}
  Prepared(const char *artifactName, const dyn_context_options_t &target,
           const char *entry, std::vector<Value> values)
      : artifact(load(artifactPath(artifactName))), values(std::move(values)),
        context(makeContext(artifact, target)),
        execution(makeExecution(context.get())),
        options(callOptions(execution.get(), entry)) {
    for (const Value &value : this->values)
      inputs.push_back(value.tensor());
  }

  void run(benchmark::State &state) {
    for (auto _ : state) {
      dyn_tensor_t output;
      if (dyn_execution_run(execution.get(), &options, inputs.data(),
                            uint32_t(inputs.size()), &output,
                            1) != DYN_STATUS_OK) {
        state.SkipWithError(dyn_last_error());
        break;
      }
    }
  }

private:
  Artifact artifact;
  std::vector<Value> values;
  std::vector<dyn_tensor_t> inputs;
  Context context;
  Execution execution;
  dyn_call_options_t options;
};

} // namespace

static void call(benchmark::State &state) {
  Prepared("steps", {Value::scalar<int64_t>(0)}).run(state);
}
BENCHMARK(call)->Name("Call");

static void launches(benchmark::State &state) {
  Prepared("steps", {Value::scalar<int64_t>(state.range(0))}).run(state);
  using benchmark::Counter;
  state.counters["launch"] =
      Counter(double(state.range(0)),
              Counter::kIsIterationInvariantRate | Counter::kInvert);
}
BENCHMARK(launches)->Name("Launches")->Arg(1)->Arg(10)->Arg(100);

static void deviceLaunches(benchmark::State &state) {
  Prepared("device_fatbin.so", deviceOptions(DYN_TEST_STUB), "steps",
           {Value::iota<float>({state.range(0)})})
      .run(state);
  using benchmark::Counter;
  state.counters["launch"] =
      Counter(double(state.range(0)),
              Counter::kIsIterationInvariantRate | Counter::kInvert);
}
BENCHMARK(deviceLaunches)->Name("DeviceLaunches")->Arg(1)->Arg(10)->Arg(100);

static void sizes(benchmark::State &state) {
  // `past` ends in 2 * s + 1, `ratio` is rows floordiv (s mod 8).
  const int64_t s = 20;
  Prepared("facts", {Value::iota<int64_t>({3, s}), Value::iota<int32_t>({3, s}),
                     Value::iota<float>({3, 3, 2 * s + 1}),
                     Value::iota<uint8_t>({3 / (s % 8)})})
      .run(state);
}
BENCHMARK(sizes)->Name("Sizes");

static void expression(benchmark::State &state) {
  const int64_t code[] = {DYN_SIZE_CONST,
                          2,
                          DYN_SIZE_DIM,
                          1,
                          DYN_SIZE_MUL,
                          DYN_SIZE_CONST,
                          1,
                          DYN_SIZE_ADD,
                          DYN_SIZE_CONST,
                          16,
                          DYN_SIZE_CEILDIV};
  int64_t dims[] = {4, 19};
  for (auto _ : state) {
    benchmark::DoNotOptimize(dims);
    benchmark::DoNotOptimize(
        dyn::rt::evaluate(code, uint32_t(std::size(code)), dims));
  }
}
BENCHMARK(expression)->Name("Expression");

static void warmArenas(benchmark::State &state) {
  Prepared("gather", {Value::of<int64_t>({1, 2, 3})}).run(state);
}
BENCHMARK(warmArenas)->Name("Arenas/WarmCall");

static void growArena(benchmark::State &state) {
  dyn::rt::MemorySource source;
  for (auto _ : state) {
    dyn::rt::Buffer buffer;
    buffer.setSource(source);
    uint64_t allocations = 0;
    for (int64_t step = 1; step <= 8; ++step)
      if (buffer.reserve(state.range(0) * step / 8, allocations) !=
          DYN_STATUS_OK)
        state.SkipWithError(dyn_last_error());
    benchmark::DoNotOptimize(buffer.data());
  }
}
BENCHMARK(growArena)->Name("Arenas/Growth")->Arg(1 << 16)->Arg(1 << 24);

/// A task for each thread that ends when all threads have arrived.
static void fork(benchmark::State &state, uint32_t spinMicroseconds) {
  const uint32_t threads = 2;
  if (dyn::rt::availableCores() < threads) {
    state.SkipWithError("needs two cores");
    return;
  }
  auto pool = dyn::rt::Ref<dyn::rt::ThreadPool>::adopt(
      new dyn::rt::ThreadPool(threads, spinMicroseconds));
  if (pool->initialize() != DYN_STATUS_OK) {
    state.SkipWithError(dyn_last_error());
    return;
  }
  std::atomic<uint32_t> arrived;
  for (auto _ : state) {
    arrived = 0;
    pool->run(
        threads,
        [](void *argument, uint32_t index) {
          auto &arrived = *static_cast<std::atomic<uint32_t> *>(argument);
          ++arrived;
          // A thread that is busy elsewhere may never arrive.
          for (int i = 0; index == 0 && i < 1 << 20 && arrived < threads; ++i)
            _mm_pause();
        },
        &arrived, /*wake=*/true);
  }
}
static void forkAndJoin(benchmark::State &state) { fork(state, 1000); }
static void forkSleeping(benchmark::State &state) { fork(state, 0); }
BENCHMARK(forkAndJoin)->Name("ForkAndJoin")->UseRealTime();
BENCHMARK(forkSleeping)->Name("ForkSleeping")->UseRealTime();

static void loading(benchmark::State &state) {
  for (auto _ : state) {
    Artifact artifact = load(artifactPath("zoo.so"));
    Context context = makeContext(artifact.get());
    benchmark::DoNotOptimize(context.get());
  }
}
BENCHMARK(loading)->Name("Load");
