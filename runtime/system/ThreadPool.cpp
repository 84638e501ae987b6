//===- ThreadPool.cpp - Threads that share launches -----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThreadPool.h"

#include "FloatMode.h"
#include "Processors.h"
#include "Spin.h"
#include "Thread.h"

#include <climits>
#include <cstring>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace dyn::rt;

namespace {
constexpr uint32_t seatedOne = 1u;
constexpr uint32_t seatedMask = 0xfffu;
constexpr uint32_t freeOne = 1u << 12;
constexpr uint32_t freeMask = 0xfffu << 12;
constexpr uint32_t waitingBit = 1u << 24;
constexpr uint32_t ownedBit = 1u << 25;

enum : uint32_t { poolIdle = 0, poolStarting = 1, poolStarted = 2 };

void futexWait(std::atomic<uint32_t> &word, uint32_t expected) {
  ::syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr,
            0);
}
void futexWake(std::atomic<uint32_t> &word, uint32_t count) {
  ::syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}
} // namespace

struct alignas(64) ThreadPool::Slot {
  std::atomic<uint32_t> state;
  uint32_t seats; ///< initially offered; with the state, numbers the seats
  dyn_task_fn task;
  void *argument;
  Processors processors;
};

/// In a page that is zero when a process, or a forked child, starts.
struct ThreadPool::Shared {
  /// Launches beyond this number at once run in their callers' threads alone.
  static constexpr int slotCount = 16;
  alignas(64) std::atomic<uint32_t> phase;
  alignas(64) std::atomic<uint32_t> epoch; ///< counts offers
  std::atomic<uint32_t> sleepers;
  std::atomic<uint32_t> stop;
  /// Whether there is a processor for each thread.
  std::atomic<bool> spread;
  Slot slots[slotCount];
};

ThreadPool::ThreadPool(uint32_t threads, uint32_t spinMicroseconds)
    : threadCount(threads), spinNanoseconds(uint64_t(spinMicroseconds) * 1000) {
}

dyn_status_t ThreadPool::initialize() {
  static_assert(sizeof(Shared) <= DYN_PAGE, "one page is mapped");
  if (threadCount < 2)
    return DYN_STATUS_OK;
  handles.reserve(threadCount - 1);
  void *page = ::mmap(nullptr, DYN_PAGE, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED)
    return fail(DYN_STATUS_OUT_OF_MEMORY, "no memory for a thread pool");
  shared = static_cast<Shared *>(page);
  if (::madvise(page, DYN_PAGE, MADV_WIPEONFORK) != 0)
    owner = ::getpid();
  return DYN_STATUS_OK;
}

ThreadPool::~ThreadPool() {
  if (!shared)
    return;
  wipeIfForked();
  if (shared->phase.load(std::memory_order_acquire) == poolStarted) {
    shared->stop.store(1);
    shared->epoch.fetch_add(1);
    futexWake(shared->epoch, INT_MAX);
    for (pthread_t handle : handles)
      ::pthread_join(handle, nullptr);
  }
  ::munmap(shared, DYN_PAGE);
}

void ThreadPool::wipeIfForked() {
  if (!owner || owner == ::getpid())
    return;
  std::memset(static_cast<void *>(shared), 0, DYN_PAGE);
  owner = ::getpid();
}

/// A thread that looks for work keeps others from running if there are fewer
/// processors than threads.
uint64_t ThreadPool::spinTime() const {
  return shared->spread.load(std::memory_order_relaxed) ? spinNanoseconds : 0;
}

//===----------------------------------------------------------------------===//
// Callers
//===----------------------------------------------------------------------===//

bool ThreadPool::atRest() const {
  return shared &&
         (shared->phase.load(std::memory_order_relaxed) != poolStarted ||
          shared->sleepers.load(std::memory_order_relaxed));
}

void ThreadPool::run(uint32_t seats, dyn_task_fn task, void *argument,
                     bool wake) {
  Slot *slot = nullptr;
  if (seats > 1 && ensureStarted(wake))
    slot = offer(seats - 1, task, argument, wake);
  task(argument, 0);
  if (slot)
    close(*slot);
}

bool ThreadPool::ensureStarted(bool start) {
  if (!shared)
    return false;
  wipeIfForked();
  uint32_t phase = shared->phase.load(std::memory_order_acquire);
  if (start && phase == poolIdle &&
      shared->phase.compare_exchange_strong(phase, poolStarting,
                                            std::memory_order_acq_rel))
    startThreads();
  return shared->phase.load(std::memory_order_acquire) == poolStarted;
}

void ThreadPool::startThreads() {
  handles.clear();
  shared->spread.store(availableProcessors() >= threadCount,
                       std::memory_order_relaxed);
  for (uint32_t i = 1; i < threadCount; ++i) {
    pthread_t handle;
    if (!startThread(handle, threadMain, this))
      break;
    ::pthread_setname_np(handle, "dyn-worker");
    handles.push_back(handle);
  }
  shared->phase.store(poolStarted, std::memory_order_release);
}

ThreadPool::Slot *ThreadPool::offer(uint32_t seats, dyn_task_fn task,
                                    void *argument, bool wake) {
  for (Slot &slot : shared->slots) {
    uint32_t idle = 0;
    if (slot.state.load(std::memory_order_relaxed) != idle ||
        !slot.state.compare_exchange_strong(idle, ownedBit,
                                            std::memory_order_acquire))
      continue;
    slot.seats = seats;
    slot.task = task;
    slot.argument = argument;
    slot.processors.reset();
    slot.state.store(ownedBit | seats * freeOne, std::memory_order_release);
    // A thread that goes to sleep counts itself before it checks the epoch a
    // last time, so either it is seen here or it sees the new epoch.
    shared->epoch.fetch_add(1, std::memory_order_seq_cst);
    if (wake && shared->sleepers.load(std::memory_order_seq_cst))
      futexWake(shared->epoch, seats);
    return &slot;
  }
  return nullptr;
}

void ThreadPool::close(Slot &slot) {
  slot.state.fetch_and(~freeMask, std::memory_order_acquire);
  auto empty = [&] {
    return !(slot.state.load(std::memory_order_acquire) & seatedMask);
  };
  if (!spinUntil(spinTime(), empty)) {
    uint32_t state =
        slot.state.fetch_or(waitingBit, std::memory_order_acquire) | waitingBit;
    while (state & seatedMask) {
      futexWait(slot.state, state);
      state = slot.state.load(std::memory_order_acquire);
    }
  }
  slot.state.store(0, std::memory_order_release);
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

void *ThreadPool::threadMain(void *pool) {
  static_cast<ThreadPool *>(pool)->work();
  return nullptr;
}

void ThreadPool::work() {
  FloatMode floatMode;
  while (true) {
    uint32_t epoch = shared->epoch.load(std::memory_order_seq_cst);
    if (shared->stop.load())
      return;
    if (!takeSeat())
      waitForWork(epoch);
  }
}

/// Works on one offer. False if there is none.
bool ThreadPool::takeSeat() {
  for (Slot &slot : shared->slots) {
    uint32_t state = slot.state.load(std::memory_order_acquire);
    while (state & freeMask) {
      // Success acquires the data that the offer released, even if it is a
      // later offer than the one that `state` was read from.
      if (!slot.state.compare_exchange_weak(state, state - freeOne + seatedOne,
                                            std::memory_order_acq_rel))
        continue;
      uint32_t freeBefore = (state & freeMask) / freeOne;
      if (shared->spread.load(std::memory_order_relaxed))
        slot.processors.join();
      slot.task(slot.argument, slot.seats - freeBefore + 1);
      uint32_t left =
          slot.state.fetch_sub(seatedOne, std::memory_order_acq_rel);
      if ((left & waitingBit) && (left & seatedMask) == seatedOne)
        futexWake(slot.state, 1);
      return true;
    }
  }
  return false;
}

void ThreadPool::waitForWork(uint32_t seenEpoch) {
  auto offered = [&] {
    return shared->epoch.load(std::memory_order_acquire) != seenEpoch;
  };
  if (spinUntil(spinTime(), offered))
    return;
  shared->sleepers.fetch_add(1, std::memory_order_seq_cst);
  futexWait(shared->epoch, seenEpoch);
  shared->sleepers.fetch_sub(1, std::memory_order_seq_cst);
}
