//===- Memory.cpp - Memory that is left -----------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memory.h"

#include "MemoryLimit.h"

#include <algorithm>
#include <cstdio>
#include <unistd.h>

using namespace dyn::rt;

/// The first number of a line of a file that matches a format of scanf.
static bool scan(const char *path, const char *format, uint64_t &number) {
  std::FILE *file = std::fopen(path, "re");
  if (!file)
    return false;
  bool isFound = false;
  char line[256];
  unsigned long long value;
  while (!isFound && std::fgets(line, sizeof(line), file))
    isFound = std::sscanf(line, format, &value) == 1;
  std::fclose(file);
  if (isFound)
    number = value;
  return isFound;
}

uint64_t dyn::rt::findFreeMemory() {
  uint64_t kilobytes = 0, pages = 0;
  uint64_t machine = scan("/proc/meminfo", "MemAvailable: %llu", kilobytes)
                         ? kilobytes * 1024
                         : UINT64_MAX;
  uint64_t usable = usableMemory();
  if (!scan("/proc/self/statm", "%*u %llu", pages))
    return machine;
  uint64_t resident = pages * uint64_t(::sysconf(_SC_PAGESIZE));
  return std::min(machine, usable - std::min(usable, resident));
}
