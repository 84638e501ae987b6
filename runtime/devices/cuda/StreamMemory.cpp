//===- StreamMemory.cpp - Stream-ordered memory ---------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamMemory.h"

using namespace dyn::rt;

void *StreamMemory::allocate(uint64_t bytes, uint64_t alignment) {
  // Buffers only grow, so a free block is reused only at exactly its size.
  if (const BlockList::Block *block = blocks.take(bytes, bytes))
    return block->memory;
  if (!blocks.makeRoom())
    return nullptr;
  void *fresh = memory.allocate(memory.user, bytes, alignment);
  if (!fresh && blocks.hasFree()) {
    // Freeing the blocks that the stream holds may make room.
    if (cuda.streamSynchronize(stream) != DYN_CUDA_SUCCESS)
      return nullptr;
    settle();
    fresh = memory.allocate(memory.user, bytes, alignment);
  }
  if (fresh)
    blocks.add(fresh, bytes);
  return fresh;
}

void StreamMemory::settle() {
  blocks.drop(/*all=*/false, [&](const BlockList::Block &block) {
    memory.deallocate(memory.user, block.memory, block.bytes);
  });
}

MemorySource StreamMemory::source() {
  auto allocate = [](void *user, uint64_t bytes, uint64_t alignment) {
    return static_cast<StreamMemory *>(user)->allocate(bytes, alignment);
  };
  auto release = [](void *user, void *memory, uint64_t) {
    static_cast<StreamMemory *>(user)->blocks.free(memory);
  };
  auto explain = [](void *user, uint64_t bytes) {
    const MemorySource &memory = static_cast<StreamMemory *>(user)->memory;
    return memory.explain(memory.user, bytes);
  };
  MemorySource source = {this, allocate, release, nullptr};
  if (memory.explain)
    source.explain = explain;
  return source;
}
