//===- Stream.h - Stores that pass the caches by --------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A line that is written is read first, so a result that no cache can hold
// costs its bytes twice. Whole lines that are stored past the caches do not,
// and drive nothing else out of them.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_CORE_STREAM_H
#define DYN_RUNTIME_CORE_STREAM_H

#include <cstdint>

namespace dyn::rt {

/// Bytes of the last cache, those of a common one where the system does not
/// say.
uint64_t lastCacheBytes();

/// Copies `bytes` bytes, whole lines of `to` past the caches. Other threads see
/// them after `finishStores`.
void storePastCaches(void *to, const void *from, int64_t bytes);
void finishStores();

} // namespace dyn::rt

#endif // DYN_RUNTIME_CORE_STREAM_H
