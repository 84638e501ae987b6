//===- Store.cpp - The files that constants are read from -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Store.h"

#include "Clock.h"

#include "dyn/artifact.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <unistd.h>

using namespace dyn::rt;

Store::~Store() {
  for (const Part &part : parts)
    ::close(part.file);
}

dyn_status_t Store::add(int original, const std::string &path, uint64_t at,
                        uint64_t begin, uint64_t bytes) {
  // By its descriptor: the path may be another file by now.
  std::string name = "/proc/self/fd/" + std::to_string(original);
  int file = ::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECT);
  void *page = std::aligned_alloc(DYN_PAGE, DYN_PAGE);
  bool isDirect =
      file >= 0 && page && ::pread(file, page, DYN_PAGE, off_t(begin)) > 0;
  std::free(page);
  if (!isDirect) {
    if (file >= 0)
      ::close(file);
    file = ::open(name.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0)
      return fail(DYN_STATUS_NOT_FOUND, "cannot open '%s': %s", path.c_str(),
                  std::strerror(errno));
    ::posix_fadvise(file, 0, 0, POSIX_FADV_RANDOM);
  }
  parts.push_back({file, isDirect, at, begin, bytes});
  return DYN_STATUS_OK;
}

bool Store::read(uint64_t offset, char *buffer, uint64_t bytes) {
  if (bytesPerSecond)
    waitForRate(bytes);
  for (const Part &part : parts) {
    uint64_t first = std::max(offset, part.at);
    uint64_t last = std::min(offset + bytes, part.at + part.bytes);
    if (first < last &&
        !part.read(first - part.at, buffer + (first - offset), last - first))
      return false;
  }
  return true;
}

bool Store::Part::read(uint64_t offset, char *buffer, uint64_t bytes) const {
  // Direct reads are of whole pages; the trailer of the file follows the bytes.
  uint64_t pages = (bytes + DYN_PAGE - 1) / DYN_PAGE * DYN_PAGE;
  for (uint64_t done = 0; done < bytes;) {
    ssize_t got =
        ::pread(file, buffer + done, isDirect ? pages - done : bytes - done,
                off_t(begin + offset + done));
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return false;
    done += uint64_t(got);
  }
  if (!isDirect)
    ::posix_fadvise(file, off_t(begin + offset), off_t(bytes),
                    POSIX_FADV_DONTNEED);
  return true;
}

void Store::waitForRate(uint64_t bytes) {
  uint64_t time = uint64_t(double(bytes) * 1e9 / double(bytesPerSecond));
  uint64_t before = freeAt.load(), end;
  do
    end = std::max(before, now()) + time;
  while (!freeAt.compare_exchange_weak(before, end));
  timespec until = {time_t(end / 1000000000), long(end % 1000000000)};
  while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) ==
         EINTR)
    ;
}
