//===- Chains.h - Chains of launches that run at the same time ------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels with too few work items for all threads leave some of them idle. If
// several chains of such kernels do not depend on each other, each is run by
// one thread: a thread takes the most expensive chain that is left. Costs are
// those that geometries compute for this very call, and decide between this and
// one launch after another on all threads. Both give the same bits.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_CORE_CHAINS_H
#define DYN_RUNTIME_CORE_CHAINS_H

#include "Launch.h"

namespace dyn::rt {

/// Launches in an order in which they may run, each of one chain. Lives on the
/// caller's stack.
class Chains {
public:
  /// A launch and the time that a thread spent in it, if measured.
  struct Link {
    const Launch *launch;
    uint64_t time;
  };

  /// For launches that would have at most `threadLimit` threads by themselves.
  /// Those of a guess are made where they are known to pay.
  Chains(bool measured, uint32_t threadLimit, bool areGuessed)
      : measured(measured), areGuessed(areGuessed), launchThreads(threadLimit) {
  }

  /// Adds a launch of at least one item to its chain, any number from 1 on.
  void add(const Launch &launch);
  /// The number of threads that run chains, at most `threadLimit`; 1 if
  /// launches by themselves would not take longer.
  uint32_t usefulThreads(uint32_t threadLimit) const;
  /// Runs the chains on `pool`, whose sleeping threads are woken if `wake`.
  /// Each thread has `stride` bytes of `scratch`.
  void run(dyn_pool &pool, uint32_t threads, void *scratch, int64_t stride,
           bool wake);

  /// Whether they have run at the same time.
  bool haveRun() const { return next.load(std::memory_order_relaxed) > 0; }
  /// The maximum that a kernel requests.
  int64_t getScratchBytes() const { return scratchBytes; }
  /// The work that other threads take from the caller, in grains. Of a guess,
  /// which is switched off unless it pays for them, enough to wake them: what
  /// geometries know is too little for kernels that sort.
  double getGrains() const;
  /// The totals over all kernels.
  dyn_geometry_t getSum() const { return sum; }
  const Link *begin() const { return links; }
  const Link *end() const { return links + count; }

private:
  struct Chain {
    uint32_t number;
    double cost;
  };

  double longest() const;
  void participate(uint32_t thread);
  void runChain(uint32_t number, uint32_t thread);

  Link links[DYN_MAX_LAUNCHES];
  Chain chains[DYN_MAX_LAUNCHES];
  uint32_t count = 0, chainCount = 0;
  bool measured, areGuessed;
  uint32_t launchThreads;
  int64_t scratchBytes = 0;
  dyn_geometry_t sum = {0, 1, 0, 0, 0, 0, 0, 0};
  /// Of all launches, and if each is run by as many threads as it has work for.
  double cost = 0, costApart = 0;
  std::atomic<uint32_t> next{0};
  void *scratch = nullptr;
  int64_t scratchStride = 0;
};

} // namespace dyn::rt

#endif // DYN_RUNTIME_CORE_CHAINS_H
