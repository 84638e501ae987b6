//===- MemoryLink.h - Two processes that share memory ---------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two streams of bytes, one each way, through rings in memory that two
// processes of a machine have mapped. They replace the streams of the socket
// between the two, which stays: its end says that the other process has ended,
// and a byte on it wakes that process.
//
// The memory is a file without a name, so it ends with the processes, whatever
// ends them. Neither can shrink it under the other one.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_COMM_MEMORYLINK_H
#define DYN_RUNTIME_COMM_MEMORYLINK_H

#include "Socket.h"

#include <atomic>
#include <sys/uio.h>
#include <utility>

namespace dyn::rt {

/// One end of the memory between two processes, or nothing.
class MemoryLink {
public:
  /// How another process finds the memory.
  struct Offer {
    uint64_t token = 0; ///< 0 if there is no memory
    int32_t process = 0, file = 0;
  };

  MemoryLink() = default;
  MemoryLink(MemoryLink &&other) noexcept
      : segment(std::exchange(other.segment, nullptr)), out(other.out),
        in(other.in) {}
  MemoryLink &operator=(MemoryLink &&other) noexcept {
    std::swap(segment, other.segment);
    std::swap(out, other.out);
    std::swap(in, other.in);
    return *this;
  }
  ~MemoryLink();
  explicit operator bool() const { return segment; }

  /// Makes memory, with `file` open until the other process has it. No link if
  /// the system has none.
  static MemoryLink make(Offer &offer, Socket &file);
  /// Maps what another process has offered; no link if this one cannot see it,
  /// as in another container.
  static MemoryLink open(const Offer &offer);

  // As sendmsg and recvmsg without waiting: how many bytes have passed, or -1
  // with EAGAIN.
  ssize_t send(const iovec *parts, int count);
  ssize_t receive(const iovec *parts, int count);

  // Of a process before it sleeps, until it is awake again.
  void setAwaitsData(bool awaits);
  void setAwaitsSpace(bool awaits);
  /// Whether the other process sleeps until what the last `send` and `receive`
  /// did. True once.
  bool mustWake();

private:
  struct Ring;
  struct Segment;
  static Segment *map(const Socket &file);

  Segment *segment = nullptr;
  Ring *out = nullptr, *in = nullptr;
};

} // namespace dyn::rt

#endif // DYN_RUNTIME_COMM_MEMORYLINK_H
