//===- SocketTransport.h - Ranks in processes, over TCP -------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_COMM_SOCKETTRANSPORT_H
#define DYN_RUNTIME_COMM_SOCKETTRANSPORT_H

#include "Rendezvous.h"

#include "dyn/comm.h"

#include <poll.h>

namespace dyn::rt {

/// One connection for each peer, over which or beside which, in memory, bytes
/// pass. A message is its length and its bytes; a bit of the length says that
/// the bytes are the reason of an abort.
class SocketTransport {
public:
  /// Takes connections by rank.
  explicit SocketTransport(std::vector<Connection> peers);
  ~SocketTransport();
  /// False, with an errno, if the system has no descriptor.
  bool open();

  void send(uint32_t peer, const void *data, uint64_t bytes);
  void receive(uint32_t peer, void *data, uint64_t bytes);
  uint32_t progress(uint64_t timeout, dyn_transport_event_t *events,
                    uint32_t capacity);
  void wake();
  void abort(const char *reason);

  /// How many peers share memory with this rank.
  uint32_t memoryPeers() const;

private:
  /// A message that moves one way: `done` bytes of its length and data.
  struct Message {
    uint64_t prefix = 0;
    char *data = nullptr;
    uint64_t bytes = 0, done = 0;
    bool isActive = false;

    bool isComplete() const { return done == sizeof(prefix) + bytes; }
    int fill(iovec (&parts)[2]);
  };
  struct Link : Connection {
    Message out, in;
    std::string reason; ///< of an abort
    bool hasEnded = false;
    bool isClosed = false; ///< by the peer, which may have left bytes in memory

    // As sendmsg and recvmsg without waiting.
    ssize_t send(iovec *parts, int count);
    ssize_t receive(iovec *parts, int count);
    void wakePeer();
    /// Takes the bytes that have woken this process.
    void readWakes();
  };

  void push(uint32_t peer, dyn_transport_event_kind_t kind);
  void write(uint32_t peer);
  void read(uint32_t peer);
  bool readAbort(Link &link);
  void end(uint32_t peer, dyn_transport_event_kind_t kind);
  static bool expectsInput(const Link &link);
  void moveInMemory();
  void setAsleep(bool isAsleep);
  void wait(uint64_t timeout);

  std::vector<Link> links;
  std::vector<pollfd> polls; ///< of links, and of `alarm`
  Socket alarm;              ///< an eventfd
  const uint32_t inMemory;   ///< peers
  uint32_t idle = 0;         ///< times that nothing was in memory
  std::vector<dyn_transport_event_t> pending;
};

} // namespace dyn::rt

#endif // DYN_RUNTIME_COMM_SOCKETTRANSPORT_H
