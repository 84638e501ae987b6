//===- Launch.cpp - One kernel over all its items ------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Launch.h"

#include "Clock.h"
#include "FloatMode.h"

#include <algorithm>

using namespace dyn::rt;

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
      body(buffers, dims, first * geometry.grain,
           std::min(geometry.items, last * geometry.grain), &own);
      worked = true;
    }
  }
  if (trace && thread && worked)
    trace->add(
        {kernel->name, kernel->kind, begin, now(), lane, thread, -1, 0, 0});
}
