//===- MpiTransport.cpp - Ranks of MPI_COMM_WORLD -------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A library of its own, which dyn_communicator_create_plugin loads: the binary
// interfaces of MPI's implementations differ, so it is compiled for the one
// that is installed, and libdynrt needs none.
//
// MPI cannot wait for a message and for another thread at the same time. So
// `progress` polls, and sleeps a little in between if nothing comes.
//
// A receive whose message is on its way cannot be withdrawn, nor can a send:
// after `abort`, MPI may still touch their memory if the peer goes on.
// Processes should end then, and mpirun ends all if one does.
//
// A request that ends with an error has lost its peer. MPI need not report lost
// peers, and mostly does not: the deadline finds them.
//
//===----------------------------------------------------------------------===//

#include "dyn/comm.h"

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <mutex>
#include <sched.h>
#include <string>
#include <vector>

namespace {

/// MPI counts in int.
constexpr uint64_t longestPiece = uint64_t(1) << 30;
constexpr int pollsWithoutSleep = 200;
constexpr long sleepNs = 20000;

uint64_t now() {
  timespec time;
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return uint64_t(time.tv_sec) * 1000000000u + uint64_t(time.tv_nsec);
}

/// The last message to a peer. With an empty reason the rank leaves.
struct Farewell {
  uint64_t messages; ///< that were sent to it before
  char reason[1016];
};

/// A message that moves one way.
struct Transfer {
  std::vector<MPI_Request> pieces;
  bool isActive = false, hasFailed = false;

  /// Well or not.
  bool hasEnded() {
    if (hasFailed)
      return true;
    int flag = 0;
    hasFailed = MPI_Testall(int(pieces.size()), pieces.data(), &flag,
                            MPI_STATUSES_IGNORE) != MPI_SUCCESS;
    return flag || hasFailed;
  }
  /// Ends it without a wait.
  void withdraw(bool isReceive) {
    if (isActive && isReceive)
      for (MPI_Request &piece : pieces)
        if (piece != MPI_REQUEST_NULL)
          MPI_Cancel(&piece);
    if (isActive && !hasEnded())
      for (MPI_Request &piece : pieces)
        if (piece != MPI_REQUEST_NULL)
          MPI_Request_free(&piece);
    isActive = false;
  }
};

struct Peer {
  Transfer out, in;
  uint64_t sent = 0, received = 0;
  Farewell farewell;
  bool saysFarewell = false, isLost = false, hasEnded = false;
};

/// Shared by all communicators of the process, whose tags differ.
struct Library {
  std::mutex mutex; ///< of two communicators, one at a time calls MPI
  MPI_Comm group = MPI_COMM_NULL;
  int communicators = 0;
  std::atomic<bool> hasFailed{false};
};
Library library;

class MpiTransport {
public:
  MpiTransport(int rank, int size, int tag)
      : rank(uint32_t(rank)), tag(tag), peers(size_t(size)) {}
  ~MpiTransport() {
    if (!hasAborted)
      leave("");
  }

  void send(uint32_t index, const void *data, uint64_t bytes) {
    std::lock_guard lock(library.mutex);
    Peer &peer = peers[index];
    ++peer.sent;
    start(peer.out, bytes, [&](uint64_t begin, int count, MPI_Request *piece) {
      return MPI_Isend(static_cast<const char *>(data) + begin, count, MPI_BYTE,
                       int(index), tag, library.group, piece);
    });
  }
  void receive(uint32_t index, void *data, uint64_t bytes) {
    std::lock_guard lock(library.mutex);
    start(peers[index].in, bytes,
          [&](uint64_t begin, int count, MPI_Request *piece) {
            return MPI_Irecv(static_cast<char *>(data) + begin, count, MPI_BYTE,
                             int(index), tag, library.group, piece);
          });
  }

  uint32_t progress(uint64_t timeout, dyn_transport_event_t *events,
                    uint32_t capacity) {
    const uint64_t begin = now();
    for (int polls = 0;; ++polls) {
      uint32_t count = collect(events, capacity);
      if (count || isAwake.exchange(false) || now() - begin >= timeout)
        return count;
      timespec pause = {0, sleepNs};
      if (polls < pollsWithoutSleep)
        ::sched_yield();
      else
        ::nanosleep(&pause, nullptr);
    }
  }
  void wake() { isAwake = true; }

  void abort(const char *reason) {
    hasAborted = true;
    library.hasFailed = true;
    leave(reason);
  }

private:
  template <typename Start>
  static void start(Transfer &transfer, uint64_t bytes, Start startPiece) {
    transfer.pieces.clear();
    transfer.isActive = true;
    for (uint64_t begin = 0; begin < bytes; begin += longestPiece)
      if (startPiece(begin, int(std::min(bytes - begin, longestPiece)),
                     &transfer.pieces.emplace_back(MPI_REQUEST_NULL)))
        transfer.hasFailed = true;
  }

  uint32_t collect(dyn_transport_event_t *events, uint32_t capacity) {
    std::lock_guard lock(library.mutex);
    readFarewells();
    uint32_t count = 0;
    for (uint32_t i = 0; i < peers.size() && capacity - count >= 3; ++i) {
      Peer &peer = peers[i];
      if (end(peer, peer.out))
        events[count++] = {i, DYN_TRANSPORT_SENT, nullptr};
      if (end(peer, peer.in)) {
        ++peer.received;
        events[count++] = {i, DYN_TRANSPORT_RECEIVED, nullptr};
      }
      if (peer.isLost && !peer.hasEnded) {
        peer.hasEnded = true;
        events[count++] = {i, DYN_TRANSPORT_CLOSED, nullptr};
      }
      // It may have overtaken others.
      if (peer.hasEnded || !peer.saysFarewell ||
          peer.received < peer.farewell.messages)
        continue;
      peer.hasEnded = true;
      const char *reason = peer.farewell.reason;
      events[count++] = {i,
                         reason[0] ? uint32_t(DYN_TRANSPORT_ABORTED)
                                   : uint32_t(DYN_TRANSPORT_CLOSED),
                         reason};
    }
    return count;
  }

  /// Whether the transfer has just ended well.
  static bool end(Peer &peer, Transfer &transfer) {
    if (!transfer.isActive || !transfer.hasEnded())
      return false;
    transfer.isActive = false;
    peer.isLost |= transfer.hasFailed;
    return !transfer.hasFailed;
  }

  void readFarewells() {
    int flag = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, tag + 1, library.group, &flag, &status);
    if (!flag)
      return;
    Peer &peer = peers[size_t(status.MPI_SOURCE)];
    if (MPI_Recv(&peer.farewell, sizeof(Farewell), MPI_BYTE, status.MPI_SOURCE,
                 tag + 1, library.group, MPI_STATUS_IGNORE)) {
      peer.isLost = true;
      return;
    }
    peer.farewell.reason[sizeof(peer.farewell.reason) - 1] = 0;
    peer.saysFarewell = true;
  }

  /// Tells peers that this was all. The messages are small, so MPI copies them.
  void leave(const char *reason) {
    std::lock_guard lock(library.mutex);
    int isOver = 0;
    MPI_Finalized(&isOver);
    if (isOver)
      return;
    for (uint32_t i = 0; i < peers.size(); ++i) {
      Peer &peer = peers[i];
      peer.out.withdraw(/*isReceive=*/false);
      peer.in.withdraw(/*isReceive=*/true);
      if (i == rank || peer.hasEnded)
        continue;
      Farewell farewell = {};
      farewell.messages = peer.sent;
      std::strncpy(farewell.reason, reason, sizeof(farewell.reason) - 1);
      size_t bytes =
          offsetof(Farewell, reason) + std::strlen(farewell.reason) + 1;
      MPI_Request request = MPI_REQUEST_NULL;
      auto kept = std::make_unique<Farewell>(farewell);
      MPI_Isend(kept.get(), int(bytes), MPI_BYTE, int(i), tag + 1,
                library.group, &request);
      int flag = 0;
      MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
      if (flag)
        continue;
      // MPI may read it until it ends.
      (void)kept.release();
      MPI_Request_free(&request);
    }
  }

  const uint32_t rank;
  const int tag; ///< of messages; the next one is that of farewells
  std::vector<Peer> peers;
  std::atomic<bool> isAwake{false};
  bool hasAborted = false;
};

/// Waits for all ranks, so not after a failure.
void finalize() {
  int flag = 0;
  MPI_Finalized(&flag);
  if (flag || library.hasFailed)
    return;
  // Farewells that nobody has read make some implementations complain.
  MPI_Barrier(library.group);
  MPI_Status status;
  Farewell farewell;
  while (MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, library.group, &flag,
                    &status) == MPI_SUCCESS &&
         flag)
    MPI_Recv(&farewell, sizeof(farewell), MPI_BYTE, status.MPI_SOURCE,
             status.MPI_TAG, library.group, MPI_STATUS_IGNORE);
  MPI_Finalize();
}

const char *openLibrary() {
  int flag = 0, provided = 0;
  MPI_Initialized(&flag);
  if (!flag) {
    // A host may call MPI as well, which the mutex does not know.
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
    std::atexit(finalize);
  } else {
    MPI_Query_thread(&provided);
  }
  if (provided < MPI_THREAD_SERIALIZED)
    return "MPI was initialized without MPI_THREAD_SERIALIZED";
  if (MPI_Comm_dup(MPI_COMM_WORLD, &library.group) != MPI_SUCCESS)
    return "MPI_Comm_dup failed";
  MPI_Comm_set_errhandler(library.group, MPI_ERRORS_RETURN);
  return nullptr;
}

} // namespace

extern "C" __attribute__((visibility("default"))) const char *
dyn_transport_open(dyn_transport_t *transport) {
  std::lock_guard lock(library.mutex);
  if (library.group == MPI_COMM_NULL)
    if (const char *reason = openLibrary())
      return reason;
  int rank = 0, size = 0;
  MPI_Comm_rank(library.group, &rank);
  MPI_Comm_size(library.group, &size);
  // MPI promises tags up to 32767.
  if (library.communicators > 16000)
    return "MPI has no more tags";
  int tag = 2 * library.communicators++;

  transport->rank = uint32_t(rank);
  transport->size = uint32_t(size);
  transport->send = [](void *user, uint32_t peer, const void *data,
                       uint64_t bytes) {
    static_cast<MpiTransport *>(user)->send(peer, data, bytes);
  };
  transport->receive = [](void *user, uint32_t peer, void *data,
                          uint64_t bytes) {
    static_cast<MpiTransport *>(user)->receive(peer, data, bytes);
  };
  transport->progress = [](void *user, uint64_t timeout,
                           dyn_transport_event_t *events, uint32_t capacity) {
    return static_cast<MpiTransport *>(user)->progress(timeout, events,
                                                       capacity);
  };
  transport->wake = [](void *user) {
    static_cast<MpiTransport *>(user)->wake();
  };
  transport->abort = [](void *user, const char *reason) {
    static_cast<MpiTransport *>(user)->abort(reason);
  };
  transport->close = [](void *user) {
    delete static_cast<MpiTransport *>(user);
  };
  transport->user = new (std::nothrow) MpiTransport(rank, size, tag);
  return transport->user ? nullptr : "out of memory";
}
