//===- GuessSwitch.cpp - Whether paths of a router run by a guess ---------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GuessSwitch.h"

#include <algorithm>
#include <cstdlib>
#include <string>

using namespace dyn::rt;

dyn_status_t dyn::rt::readGuessMode(GuessMode &mode) {
  const char *given = std::getenv("DYN_GUESSES");
  std::string text = given ? given : "";
  if (text.empty() || text == "adapt")
    mode = GuessMode::Adapt;
  else if (text == "always")
    mode = GuessMode::Always;
  else if (text == "never")
    mode = GuessMode::Never;
  else
    return fail(DYN_STATUS_INVALID_ARGUMENT,
                "DYN_GUESSES: expected 'adapt', 'always' or 'never', got '%s'",
                given);
  return DYN_STATUS_OK;
}

bool GuessSwitch::ask(uint32_t paysFrom, GuessMode mode) {
  std::lock_guard<std::mutex> guard(lock);
  ++totals.calls;
  least = paysFrom;
  bool guesses = mode == GuessMode::Always;
  if (mode == GuessMode::Adapt) {
    if (totals.isOn && left == 0) {
      if (!pays()) {
        totals.isOn = false;
        beginPause();
      } else {
        left = pause = window;
        rows = right = 0;
      }
    }
    // Off, the call after a pause tries; without rows so does a later one.
    guesses = totals.isOn || left == 0;
    left = left ? left - 1 : pause;
  }
  totals.guesses += guesses;
  return guesses;
}

void GuessSwitch::count(uint64_t ofCall, uint64_t rightOfCall) {
  std::lock_guard<std::mutex> guard(lock);
  totals.rows += ofCall;
  totals.right += rightOfCall;
  rows += ofCall;
  right += rightOfCall;
  if (totals.isOn || rows == 0)
    return;
  if (!pays())
    return beginPause();
  totals.isOn = true;
  left = window;
  rows = right = 0;
}

/// Each pause is twice as long as the one before, until a window pays.
void GuessSwitch::beginPause() {
  left = pause;
  pause = std::min(2 * pause, longestPause);
  rows = right = 0;
}

GuessSwitch::Counts GuessSwitch::counts() const {
  std::lock_guard<std::mutex> guard(lock);
  return totals;
}
