//===- ResidencyPlan.h - Which blocks of constants are in memory ----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decides what to read next and what to drop for it. The optimum drops what is
// needed last (Belady). The plan knows it for blocks that calls have announced,
// which are pending until they were read; for others it expects that a block
// which so many of the last calls used will be used by as many of the next
// ones, at the same time of the call as before. So
//
// - a call that uses all blocks in turn keeps the same part of them, where the
//   least recently used would always be the one that is needed next;
// - blocks that are rarely used go first, and among them those that were not
//   used for the longest time.
//
// Of blocks that a prediction names, it expects a use in the second half of
// this call. They are read when nothing announced is, and replace only blocks
// that at most every second call uses, so that a wrong prediction costs little.
//
// Blocks that are pinned are not dropped, whatever is expected: a device cannot
// wait for a block that is missing.
//
// Knows nothing of memory, files or threads, and is no thread-safe class.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_MEMORY_RESIDENCYPLAN_H
#define DYN_RUNTIME_MEMORY_RESIDENCYPLAN_H

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace dyn::rt {

/// Consecutive blocks.
struct BlockRange {
  uint32_t begin, end;
};

class ResidencyPlan {
public:
  /// At most `capacity` of the blocks are in memory at a time, of which up to
  /// `together` are read at once. The last `margin` that came are not dropped:
  /// nobody says when they have been read, unless all that are read are pinned.
  ResidencyPlan(uint32_t blocks, uint32_t capacity, uint32_t together,
                uint32_t margin);
  ResidencyPlan(uint32_t blocks, uint32_t capacity);

  /// Blocks that are read together, if not said otherwise.
  static constexpr uint32_t readBlocks = 16;
  /// Blocks that can be joined to one page.
  static constexpr uint32_t groupBlocks = 32;
  /// The minimum capacity: a thread must get at its block before it is dropped.
  static constexpr uint32_t leastCapacity = 64;

  // Calls. `endCall` ends the last of those that run at once.
  void beginCall();
  void endCall();
  /// These will be used: after all that were announced before, or now.
  void announce(BlockRange range, bool now = false);
  /// These may be used in this call.
  void expect(BlockRange range);
  /// Nobody reads these any more before they are announced again.
  void finish(BlockRange range);
  /// Somebody waits for a block. False if it is in memory.
  bool demand(uint32_t block);
  /// Whether all of the blocks are in memory.
  bool isResident(BlockRange range) const;
  /// Keeps blocks, those that come later included, until `unpin`, and counts
  /// them as used; ranges may overlap. False, and nothing is pinned, if there
  /// is no room for all that are pinned then.
  bool pin(const std::vector<BlockRange> &ranges);
  void unpin(const std::vector<BlockRange> &ranges);

  /// Finds the next blocks to read, and those that have to be dropped before.
  /// False if there are none, or nothing may be dropped for them. They count as
  /// in memory, and are not dropped until `arrive`.
  bool takeRead(BlockRange &read, std::vector<uint32_t> &dropped);
  void arrive(BlockRange read);
  /// Instead of `arrive`: they could not be read. Whoever needs them asks
  /// again.
  void abandon(BlockRange read);

  /// Finds a group of blocks in memory that most calls use. From now on they
  /// are dropped together.
  bool joinGroup(uint32_t &group);

  uint32_t getResident() const { return uint32_t(resident.size()) + reading; }

private:
  static constexpr uint32_t none = UINT32_MAX;
  enum class State : uint8_t { Missing, Reading, Resident };
  struct Block {
    State state = State::Missing;
    bool isPending = false;
    bool isExpected = false;
    bool isDemanded = false;
    /// Of calls before `call`, decayed: the part that used the block.
    float rate = 0;
    uint32_t call = 0;
    /// When it was or will be used, in blocks that were announced.
    uint64_t use = 0;
    uint64_t arrival = 0;
    uint32_t position = 0; ///< in `resident`
    uint32_t pins = 0;
    uint32_t nextDemanded = none;
  };

  /// Ranges in the order in which they are read, and the first block that may
  /// have to be. Never allocates memory, since threads wait that could hold it.
  struct Queue {
    std::vector<BlockRange> ranges;
    std::size_t nextRange = 0;
    uint32_t nextBlock = 0;

    /// False if it is full.
    bool push(BlockRange range);
    void clear();
  };
  /// Of a call, or of those that run at once: others are read when somebody
  /// waits for them.
  static constexpr std::size_t mostRanges = 8192;

  float getRate(const Block &block) const;
  double getNextUse(const Block &block) const;
  void noteUse(Block &block);
  bool isWanted(uint32_t block, bool Block::*why) const;
  bool findDemanded(uint32_t &block);
  bool findNext(Queue &queue, bool Block::*why, uint32_t &block);
  /// Makes room for up to `count` blocks; returns for how many. Drops none that
  /// is used before `use`.
  uint32_t makeRoom(uint32_t count, double use, std::vector<uint32_t> &dropped);
  void dropBlock(uint32_t block, std::vector<uint32_t> &dropped);
  bool isUsedMostly(uint32_t group) const;

  std::vector<Block> blocks;
  std::vector<bool> isJoined; ///< of groups
  uint32_t nextGroup = 0;
  std::vector<uint32_t> resident;
  uint32_t capacity, together;
  /// How many blocks are kept because they came last, and how far ahead others
  /// are read instead of them.
  uint32_t margin;
  uint32_t reading = 0, pinned = 0, firstVictim = 0;
  /// Demanded blocks, the first one first: a list through the blocks, since no
  /// memory can be allocated where threads wait.
  uint32_t firstDemanded = none, lastDemanded = none;
  /// By the calls that run.
  Queue announced, expected;
  uint64_t clock = 1, arrivals = 0, callBegin = 1;
  /// The last use that is known to be over or to wait.
  uint64_t front = 0;
  uint32_t calls = 0;
  double callLength = 1;
  std::vector<std::pair<double, uint32_t>> victims;
};

} // namespace dyn::rt

#endif // DYN_RUNTIME_MEMORY_RESIDENCYPLAN_H
