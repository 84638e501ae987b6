//===- DeviceResidency.h - Constants in a limited part of device memory ---===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constants of which only a part is in device memory, as Residency.h keeps them
// on the CPU. A kernel of a device cannot sleep at a missing page, so a launch
// waits on the host until all that it reads is there, and pins it until an
// event says that it has run.
//
// A launch pins all at once, or nothing, and asks for nothing else while it has
// pins: each pin ends without another launch, so that calls at once cannot wait
// for each other. Launches are admitted in turn, so that a large one is not
// overtaken for ever.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_DEVICES_CUDA_DEVICERESIDENCY_H
#define DYN_RUNTIME_DEVICES_CUDA_DEVICERESIDENCY_H

#include "Constants.h"
#include "MappedBlocks.h"
#include "ResidencyPlan.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <pthread.h>

namespace dyn::rt {

/// Blocks of constants, in the order in which they are read.
using BlockRanges = std::vector<BlockRange>;

class DeviceResidency {
public:
  ~DeviceResidency();
  DeviceResidency() = default;
  DeviceResidency(const DeviceResidency &) = delete;

  /// Keeps at most `limit` bytes of the `count` constants of a program in the
  /// memory of device `number`, called `name`. `memory` outlives this object.
  dyn_status_t open(const Driver &driver, dyn_cuda_context_t context,
                    int number, const char *name, DeviceMemory &memory,
                    const Constants &area, uint64_t areaBytes,
                    const dyn_constant_t *constants, uint32_t count,
                    uint64_t limit);

  const dyn_constant_t &constant(uint32_t index) const {
    return constants[index];
  }
  const void *address(uint32_t index) const {
    return reinterpret_cast<const void *>(blocks.begin() +
                                          constants[index].offset);
  }
  /// The constant that an address lies in, or none.
  std::optional<uint32_t> find(const void *address) const;
  /// Whether its bytes are no other's, so that a part of them may suffice.
  bool isAlone(uint32_t index) const { return alone[index]; }
  BlockRange getBlocks(uint64_t offset, uint64_t bytes) const;
  BlockRange getBlocks(uint32_t index) const {
    return getBlocks(constants[index].offset, constants[index].bytes);
  }

  // Of calls, in any number of threads, which have the device as the current
  // one where they begin a call, pin and unpin.
  void beginCall();
  void endCall();
  /// These will be read by launches of the call, or may be.
  void announce(const BlockRanges &ranges, bool isSure);
  /// Waits until the ranges, which `reader` reads, are in memory, and keeps
  /// them there until `unpin`. They are of constant `largest`, and of others.
  dyn_status_t pin(const BlockRanges &ranges, const char *reader,
                   uint32_t largest);
  /// Ends a pin when the work has run that was queued on the stream so far.
  void unpin(BlockRanges ranges, dyn_cuda_stream_t stream);

  /// Adds what is counted here.
  void addStats(dyn_memory_stats_t &stats) const;

private:
  /// Pins of a launch that was queued.
  struct Queued {
    dyn_cuda_event_t event;
    BlockRanges ranges;
  };
  /// A launch that waits for blocks.
  struct Waiter {
    const BlockRanges &ranges;
    uint64_t asked;       ///< the last read that had begun before
    bool asksAgain;       ///< such a read has failed
    dyn_status_t failure; ///< why another one has, with `text`
    std::string text;
  };

  static void *work(void *self);
  void serve();
  /// Reads blocks, without the lock.
  dyn_status_t load(BlockRange read, char *staging, dyn_cuda_stream_t stream);
  /// Gives blocks their memory, that of others.
  dyn_status_t remap(BlockRange read, const std::vector<uint32_t> &dropped);
  /// Tells those who wait for blocks that read number `number` has failed.
  void fail(BlockRange read, uint64_t number, dyn_status_t status);
  /// Asks for those of a waiter's blocks that are missing. False if none are.
  bool demand(Waiter &waiter);
  /// The blocks of ranges that may overlap.
  uint64_t count(const BlockRanges &ranges) const;
  bool areResident(const BlockRanges &ranges) const;
  /// Ends the pins of launches that have run. False if there were none.
  bool reap();
  /// The same of the oldest ones, up to the first that has not run.
  void reapOldest();
  bool hasRun(const Queued &each) const;
  void endPin(const Queued &each);
  /// Waits for a launch that has pins.
  dyn_status_t waitForLaunch(std::unique_lock<std::mutex> &lock);

  const Driver *cuda = nullptr;
  dyn_cuda_context_t context = nullptr;
  const dyn_constant_t *constants = nullptr;
  uint64_t areaBytes = 0, limitBytes = 0;
  std::vector<uint32_t> byOffset; ///< the constants
  std::vector<bool> alone;
  Store store;

  /// Held by a launch until it has its pins.
  std::mutex admission;
  mutable std::mutex mutex; ///< guards the members below
  std::condition_variable changed;
  std::optional<ResidencyPlan> plan;
  uint32_t capacity = 0;
  MappedBlocks blocks;
  std::deque<Queued> queued;
  std::vector<dyn_cuda_event_t> events; ///< for others
  uint32_t activeCalls = 0;
  uint64_t readBytes = 0, waits = 0, peakBlocks = 0;
  bool stops = false;
  std::vector<pthread_t> workers;
  std::vector<Waiter *> waiters;
  uint64_t reads = 0; ///< that have begun
};

} // namespace dyn::rt

#endif // DYN_RUNTIME_DEVICES_CUDA_DEVICERESIDENCY_H
