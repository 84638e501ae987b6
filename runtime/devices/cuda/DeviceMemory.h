//===- DeviceMemory.h - A caching allocator of device memory --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_DEVICES_CUDA_DEVICEMEMORY_H
#define DYN_RUNTIME_DEVICES_CUDA_DEVICEMEMORY_H

#include "BlockList.h"
#include "Buffer.h"
#include "Driver.h"

#include <mutex>

namespace dyn::rt {

/// The device memory of a context: its constants, and the memory of its
/// executions. The driver waits for the whole device when it frees a block, so
/// released blocks are kept for the next request of that size. They are freed
/// when memory runs out, or on request. Thread-safe.
class DeviceMemory {
public:
  /// `name` is the device's, for messages. A limit of 0 means none.
  void open(const Driver &driver, dyn_cuda_context_t device, const char *name,
            uint64_t limit);
  /// Returns all blocks to the driver.
  void close();
  DeviceMemory() = default;
  DeviceMemory(const DeviceMemory &) = delete;

  /// A block aligned to 256, or null.
  void *allocate(uint64_t bytes);
  /// Memory of `bytes` bytes without an address (cuMemCreate), which counts as
  /// a block; 0 if there is none.
  uint64_t create(const dyn_cuda_memory_t &kind, uint64_t bytes);
  /// Returns it to the driver.
  void destroy(uint64_t handle, uint64_t bytes);
  /// Why there was no block: the limit, the device's memory, or the device.
  dyn_status_t explain(uint64_t bytes, const char *purpose) const;
  /// Releases a block. No queued work may still use it.
  void release(void *block);
  /// Returns all unused blocks to the driver.
  void trim();

  dyn_memory_stats_t stats() const;
  /// For buffers of executions.
  MemorySource source();

private:
  void *takeCached(uint64_t bytes);
  void *takeFromDriver(uint64_t bytes);
  /// Calls `take` for `bytes` bytes if the limit permits them, and again
  /// without the cached blocks if it fails; returns whether it succeeded.
  template <typename Fn> bool tryToTake(uint64_t bytes, Fn &&take);
  /// Returns the cached blocks, or all of them, to the driver.
  void giveBack(bool all);

  const Driver *cuda = nullptr;
  dyn_cuda_context_t context = nullptr;
  const char *device = "";
  mutable std::mutex mutex; ///< guards the members below
  BlockList blocks;         ///< the free ones are cached
  dyn_memory_stats_t sums = {};
  int refusal = DYN_CUDA_OUT_OF_MEMORY; ///< the last
};

} // namespace dyn::rt

#endif // DYN_RUNTIME_DEVICES_CUDA_DEVICEMEMORY_H
