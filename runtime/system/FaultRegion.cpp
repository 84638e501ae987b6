//===- FaultRegion.cpp - Memory whose pages the runtime supplies ----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FaultRegion.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace dyn::rt;

/// Faults of the process's own code alone need no privilege, since Linux 5.11.
static constexpr int userModeOnly = 1;

FaultRegion::~FaultRegion() {
  // Unmapped first: without the descriptor, missing pages would be zeros.
  if (mapping)
    ::munmap(mapping, length + joinedBytes);
  if (handle >= 0)
    ::close(handle);
}

dyn_status_t FaultRegion::open(uint64_t bytes) {
  auto refuse = [] {
    return fail(DYN_STATUS_UNSUPPORTED,
                "memory_limit: the system refuses userfaultfd, by which "
                "constants are fetched: %s",
                std::strerror(errno));
  };
  handle =
      int(::syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | userModeOnly));
  if (handle < 0)
    return refuse();
  uffdio_api api = {UFFD_API, UFFD_FEATURE_THREAD_ID, 0};
  if (::ioctl(handle, UFFDIO_API, &api) != 0)
    return refuse();
  void *mapped = ::mmap(nullptr, bytes + joinedBytes, PROT_READ,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED)
    return fail(DYN_STATUS_OUT_OF_MEMORY,
                "cannot reserve %llu bytes of addresses for constants: %s",
                (unsigned long long)bytes, std::strerror(errno));
  mapping = mapped;
  area = static_cast<char *>(mapped) +
         (joinedBytes - reinterpret_cast<uint64_t>(mapped) % joinedBytes);
  length = bytes;
  // A child would read zeros where pages are missing.
  ::madvise(area, length, MADV_DONTFORK);
  uffdio_register wanted = {};
  wanted.range = {reinterpret_cast<uint64_t>(area), length};
  wanted.mode = UFFDIO_REGISTER_MODE_MISSING;
  if (::ioctl(handle, UFFDIO_REGISTER, &wanted) != 0)
    return refuse();
  return DYN_STATUS_OK;
}

std::optional<FaultRegion::Fault> FaultRegion::takeFault() {
  uffd_msg message;
  if (::read(handle, &message, sizeof(message)) != sizeof(message) ||
      message.event != UFFD_EVENT_PAGEFAULT)
    return std::nullopt;
  return Fault{message.arg.pagefault.address - reinterpret_cast<uint64_t>(area),
               message.arg.pagefault.feat.ptid};
}

void FaultRegion::install(uint64_t offset, const void *contents,
                          uint64_t bytes) {
  uffdio_copy copy = {};
  while (bytes) {
    copy.dst = reinterpret_cast<uint64_t>(area) + offset;
    copy.src = reinterpret_cast<uint64_t>(contents);
    copy.len = bytes;
    copy.copy = 0;
    if (::ioctl(handle, UFFDIO_COPY, &copy) == 0)
      return;
    // Part of it is there when the address space changed meanwhile.
    uint64_t done = copy.copy > 0 ? uint64_t(copy.copy) : 0;
    if (!done && errno != EAGAIN)
      return wake(offset, bytes);
    offset += done;
    contents = static_cast<const char *>(contents) + done;
    bytes -= done;
  }
}

void FaultRegion::wake(uint64_t offset, uint64_t bytes) {
  uffdio_range range = {reinterpret_cast<uint64_t>(area) + offset, bytes};
  ::ioctl(handle, UFFDIO_WAKE, &range);
}

void FaultRegion::drop(uint64_t offset, uint64_t bytes) {
  ::madvise(area + offset, bytes, MADV_DONTNEED);
}

void FaultRegion::join(uint64_t offset) {
  // Since Linux 6.1.
  constexpr int collapse = 25;
  ::madvise(area + offset, joinedBytes, collapse);
}
