//===- Pages.cpp - Pages of files, mapped before they are used ------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pages.h"

#include "dyn/artifact.h"

#include <algorithm>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace dyn::rt;

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22 // of Linux 5.14
#endif

static uint64_t pageOf(const void *address) {
  return reinterpret_cast<uint64_t>(address) / DYN_PAGE;
}

/// Maps pages [first, last).
static void populate(uint64_t first, uint64_t last) {
  if (first < last)
    ::madvise(reinterpret_cast<void *>(first * DYN_PAGE),
              (last - first) * DYN_PAGE, MADV_POPULATE_READ);
}

void dyn::rt::populatePages(const void *begin, uint64_t bytes) {
  populate(pageOf(begin),
           pageOf(static_cast<const char *>(begin) + bytes + DYN_PAGE - 1));
}

void dyn::rt::populatePagesLike(const void *other, const void *begin,
                                uint64_t bytes) {
  // A word for each page of the process; bit 63 says that it is mapped.
  int file = ::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return;
  uint64_t words[512], first = pageOf(begin), from = pageOf(other);
  for (uint64_t left = (bytes + DYN_PAGE - 1) / DYN_PAGE; left;) {
    ssize_t read =
        ::pread(file, words, std::min(left * sizeof(words[0]), sizeof(words)),
                off_t(from * sizeof(words[0])));
    uint64_t count = read > 0 ? uint64_t(read) / sizeof(words[0]) : 0;
    if (!count)
      break;
    for (uint64_t page = 0, end; page < count; page = end) {
      bool isMapped = words[page] >> 63;
      for (end = page; end < count && (words[end] >> 63 != 0) == isMapped;)
        ++end;
      if (isMapped)
        populate(first + page, first + end);
    }
    first += count;
    from += count;
    left -= count;
  }
  ::close(file);
}
