//===- Launch.cpp - One kernel over all its items -------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Launch.h"

#include "Clock.h"
#include "FloatMode.h"
#include "Stream.h"
#include "Types.h"

#include <algorithm>

using namespace dyn::rt;

/// Alignment in scratch of the parts that follow the kernel's own.
static constexpr int64_t line = 64;

static constexpr int64_t toLines(int64_t bytes) {
  return (bytes + line - 1) / line * line;
}

/// After the kernel's own scratch lie pointers to buffers, and then a slot for
/// each result's piece, whose first byte has the same offset in its cache line
/// as in the result.
static int64_t getPointerBytes(const dyn_kernel_t &kernel) {
  return toLines(kernel.buffer_count * int64_t(sizeof(void *)));
}
static int64_t getPieceBytes(const dyn_geometry_t &geometry, int64_t piece) {
  return toLines(piece * geometry.item_bytes) + line;
}

bool Launch::hasPossibleResults() const {
  if (geometry.results == 0)
    return true;
  std::optional<int64_t> bytes =
      checkedMul(geometry.items, geometry.item_bytes);
  return geometry.results > 0 && geometry.results <= kernel->buffer_count &&
         geometry.item_bytes >= 0 && bytes &&
         *bytes - geometry.item_bytes <= geometry.result_bytes;
}

void Launch::streamFrom(uint64_t bytes) {
  // Short pieces stay in the L1 cache, and memory is prefetched for the next
  // one while the last one is stored. Row kernels process 4 or 16 rows at a
  // time.
  constexpr int64_t pieceBytes = 8192;
  constexpr int64_t mostItemBytes = 65536, mostResults = 8;
  if (uint64_t(geometry.bytes) < bytes || geometry.results < 1 ||
      geometry.results > mostResults || geometry.item_bytes < 1 ||
      geometry.item_bytes > mostItemBytes)
    return;
  piece = pieceBytes / geometry.results / geometry.item_bytes;
  for (int64_t together : {16, 4, 1})
    if (piece >= together) {
      piece = piece / together * together;
      return;
    }
  piece = 1;
}

double Launch::getWork() const {
  // As in grains: floating-point operations take a fraction of a byte's time.
  constexpr double flopsPerByte = 16;
  return double(geometry.bytes) + double(geometry.flops) / flopsPerByte + 1;
}

int64_t Launch::getScratchBytes() const {
  if (!piece)
    return geometry.scratch_bytes;
  int64_t room = getPointerBytes(*kernel) +
                 geometry.results * getPieceBytes(geometry, piece);
  int64_t bytes;
  return __builtin_add_overflow(geometry.scratch_bytes, line + room, &bytes)
             ? INT64_MAX
             : bytes;
}

void Launch::runItems(int64_t begin, int64_t end, dyn_worker_t &own) const {
  if (!piece)
    return body(buffers, dims, begin, end, &own);
  char *room =
      static_cast<char *>(own.scratch) + toLines(geometry.scratch_bytes);
  void **pointers = reinterpret_cast<void **>(room);
  std::copy_n(buffers, kernel->buffer_count, pointers);
  room += getPointerBytes(*kernel);
  int64_t stride = getPieceBytes(geometry, piece);
  int64_t first = kernel->buffer_count - geometry.results;
  for (int64_t stop; begin < end; begin = stop) {
    stop = std::min(end, begin + piece);
    int64_t offset = begin * geometry.item_bytes;
    int64_t bytes =
        std::min(stop * geometry.item_bytes, geometry.result_bytes) - offset;
    auto resultOf = [&](int64_t i) {
      return static_cast<char *>(buffers[first + i]) + offset;
    };
    auto pieceOf = [&](int64_t i) {
      auto inLine = reinterpret_cast<uintptr_t>(resultOf(i)) % line;
      return room + i * stride + inLine;
    };
    for (int64_t i = 0; i < geometry.results; ++i)
      pointers[first + i] = pieceOf(i) - offset;
    body(pointers, dims, begin, stop, &own);
    for (int64_t i = 0; i < geometry.results; ++i)
      storePastCaches(resultOf(i), pieceOf(i), bytes);
  }
  finishStores();
}

uint32_t Launch::usefulThreads(const dyn_geometry_t &geometry, uint32_t limit) {
  if (limit <= 1 || geometry.items <= geometry.grain)
    return 1;
  return uint32_t(std::min<int64_t>(geometry.items / geometry.grain, limit));
}

void Launch::runParallel(dyn_pool &pool, bool wake) {
  divide();
  pool.run(
      threads,
      [](void *argument, uint32_t thread) {
        static_cast<Launch *>(argument)->participate(thread);
      },
      this, wake);
}

void Launch::divide() {
  int64_t grains = (geometry.items - 1) / geometry.grain + 1;
  int64_t share = grains / threads, rest = grains % threads, begin = 0;
  for (uint32_t i = 0; i < threads; ++i) {
    cursors[i].next.store(begin, std::memory_order_relaxed);
    begin += share + (i < rest);
    cursors[i].end = begin;
  }
}

bool Cursor::take(int64_t &first, int64_t &last) {
  first = next.load(std::memory_order_relaxed);
  do {
    if (first >= end)
      return false;
    last = first + std::max<int64_t>(1, (end - first) / 4);
  } while (!next.compare_exchange_weak(first, last, std::memory_order_relaxed));
  return true;
}

void Launch::participate(uint32_t thread) {
  FloatMode floatMode;
  dyn_worker_t own = worker;
  if (own.scratch)
    own.scratch = static_cast<char *>(own.scratch) + thread * scratchStride;
  uint64_t begin = trace && thread ? now() : 0;
  bool worked = false;
  for (uint32_t i = 0; i < threads; ++i) {
    Cursor &cursor = cursors[(thread + i) % threads];
    int64_t first, last;
    while (cursor.take(first, last)) {
      runItems(first * geometry.grain,
               std::min(geometry.items, last * geometry.grain), own);
      worked = true;
    }
  }
  if (trace && thread && worked)
    traceThread(thread, begin, now());
}

void Launch::traceThread(uint32_t thread, uint64_t begin, uint64_t end) const {
  if (trace)
    trace->add(
        {kernel->name, kernel->kind, begin, end, lane, thread, -1, 0, 0});
}
