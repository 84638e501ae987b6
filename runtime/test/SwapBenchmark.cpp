//===- SwapBenchmark.cpp - Calls while variants of a model change ---------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   swap-benchmark CASE SECONDS ARTIFACT SHAPES [WORD...]
//
// One thread calls the first entry without a pause while another changes
// variants, and the time of each call is written as JSON: of all calls, and of
// the first and last ones of a variant.
//
//   alone    nothing else happens
//   burn     a process with the priority of a compiler computes
//   swap     the artifacts WORD... replace each other
//   compile  the compiler WORD... replaces the program by itself
//
// SHAPES is "1x64,1x64": a shape for each input. The calling thread runs on the
// last processor, in real time if the system permits it, since other work is
// not the question here. All else may run on every processor.
//
//===----------------------------------------------------------------------===//

#include "dyn/runtime.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sched.h>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

void check(dyn_status_t status) {
  if (status == DYN_STATUS_OK)
    return;
  std::fprintf(stderr, "swap-benchmark: %s\n", dyn_last_error());
  std::exit(1);
}

void sleepMs(int time) {
  std::this_thread::sleep_for(std::chrono::milliseconds(time));
}

/// The arguments of a call. Elements are 1.
struct Inputs {
  Inputs(const dyn_artifact_t *artifact, const char *text) {
    while (*text) {
      std::vector<int64_t> &shape = shapes.emplace_back();
      size_t count = 1;
      for (char *end; *text && *text != ','; text = end + (*end == 'x')) {
        shape.push_back(std::strtoll(text, &end, 10));
        count *= size_t(shape.back());
      }
      text += *text == ',';
      dyn_port_info_t port = {};
      port.struct_size = sizeof(port);
      check(
          dyn_artifact_input(artifact, 0, uint32_t(shapes.size() - 1), &port));
      std::vector<char> &bytes = data.emplace_back(count * 8);
      for (size_t i = 0; i < count; ++i)
        if (port.dtype == DYN_F32)
          reinterpret_cast<float *>(bytes.data())[i] = 1;
        else
          reinterpret_cast<int64_t *>(bytes.data())[i] = 1;
      types.push_back(dyn_dtype_t(port.dtype));
    }
    for (size_t i = 0; i < shapes.size(); ++i) {
      dyn_tensor_t &tensor = tensors.emplace_back();
      tensor.data = data[i].data();
      tensor.shape = shapes[i].data();
      tensor.dtype = types[i];
      tensor.rank = uint32_t(shapes[i].size());
    }
  }

  std::vector<std::vector<int64_t>> shapes;
  std::vector<std::vector<char>> data;
  std::vector<dyn_dtype_t> types;
  std::vector<dyn_tensor_t> tensors;
};

/// A thread that calls a model and times each call.
class Caller {
public:
  Caller(dyn_model_t *model, const Inputs &inputs, uint32_t outputCount)
      : model(model), inputs(inputs), outputs(outputCount) {
    records.reserve(1 << 23);
    thread = std::thread([this] { call(); });
  }
  void end() {
    stops = true;
    thread.join();
  }
  void write(Clock::time_point from) const {
    std::vector<double> all, first, last;
    for (size_t i = 1; i + 1 < records.size(); ++i) {
      if (records[i].begin < from)
        continue;
      all.push_back(records[i].microseconds);
      if (records[i].isFirst)
        first.push_back(all.back());
      if (records[i + 1].isFirst)
        last.push_back(all.back());
    }
    std::printf("{\"real_time\": %s", inRealTime ? "true" : "false");
    writeTimes("all", all);
    writeTimes("first", first);
    writeTimes("last", last);
    std::puts("}");
  }

private:
  struct Record {
    Clock::time_point begin;
    double microseconds;
    bool isFirst; ///< of its execution, and so of its variant
  };

  void call() {
    settle();
    dyn_call_options_t options = {};
    options.struct_size = sizeof(options);
    uint32_t count = uint32_t(inputs.tensors.size());
    dyn_stats_t stats = {};
    stats.struct_size = sizeof(stats);
    while (!stops) {
      Clock::time_point begin = Clock::now();
      dyn_execution_t *execution = nullptr;
      check(dyn_model_take(model, 0, inputs.tensors.data(), count, &execution));
      check(dyn_execution_run(execution, &options, inputs.tensors.data(), count,
                              outputs.data(), uint32_t(outputs.size())));
      std::chrono::duration<double, std::micro> time = Clock::now() - begin;
      check(dyn_execution_stats(execution, &stats));
      Clock::time_point end = Clock::now();
      dyn_model_give(model, execution);
      time += Clock::now() - end;
      if (records.size() < records.capacity())
        records.push_back({begin, time.count(), stats.calls == 1});
    }
  }
  void settle() {
    cpu_set_t all, one;
    ::sched_getaffinity(0, sizeof(all), &all);
    CPU_ZERO(&one);
    for (int i = CPU_SETSIZE - 1; i >= 0 && !CPU_COUNT(&one); --i)
      if (CPU_ISSET(i, &all))
        CPU_SET(i, &one);
    ::sched_setaffinity(0, sizeof(one), &one);
    sched_param priority = {};
    priority.sched_priority = 20;
    inRealTime = ::sched_setscheduler(0, SCHED_FIFO, &priority) == 0;
  }
  static void writeTimes(const char *name, std::vector<double> times) {
    std::sort(times.begin(), times.end());
    std::printf(", \"%s\": {\"calls\": %zu", name, times.size());
    if (!times.empty()) {
      for (auto [key, part] :
           {std::pair("median", 0.5), {"p99", 0.99}, {"p99.9", 0.999}})
        std::printf(", \"%s\": %.3f", key,
                    times[size_t(part * double(times.size() - 1))]);
    }
    std::printf("}");
  }

  dyn_model_t *model;
  const Inputs &inputs;
  std::vector<dyn_tensor_t> outputs;
  std::vector<Record> records;
  std::atomic<bool> stops{false};
  bool inRealTime = false;
  std::thread thread;
};

/// As a compiler does, without a swap at its end.
pid_t startBurning() {
  pid_t child = ::fork();
  if (child)
    return child;
  sched_param none = {};
  ::sched_setscheduler(0, SCHED_OTHER, &none);
  ::setpriority(PRIO_PROCESS, 0, ::getpriority(PRIO_PROCESS, 0) + 11);
  // More than caches hold.
  std::vector<char> memory(64 << 20);
  for (volatile size_t i = 0;; i = i + 4096)
    ++memory[i * 2654435761u % memory.size()];
}

} // namespace

int main(int count, char **words) {
  if (count < 5) {
    std::fputs("usage: swap-benchmark CASE SECONDS ARTIFACT SHAPES WORD...\n",
               stderr);
    return 2;
  }
  const std::string name = words[1];
  cpu_set_t processors;
  std::memset(&processors, 0xff, sizeof(processors));
  ::sched_setaffinity(0, sizeof(processors), &processors);
  dyn_artifact_t *artifact = nullptr;
  check(dyn_artifact_load(words[3], nullptr, &artifact));
  dyn_entry_info_t entry = {};
  entry.struct_size = sizeof(entry);
  check(dyn_artifact_entry(artifact, 0, &entry));
  Inputs inputs(artifact, words[4]);
  dyn_pool_options_t poolOptions = {};
  poolOptions.struct_size = sizeof(poolOptions);
  poolOptions.threads = 1;
  dyn_pool_t *pool = nullptr;
  check(dyn_pool_create(&poolOptions, &pool));
  dyn_context_options_t context = {};
  context.struct_size = sizeof(context);
  context.pool = pool;
  dyn_model_options_t options = {};
  options.struct_size = sizeof(options);
  options.context = &context;
  // A list that ends in a null pointer, as that of main does.
  options.compiler = name == "compile" ? words + 5 : nullptr;
  dyn_model_t *model = nullptr;
  check(dyn_model_create(artifact, &options, &model));

  pid_t burner = name == "burn" ? startBurning() : 0;
  Caller caller(model, inputs, entry.output_count);
  sleepMs(200);
  Clock::time_point begin = Clock::now();
  for (int turn = 0; Clock::now() - begin <
                     std::chrono::duration<double>(std::atof(words[2]));
       ++turn) {
    if (name == "swap") {
      check(dyn_model_add(model, words[5 + turn % (count - 5)], nullptr));
    } else if (name == "compile") {
      check(dyn_model_recompile(model, "a benchmark", nullptr, nullptr, 0));
      check(dyn_model_wait(model));
    }
    sleepMs(10);
  }
  caller.end();
  if (burner) {
    ::kill(burner, SIGKILL);
    ::waitpid(burner, nullptr, 0);
  }
  caller.write(begin);
  dyn_model_release(model);
  dyn_pool_release(pool);
  dyn_artifact_release(artifact);
}
