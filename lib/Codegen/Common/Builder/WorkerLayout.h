//===- WorkerLayout.h - Offsets of the fields of a worker -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The layout of dyn_worker_t, as the compiled code of a kernel reads it.

#ifndef DYN_LIB_CODEGEN_COMMON_BUILDER_WORKERLAYOUT_H
#define DYN_LIB_CODEGEN_COMMON_BUILDER_WORKERLAYOUT_H

#include "dyn/artifact.h"

#include <cstddef>

namespace dyn::layout {

// In bytes.
inline constexpr int64_t kWorkerScratch = offsetof(dyn_worker_t, scratch),
                         kWorkerError = offsetof(dyn_worker_t, error),
                         kWorkerSiteBase = offsetof(dyn_worker_t, site_base),
                         kWorkerSeed = offsetof(dyn_worker_t, seed);

/// The offset of the kept words, in words, and their number.
inline constexpr int64_t kWorkerKept =
                             offsetof(dyn_worker_t, kept) / sizeof(int64_t),
                         kWorkerKeptCount = DYN_WORKER_KEPT;
static_assert(offsetof(dyn_worker_t, kept) % sizeof(int64_t) == 0, "worker");

/// The words that a kernel of a device gets: all up to the seed.
inline constexpr int64_t kDeviceWorkerWords = DYN_DEVICE_WORKER_WORDS;
static_assert(kDeviceWorkerWords * sizeof(int64_t) ==
                  offsetof(dyn_worker_t, seed) + sizeof(dyn_worker_t::seed),
              "worker");

} // namespace dyn::layout

#endif // DYN_LIB_CODEGEN_COMMON_BUILDER_WORKERLAYOUT_H
