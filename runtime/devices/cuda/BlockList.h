//===- BlockList.h - Blocks of memory, in use or given back ---------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_DEVICES_CUDA_BLOCKLIST_H
#define DYN_RUNTIME_DEVICES_CUDA_BLOCKLIST_H

#include <algorithm>
#include <cstdint>
#include <new>
#include <vector>

namespace dyn::rt {

/// The blocks that a user holds: few, so that a linear search costs nothing
/// compared with an allocation. Only makeRoom() allocates host memory, so that
/// freeing, which destructors do, cannot fail.
class BlockList {
public:
  struct Block {
    void *memory;
    uint64_t bytes;
    bool isFree; ///< released
  };

  /// Makes room for one more block. False if there is no memory.
  bool makeRoom() noexcept {
    if (blocks.size() < blocks.capacity())
      return true;
    try {
      blocks.reserve(2 * blocks.size() + 8);
      return true;
    } catch (const std::bad_alloc &) {
      return false;
    }
  }
  /// Adds a block that is in use; makeRoom() must have succeeded.
  void add(void *memory, uint64_t bytes) {
    blocks.push_back({memory, bytes, false});
  }
  /// Marks the smallest free block of `least` to `most` bytes as in use and
  /// returns it; null if there is none.
  const Block *take(uint64_t least, uint64_t most) {
    Block *best = nullptr;
    for (Block &block : blocks)
      if (block.isFree && block.bytes >= least && block.bytes <= most &&
          (!best || block.bytes < best->bytes))
        best = &block;
    if (best)
      best->isFree = false;
    return best;
  }
  /// Frees a block that is in use, and returns its bytes.
  uint64_t free(void *memory) {
    auto block =
        std::find_if(blocks.begin(), blocks.end(),
                     [&](const Block &each) { return each.memory == memory; });
    block->isFree = true;
    return block->bytes;
  }
  bool hasFree() const {
    return std::any_of(blocks.begin(), blocks.end(),
                       [](const Block &block) { return block.isFree; });
  }
  /// Calls `drop` for each free block, or for all, and removes them.
  template <typename Fn> void drop(bool all, Fn &&drop) {
    auto kept = blocks.begin();
    for (const Block &block : blocks)
      if (all || block.isFree)
        drop(block);
      else
        *kept++ = block;
    blocks.erase(kept, blocks.end());
  }

private:
  std::vector<Block> blocks;
};

} // namespace dyn::rt

#endif // DYN_RUNTIME_DEVICES_CUDA_BLOCKLIST_H
