//===- Cores.cpp - The number of usable cores -----------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThreadPool.h"

#include <cstdio>
#include <sched.h>

using namespace dyn::rt;

/// The lowest numbered processor that shares a core with `cpu` and represents
/// the core; `cpu` itself where the system does not say.
static int coreOf(int cpu) {
  char path[96];
  std::snprintf(path, sizeof(path),
                "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list",
                cpu);
  std::FILE *file = std::fopen(path, "re");
  if (!file)
    return cpu;
  int first = cpu;
  if (std::fscanf(file, "%d", &first) != 1)
    first = cpu;
  std::fclose(file);
  return first;
}

uint32_t dyn::rt::availableCores() {
  cpu_set_t allowed, cores;
  CPU_ZERO(&allowed);
  CPU_ZERO(&cores);
  if (::sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
    return 1;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &allowed))
      if (int core = coreOf(cpu); core >= 0 && core < CPU_SETSIZE)
        CPU_SET(core, &cores);
  int count = CPU_COUNT(&cores);
  return count > 0 ? uint32_t(count) : 1;
}
