//===- Processors.cpp - Where the threads of a launch run -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Processors.h"

#include <sched.h>

using namespace dyn::rt;

uint32_t dyn::rt::availableProcessors() {
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
    return 1;
  return uint32_t(CPU_COUNT(&allowed));
}

/// Whether it was absent.
bool Processors::add(int cpu) {
  uint64_t bit = uint64_t(1) << (cpu % 64);
  return !(words[cpu / 64].fetch_or(bit, std::memory_order_relaxed) & bit);
}

bool Processors::contains(int cpu) const {
  return words[cpu / 64].load(std::memory_order_relaxed) >> (cpu % 64) & 1;
}

void Processors::reset() {
  int cpu = ::sched_getcpu();
  for (int i = 0; i < wordCount; ++i)
    words[i].store(cpu >= 0 && cpu / 64 == i ? uint64_t(1) << (cpu % 64) : 0,
                   std::memory_order_relaxed);
}

bool Processors::join() {
  int cpu = ::sched_getcpu();
  if (cpu < 0 || cpu >= limit || add(cpu))
    return false;
  cpu_set_t allowed, free;
  if (::sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
    return false;
  free = allowed;
  for (int i = 0; i < limit; ++i)
    if (contains(i))
      CPU_CLR(i, &free);
  // The first call moves the thread, the second one lifts the restriction.
  if (CPU_COUNT(&free) == 0 || ::sched_setaffinity(0, sizeof(free), &free) != 0)
    return false;
  ::sched_setaffinity(0, sizeof(allowed), &allowed);
  cpu = ::sched_getcpu();
  if (cpu >= 0 && cpu < limit)
    add(cpu);
  return true;
}
