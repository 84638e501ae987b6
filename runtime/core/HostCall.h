//===- HostCall.h - A call on the CPU -------------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_CORE_HOSTCALL_H
#define DYN_RUNTIME_CORE_HOSTCALL_H

#include "Call.h"
#include "Chains.h"
#include "Together.h"

namespace dyn::rt {

/// A call whose kernels run on the threads of a pool.
class HostCall final : public dyn_call {
public:
  using dyn_call::dyn_call;

  dyn_status_t launch(const dyn_launch_t &wanted) noexcept override;
  dyn_status_t launchMany(uint32_t count,
                          const dyn_launch_t *wanted) noexcept override;
  /// Compiled code reaches the memory of the host by itself.
  dyn_status_t read(void *, const void *, int64_t) noexcept override;
  dyn_status_t write(void *, const void *, int64_t) noexcept override;
  dyn_status_t check() noexcept override;
  uint64_t errorSite() const noexcept override {
    return __atomic_load_n(&errorWord, __ATOMIC_RELAXED);
  }
  dyn_status_t fetch(const int64_t *offsets, uint32_t count,
                     const dyn_range_t *ranges, bool isSure) noexcept override;
  dyn_status_t guessed(uint32_t router, const int64_t *routes,
                       const int64_t *guess,
                       const int64_t *rest) noexcept override;
  ~HostCall() override;

  uint32_t threadLimit = 1;

private:
  void *allocateOutput(uint32_t index) override;
  dyn_status_t begin() override;
  /// Counts a launch and computes its geometry.
  dyn_status_t prepare(const dyn_launch_t &wanted, Launch &launch);
  dyn_status_t checkGeometry(const Launch &launch);
  /// Runs a launch, and measures it if requested.
  dyn_status_t run(Launch &launch);
  dyn_status_t measureLaunch(Launch &launch);
  dyn_status_t runLaunch(Launch &launch);
  /// Nothing runs beside the router on one thread, nor under a memory limit.
  bool canRunBeside() const override { return threadLimit > 1 && !residency; }
  /// Says which constants a launch reads, and that it has read them.
  void beginReading(const Launch &launch);
  void endReading(const Launch &launch);
  /// Launches together or in chains, with a name for traces.
  template <typename Launches>
  dyn_status_t launchMany(uint32_t count, const dyn_launch_t *wanted,
                          Launches &many, const char *name);
  template <typename Launches>
  dyn_status_t runMany(Launches &many, uint32_t threads, const char *name);
  /// Whether sleeping threads should be woken for `grains` grains of work.
  bool isWorthWaking(double grains);
  /// Scratch of `bytes` bytes for each of the threads.
  dyn_status_t reserveScratch(int64_t bytes, uint32_t threads, int64_t &stride);

  /// Keeps constants in memory, once the call has begun; null without a limit
  /// of memory.
  Residency *residency = nullptr;
  /// Whether chains have run at the same time since the last count of guesses.
  bool ranBeside = false;
  /// Grains that sleeping threads could have shared.
  double missed = 0;
  /// See dyn_worker_t. On its own cache line, because all threads write it.
  alignas(64) uint64_t errorWord = UINT64_MAX;
};

} // namespace dyn::rt

#endif // DYN_RUNTIME_CORE_HOSTCALL_H
