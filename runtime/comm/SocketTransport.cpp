//===- SocketTransport.cpp - Ranks in processes, over TCP -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SocketTransport.h"

#include "Options.h"
#include "Rendezvous.h"
#include "Transport.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <sys/eventfd.h>
#include <sys/uio.h>
#include <unistd.h>

using namespace dyn::rt;

static constexpr uint64_t abortBit = uint64_t(1) << 63;
static constexpr uint64_t longestReason = 4096;
/// Nanoseconds: about as long as the other rank takes to answer. A thread does
/// not yield, which on a busy machine takes milliseconds.
static constexpr uint64_t spinTime = 20000;
/// Of how many polls of memory without time one asks the system too, which
/// knows whether a peer has ended.
static constexpr uint32_t idlePolls = 32;

static uint32_t countMemory(const std::vector<Connection> &peers) {
  return uint32_t(std::count_if(peers.begin(), peers.end(),
                                [](auto &peer) { return bool(peer.memory); }));
}

SocketTransport::SocketTransport(std::vector<Connection> peers)
    : links(peers.size()), polls(peers.size() + 1),
      inMemory(countMemory(peers)) {
  for (size_t i = 0; i < peers.size(); ++i)
    static_cast<Connection &>(links[i]) = std::move(peers[i]);
}

uint32_t SocketTransport::memoryPeers() const { return inMemory; }

bool SocketTransport::open() {
  alarm = Socket(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  return bool(alarm);
}

SocketTransport::~SocketTransport() {
  // A connection that is closed with bytes that nobody has read is reset, which
  // may overtake what has been sent.
  char buffer[4096];
  for (Link &link : links)
    if (link.socket) {
      ::shutdown(link.socket.get(), SHUT_WR);
      while (::recv(link.socket.get(), buffer, sizeof(buffer), MSG_DONTWAIT) >
             0)
        ;
    }
}

/// The rest of the message: of its length, and of its data.
int SocketTransport::Message::fill(iovec (&parts)[2]) {
  int count = 0;
  uint64_t ofData = done > sizeof(prefix) ? done - sizeof(prefix) : 0;
  if (done < sizeof(prefix))
    parts[count++] = {reinterpret_cast<char *>(&prefix) + done,
                      size_t(sizeof(prefix) - done)};
  if (ofData < bytes)
    parts[count++] = {data + ofData, size_t(bytes - ofData)};
  return count;
}

ssize_t SocketTransport::Link::send(iovec *parts, int count) {
  if (memory) {
    if (isClosed) {
      errno = EPIPE;
      return -1;
    }
    ssize_t sent = memory.send(parts, count);
    wakePeer();
    return sent;
  }
  msghdr message = {};
  message.msg_iov = parts;
  message.msg_iovlen = size_t(count);
  return ::sendmsg(socket.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

ssize_t SocketTransport::Link::receive(iovec *parts, int count) {
  if (memory) {
    // Asked first, as what was sent comes before the end.
    bool hadClosed = isClosed;
    ssize_t got = memory.receive(parts, count);
    if (got < 0)
      return hadClosed ? 0 : got;
    wakePeer();
    return got;
  }
  msghdr message = {};
  message.msg_iov = parts;
  message.msg_iovlen = size_t(count);
  return ::recvmsg(socket.get(), &message, MSG_DONTWAIT);
}

void SocketTransport::Link::wakePeer() {
  char byte = 0;
  if (memory.mustWake())
    (void)!::send(socket.get(), &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void SocketTransport::Link::readWakes() {
  char bytes[64];
  ssize_t got;
  while ((got = ::recv(socket.get(), bytes, sizeof(bytes), MSG_DONTWAIT)) > 0)
    ;
  isClosed =
      got == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

void SocketTransport::push(uint32_t peer, dyn_transport_event_kind_t kind) {
  pending.push_back({peer, uint32_t(kind), links[peer].reason.c_str()});
}

void SocketTransport::end(uint32_t peer, dyn_transport_event_kind_t kind) {
  links[peer].hasEnded = true;
  push(peer, kind);
}

void SocketTransport::send(uint32_t peer, const void *data, uint64_t bytes) {
  Message &out = links[peer].out;
  out = {bytes, static_cast<char *>(const_cast<void *>(data)), bytes, 0, true};
  write(peer);
}

void SocketTransport::receive(uint32_t peer, void *data, uint64_t bytes) {
  Message &in = links[peer].in;
  in.data = static_cast<char *>(data);
  in.bytes = bytes;
  in.isActive = true;
}

void SocketTransport::write(uint32_t peer) {
  Link &link = links[peer];
  while (link.out.isActive && !link.hasEnded) {
    iovec parts[2];
    ssize_t sent = link.send(parts, link.out.fill(parts));
    if (sent < 0) {
      if (errno == EINTR)
        continue;
      if (errno == EAGAIN || errno == EWOULDBLOCK)
        return;
      // The peer's reason, if there is one, is behind what can still be read.
      link.out.isActive = false;
      if (!expectsInput(link))
        end(peer, DYN_TRANSPORT_CLOSED);
      return;
    }
    link.out.done += uint64_t(sent);
    if (link.out.isComplete()) {
      link.out.isActive = false;
      push(peer, DYN_TRANSPORT_SENT);
    }
  }
}

/// Reads what is there: of the message that is expected, or of the length of
/// one that is not expected yet, which may be an abort.
void SocketTransport::read(uint32_t peer) {
  Link &link = links[peer];
  while (expectsInput(link)) {
    iovec parts[2];
    ssize_t got = link.receive(parts, link.in.fill(parts));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
      return;
    if (got <= 0)
      return end(peer, DYN_TRANSPORT_CLOSED);
    link.in.done += uint64_t(got);
    if (link.in.done < sizeof(link.in.prefix))
      continue;
    if (link.in.prefix & abortBit) {
      if (readAbort(link))
        end(peer, DYN_TRANSPORT_ABORTED);
      else
        end(peer, DYN_TRANSPORT_CLOSED);
      return;
    }
    if (!link.in.isActive)
      return;
    // Both sides have agreed on the length.
    if (link.in.prefix != link.in.bytes)
      return end(peer, DYN_TRANSPORT_CLOSED);
    if (link.in.isComplete()) {
      link.in = Message();
      push(peer, DYN_TRANSPORT_RECEIVED);
    }
  }
}

bool SocketTransport::expectsInput(const Link &link) {
  return link.socket && !link.hasEnded &&
         (link.in.isActive || link.in.done < sizeof(link.in.prefix));
}

/// The reason, of which a part may lie where data were expected. It has been
/// sent at once, and is short.
bool SocketTransport::readAbort(Link &link) {
  uint64_t bytes = link.in.prefix & ~abortBit;
  uint64_t got = link.in.done - sizeof(link.in.prefix);
  if (bytes > longestReason || got > bytes)
    return false;
  link.reason.assign(link.in.data ? link.in.data : "", got);
  link.reason.resize(bytes);
  while (got < bytes) {
    iovec rest = {link.reason.data() + got, size_t(bytes - got)};
    ssize_t more = link.receive(&rest, 1);
    // In memory, all of it comes at once.
    if (more < 0 && link.memory)
      return false;
    if (more < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      pollfd poll = {link.socket.get(), POLLIN, 0};
      if (::poll(&poll, 1, 100) <= 0)
        return false;
    } else if (more <= 0 && errno != EINTR) {
      return false;
    } else {
      got += uint64_t(std::max<ssize_t>(more, 0));
    }
  }
  return true;
}

void SocketTransport::moveInMemory() {
  for (uint32_t i = 0; i < links.size(); ++i)
    if (links[i].memory) {
      write(i);
      read(i);
    }
}

/// Whoever sleeps says so first, and looks a last time after it.
void SocketTransport::setAsleep(bool isAsleep) {
  for (Link &link : links) {
    if (!link.memory)
      continue;
    link.memory.setAwaitsData(isAsleep && expectsInput(link));
    link.memory.setAwaitsSpace(isAsleep && link.out.isActive);
  }
}

void SocketTransport::wait(uint64_t timeout) {
  bool sleeps = inMemory && timeout;
  if (sleeps) {
    setAsleep(true);
    moveInMemory();
    timeout = pending.empty() ? timeout : 0;
  }
  for (size_t i = 0; i < links.size(); ++i) {
    const Link &link = links[i];
    short events = short((expectsInput(link) ? POLLIN : 0) |
                         (link.out.isActive ? POLLOUT : 0));
    // Of memory, the socket tells of bytes, of room, and of the end.
    if (link.memory)
      events = link.isClosed ? 0 : POLLIN;
    bool isWanted = link.socket && !link.hasEnded && events;
    polls[i] = {isWanted ? link.socket.get() : -1, events, 0};
  }
  polls.back() = {alarm.get(), POLLIN, 0};
  timespec time = {time_t(timeout / 1000000000), long(timeout % 1000000000)};
  int count = ::ppoll(polls.data(), polls.size(),
                      timeout == UINT64_MAX ? nullptr : &time, nullptr);
  if (sleeps)
    setAsleep(false);
  if (count <= 0)
    return;
  uint64_t wakes;
  if (polls.back().revents)
    (void)!::read(alarm.get(), &wakes, sizeof(wakes));
  for (uint32_t i = 0; i < links.size(); ++i) {
    if (links[i].memory) {
      if (polls[i].revents)
        links[i].readWakes();
      continue;
    }
    if (polls[i].revents & (POLLOUT | POLLERR | POLLHUP))
      write(i);
    if (polls[i].revents & (POLLIN | POLLERR | POLLHUP))
      read(i);
  }
  moveInMemory();
}

uint32_t SocketTransport::progress(uint64_t timeout,
                                   dyn_transport_event_t *events,
                                   uint32_t capacity) {
  if (pending.empty())
    moveInMemory();
  bool isAllInMemory = inMemory + 1 == links.size();
  if (pending.empty() && (timeout || !isAllInMemory || ++idle % idlePolls == 0))
    wait(timeout);
  auto count = uint32_t(std::min<size_t>(capacity, pending.size()));
  std::copy_n(pending.begin(), count, events);
  pending.erase(pending.begin(), pending.begin() + count);
  return count;
}

void SocketTransport::wake() {
  uint64_t one = 1;
  (void)!::write(alarm.get(), &one, sizeof(one));
}

void SocketTransport::abort(const char *reason) {
  uint64_t bytes = std::min<uint64_t>(std::strlen(reason), longestReason);
  uint64_t prefix = bytes | abortBit;
  for (Link &link : links) {
    if (!link.socket)
      continue;
    // In the middle of a message, its end is all that can be told.
    bool isBetween = !link.out.isActive || link.out.done == 0;
    iovec parts[2] = {{&prefix, sizeof(prefix)},
                      {const_cast<char *>(reason), size_t(bytes)}};
    if (isBetween && !link.hasEnded)
      (void)!link.send(parts, 2);
    ::shutdown(link.socket.get(), SHUT_WR);
    link.out.isActive = link.in.isActive = false;
  }
}

dyn_status_t
dyn_communicator_create_sockets(const dyn_socket_options_t *given_sockets,
                                const dyn_communicator_options_t *given_options,
                                dyn_communicator_t **out_communicator) {
  return guarded([&]() -> dyn_status_t {
    if (!out_communicator)
      return fail(DYN_STATUS_INVALID_ARGUMENT, "out_communicator is null");
    *out_communicator = nullptr;
    dyn_communicator_options_t options;
    DYN_RETURN_IF_FAILED(
        readOptions(given_options, "dyn_communicator_options_t", options));
    dyn_socket_options_t sockets;
    DYN_RETURN_IF_FAILED(
        readOptions(given_sockets, "dyn_socket_options_t", sockets));
    if (sockets.port > 65535)
      return fail(DYN_STATUS_INVALID_ARGUMENT, "port is %u", sockets.port);
    Membership self;
    self.rank = sockets.rank;
    self.size = sockets.size;
    self.address = sockets.address ? sockets.address : "";
    self.port = uint16_t(sockets.port);
    self.timeout = sockets.timeout_ns ? sockets.timeout_ns : 60000000000u;
    DYN_RETURN_IF_FAILED(self.complete());
    self.isNetworkOnly = sockets.network_only;
    std::vector<Connection> peers;
    DYN_RETURN_IF_FAILED(meet(self, peers));
    auto transport = std::make_unique<SocketTransport>(std::move(peers));
    if (!transport->open())
      return fail(DYN_STATUS_OUT_OF_MEMORY, "cannot create an eventfd: %s",
                  std::strerror(errno));
    uint32_t inMemory = transport->memoryPeers();
    return makeCommunicator(makeTransport(std::move(transport), self.rank,
                                          self.size, spinTime, inMemory),
                            options, out_communicator);
  });
}
