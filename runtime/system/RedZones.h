//===- RedZones.h - Memory that instrumented code must not touch ----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_SYSTEM_REDZONES_H
#define DYN_RUNTIME_SYSTEM_REDZONES_H

#include <cstddef>
#include <cstdint>

// Null unless AddressSanitizer is in the process.
extern "C" {
[[gnu::weak]] void __asan_poison_memory_region(const volatile void *begin,
                                               size_t bytes);
[[gnu::weak]] void __asan_unpoison_memory_region(const volatile void *begin,
                                                 size_t bytes);
}

namespace dyn::rt {

/// Red zones around the memory that the runtime passes to kernels: outputs,
/// scratch, constants. (Those between values in an arena are the artifact's.)
/// An access of an artifact of `dyn-compile --sanitize=address` to one is
/// reported. Without AddressSanitizer in the process these functions do
/// nothing.
namespace redzones {

/// Bytes after a block that its users must not touch.
inline int64_t size() { return __asan_poison_memory_region ? 128 : 0; }

/// Permits the first `bytes` of `capacity` bytes.
inline void limit(void *begin, uint64_t bytes, uint64_t capacity) {
  if (!__asan_poison_memory_region || !begin)
    return;
  __asan_poison_memory_region(begin, capacity);
  __asan_unpoison_memory_region(begin, bytes);
}

/// Permits all bytes. Memory must leave the runtime in this state.
inline void lift(void *begin, uint64_t bytes) {
  if (__asan_unpoison_memory_region && begin)
    __asan_unpoison_memory_region(begin, bytes);
}

} // namespace redzones
} // namespace dyn::rt

#endif // DYN_RUNTIME_SYSTEM_REDZONES_H
