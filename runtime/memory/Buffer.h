//===- Buffer.h - Memory that grows and stays -----------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_MEMORY_BUFFER_H
#define DYN_RUNTIME_MEMORY_BUFFER_H

#include "Status.h"

#include <cstdint>

namespace dyn::rt {

/// Where buffers get their memory: the host's driver or the system's pages.
struct MemorySource {
  void *user = nullptr;
  decltype(dyn_driver_t::allocate) allocate = nullptr; ///< null: the system
  decltype(dyn_driver_t::deallocate) deallocate = nullptr;
  /// Records why allocate returned null, and returns the status of the call.
  /// Null where no further information exists.
  dyn_status_t (*explain)(void *user, uint64_t bytes) = nullptr;
};

/// A block that only grows. Contents are not kept when it does.
///
/// When a block grows, the system's pages are moved, not copied: pages that
/// were touched stay, so that a call at a larger shape pays for the new pages
/// alone. Blocks grow by at least half, which costs address space and no
/// memory, because untouched pages take none. Huge pages need fewer page
/// faults, but most of the last one would be wasted: after the last full huge
/// page that was requested, the block consists of small pages.
class Buffer {
public:
  Buffer() = default;
  ~Buffer() { reset(); }
  Buffer(Buffer &&other) noexcept;
  Buffer &operator=(Buffer &&other) noexcept;

  /// Must come before the first reserve().
  void setSource(const MemorySource &memory) { source = memory; }

  /// Makes at least `bytes` bytes (>= 0), aligned to 64, available at data().
  /// Counts in `allocations` if memory had to be requested. A request to the
  /// system for more than this process may use of the machine's memory and swap
  /// space is OUT_OF_MEMORY.
  dyn_status_t reserve(int64_t bytes, uint64_t &allocations) {
    return uint64_t(bytes) <= asked && block ? DYN_STATUS_OK
                                             : grow(bytes, allocations);
  }

  void *data() const { return block; }
  uint64_t bytes() const { return held; }

private:
  dyn_status_t grow(int64_t bytes, uint64_t &allocations);
  bool growPages(uint64_t bytes);
  void adviseHugePages();
  bool growDriver(uint64_t bytes);
  void reset();

  MemorySource source;
  void *block = nullptr;
  uint64_t held = 0;
  uint64_t asked = 0; ///< maximum of reserve()'s requests
};

} // namespace dyn::rt

#endif // DYN_RUNTIME_MEMORY_BUFFER_H
