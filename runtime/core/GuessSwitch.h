//===- GuessSwitch.h - Whether paths of a router run by a guess -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A guess that is wrong costs time, never a bit. After each window of calls the
// share of right rows says whether the guess pays. If it does not, it is off
// for a pause, and then tried in one call: if that was right, another window
// begins, else a longer pause. So a guess that is always wrong costs less and
// less, and one that is right again comes back.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_CORE_GUESSSWITCH_H
#define DYN_RUNTIME_CORE_GUESSSWITCH_H

#include "Status.h"

#include <mutex>

namespace dyn::rt {

/// When guesses are made.
enum class GuessMode {
  Adapt, ///< where they pay
  Always,
  Never
};

/// Reads DYN_GUESSES.
dyn_status_t readGuessMode(GuessMode &mode);

/// The guesses of one router, in all calls of a context.
class GuessSwitch {
public:
  /// Calls of a window, and of the shortest and the longest pause.
  static constexpr uint32_t window = 64, longestPause = 4096;

  struct Counts {
    uint64_t calls = 0;   ///< that asked
    uint64_t guesses = 0; ///< calls that guessed
    uint64_t rows = 0;    ///< of these, of the router or the guess
    uint64_t right = 0;   ///< of the rows
    bool isOn = true;
  };

  /// Whether the next call guesses. Guesses pay if at least `paysFrom` 1024ths
  /// of their rows are right.
  bool ask(uint32_t paysFrom, GuessMode mode = GuessMode::Adapt);
  /// Counts what a call guessed.
  void count(uint64_t rows, uint64_t right);
  Counts counts() const;

private:
  bool pays() const { return right * 1024 >= rows * least; }
  void beginPause();

  mutable std::mutex lock;
  Counts totals;
  uint64_t rows = 0, right = 0; ///< of the window, or of the call that tries
  uint32_t least = 0;
  uint32_t left = window; ///< calls of the window or the pause
  uint32_t pause = window;
};

} // namespace dyn::rt

#endif // DYN_RUNTIME_CORE_GUESSSWITCH_H
