//===- Socket.cpp - TCP connections with deadlines ------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Socket.h"

#include "Clock.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <unistd.h>

using namespace dyn::rt;

Socket::~Socket() {
  if (file >= 0)
    ::close(file);
}

bool Socket::wait(short events, uint64_t deadline) const {
  for (;;) {
    uint64_t time = now();
    uint64_t left = deadline > time ? deadline - time : 0;
    // In steps, as poll() takes milliseconds in an int.
    uint64_t step = std::min<uint64_t>(left, 1000000000u);
    pollfd poll = {file, events, 0};
    int count = ::poll(&poll, 1, int((step + 999999) / 1000000));
    if (count > 0)
      return true;
    if (count == 0 && left <= step) {
      errno = ETIMEDOUT;
      return false;
    }
    if (count < 0 && errno != EINTR)
      return false;
  }
}

bool Socket::sendAll(const void *data, size_t bytes, uint64_t deadline) const {
  const char *next = static_cast<const char *>(data);
  while (bytes) {
    ssize_t sent = ::send(file, next, bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      next += sent;
      bytes -= size_t(sent);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      if (!wait(POLLOUT, deadline))
        return false;
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

bool Socket::receiveAll(void *data, size_t bytes, uint64_t deadline) const {
  char *next = static_cast<char *>(data);
  while (bytes) {
    ssize_t got = ::recv(file, next, bytes, MSG_DONTWAIT);
    if (got > 0) {
      next += got;
      bytes -= size_t(got);
    } else if (got == 0) {
      errno = 0;
      return false;
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      if (!wait(POLLIN, deadline))
        return false;
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

static in_port_t *portOf(sockaddr_storage &storage) {
  if (storage.ss_family == AF_INET6)
    return &reinterpret_cast<sockaddr_in6 &>(storage).sin6_port;
  return &reinterpret_cast<sockaddr_in &>(storage).sin_port;
}

uint16_t Endpoint::port() const {
  sockaddr_storage copy = storage;
  return ntohs(*portOf(copy));
}
void Endpoint::setPort(uint16_t port) { *portOf(storage) = htons(port); }

std::string Endpoint::text() const {
  char host[INET6_ADDRSTRLEN] = "?";
  bool isSix = storage.ss_family == AF_INET6;
  const void *address =
      isSix ? static_cast<const void *>(
                  &reinterpret_cast<const sockaddr_in6 &>(storage).sin6_addr)
            : &reinterpret_cast<const sockaddr_in &>(storage).sin_addr;
  ::inet_ntop(storage.ss_family, address, host, sizeof(host));
  std::string name = isSix ? std::string("[") + host + "]" : host;
  return name + ":" + std::to_string(port());
}

Endpoint Endpoint::ofSocket(const Socket &socket) {
  Endpoint endpoint;
  endpoint.bytes = sizeof(endpoint.storage);
  ::getsockname(socket.get(), endpoint.get(), &endpoint.bytes);
  return endpoint;
}

Endpoint Endpoint::ofPeer(const Socket &socket) {
  Endpoint endpoint;
  endpoint.bytes = sizeof(endpoint.storage);
  ::getpeername(socket.get(), endpoint.get(), &endpoint.bytes);
  return endpoint;
}

std::vector<Endpoint> Endpoint::find(const char *host, uint16_t port,
                                     std::string *reason) {
  addrinfo hints = {}, *list = nullptr;
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  int code = ::getaddrinfo(host, nullptr, &hints, &list);
  std::vector<Endpoint> found;
  if (code != 0)
    *reason = ::gai_strerror(code);
  for (addrinfo *each = list; each; each = each->ai_next) {
    Endpoint &endpoint = found.emplace_back();
    endpoint.bytes = each->ai_addrlen;
    std::memcpy(&endpoint.storage, each->ai_addr, each->ai_addrlen);
    endpoint.setPort(port);
  }
  if (list)
    ::freeaddrinfo(list);
  return found;
}

static Socket makeSocket(const Endpoint &endpoint) {
  return Socket(
      ::socket(endpoint.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
}

static void setOptions(const Socket &socket) {
  // Headers are small and must not wait for more.
  int on = 1;
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  ::setsockopt(socket.get(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
}

Socket dyn::rt::connectTo(const Endpoint &endpoint, uint64_t deadline) {
  Socket socket(::socket(endpoint.storage.ss_family,
                         SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket)
    return socket;
  if (::connect(socket.get(), endpoint.get(), endpoint.bytes) != 0) {
    if (errno != EINPROGRESS || !socket.wait(POLLOUT, deadline))
      return Socket();
    int code = 0;
    socklen_t bytes = sizeof(code);
    ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &code, &bytes);
    if (code) {
      errno = code;
      return Socket();
    }
  }
  // Linux may connect a socket to itself, if the port is one of those that it
  // gives to clients, and nobody listens.
  if (Endpoint::ofSocket(socket).text() == Endpoint::ofPeer(socket).text()) {
    errno = ECONNREFUSED;
    return Socket();
  }
  setOptions(socket);
  return socket;
}

Socket dyn::rt::listenAt(const Endpoint &endpoint) {
  Socket socket = makeSocket(endpoint);
  int on = 1;
  if (!socket)
    return socket;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (::bind(socket.get(), endpoint.get(), endpoint.bytes) != 0 ||
      ::listen(socket.get(), SOMAXCONN) != 0)
    return Socket();
  return socket;
}

Socket dyn::rt::acceptFrom(const Socket &listener, uint64_t deadline) {
  while (listener.wait(POLLIN, deadline)) {
    Socket socket(::accept4(listener.get(), nullptr, nullptr,
                            SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (socket) {
      setOptions(socket);
      return socket;
    }
    if (errno != EINTR && errno != ECONNABORTED && errno != EAGAIN)
      break;
  }
  return Socket();
}
