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

void Launch::runParallel(dyn_pool &pool) {
  divide();
  pool.run(
      threads,
      [](void *argument, uint32_t thread) {
        static_cast<Launch *>(argument)->participate(thread);
      },
      this);
}

void Launch::divide() {
  // A few chunks per thread let one that was held up be helped; many would
  // only pay the kernel's prologue more often.
  const int64_t chunksPerThread = 4;
  int64_t grains = (geometry.items - 1) / geometry.grain + 1;
  int64_t chunkGrains =
      std::max<int64_t>(1, grains / (int64_t(threads) * chunksPerThread));
  int64_t chunks = (grains - 1) / chunkGrains + 1;
  chunkItems = chunkGrains * geometry.grain;
  int64_t share = chunks / threads, rest = chunks % threads, begin = 0;
  for (uint32_t i = 0; i < threads; ++i) {
    cursors[i].next.store(begin, std::memory_order_relaxed);
    begin += share + (i < rest);
    cursors[i].end = begin;
  }
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
    while (true) {
      // A look first: an increment would take the line from its owner.
      if (cursor.next.load(std::memory_order_relaxed) >= cursor.end)
        break;
      int64_t chunk = cursor.next.fetch_add(1, std::memory_order_relaxed);
      if (chunk >= cursor.end)
        break;
      int64_t first = chunk * chunkItems;
      int64_t last = std::min(geometry.items, first + chunkItems);
      body(buffers, dims, first, last, &own);
      worked = true;
    }
  }
  if (trace && thread && worked)
    trace->add(
        {kernel->name, kernel->kind, begin, now(), lane, thread, -1, 0, 0});
}
