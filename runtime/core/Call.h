//===- Call.h - The state of one call ------------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_CORE_CALL_H
#define DYN_RUNTIME_CORE_CALL_H

#include "Context.h"
#include "Launch.h"
#include "Profile.h"
#include "Together.h"

#include <memory>

namespace dyn::rt {

/// Sums of one kernel over the calls of an execution.
struct KernelSums {
  uint64_t launches = 0;
  uint64_t time = 0;
  uint64_t flops = 0;
  uint64_t bytes = 0;
};

/// An output of the running call.
struct Output {
  Buffer memory; ///< unused if the host gives memory
  void *data = nullptr;
  int64_t shape[DYN_MAX_RANK] = {};
};

/// What an execution keeps from call to call, all of it allocated when the
/// execution is made, but for the contents of buffers.
struct Workspace {
  std::vector<Buffer> arenas;
  std::vector<int64_t> arenaUse; ///< bytes asked for by the last call
  Buffer scratch;
  std::vector<Output> outputs;
  std::vector<int64_t> dims;
  std::vector<const void *> inputs;
  std::unique_ptr<Cursor[]> cursors;
  std::vector<KernelSums> kernels;
  uint64_t parallelLaunches = 0;
  uint64_t allocations = 0;
};

} // namespace dyn::rt

/// The struct that compiled code knows as dyn_call_t. Its methods are the
/// services; none throws.
struct dyn_call {
  dyn_call(const dyn_context &context, dyn::rt::Workspace &space,
           const dyn::rt::Signature &signature,
           const dyn_call_options_t &options)
      : context(context), space(space), signature(signature), options(options) {
  }

  /// Runs the entry on inputs that were bound to the workspace.
  dyn_status_t run();

  void *reserve(uint32_t arena, int64_t bytes) noexcept;
  void *output(uint32_t index, const int64_t *sizes) noexcept;
  dyn_status_t launch(uint32_t kernel, void *const *buffers,
                      const int64_t *dims, uint64_t siteBase) noexcept;
  dyn_status_t launchMany(uint32_t count, const dyn_launch_t *wanted) noexcept;
  dyn_status_t failAt(uint64_t site, int64_t value) noexcept;
  dyn_status_t check() noexcept;
  dyn_status_t probe(uint32_t router, const int64_t *offsets,
                     const int64_t *places, const int64_t *order, int64_t cells,
                     int64_t choices) noexcept;

  const dyn_context &context;
  dyn::rt::Workspace &space;
  const dyn::rt::Signature &signature;
  const dyn_call_options_t &options;
  uint32_t threadLimit = 1;
  uint64_t deadline = 0; ///< of now(), 0 for none
  bool profile = false;
  uint32_t lane = 0; ///< of options.trace
  dyn::rt::RecordedCall recorded;
  /// The first failure, which the call returns whatever compiled code makes
  /// of it.
  dyn_status_t status = DYN_STATUS_OK;

private:
  dyn_status_t failWith(dyn_status_t failure) { return status = failure; }
  dyn_status_t checkInterrupt();
  dyn_status_t reportSite(uint64_t site, const int64_t *value);
  /// Counts a launch and finds its work.
  dyn_status_t prepare(const dyn_launch_t &wanted, dyn::rt::Launch &launch);
  /// Runs a launch, measured if wanted.
  dyn_status_t run(dyn::rt::Launch &launch);
  dyn_status_t runLaunch(dyn::rt::Launch &launch);
  dyn_status_t runTogether(dyn::rt::Together &together, uint32_t threads);
  /// Whether threads at rest should come for work of so many grains.
  bool isWorthWaking(double grains);
  /// Scratch of `bytes` bytes for each of the threads.
  dyn_status_t reserveScratch(int64_t bytes, uint32_t threads, int64_t &stride);

  /// Grains that threads at rest could have shared.
  double missed = 0;
  /// See dyn_worker_t. Alone on its line: helpers write it.
  alignas(64) uint64_t errorWord = UINT64_MAX;
};

#endif // DYN_RUNTIME_CORE_CALL_H
