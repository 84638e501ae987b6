//===- Trial.h - Which of two variants is faster --------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_MODEL_TRIAL_H
#define DYN_RUNTIME_MODEL_TRIAL_H

#include <cstdint>
#include <string>
#include <vector>

namespace dyn::rt {

/// Times real calls of the same sizes that two variants take in turns. The
/// static one wins if its median is at most 98 % of the dynamic one's and it is
/// faster in at least three of four pairs of calls: of 40 pairs of equal
/// programs, this happens by chance once in a thousand trials.
class Trial {
public:
  /// Whether the next call takes the static variant: dynamic, static, static,
  /// dynamic, so that neither is always the first.
  bool takeTurn() {
    uint32_t turn = turns++ % 4;
    return turn == 1 || turn == 2;
  }
  void add(bool isStatic, uint64_t nanoseconds);
  bool isComplete() const;
  bool wins() const;
  /// "7.1 us instead of 7.2 us (0.99), faster in 23 of 40 pairs"
  std::string describe() const;

private:
  struct Side {
    uint32_t warmUps = 0;
    std::vector<uint64_t> times;
    double getMedian() const;
  };
  uint32_t countFaster() const;

  uint32_t turns = 0;
  Side dynamic, fixed;
};

} // namespace dyn::rt

#endif // DYN_RUNTIME_MODEL_TRIAL_H
