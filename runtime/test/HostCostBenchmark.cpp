//===- HostCostBenchmark.cpp - What a call and a launch cost the host ----===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scenarios, all on kernels of no size, so that nothing but the runtime shows:
//   call      an entry without kernels: checks, outputs, bookkeeping
//   launch    per kernel, in a call of 100
//   parallel  per launch on two threads that find almost nothing to do
//
// The aim is 20 us a call and 0.5 us a kernel. Run it by hand; a time is no
// test.
//
//===----------------------------------------------------------------------===//

#include "Testing.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

using namespace dyn::test;

/// Median time of a call in microseconds.
static double measure(dyn_execution_t *execution, const char *entry,
                      const std::vector<Value> &values) {
  auto options = callOptions(execution, entry);
  std::vector<dyn_tensor_t> inputs;
  for (const Value &value : values)
    inputs.push_back(value.tensor());
  std::vector<double> times;
  for (int i = 0; i < 20000; ++i) {
    dyn_tensor_t output;
    auto begin = std::chrono::steady_clock::now();
    if (dyn_execution_run(execution, &options, inputs.data(),
                          uint32_t(inputs.size()), &output, 1) != DYN_STATUS_OK)
      std::printf("failed: %s\n", dyn_last_error());
    std::chrono::duration<double, std::micro> took =
        std::chrono::steady_clock::now() - begin;
    times.push_back(took.count());
  }
  std::nth_element(times.begin(), times.begin() + 10000, times.end());
  return times[10000];
}

int main() {
  Artifact artifact = load(artifactPath("zoo.so"));
  Context context = makeContext(artifact.get());
  Execution execution = makeExecution(context.get());
  double empty = measure(execution.get(), "steps", {Value::scalar<int64_t>(0)});
  double hundred =
      measure(execution.get(), "steps", {Value::scalar<int64_t>(100)});
  std::printf("call      %7.3f us\n", empty);
  std::printf("launch    %7.3f us\n", (hundred - empty) / 100);

  Pool pool = makePool(2);
  Context parallel = makeContext(artifact.get(), pool.get());
  Execution two = makeExecution(parallel.get());
  Value x = Value::iota<float>({1, 128});
  double serial = measure(execution.get(), "add", {x, x});
  std::printf("parallel  %7.3f us\n",
              measure(two.get(), "add", {x, x}) - serial);
}
