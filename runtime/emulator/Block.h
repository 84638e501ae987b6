//===- Block.h - Runs the threads of a block in turn ----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_EMULATOR_BLOCK_H
#define DYN_RUNTIME_EMULATOR_BLOCK_H

#include "Emulator.h"
#include "Fiber.h"
#include "Mma.h"

#include <deque>

namespace dyn::emu {

class Block;

/// A thread: the state that its code sees, and the emulator's own.
struct Thread {
  dyn_emu_thread_t known; ///< first: the code's pointer is ours
  Block *block;
  uint32_t number;
  Fiber fiber;
  enum class State { Ready, AtBarrier, InWarp, Done } state;
  uint32_t site; ///< where it waits
  uint32_t mask; ///< lanes of its warp that it waits for
  /// State of a shuffle that waits for other lanes.
  struct {
    uint32_t mode, value, lane, clamp, result;
  } shuffle;
  MmaRegisters mma; ///< of an mma that waits for other lanes
  /// State of a load of matrices that waits for other lanes.
  struct {
    const void *row;
    uint32_t *results;
  } matrices;
  /// An asynchronous copy that has not been waited for.
  struct Copy {
    void *to;
    const void *from;
    uint32_t bytes, valid, site, group;
  };
  std::deque<Copy> copies; ///< the oldest first
  uint32_t group = 0;      ///< of the next copy
};

/// Runs one block after another. A thread runs until it waits for others or
/// ends; then the next ready one continues.
class Block {
public:
  Block(Device &device, const dyn_emu_kernel_t &kernel, uint32_t threads,
        const void *params);

  /// Runs block `number` of `blocks`. False if a fault stopped it.
  bool run(uint32_t number, uint32_t blocks);

  // The services; see emulated.h.
  void access(Thread &thread, uint32_t site, const void *address,
              uint32_t bytes, dyn_emu_access_t access);
  void barrier(Thread &thread, uint32_t site);
  uint32_t shuffle(Thread &thread, uint32_t site, uint32_t mode, uint32_t mask,
                   uint32_t value, uint32_t lane, uint32_t clamp);
  void mma(Thread &thread, uint32_t site, dyn_emu_mma_t type,
           const MmaRegisters &registers);
  void loadMatrices(Thread &thread, uint32_t site, const void *row,
                    uint32_t count, bool transposes, uint32_t *results);
  void copy(Thread &thread, uint32_t site, const Thread::Copy &copy);
  void commit(Thread &thread) { ++thread.group; }
  void waitForCopies(Thread &thread, uint32_t pending);

private:
  static void start(void *thread);
  bool runThreads();
  /// Suspends the thread; returns when it is ready again.
  void wait(Thread &thread, Thread::State state, uint32_t site);
  void wake(Thread &thread);
  /// Called when no thread is ready: opens the barrier if all threads wait at
  /// it. Otherwise false, since they never will.
  bool openBarrier();
  /// Waits for the lanes in `mask` to reach the same site. The last of them
  /// calls `act` with the threads of the warp, before any continues.
  template <typename Act>
  void meet(Thread &thread, uint32_t site, uint32_t mask, Act act);
  void exchange(Thread &last, Thread *warp);
  /// The target of an access. locate() does not return if the access is not
  /// allowed.
  struct Target {
    Shadow *shadow;
    size_t offset;
  };
  Target locate(Thread &thread, uint32_t site, const void *address,
                uint32_t bytes, uint32_t alignment, bool isShared);
  /// Counts an access, and checks and records it.
  void note(Thread &thread, uint32_t site, const Target &target,
            const void *address, uint32_t bytes, dyn_emu_access_t access,
            uint32_t epoch);
  /// Ends an asynchronous copy.
  void endCopy(Thread &thread, const Thread::Copy &copy);
  /// Records a fault. Does not return to a thread that must not continue.
  void report(Fault fault, const Thread &thread, uint32_t site,
              std::string detail, const Party *other = nullptr);
  [[noreturn]] void stop(Thread &thread);

  Device &device;
  const dyn_emu_kernel_t &kernel;
  const void *params;
  std::vector<Thread> threads;
  std::deque<Thread *> ready;
  Fiber scheduler;
  std::vector<char> shared;
  Shadow sharedShadow;
  uint32_t number = 0, live = 0;
  bool isStopped = false;
};

} // namespace dyn::emu

#endif // DYN_RUNTIME_EMULATOR_BLOCK_H
