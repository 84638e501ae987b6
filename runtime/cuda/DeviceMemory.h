//===- DeviceMemory.h - Memory of a device, kept for the next -------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_CUDA_DEVICEMEMORY_H
#define DYN_RUNTIME_CUDA_DEVICEMEMORY_H

#include "BlockList.h"
#include "Buffer.h"
#include "Driver.h"

#include <mutex>

namespace dyn::rt {

/// The memory of a context on a device: its constants, and what its executions
/// hold. The driver waits for the whole device when it takes a block back, so
/// blocks that are given back here stay, for the next who asks for as much.
/// They go when there is no room otherwise, or on request. Thread-safe.
class DeviceMemory {
public:
  /// `name` is the device's, for messages. A limit of 0 is none.
  void open(const Driver &driver, dyn_cuda_context_t device, const char *name,
            uint64_t limit);
  /// Gives everything back to the driver.
  void close();
  DeviceMemory() = default;
  DeviceMemory(const DeviceMemory &) = delete;

  /// A block at a multiple of 256, or null.
  void *allocate(uint64_t bytes);
  /// Why there was no block: the limit, the device's memory, or the device.
  dyn_status_t explain(uint64_t bytes, const char *purpose) const;
  /// Takes a block back. Nothing that is queued may still use it.
  void release(void *block);
  /// Gives the driver back all that nobody uses.
  void trim();

  dyn_memory_stats_t stats() const;
  /// For buffers of executions.
  MemorySource source();

private:
  void *takeCached(uint64_t bytes);
  void *takeFromDriver(uint64_t bytes);
  /// Gives the driver back what is cached, or everything.
  void giveBack(bool all);

  const Driver *cuda = nullptr;
  dyn_cuda_context_t context = nullptr;
  const char *device = "";
  mutable std::mutex mutex; ///< guards what follows
  BlockList blocks;         ///< the free ones are cached
  dyn_memory_stats_t sums = {};
  int refusal = DYN_CUDA_OUT_OF_MEMORY; ///< the last
};

} // namespace dyn::rt

#endif // DYN_RUNTIME_CUDA_DEVICEMEMORY_H
