//===- Socket.h - TCP connections with deadlines --------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_COMM_SOCKET_H
#define DYN_RUNTIME_COMM_SOCKET_H

#include <cstddef>
#include <cstdint>
#include <netdb.h>
#include <string>
#include <sys/socket.h>
#include <utility>
#include <vector>

namespace dyn::rt {

/// A file descriptor of its own, or -1.
class Socket {
public:
  Socket() = default;
  explicit Socket(int file) : file(file) {}
  Socket(Socket &&other) noexcept : file(std::exchange(other.file, -1)) {}
  Socket &operator=(Socket &&other) noexcept {
    std::swap(file, other.file);
    return *this;
  }
  ~Socket();

  int get() const { return file; }
  explicit operator bool() const { return file >= 0; }

  // All of the bytes by the deadline, a time of Clock.h; else false, with an
  // errno: 0 if the peer has closed the connection.
  bool sendAll(const void *data, size_t bytes, uint64_t deadline) const;
  bool receiveAll(void *data, size_t bytes, uint64_t deadline) const;

  /// Waits for these events of poll(); false at the deadline.
  bool wait(short events, uint64_t deadline) const;

private:
  int file = -1;
};

/// An IPv4 or IPv6 address with a port.
struct Endpoint {
  sockaddr_storage storage = {};
  socklen_t bytes = 0;

  sockaddr *get() { return reinterpret_cast<sockaddr *>(&storage); }
  const sockaddr *get() const {
    return reinterpret_cast<const sockaddr *>(&storage);
  }
  uint16_t port() const;
  void setPort(uint16_t port);
  /// "10.0.0.1:29500"
  std::string text() const;

  static Endpoint ofSocket(const Socket &socket);
  static Endpoint ofPeer(const Socket &socket);
  /// Those of a host. `*reason` says why there is none.
  static std::vector<Endpoint> find(const char *host, uint16_t port,
                                    std::string *reason);
};

/// Connects, at once or by the deadline; else no socket, with an errno.
Socket connectTo(const Endpoint &endpoint, uint64_t deadline);
/// Listens; else no socket, with an errno.
Socket listenAt(const Endpoint &endpoint);
/// Accepts by the deadline; else no socket.
Socket acceptFrom(const Socket &listener, uint64_t deadline);

} // namespace dyn::rt

#endif // DYN_RUNTIME_COMM_SOCKET_H
