//===- Ticker.cpp - Calls a function at intervals -------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ticker.h"

#include "Thread.h"

#include <chrono>

using namespace dyn::rt;

Ticker::Ticker(ForkLock::Owner owner, uint64_t intervalMs,
               std::function<bool()> function)
    : intervalMs(intervalMs), function(std::move(function)), lock(owner) {}

Ticker::~Ticker() {
  if (process != ::getpid())
    return;
  {
    std::lock_guard<std::mutex> guard(lock.mutex);
    stops = true;
  }
  lock.changed.notify_all();
  ::pthread_join(thread, nullptr);
}

bool Ticker::start() {
  std::lock_guard<std::mutex> guard(lock.mutex);
  isActive = true;
  if (process == ::getpid()) {
    lock.changed.notify_all();
    return true;
  }
  if (!startThread(
          thread,
          [](void *self) -> void * {
            static_cast<Ticker *>(self)->runThread();
            return nullptr;
          },
          this))
    return false;
  process = ::getpid();
  return true;
}

void Ticker::runThread() {
  std::unique_lock<std::mutex> held(lock.mutex);
  while (true) {
    lock.changed.wait(held, [&] { return isActive || stops; });
    if (lock.changed.wait_for(held, std::chrono::milliseconds(intervalMs),
                              [&] { return stops; }))
      return;
    isActive = function();
  }
}
