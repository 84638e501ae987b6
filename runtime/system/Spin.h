//===- Spin.h - Asking again before a thread sleeps -----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_SYSTEM_SPIN_H
#define DYN_RUNTIME_SYSTEM_SPIN_H

#include "Clock.h"

#include <immintrin.h>

namespace dyn::rt {

/// Polls a condition for a while. Reads the clock only now and then.
template <typename Condition>
bool spinUntil(uint64_t nanoseconds, Condition &&condition) {
  if (condition())
    return true;
  if (!nanoseconds)
    return false;
  uint64_t end = now() + nanoseconds;
  do {
    for (int i = 0; i < 32; ++i) {
      if (condition())
        return true;
      _mm_pause();
    }
  } while (now() < end);
  return condition();
}

} // namespace dyn::rt

#endif // DYN_RUNTIME_SYSTEM_SPIN_H
