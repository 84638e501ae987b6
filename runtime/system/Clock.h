//===- Clock.h - Monotonic time -------------------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_SYSTEM_CLOCK_H
#define DYN_RUNTIME_SYSTEM_CLOCK_H

#include <cstdint>
#include <ctime>

namespace dyn::rt {

/// Nanoseconds since some moment before the process began.
inline uint64_t now() {
  timespec time;
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return uint64_t(time.tv_sec) * 1000000000u + uint64_t(time.tv_nsec);
}

/// The time after so many nanoseconds; UINT64_MAX is never.
inline uint64_t timeAfter(uint64_t nanoseconds) {
  uint64_t time = now();
  return nanoseconds < UINT64_MAX - time ? time + nanoseconds : UINT64_MAX;
}

} // namespace dyn::rt

#endif // DYN_RUNTIME_SYSTEM_CLOCK_H
