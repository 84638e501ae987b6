//===- Buffer.cpp - Memory that grows and stays ---------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Buffer.h"

#include "MemoryLimit.h"
#include "RedZones.h"

#include <sys/mman.h>
#include <utility>

using namespace dyn::rt;

#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4 // of Linux 5.7
#endif

namespace {
constexpr uint64_t alignment = 64;
constexpr uint64_t smallUnit = 64 << 10;
/// From this size on blocks consist of huge pages: 512 times fewer page faults.
constexpr uint64_t hugeFrom = 4 << 20;
constexpr uint64_t hugePage = 2 << 20;

uint64_t roundUp(uint64_t bytes, uint64_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

/// Maps `bytes` fresh bytes that begin at a multiple of `unit`.
void *mapPages(uint64_t bytes, uint64_t unit) {
  uint64_t slack = unit > DYN_PAGE ? unit : 0;
  void *area = ::mmap(nullptr, bytes + slack, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (area == MAP_FAILED)
    return nullptr;
  auto begin = reinterpret_cast<uint64_t>(area);
  uint64_t aligned = roundUp(begin, unit);
  if (aligned > begin)
    ::munmap(area, aligned - begin);
  if (uint64_t rest = begin + slack - aligned)
    ::munmap(reinterpret_cast<void *>(aligned + bytes), rest);
  return reinterpret_cast<void *>(aligned);
}

/// Moves `bytes` bytes at `from` onto those at `to`, and leaves empty pages
/// behind. On failure it may have moved some, and unmapped the rest of the
/// target, where another thread's mapping may be by now; `from` stays the
/// caller's in any case. Kernels before 6.17 move one mapping at a time, and a
/// block that has grown consists of several.
bool movePages(void *from, uint64_t bytes, void *to) {
  return ::mremap(from, bytes, bytes,
                  MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP,
                  to) != MAP_FAILED;
}
} // namespace

Buffer::Buffer(Buffer &&other) noexcept
    : source(other.source), block(std::exchange(other.block, nullptr)),
      held(std::exchange(other.held, 0)), asked(std::exchange(other.asked, 0)) {
}

Buffer &Buffer::operator=(Buffer &&other) noexcept {
  std::swap(source, other.source);
  std::swap(block, other.block);
  std::swap(held, other.held);
  std::swap(asked, other.asked);
  return *this;
}

dyn_status_t Buffer::grow(int64_t bytes, uint64_t &allocations) {
  // Far below where sums of sizes and addresses would wrap.
  const int64_t limit = int64_t(1) << 46;
  if (bytes == INT64_MAX)
    return fail(DYN_STATUS_OUT_OF_MEMORY,
                "the sizes of this call need more bytes than fit in 63 bits");
  uint64_t wanted = bytes > 0 ? uint64_t(bytes) : 1;
  if (block && wanted <= held) {
    asked = wanted;
    adviseHugePages();
    return DYN_STATUS_OK;
  }
  ++allocations;
  redzones::lift(block, held);
  bool done = false;
  if (bytes <= limit)
    done = source.allocate ? growDriver(wanted) : growPages(wanted);
  if (!done && source.explain && bytes <= limit)
    return source.explain(source.user, wanted);
  if (!done)
    return fail(DYN_STATUS_OUT_OF_MEMORY,
                "cannot allocate %lld bytes for intermediate results or "
                "outputs",
                (long long)bytes);
  asked = wanted;
  adviseHugePages();
  return DYN_STATUS_OK;
}

void Buffer::adviseHugePages() {
  if (!source.allocate && held >= hugeFrom)
    ::madvise(block, asked / hugePage * hugePage, MADV_HUGEPAGE);
}

bool Buffer::growPages(uint64_t bytes) {
  // The query takes as long as some page faults, and less than a huge page is
  // always available.
  const uint64_t most = bytes >= hugeFrom ? usableMemory() : UINT64_MAX;
  uint64_t generous = held + held / 2;
  for (uint64_t wanted : {bytes > generous ? bytes : generous, bytes}) {
    uint64_t unit = wanted >= hugeFrom ? hugePage : smallUnit;
    uint64_t size = roundUp(wanted, unit);
    void *fresh = wanted <= most ? mapPages(size, unit) : nullptr;
    if (!fresh)
      continue;
    bool moved = !block || movePages(block, held, fresh);
    if (!moved)
      ::munmap(static_cast<char *>(fresh) + held, size - held);
    reset();
    if (!moved && !(fresh = mapPages(size, unit)))
      continue;
    block = fresh;
    held = size;
    return true;
  }
  return false;
}

bool Buffer::growDriver(uint64_t bytes) {
  uint64_t size = roundUp(bytes, alignment);
  reset();
  void *fresh = source.allocate(source.user, size, alignment);
  if (!fresh)
    return false;
  block = fresh;
  held = size;
  return true;
}

void Buffer::reset() {
  if (!block)
    return;
  redzones::lift(block, held);
  if (source.allocate)
    source.deallocate(source.user, block, held);
  else
    ::munmap(block, held);
  block = nullptr;
  held = asked = 0;
}
