//===- Together.cpp - Several kernels that run as one launch --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Together.h"

#include "Clock.h"
#include "FloatMode.h"

#include <algorithm>
#include <cmath>

using namespace dyn::rt;

void Together::add(const Launch &launch) {
  const dyn_geometry_t &geometry = launch.geometry;
  int64_t pieces = (geometry.items - 1) / geometry.grain + 1;
  double work = launch.getWork();
  shares[count++] = {&launch, 0, pieces, work / double(pieces), 0};
  cost += work;
  grains += double(geometry.items) / double(geometry.grain);
  scratchBytes = std::max(scratchBytes, launch.getScratchBytes());
  sum.items += geometry.items;
  sum.flops += geometry.flops;
  sum.bytes += geometry.bytes;
}

uint32_t Together::usefulThreads(uint32_t limit) const {
  return uint32_t(std::clamp<double>(grains, 1, limit));
}

void Together::run(dyn_pool &pool, uint32_t numThreads, void *memory,
                   int64_t stride, bool wake) {
  threads = numThreads;
  scratch = memory;
  scratchStride = stride;
  divide();
  pool.run(
      threads,
      [](void *argument, uint32_t thread) {
        static_cast<Together *>(argument)->participate(thread);
      },
      this, wake);
}

void Together::divide() {
  std::sort(shares, shares + count, [](const Share &a, const Share &b) {
    return a.perGrain > b.perGrain;
  });
  int64_t first = 0;
  for (uint32_t i = 0; i < count; ++i) {
    shares[i].first = first;
    first = shares[i].last += first;
  }
  // The split is where the cost of the grains before it is a thread's share.
  int64_t begin = 0;
  double before = 0;
  const Share *share = shares;
  for (uint32_t i = 0; i < threads; ++i) {
    double wanted = cost * (i + 1) / threads;
    auto costOf = [](const Share &all) {
      return all.perGrain * double(all.last - all.first);
    };
    for (; share + 1 < end() && before + costOf(*share) < wanted; ++share)
      before += costOf(*share);
    int64_t inside = std::llround((wanted - before) / share->perGrain);
    int64_t last = i + 1 == threads
                       ? first
                       : std::clamp(share->first + inside, begin, first);
    cursors[i].next.store(begin, std::memory_order_relaxed);
    cursors[i].end = begin = last;
  }
}

void Together::participate(uint32_t thread) {
  FloatMode floatMode;
  dyn_worker_t own;
  Share *current = nullptr;
  uint64_t begin = 0;
  auto leave = [&] {
    if (!current || !measured)
      return;
    uint64_t end = now();
    __atomic_fetch_add(&current->time, end - begin, __ATOMIC_RELAXED);
    current->launch->traceThread(thread, begin, end);
  };
  for (uint32_t i = 0; i < threads; ++i) {
    Cursor &cursor = cursors[(thread + i) % threads];
    int64_t first, last;
    while (cursor.take(first, last)) {
      Share *share = std::upper_bound(
          shares, shares + count, first,
          [](int64_t grain, const Share &other) { return grain < other.last; });
      for (; first < last; first = share++->last) {
        const Launch &launch = *share->launch;
        if (share != current) {
          leave();
          // Another kernel has used the scratch since: its contents are lost.
          current = share;
          own = launch.worker;
          own.scratch = static_cast<char *>(scratch) + thread * scratchStride;
          begin = measured ? now() : 0;
        }
        int64_t grain = launch.geometry.grain;
        int64_t past = std::min(last, share->last) - share->first;
        launch.runItems((first - share->first) * grain,
                        std::min(launch.geometry.items, past * grain), own);
      }
    }
  }
  leave();
}
