//===- MemoryLink.cpp - Two processes that share memory -------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemoryLink.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace dyn::rt;

static constexpr char fileName[] = "dyn-ranks";

/// Counts of bytes only grow. Each side writes its own count, and reads the
/// other one's; lines of the cache are apart. Any count leads into the ring.
struct MemoryLink::Ring {
  /// A power of two: the longest data that follow their header at once
  /// (promptBytes) fit twice, so a rank that begins to send need not wait.
  static constexpr uint64_t capacity = 1 << 17;

  alignas(64) std::atomic<uint64_t> written;
  std::atomic<uint32_t> writerSleeps;
  alignas(64) std::atomic<uint64_t> read;
  std::atomic<uint32_t> readerSleeps;
  alignas(64) char data[capacity];

  /// Copies as much of the parts as the ring has room for, or bytes, by
  /// `copy(position in the ring, part, bytes)`.
  template <typename Copy>
  static uint64_t pass(uint64_t position, uint64_t most, const iovec *parts,
                       int count, Copy &&copy) {
    uint64_t passed = 0;
    for (const iovec *part = parts; part != parts + count; ++part) {
      auto *base = static_cast<char *>(part->iov_base);
      for (uint64_t done = 0; done < part->iov_len && passed < most;) {
        uint64_t begin = (position + passed) % capacity;
        uint64_t step =
            std::min({part->iov_len - done, most - passed, capacity - begin});
        copy(begin, base + done, step);
        done += step;
        passed += step;
      }
    }
    return passed;
  }
};

struct MemoryLink::Segment {
  uint64_t token;
  Ring rings[2]; ///< from who has made it, and to it

  static_assert(std::atomic<uint64_t>::is_always_lock_free);
};

MemoryLink::~MemoryLink() {
  if (segment)
    ::munmap(segment, sizeof(Segment));
}

MemoryLink::Segment *MemoryLink::map(const Socket &file) {
  void *memory = ::mmap(nullptr, sizeof(Segment), PROT_READ | PROT_WRITE,
                        MAP_SHARED, file.get(), 0);
  return memory == MAP_FAILED ? nullptr : static_cast<Segment *>(memory);
}

MemoryLink MemoryLink::make(Offer &offer, Socket &file) {
  MemoryLink link;
  uint64_t token = 0;
  file = Socket(::memfd_create(fileName, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file || ::ftruncate(file.get(), sizeof(Segment)) != 0 ||
      ::fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0 ||
      ::getrandom(&token, sizeof(token), 0) != sizeof(token) ||
      !(link.segment = map(file)))
    return link;
  // All else is zero.
  link.segment->token = token | 1;
  link.out = &link.segment->rings[0];
  link.in = &link.segment->rings[1];
  offer = {link.segment->token, ::getpid(), file.get()};
  return link;
}

MemoryLink MemoryLink::open(const Offer &offer) {
  MemoryLink link;
  if (!offer.token)
    return link;
  std::string path = "/proc/" + std::to_string(offer.process) + "/fd/" +
                     std::to_string(offer.file);
  // The number may be that of another process, if this one counts them in
  // another way.
  char target[64] = "";
  if (::readlink(path.c_str(), target, sizeof(target) - 1) < 0 ||
      !std::strstr(target, fileName))
    return link;
  Socket file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  struct stat status;
  if (!file || ::fstat(file.get(), &status) != 0 ||
      status.st_size != sizeof(Segment))
    return link;
  int seals = ::fcntl(file.get(), F_GET_SEALS);
  if (seals < 0 || !(seals & F_SEAL_SHRINK) || !(link.segment = map(file)))
    return link;
  if (link.segment->token != offer.token)
    return MemoryLink();
  link.out = &link.segment->rings[1];
  link.in = &link.segment->rings[0];
  return link;
}

ssize_t MemoryLink::send(const iovec *parts, int count) {
  uint64_t position = out->written.load(std::memory_order_relaxed);
  uint64_t used = position - out->read.load(std::memory_order_acquire);
  if (used >= Ring::capacity) {
    errno = EAGAIN;
    return -1;
  }
  uint64_t passed =
      Ring::pass(position, Ring::capacity - used, parts, count,
                 [&](uint64_t begin, const char *from, uint64_t bytes) {
                   std::memcpy(out->data + begin, from, bytes);
                 });
  // Before it asks whether the reader sleeps, which asks whether there is
  // something after it has said so.
  out->written.store(position + passed, std::memory_order_seq_cst);
  return ssize_t(passed);
}

ssize_t MemoryLink::receive(const iovec *parts, int count) {
  uint64_t position = in->read.load(std::memory_order_relaxed);
  uint64_t used = in->written.load(std::memory_order_acquire) - position;
  if (used == 0) {
    errno = EAGAIN;
    return -1;
  }
  uint64_t passed = Ring::pass(position, used, parts, count,
                               [&](uint64_t begin, char *to, uint64_t bytes) {
                                 std::memcpy(to, in->data + begin, bytes);
                               });
  in->read.store(position + passed, std::memory_order_seq_cst);
  return ssize_t(passed);
}

void MemoryLink::setAwaitsData(bool awaits) {
  in->readerSleeps.store(awaits, std::memory_order_seq_cst);
}
void MemoryLink::setAwaitsSpace(bool awaits) {
  out->writerSleeps.store(awaits, std::memory_order_seq_cst);
}

bool MemoryLink::mustWake() {
  auto take = [](std::atomic<uint32_t> &sleeps) {
    return sleeps.load(std::memory_order_seq_cst) &&
           sleeps.exchange(0, std::memory_order_seq_cst);
  };
  bool isReader = take(out->readerSleeps), isWriter = take(in->writerSleeps);
  return isReader || isWriter;
}
