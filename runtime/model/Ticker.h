//===- Ticker.h - Calls a function at intervals ---------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_MODEL_TICKER_H
#define DYN_RUNTIME_MODEL_TICKER_H

#include "ForkLock.h"

#include <cstdint>
#include <functional>
#include <pthread.h>
#include <unistd.h>

namespace dyn::rt {

/// Calls a function at intervals in a thread of its own, which begins with the
/// first `start`, sleeps when the function returns false, until the next
/// `start`, and ends with the ticker. A fork waits for the end of a call; the
/// child has no such thread until it starts one.
class Ticker {
public:
  Ticker(ForkLock::Owner owner, uint64_t intervalMs,
         std::function<bool()> function);
  ~Ticker();
  Ticker(const Ticker &) = delete;
  Ticker &operator=(const Ticker &) = delete;

  /// False if the system cannot start a thread.
  bool start();

private:
  void runThread();

  const uint64_t intervalMs;
  const std::function<bool()> function;
  ForkLock lock; ///< held while the function runs
  bool isActive = false, stops = false;
  pid_t process = 0; ///< the one that has the thread
  pthread_t thread = {};
};

} // namespace dyn::rt

#endif // DYN_RUNTIME_MODEL_TICKER_H
