//===- MemoryLimit.h - Memory that this process may have -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_CORE_MEMORYLIMIT_H
#define DYN_RUNTIME_CORE_MEMORYLIMIT_H

#include <cstdint>
#include <string>

namespace dyn::rt {

/// What control groups (version 1 or 2) leave of a machine's memory and swap
/// space. Where the system grants more, pages are found missing when they are
/// touched, which ends the process.
struct MemoryLimit {
  uint64_t memory = UINT64_MAX;
  uint64_t swap = UINT64_MAX;
  uint64_t both = UINT64_MAX; ///< version 1 limits memory and swap together

  /// Of the groups of the process with this folder below /proc, and of those
  /// around them: the least of each. What cannot be read limits nothing.
  static MemoryLimit ofGroups(const std::string &process = "/proc/self");

  /// Of so much memory and swap space, what may be used.
  uint64_t apply(uint64_t machineMemory, uint64_t machineSwap) const;
};

/// Memory and swap space of the machine, as far as this process may use it.
uint64_t usableMemory();

} // namespace dyn::rt

#endif // DYN_RUNTIME_CORE_MEMORYLIMIT_H
