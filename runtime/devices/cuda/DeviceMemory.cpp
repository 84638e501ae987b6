//===- DeviceMemory.cpp - A caching allocator of device memory ------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceMemory.h"

#include <algorithm>
#include <cstdio>

using namespace dyn::rt;

/// Blocks are aligned to it, as those of cuMemAlloc.
static constexpr uint64_t kAlignment = 256;

void DeviceMemory::open(const Driver &driver, dyn_cuda_context_t opened,
                        const char *name, uint64_t limit) {
  cuda = &driver;
  context = opened;
  device = name;
  sums.limit_bytes = limit;
}

void DeviceMemory::close() {
  if (cuda)
    giveBack(/*all=*/true);
}

void *DeviceMemory::allocate(uint64_t bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  uint64_t size = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  void *block = takeCached(size);
  if (!block)
    block = takeFromDriver(size);
  sums.peak_bytes = std::max(sums.peak_bytes, sums.used_bytes);
  return block;
}

dyn_status_t DeviceMemory::explain(uint64_t bytes, const char *purpose) const {
  std::lock_guard<std::mutex> lock(mutex);
  if (refusal != DYN_CUDA_OUT_OF_MEMORY)
    return cuda->check(refusal, "take memory of the device");
  char limit[64] = "";
  if (sums.limit_bytes)
    std::snprintf(limit, sizeof(limit), ", of at most %llu",
                  (unsigned long long)sums.limit_bytes);
  return fail(DYN_STATUS_OUT_OF_MEMORY,
              "'%s' has no %llu bytes for %s: the context uses %llu bytes%s",
              device, (unsigned long long)bytes, purpose,
              (unsigned long long)sums.used_bytes, limit);
}

/// The smallest block that is large enough and not much larger.
void *DeviceMemory::takeCached(uint64_t bytes) {
  uint64_t most = bytes <= UINT64_MAX / 2 ? bytes + bytes / 4 : UINT64_MAX;
  const BlockList::Block *block = blocks.take(bytes, most);
  if (!block)
    return nullptr;
  sums.cached_bytes -= block->bytes;
  sums.used_bytes += block->bytes;
  return block->memory;
}

template <typename Fn> bool DeviceMemory::tryToTake(uint64_t bytes, Fn &&take) {
  auto isOverLimit = [&](uint64_t held) {
    return sums.limit_bytes &&
           (held > sums.limit_bytes || bytes > sums.limit_bytes - held);
  };
  if (isOverLimit(sums.used_bytes + sums.cached_bytes))
    giveBack(/*all=*/false);
  // Only of what fails: the next one may be for lack of the host's memory.
  auto succeeds = [&](int result) {
    if (result != DYN_CUDA_SUCCESS)
      refusal = result;
    return result == DYN_CUDA_SUCCESS;
  };
  if (isOverLimit(sums.used_bytes))
    return succeeds(DYN_CUDA_OUT_OF_MEMORY);
  Driver::Current current(*cuda, context);
  if (!succeeds(current.getResult()))
    return false;
  auto isTaken = [&] {
    ++sums.driver_calls;
    return succeeds(take());
  };
  if (!isTaken()) {
    if (!blocks.hasFree())
      return false;
    giveBack(/*all=*/false);
    if (!isTaken())
      return false;
  }
  sums.used_bytes += bytes;
  return true;
}

void *DeviceMemory::takeFromDriver(uint64_t bytes) {
  if (!blocks.makeRoom()) {
    refusal = DYN_CUDA_OUT_OF_MEMORY;
    return nullptr;
  }
  uint64_t address = 0;
  if (!tryToTake(bytes, [&] { return cuda->memAlloc(&address, bytes); }))
    return nullptr;
  auto *block = reinterpret_cast<void *>(address);
  blocks.add(block, bytes);
  return block;
}

uint64_t DeviceMemory::create(const dyn_cuda_memory_t &kind, uint64_t bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  uint64_t handle = 0;
  bool isTaken = tryToTake(
      bytes, [&] { return cuda->memCreate(&handle, bytes, &kind, 0); });
  sums.peak_bytes = std::max(sums.peak_bytes, sums.used_bytes);
  return isTaken ? handle : 0;
}

void DeviceMemory::destroy(uint64_t handle, uint64_t bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  Driver::Current current(*cuda, context);
  cuda->memRelease(handle);
  ++sums.driver_calls;
  sums.used_bytes -= bytes;
}

void DeviceMemory::release(void *block) {
  std::lock_guard<std::mutex> lock(mutex);
  uint64_t bytes = blocks.free(block);
  sums.used_bytes -= bytes;
  sums.cached_bytes += bytes;
}

void DeviceMemory::trim() {
  std::lock_guard<std::mutex> lock(mutex);
  giveBack(/*all=*/false);
}

void DeviceMemory::giveBack(bool all) {
  Driver::Current current(*cuda, context);
  blocks.drop(all, [&](const BlockList::Block &block) {
    cuda->memFree(reinterpret_cast<uint64_t>(block.memory));
    ++sums.driver_calls;
  });
  sums.cached_bytes = 0;
}

dyn_memory_stats_t DeviceMemory::stats() const {
  std::lock_guard<std::mutex> lock(mutex);
  return sums;
}

MemorySource DeviceMemory::source() {
  auto allocate = [](void *user, uint64_t bytes, uint64_t) {
    return static_cast<DeviceMemory *>(user)->allocate(bytes);
  };
  auto release = [](void *user, void *block, uint64_t) {
    static_cast<DeviceMemory *>(user)->release(block);
  };
  auto explain = [](void *user, uint64_t bytes) {
    return static_cast<DeviceMemory *>(user)->explain(
        bytes, "intermediate results or outputs");
  };
  return {this, allocate, release, explain};
}
