//===- Residency.h - Constants in a limited part of memory ----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constants of which only a part is in memory. Threads read the rest from the
// file when it is announced, or when somebody waits for it. Kernels know
// nothing of it: they sleep at a page that is missing (FaultRegion.h). So a
// call may need more than the limit at once, and calls that run at once cannot
// wait for each other.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_MEMORY_RESIDENCY_H
#define DYN_RUNTIME_MEMORY_RESIDENCY_H

#include "Constants.h"
#include "FaultRegion.h"
#include "ResidencyPlan.h"
#include "Store.h"

#include <array>
#include <atomic>
#include <mutex>
#include <pthread.h>

namespace dyn::rt {

class Residency {
public:
  Residency() = default;
  ~Residency();
  Residency(const Residency &) = delete;
  Residency &operator=(const Residency &) = delete;

  /// The limit of a context that was created with `given` in its options: that,
  /// or the environment's; 0 for none. Control groups limit only memory of the
  /// host.
  static dyn_status_t chooseLimit(uint64_t given, bool isOfHost,
                                  uint64_t &limit);
  /// The bytes a second at which constants are read, for tests; 0 for no limit.
  static uint64_t getRate();

  /// Keeps at most `limit` bytes of the constants in memory, buffers for
  /// reading included.
  dyn_status_t open(const dyn_descriptor_t &root, const Constants &constants,
                    uint64_t limit);

  /// The data of each constant.
  const void *const *pointers() const { return data.data(); }

  // Of calls, in any number of threads.
  dyn_status_t beginCall();
  void endCall();
  /// That ranges are read, or may be. Null offsets are for all ranges.
  void announce(const int64_t *offsets, uint32_t count,
                const dyn_range_t *ranges, bool isSure);
  /// Before and after kernels that read and write `bytes` bytes at least read
  /// buffers, some of which may be constants.
  void beginLaunch(void *const *buffers, uint32_t count, uint64_t bytes);
  void endLaunch(void *const *buffers, uint32_t count);
  /// The item at which one thread begins a launch of `items` items, so that it
  /// does not wait before work that needs none: the first one behind the last
  /// path whose weights are not in memory, which is waited for last.
  int64_t getFirstItem(void *const *buffers, uint32_t count,
                       int64_t items) const;
  /// Why constants could not be read, if so: results are not valid then.
  dyn_status_t check() const;

  dyn_memory_stats_t stats() const;

private:
  /// The last constant that begins at an offset or before, or none.
  std::optional<uint32_t> findConstant(uint64_t offset) const;
  /// The constant that begins at an address, or none.
  std::optional<uint32_t> findConstant(const void *address) const;
  BlockRange getBlocks(uint64_t offset, uint64_t bytes) const;
  BlockRange getBlocks(uint32_t constant) const {
    return getBlocks(root->constants[constant].offset,
                     root->constants[constant].bytes);
  }
  static void *work(void *self);
  void serve();
  void drop(std::vector<uint32_t> &dropped);
  void takeFaults();
  void notePosition(uint32_t thread, uint32_t block);
  void load(BlockRange read, char *buffer);
  void callWorkers();
  /// Makes room for the paths of each constant of an announcement.
  void beginUses(uint32_t count, const dyn_range_t *ranges);

  const dyn_descriptor_t *root = nullptr;
  std::vector<const void *> data;
  /// The constants by ascending offset: a program's own may lie between those
  /// that it shares with others.
  std::vector<uint32_t> byOffset;
  /// Whose ranges are announced by routers.
  std::vector<bool> ofPaths;
  /// Of these, the paths with rows of the last announcement: a part of `uses`,
  /// which does not grow, since threads wait that could hold malloc's lock.
  struct PathUse {
    int64_t rows;
    BlockRange blocks;
  };
  struct PathUses {
    size_t first = 0, room = 0, count = 0;
  };
  std::vector<PathUse> uses;
  size_t usesTaken = 0;
  std::vector<PathUses> pathUses;
  Store store;
  FaultRegion region;
  uint64_t limitBytes = 0;
  pid_t owner = 0;

  mutable std::mutex mutex;
  std::optional<ResidencyPlan> plan;
  uint32_t activeCalls = 0;
  uint64_t peakBlocks = 0, readBytes = 0, faults = 0;
  /// The last block that a thread of the current launches has waited for. Two
  /// threads may share an element.
  struct Position {
    uint32_t thread, block;
  };
  std::array<Position, 64> positions = {};
  bool stops = false;
  bool joins = false; ///< whether a thread makes a page of others
  int bell = -1;      ///< an eventfd that wakes the workers
  std::vector<pthread_t> workers;

  /// Set once; the message is written before.
  std::atomic<bool> failed{false};
  std::string failure;
};

} // namespace dyn::rt

#endif // DYN_RUNTIME_MEMORY_RESIDENCY_H
