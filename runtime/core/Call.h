//===- Call.h - The state of one call -------------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_CORE_CALL_H
#define DYN_RUNTIME_CORE_CALL_H

#include "Context.h"
#include "Exchanges.h"
#include "Launch.h"
#include "Routes.h"

namespace dyn::rt {

/// Totals of one kernel over the calls of an execution.
struct KernelSums {
  uint64_t launches = 0;
  uint64_t time = 0;
  uint64_t flops = 0;
  uint64_t bytes = 0;
};

/// The blocks that a call writes to, with nothing in them that a later call
/// needs: executions of a model lend them to each other.
struct CallMemory {
  std::vector<Buffer> arenas, outputs; ///< outputs that the host gives none for
  Buffer scratch;

  /// Makes at least so many blocks, new ones with memory of `source`.
  void resize(size_t arenaCount, size_t outputCount,
              const MemorySource &source);
};

/// An output of the running call.
struct Output {
  int64_t shape[DYN_MAX_RANK] = {};
  int64_t bytes = 0;
  int64_t offset = -1;     ///< in the block of a call on a device, -1 elsewhere
  void *address = nullptr; ///< where kernels write it
  void *data = nullptr;    ///< where the caller gets it
};

/// The memory that an execution keeps from call to call, all of it allocated
/// when the execution is made, except for the contents of buffers.
struct Workspace {
  /// Null on the CPU. Declared first because it is destroyed last: buffers of
  /// device memory are returned to it.
  std::unique_ptr<DeviceSpace> device;
  CallMemory memory;
  std::vector<int64_t> arenaUse; ///< bytes asked for by the last call
  std::vector<Output> outputs;
  std::vector<int64_t> dims;
  std::vector<const void *> inputs;
  std::unique_ptr<Cursor[]> cursors;
  std::vector<KernelSums> kernels;
  uint64_t parallelLaunches = 0, streamedLaunches = 0;
  uint64_t allocations = 0;
};

} // namespace dyn::rt

/// The struct that compiled code knows as dyn_call_t. Its methods are the
/// services; none throws. Subclasses, one for each kind of device, define how
/// kernels are launched and where buffers are.
struct dyn_call {
  dyn_call(const dyn_context &context, dyn::rt::Workspace &space,
           const dyn::rt::Signature &signature,
           const dyn_call_options_t &options)
      : context(context), space(space), signature(signature), options(options) {
  }
  virtual ~dyn_call() = default;

  /// Runs the entry on inputs that were bound to the workspace.
  dyn_status_t run();

  void *reserve(uint32_t arena, int64_t bytes) noexcept;
  void *output(uint32_t index, const int64_t *sizes) noexcept;
  virtual dyn_status_t launch(const dyn_launch_t &wanted) noexcept = 0;
  virtual dyn_status_t launchMany(uint32_t count,
                                  const dyn_launch_t *wanted) noexcept = 0;
  virtual dyn_status_t read(void *to, const void *from,
                            int64_t bytes) noexcept = 0;
  virtual dyn_status_t write(void *to, const void *from,
                             int64_t bytes) noexcept = 0;
  dyn_status_t failAt(uint64_t site, int64_t value) noexcept;
  virtual dyn_status_t check() noexcept = 0;
  /// The site of the first data error of a kernel so far, UINT64_MAX if there
  /// is none. On a device such an error ends the call.
  virtual uint64_t errorSite() const noexcept { return UINT64_MAX; }
  /// By default there is nothing to fetch.
  virtual dyn_status_t fetch(const int64_t *, uint32_t, const dyn_range_t *,
                             bool /*isSure*/) noexcept {
    return DYN_STATUS_OK;
  }
  /// Whether paths of a router run by a guess in this call: 1 or 0.
  int64_t guess(uint32_t router, uint32_t paysFrom) noexcept;
  virtual dyn_status_t guessed(uint32_t router, const int64_t *routes,
                               const int64_t *guess,
                               const int64_t *rest) noexcept = 0;
  /// The number of an exchange with other ranks; -1 after a failure.
  int64_t exchangeStart(const dyn::rt::RowExchange &wanted) noexcept;
  dyn_status_t exchangeWait(int64_t exchange) noexcept;
  virtual dyn_status_t probe(uint32_t router, const int64_t *offsets,
                             const int64_t *seats, const int64_t *order,
                             int64_t cells, int64_t choices) noexcept;

  const dyn_context &context;
  dyn::rt::Workspace &space;
  const dyn::rt::Signature &signature;
  const dyn_call_options_t &options;
  uint64_t deadline = 0; ///< of now(), 0 for none
  bool profile = false;
  /// Whether paths may run by guesses, and whether any has.
  bool mayGuess = true, hasGuessed = false;
  uint32_t lane = 0; ///< of options.trace
  dyn::rt::RecordedCall recorded;
  /// The first failure, which the call returns whatever compiled code does with
  /// it.
  dyn_status_t status = DYN_STATUS_OK;

protected:
  dyn_status_t failWith(dyn_status_t failure) { return status = failure; }
  /// Fails unless the router exists.
  dyn_status_t checkRouter(uint32_t router);
  /// Whether paths can run beside a router at all.
  virtual bool canRunBeside() const = 0;
  /// Called when a router is guessed in this call.
  virtual dyn_status_t beginGuess(uint32_t) { return DYN_STATUS_OK; }
  /// Fails if the call was cancelled or its deadline has passed.
  dyn_status_t checkInterrupt();
  /// Memory to which kernels write an output whose shape and bytes are
  /// determined. Null after a failure.
  virtual void *allocateOutput(uint32_t index) = 0;
  /// Memory in which the caller receives an output: from the host's callback if
  /// there is one, else `own`. Null after a failure.
  void *findOutputMemory(uint32_t index, dyn::rt::Buffer &own);
  /// Called before the entry runs, and after it has run.
  virtual dyn_status_t begin() { return DYN_STATUS_OK; }
  virtual dyn_status_t end() { return DYN_STATUS_OK; }
  /// Begins an exchange of rows that lie where the call's buffers are.
  virtual dyn_status_t beginExchange(const dyn::rt::RowExchange &wanted,
                                     const dyn::rt::ExchangeTerms &terms,
                                     int64_t &number);

  dyn::rt::Exchanges exchanges;

private:
  /// Fails if a kernel of another rank has met a data error before an exchange:
  /// this rank has computed with its rows.
  dyn_status_t checkRanks();
  /// Called instead of `end` if the entry has not run to its end.
  void leave();
  /// Adds the time of an exchange's beginning or end to the trace.
  void traceExchange(const char *name, uint64_t begin, int64_t bytes);

  dyn::rt::RankError heard; ///< of other ranks, in the exchanges so far
};

#endif // DYN_RUNTIME_CORE_CALL_H
