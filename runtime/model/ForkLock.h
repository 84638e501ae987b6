//===- ForkLock.h - A mutex that is free in a forked child ----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_MODEL_FORKLOCK_H
#define DYN_RUNTIME_MODEL_FORKLOCK_H

#include <condition_variable>
#include <mutex>

namespace dyn::rt {

/// A mutex that no other thread holds when the process forks, and a condition
/// that nobody waits for in the child, where all threads but one are gone.
struct ForkLock {
  /// Whose it is. A thread that holds one takes later ones only.
  enum Owner { ofTicker, ofReleaser, ofModel, ofRecompiler };

  explicit ForkLock(Owner owner);
  ~ForkLock();
  ForkLock(const ForkLock &) = delete;
  ForkLock &operator=(const ForkLock &) = delete;

  const Owner owner;
  std::mutex mutex;
  std::condition_variable changed;
};

} // namespace dyn::rt

#endif // DYN_RUNTIME_MODEL_FORKLOCK_H
