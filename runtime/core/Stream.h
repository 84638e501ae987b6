//===- Stream.h - Non-temporal stores -------------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cache line that is written is read first, so a result that fits in no cache
// moves its bytes twice. Non-temporal stores of full lines avoid that, and
// evict nothing from the caches.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_CORE_STREAM_H
#define DYN_RUNTIME_CORE_STREAM_H

#include <cstdint>

namespace dyn::rt {

/// Bytes of the last-level cache, a common size where the system does not say.
uint64_t lastCacheBytes();

/// Copies `bytes` bytes, full cache lines of `to` by non-temporal stores. Other
/// threads see them after `finishStores`.
void storePastCaches(void *to, const void *from, int64_t bytes);
void finishStores();

} // namespace dyn::rt

#endif // DYN_RUNTIME_CORE_STREAM_H
