//===- AccessCounter.h - The cost of warps' memory accesses ---------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_EMULATOR_ACCESSCOUNTER_H
#define DYN_RUNTIME_EMULATOR_ACCESSCOUNTER_H

#include "dyn/emulated.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace dyn::emu {

/// The cost of one operation's accesses to one memory, over all warps.
struct AccessCount {
  std::string op, location;
  bool isShared = false;
  uint64_t accesses = 0; ///< of complete warps
  /// Shared memory: passes over its 32 banks, each a word wide. Global memory:
  /// sectors of 32 bytes.
  uint64_t units = 0;
  uint64_t least = 0; ///< lower bound of units for as many bytes
};

/// Groups the accesses of threads, which run one after the other, by warp: the
/// n-th accesses of all lanes at an operation are one access of the warp.
class AccessCounter {
public:
  void start(const dyn_emu_kernel_t &kernel, uint32_t threads);
  /// Adds an access of a thread; `address` is an offset in shared memory, or an
  /// address. Zero bytes mean that the lane takes no part.
  void add(uint32_t thread, uint32_t site, bool isShared, uint64_t address,
           uint32_t bytes);
  /// The block has ended.
  void finishBlock();

  /// The operations that were counted, in the kernel's order.
  std::vector<AccessCount> getCounts() const;

private:
  struct Access {
    uint32_t lane, bytes;
    uint64_t address;
  };
  void finish(uint32_t site, const std::vector<Access> &warp);

  std::vector<AccessCount> sites; ///< of global and shared memory in turn
  std::vector<uint32_t> numbers;  ///< by thread and site, accesses so far
  /// Incomplete accesses of warps, by site, warp and number.
  std::unordered_map<uint64_t, std::vector<Access>> pending;
};

} // namespace dyn::emu

#endif // DYN_RUNTIME_EMULATOR_ACCESSCOUNTER_H
