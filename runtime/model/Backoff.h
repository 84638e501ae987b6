//===- Backoff.h - Pauses between attempts that may be in vain ------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_MODEL_BACKOFF_H
#define DYN_RUNTIME_MODEL_BACKOFF_H

#include <algorithm>
#include <cstdint>

namespace dyn::rt {

/// Pauses after attempts, in nanoseconds: each is twice as long as the one
/// before, up to a day, unless as much time as four pauses has passed since
/// then. So the number of attempts grows with the logarithm of time, whatever
/// happens.
class Backoff {
public:
  explicit Backoff(uint64_t shortest) : shortest(shortest), length(shortest) {}

  bool isOver(uint64_t now) const { return now >= end; }
  uint64_t getLength() const { return length; }
  void begin(uint64_t now) {
    const uint64_t day = uint64_t(86400) * 1000000000;
    if (end)
      length = now > end + 4 * length ? shortest : std::min(2 * length, day);
    end = now + length;
  }
  /// Makes an attempt that took `work` at most a twentieth of the time.
  void extend(uint64_t now, uint64_t work) {
    end = std::max(end, now + 20 * work);
  }

private:
  uint64_t shortest, length, end = 0;
};

} // namespace dyn::rt

#endif // DYN_RUNTIME_MODEL_BACKOFF_H
