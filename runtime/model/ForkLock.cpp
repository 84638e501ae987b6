//===- ForkLock.cpp - A mutex that is free in a forked child --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ForkLock.h"

#include "Profile.h"

#include <algorithm>
#include <new>
#include <pthread.h>
#include <vector>

using namespace dyn::rt;

namespace {
struct Registry {
  std::mutex mutex;
  std::vector<ForkLock *> all; ///< by owner

  void prepare() {
    mutex.lock();
    for (ForkLock *lock : all)
      lock->mutex.lock();
  }
  void release() {
    for (ForkLock *lock : all)
      lock->mutex.unlock();
    mutex.unlock();
  }
  void restartInChild() {
    for (ForkLock *lock : all)
      new (&lock->changed) std::condition_variable();
    release();
  }
};

/// Never destroyed: models may end while the process does.
Registry &registry() {
  static Registry *only = new Registry();
  return *only;
}
} // namespace

ForkLock::ForkLock(Owner owner) : owner(owner) {
  // Handlers that are installed last run first before a fork: who holds one of
  // these locks may take that of a profile.
  dyn_profile::installForkHandlers();
  static const int installed = ::pthread_atfork(
      [] { registry().prepare(); }, [] { registry().release(); },
      [] { registry().restartInChild(); });
  (void)installed;
  std::lock_guard<std::mutex> guard(registry().mutex);
  std::vector<ForkLock *> &all = registry().all;
  auto isBefore = [](const ForkLock *a, const ForkLock *b) {
    return a->owner < b->owner;
  };
  all.insert(std::upper_bound(all.begin(), all.end(), this, isBefore), this);
}

ForkLock::~ForkLock() {
  std::lock_guard<std::mutex> guard(registry().mutex);
  std::vector<ForkLock *> &all = registry().all;
  all.erase(std::find(all.begin(), all.end(), this));
}
