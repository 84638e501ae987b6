//===- Execution.h - Calls and the memory they keep -----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_CORE_EXECUTION_H
#define DYN_RUNTIME_CORE_EXECUTION_H

#include "Call.h"

/// See runtime.h. Runs one call at a time, in a workspace that is kept.
struct dyn_execution final : dyn::rt::Object<dyn_execution> {
  dyn_status_t initialize(dyn_context &context,
                          const dyn_execution_options_t &options);

  dyn_status_t run(const dyn_call_options_t &options,
                   const dyn_tensor_t *inputs, uint32_t inputCount,
                   dyn_tensor_t *outputs, uint32_t outputCount);

  /// Waits for asynchronous calls.
  dyn_status_t wait();

  /// Gives an execution on the CPU memory of calls of another one, in place of
  /// its own.
  void lend(dyn::rt::CallMemory memory);
  /// Leaves it without memory until the next `lend`.
  dyn::rt::CallMemory takeMemory() { return std::move(space.memory); }

  /// A guess may meet an error in rows that it computes for nothing. Then the
  /// call runs again without guesses, and has the errors of the program alone.
  struct Attempt {
    bool mayGuess = true;
    bool isAgain = false; ///< set by a call that has to run again
    uint64_t deadline = 0;
  };
  /// Runs a call that the device's code made.
  dyn_status_t runCall(dyn_call &call, Attempt &attempt);

  dyn_context &context() const { return *owner; }
  dyn::rt::Workspace &workspace() { return space; }
  dyn_stats_t stats() const;
  /// Of these, the calls that succeeded and the time of all.
  uint64_t successfulCalls() const { return calls - failedCalls; }
  uint64_t timeOfCalls() const { return time; }
  dyn_status_t kernelStats(uint32_t kernel, dyn_kernel_stats_t &out) const;
  void resetStats();

  /// Excludes other calls while it lives.
  class Use;

private:
  static uint64_t nextNumber();
  dyn_status_t runLocked(const dyn_call_options_t &options,
                         const dyn_tensor_t *inputs, uint32_t inputCount,
                         dyn_tensor_t *outputs, uint32_t outputCount);
  dyn_status_t runOnHost(const dyn::rt::Signature &signature,
                         const dyn_call_options_t &options);
  dyn_status_t checkWhereOutputsGo(const dyn_call_options_t &options) const;
  void attachTrace(dyn_trace *trace);

  // The order matters: the context is destroyed last, its driver frees memory.
  dyn::rt::Ref<dyn_context> owner;
  dyn::rt::Workspace space;
  bool profile = false;
  std::atomic<bool> busy{false};
  dyn::rt::Ref<dyn_trace> trace; ///< the last one; defines `lane`
  uint32_t lane = 0;
  const uint64_t number = nextNumber(); ///< unique in the process
  /// Null if the artifact has no routers.
  std::unique_ptr<dyn::rt::RouteRecorder> recorder;
  uint64_t calls = 0;
  uint64_t failedCalls = 0;
  uint64_t time = 0;
};

#endif // DYN_RUNTIME_CORE_EXECUTION_H
