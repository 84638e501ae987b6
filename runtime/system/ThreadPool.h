//===- ThreadPool.h - Threads that share launches -------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch is offered in a slot, a word of atomic state with seats. An idle
// thread takes a seat by decrementing the number of free ones, works, and
// leaves; the caller works too, then closes the slot, so that no further thread
// enters, and waits for those that are seated. The caller never depends on
// another thread arriving: Launch (Launch.h) divides the work so that the
// threads that arrive do all of it. A pool whose threads are busy, refused by
// the system or lost in a fork is therefore slower and never wrong.
//
//   slot state:  [ owned | waiting | free seats : 12 | seated : 12 ]
//
// After a fork, the threads' shared state, which lies in one page, is zeroed in
// the child by the kernel. All zero is the state of a pool that has not
// started, so the child's first launch starts threads of its own.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_SYSTEM_THREADPOOL_H
#define DYN_RUNTIME_SYSTEM_THREADPOOL_H

#include "Object.h"
#include "Status.h"

#include <pthread.h>
#include <sys/types.h>
#include <vector>

namespace dyn::rt {

/// A fixed set of threads. Thread-safe: any number of callers may run work at
/// the same time.
class ThreadPool final : public Object<ThreadPool> {
public:
  static constexpr uint32_t maxThreads = 1024;

  /// `threads` counts the calling thread, so that 1 needs none.
  ThreadPool(uint32_t threads, uint32_t spinMicroseconds);
  ~ThreadPool();
  /// Takes the shared page from the system.
  dyn_status_t initialize();

  uint32_t threads() const { return threadCount; }

  /// Whether threads sleep, or have not been started.
  bool atRest() const;

  /// Calls task(argument, 0) in this thread and task(argument, i), each i at
  /// most once, 0 < i < seats, in idle threads; sleeping ones are woken if
  /// `wake`. Returns when all these calls have returned. `task` must do all of
  /// the work even if it is called for 0 alone.
  void run(uint32_t seats, dyn_task_fn task, void *argument, bool wake);

private:
  struct Slot;
  struct Shared;
  struct Start;

  bool ensureStarted(bool start);
  void startThreads();
  Slot *offer(uint32_t seats, dyn_task_fn task, void *argument, bool wake);
  void close(Slot &slot);
  bool takeSeat();
  void work();
  void waitForWork(uint32_t seenEpoch);
  void wipeIfForked();
  uint64_t spinTime() const;
  static void *threadMain(void *pool);

  uint32_t threadCount;
  uint64_t spinNanoseconds;
  Shared *shared = nullptr;
  /// Process that the page belongs to, where the kernel cannot wipe it; else 0.
  pid_t owner = 0;
  /// Handles of the threads; those of a parent process are invalid here.
  std::vector<pthread_t> handles;
};

/// Physical cores that this process may run on, at least 1.
uint32_t availableCores();

} // namespace dyn::rt

#endif // DYN_RUNTIME_SYSTEM_THREADPOOL_H
