//===- Chains.cpp - Chains of launches that run at the same time ----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Chains.h"

#include "Clock.h"
#include "FloatMode.h"

#include <algorithm>

using namespace dyn::rt;

/// The work of a grain, in bytes (TargetInfo.h of the compiler).
static constexpr double grainWork = 65536;

void Chains::add(const Launch &launch) {
  const dyn_geometry_t &geometry = launch.geometry;
  double work = launch.getWork();
  links[count++] = {&launch, 0};
  Chain *chain =
      std::find_if(chains, chains + chainCount, [&](const Chain &other) {
        return other.number == launch.chain;
      });
  if (chain == chains + chainCount)
    chains[chainCount++] = {launch.chain, 0};
  chain->cost += work;
  cost += work;
  costApart += work / Launch::usefulThreads(geometry, launchThreads);
  scratchBytes = std::max(scratchBytes, launch.getScratchBytes());
  sum.items += geometry.items;
  sum.flops += geometry.flops;
  sum.bytes += geometry.bytes;
}

double Chains::longest() const {
  double most = 0;
  for (uint32_t i = 0; i < chainCount; ++i)
    most = std::max(most, chains[i].cost);
  return most;
}

double Chains::getGrains() const {
  double grains = (cost - longest()) / grainWork;
  return areGuessed && grains >= 1 ? std::max(grains, Launch::worthWaking)
                                   : grains;
}

uint32_t Chains::usefulThreads(uint32_t threadLimit) const {
  uint32_t threads = std::min(threadLimit, chainCount);
  if (threads < 2 || std::max(longest(), cost / threads) >= costApart)
    return 1;
  return threads;
}

void Chains::run(dyn_pool &pool, uint32_t threads, void *memory, int64_t stride,
                 bool wake) {
  scratch = memory;
  scratchStride = stride;
  std::sort(chains, chains + chainCount,
            [](const Chain &a, const Chain &b) { return a.cost > b.cost; });
  pool.run(
      threads,
      [](void *argument, uint32_t thread) {
        static_cast<Chains *>(argument)->participate(thread);
      },
      this, wake);
}

void Chains::participate(uint32_t thread) {
  FloatMode floatMode;
  for (uint32_t i; (i = next.fetch_add(1)) < chainCount;)
    runChain(chains[i].number, thread);
}

void Chains::runChain(uint32_t number, uint32_t thread) {
  for (uint32_t i = 0; i < count; ++i) {
    const Launch &launch = *links[i].launch;
    if (launch.chain != number)
      continue;
    dyn_worker_t own = launch.worker;
    own.scratch = static_cast<char *>(scratch) + thread * scratchStride;
    uint64_t begin = measured ? now() : 0;
    launch.runItems(0, launch.geometry.items, own);
    if (!measured)
      continue;
    uint64_t end = now();
    links[i].time = end - begin;
    launch.traceThread(thread, begin, end);
  }
}
