//===- MemoryLimit.h - Memory that this process may have ------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_MEMORY_MEMORYLIMIT_H
#define DYN_RUNTIME_MEMORY_MEMORYLIMIT_H

#include <cstdint>
#include <string>

namespace dyn::rt {

/// The limits that control groups (version 1 or 2) set on a machine's memory
/// and swap space. If the system grants more, the process is killed when it
/// touches pages that do not exist.
struct MemoryLimit {
  uint64_t memory = UINT64_MAX;
  uint64_t swap = UINT64_MAX;
  uint64_t both = UINT64_MAX; ///< version 1 limits memory and swap together

  /// The minimum over the groups of the process whose folder below /proc this
  /// is, and over their ancestors. Files that cannot be read set no limit.
  static MemoryLimit ofGroups(const std::string &process = "/proc/self");

  /// The usable part of so much memory and swap space.
  uint64_t apply(uint64_t machineMemory, uint64_t machineSwap) const;
};

/// Memory and swap space of the machine that this process may use.
uint64_t usableMemory();

} // namespace dyn::rt

#endif // DYN_RUNTIME_MEMORY_MEMORYLIMIT_H
