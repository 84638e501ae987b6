//===- Transport.h - Owning the transport of a communicator ---------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_COMM_TRANSPORT_H
#define DYN_RUNTIME_COMM_TRANSPORT_H

#include "Status.h"

#include "dyn/comm.h"

#include <memory>

namespace dyn::rt {

/// Closes a transport in the end. A group of one rank has none.
struct TransportCloser {
  void operator()(const dyn_transport_t *transport) const {
    if (transport->close)
      transport->close(transport->user);
    delete transport;
  }
};
using Transport = std::unique_ptr<const dyn_transport_t, TransportCloser>;

/// The table of a class with the methods of a transport, which `close` deletes.
template <typename T>
Transport makeTransport(std::unique_ptr<T> object, uint32_t rank, uint32_t size,
                        uint64_t spinNs, uint32_t memoryPeers) {
  dyn_transport_t table = {};
  table.struct_size = sizeof(table);
  table.rank = rank;
  table.size = size;
  table.send = [](void *user, uint32_t peer, const void *data, uint64_t bytes) {
    static_cast<T *>(user)->send(peer, data, bytes);
  };
  table.receive = [](void *user, uint32_t peer, void *data, uint64_t bytes) {
    static_cast<T *>(user)->receive(peer, data, bytes);
  };
  table.progress = [](void *user, uint64_t timeout,
                      dyn_transport_event_t *events, uint32_t capacity) {
    return static_cast<T *>(user)->progress(timeout, events, capacity);
  };
  table.wake = [](void *user) { static_cast<T *>(user)->wake(); };
  table.abort = [](void *user, const char *reason) {
    static_cast<T *>(user)->abort(reason);
  };
  table.close = [](void *user) { delete static_cast<T *>(user); };
  table.spin_ns = spinNs;
  table.memory_peers = memoryPeers;
  auto *copy = new dyn_transport_t(table);
  copy->user = object.release();
  return Transport(copy);
}

/// Makes a communicator that owns the transport.
dyn_status_t makeCommunicator(Transport transport,
                              const dyn_communicator_options_t &options,
                              dyn_communicator_t **out);

} // namespace dyn::rt

#endif // DYN_RUNTIME_COMM_TRANSPORT_H
