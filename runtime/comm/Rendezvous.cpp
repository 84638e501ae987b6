//===- Rendezvous.cpp - How the processes of a group find each other ------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rendezvous.h"

#include "Clock.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <netinet/in.h>

using namespace dyn::rt;

namespace {
/// The first message on each connection.
struct Hello {
  static constexpr uint64_t expectedMagic = 0x6b6e61722d6e7964; ///< "dyn-rank"

  uint64_t magic = expectedMagic;
  uint32_t rank, size;
  uint32_t port; ///< at which it listens for ranks after it
  uint32_t reserved = 0;
};

/// Rank 0's answer: the bytes of a text that says why not, or 0 before the list
/// of endpoints.
struct Answer {
  uint32_t status;
  uint32_t textBytes;
};

/// A stranger must not stop the others for long.
constexpr uint64_t helloTime = 2000000000u;

class Meeting {
public:
  Meeting(const Membership &self, std::vector<Connection> &peers)
      : self(self), peers(peers), deadline(deadlineOf(self)) {}

  dyn_status_t lead();
  dyn_status_t join();
  /// Between this rank and those of its machine, once all are connected.
  dyn_status_t shareMemory();

private:
  static uint64_t deadlineOf(const Membership &self) {
    uint64_t time = now();
    return self.timeout < UINT64_MAX - time ? time + self.timeout : UINT64_MAX;
  }
  double seconds() const { return double(self.timeout) / 1e9; }

  dyn_status_t findLeader(std::vector<Endpoint> &found) const;
  dyn_status_t listenAsLeader();
  /// Accepts a connection and its hello. No socket, if it is a stranger's.
  Socket acceptHello(Hello &hello, uint64_t latest) const;
  /// Takes the socket of a rank that fits.
  dyn_status_t accept(const Hello &hello, Socket &socket);
  dyn_status_t refuseAll(dyn_status_t status, const Socket &last) const;
  dyn_status_t sendList() const;
  std::string missing() const;

  dyn_status_t connectToLeader();
  dyn_status_t receiveList(std::vector<Endpoint> &list) const;
  dyn_status_t connectPairs(const std::vector<Endpoint> &list);

  const Membership &self;
  std::vector<Connection> &peers;
  const uint64_t deadline;
  Socket listener;
  std::vector<Endpoint> endpoints; ///< of the leader
};
} // namespace

static dyn_status_t ioError(const char *what) {
  return fail(DYN_STATUS_IO_ERROR, "%s: %s", what, std::strerror(errno));
}

dyn_status_t Meeting::findLeader(std::vector<Endpoint> &found) const {
  std::string reason;
  found = Endpoint::find(self.address.c_str(), self.port, &reason);
  if (found.empty())
    return fail(DYN_STATUS_NOT_FOUND, "cannot find the host '%s': %s",
                self.address.c_str(), reason.c_str());
  return DYN_STATUS_OK;
}

//===----------------------------------------------------------------------===//
// Rank 0
//===----------------------------------------------------------------------===//

dyn_status_t Meeting::listenAsLeader() {
  std::vector<Endpoint> found;
  DYN_RETURN_IF_FAILED(findLeader(found));
  for (const Endpoint &endpoint : found)
    if ((listener = listenAt(endpoint)))
      return DYN_STATUS_OK;
  // A name may be that of a service in front of this machine.
  if (errno == EADDRNOTAVAIL) {
    Endpoint any;
    any.storage.ss_family = found.front().storage.ss_family;
    any.bytes = found.front().bytes;
    any.setPort(self.port);
    if ((listener = listenAt(any)))
      return DYN_STATUS_OK;
  }
  return ioError(("rank 0 cannot listen at " + found.front().text()).c_str());
}

Socket Meeting::acceptHello(Hello &hello, uint64_t latest) const {
  Socket socket = acceptFrom(listener, latest);
  uint64_t soon = std::min(latest, now() + helloTime);
  if (!socket || !socket.receiveAll(&hello, sizeof(hello), soon) ||
      hello.magic != Hello::expectedMagic)
    return Socket();
  return socket;
}

std::string Meeting::missing() const {
  std::string text;
  uint32_t count = 0;
  for (uint32_t rank = 0; rank < self.size; ++rank)
    if (rank != self.rank && !peers[rank].socket && count++ < 16)
      text += (text.empty() ? "" : ", ") + std::to_string(rank);
  return (count == 1 ? "rank " : "ranks ") + text + (count > 16 ? ", ..." : "");
}

dyn_status_t Meeting::accept(const Hello &hello, Socket &socket) {
  if (hello.size != self.size)
    return fail(DYN_STATUS_INVALID_ARGUMENT,
                "rank %u has a group of %u ranks, rank %u one of %u", self.rank,
                self.size, hello.rank, hello.size);
  if (hello.rank == self.rank || hello.rank >= self.size ||
      peers[hello.rank].socket)
    return fail(DYN_STATUS_INVALID_ARGUMENT, "two processes are rank %u of %u",
                hello.rank, self.size);
  peers[hello.rank].socket = std::move(socket);
  return DYN_STATUS_OK;
}

/// Tells all who have come, and those who come soon, about the last failure.
dyn_status_t Meeting::refuseAll(dyn_status_t status, const Socket &last) const {
  std::string reason = dyn_last_error();
  Answer answer = {uint32_t(status), uint32_t(reason.size())};
  uint64_t soon = now() + helloTime;
  uint32_t count = 1;
  auto refuse = [&](const Socket &peer) {
    if (!peer)
      return;
    ++count;
    if (peer.sendAll(&answer, sizeof(answer), soon))
      peer.sendAll(reason.data(), reason.size(), soon);
  };
  for (const Connection &peer : peers)
    refuse(peer.socket);
  refuse(last);
  Hello hello;
  while (count < self.size && now() < std::min(soon, deadline))
    refuse(acceptHello(hello, std::min(soon, deadline)));
  return fail(status, "%s", reason.c_str());
}

dyn_status_t Meeting::sendList() const {
  Answer answer = {};
  for (uint32_t rank = 1; rank < self.size; ++rank)
    if (!peers[rank].socket.sendAll(&answer, sizeof(answer), deadline) ||
        !peers[rank].socket.sendAll(
            endpoints.data(), endpoints.size() * sizeof(Endpoint), deadline))
      return fail(DYN_STATUS_RANK_FAILED, "rank %u left while the group met",
                  rank);
  return DYN_STATUS_OK;
}

dyn_status_t Meeting::lead() {
  DYN_RETURN_IF_FAILED(listenAsLeader());
  endpoints.resize(self.size);
  for (uint32_t count = 1; count < self.size;) {
    Hello hello;
    Socket socket = acceptHello(hello, deadline);
    if (!socket) {
      if (now() < deadline)
        continue;
      return refuseAll(
          fail(DYN_STATUS_DEADLINE_EXCEEDED,
               "%s did not come to %s within %g s", missing().c_str(),
               Endpoint::ofSocket(listener).text().c_str(), seconds()),
          socket);
    }
    Endpoint endpoint = Endpoint::ofPeer(socket);
    endpoint.setPort(uint16_t(hello.port));
    if (dyn_status_t status = accept(hello, socket))
      return refuseAll(status, socket);
    endpoints[hello.rank] = endpoint;
    ++count;
  }
  return sendList();
}

//===----------------------------------------------------------------------===//
// Other ranks
//===----------------------------------------------------------------------===//

dyn_status_t Meeting::connectToLeader() {
  std::vector<Endpoint> found;
  DYN_RETURN_IF_FAILED(findLeader(found));
  for (;;) {
    for (const Endpoint &endpoint : found)
      if ((peers[0].socket = connectTo(endpoint, deadline)))
        return DYN_STATUS_OK;
    if (now() >= deadline)
      return fail(DYN_STATUS_DEADLINE_EXCEEDED,
                  "rank 0 did not answer at %s within %g s: %s",
                  found.front().text().c_str(), seconds(),
                  std::strerror(errno));
    // It may not have begun to listen.
    timespec pause = {0, 10000000};
    ::nanosleep(&pause, nullptr);
  }
}

dyn_status_t Meeting::receiveList(std::vector<Endpoint> &list) const {
  auto lost = [&] {
    if (errno == ETIMEDOUT)
      return fail(DYN_STATUS_DEADLINE_EXCEEDED,
                  "rank 0 did not answer within %g s", seconds());
    return fail(DYN_STATUS_RANK_FAILED, "rank 0 left while the group met");
  };
  Answer answer;
  if (!peers[0].socket.receiveAll(&answer, sizeof(answer), deadline))
    return lost();
  if (answer.textBytes) {
    std::string text(std::min(answer.textBytes, 2048u), ' ');
    if (!peers[0].socket.receiveAll(text.data(), text.size(), deadline))
      return lost();
    return fail(dyn_status_t(answer.status), "%s", text.c_str());
  }
  list.resize(self.size);
  if (!peers[0].socket.receiveAll(list.data(), list.size() * sizeof(Endpoint),
                                  deadline))
    return lost();
  return DYN_STATUS_OK;
}

dyn_status_t Meeting::connectPairs(const std::vector<Endpoint> &list) {
  Hello hello = {};
  hello.rank = self.rank;
  hello.size = self.size;
  for (uint32_t rank = 1; rank < self.rank; ++rank) {
    peers[rank].socket = connectTo(list[rank], deadline);
    if (!peers[rank].socket ||
        !peers[rank].socket.sendAll(&hello, sizeof(hello), deadline))
      return fail(DYN_STATUS_RANK_FAILED, "cannot connect to rank %u at %s: %s",
                  rank, list[rank].text().c_str(), std::strerror(errno));
  }
  for (uint32_t count = self.rank + 1; count < self.size;) {
    Hello theirs;
    Socket socket = acceptHello(theirs, deadline);
    if (!socket) {
      if (now() < deadline)
        continue;
      return fail(DYN_STATUS_DEADLINE_EXCEEDED,
                  "%s did not connect to rank %u within %g s",
                  missing().c_str(), self.rank, seconds());
    }
    DYN_RETURN_IF_FAILED(accept(theirs, socket));
    ++count;
  }
  return DYN_STATUS_OK;
}

dyn_status_t Meeting::join() {
  DYN_RETURN_IF_FAILED(connectToLeader());
  // Others reach it where rank 0 does.
  Endpoint own = Endpoint::ofSocket(peers[0].socket);
  own.setPort(0);
  listener = listenAt(own);
  if (!listener)
    return ioError("cannot listen");
  Hello hello = {};
  hello.rank = self.rank;
  hello.size = self.size;
  hello.port = Endpoint::ofSocket(listener).port();
  if (!peers[0].socket.sendAll(&hello, sizeof(hello), deadline))
    return fail(DYN_STATUS_RANK_FAILED, "rank 0 left while the group met");
  std::vector<Endpoint> list;
  DYN_RETURN_IF_FAILED(receiveList(list));
  return connectPairs(list);
}

//===----------------------------------------------------------------------===//
// Ranks of one machine
//===----------------------------------------------------------------------===//

/// Processes with one address may still be in containers that do not see each
/// other, which the offer shows.
static bool haveOneAddress(const Socket &socket) {
  Endpoint own = Endpoint::ofSocket(socket), other = Endpoint::ofPeer(socket);
  own.setPort(0);
  other.setPort(0);
  return own.text() == other.text();
}

/// The first rank of a pair offers, the second one answers. Offers of all come
/// before their answers, so nobody waits in a circle.
dyn_status_t Meeting::shareMemory() {
  auto exchange = [&](uint32_t rank, bool sends, void *data, size_t bytes) {
    const Socket &socket = peers[rank].socket;
    if (sends ? socket.sendAll(data, bytes, deadline)
              : socket.receiveAll(data, bytes, deadline))
      return DYN_STATUS_OK;
    return fail(DYN_STATUS_RANK_FAILED, "rank %u left while the group met",
                rank);
  };
  std::vector<Socket> files(self.size);
  for (uint32_t rank = self.rank + 1; rank < self.size; ++rank) {
    MemoryLink::Offer offer;
    if (!self.isNetworkOnly && haveOneAddress(peers[rank].socket))
      peers[rank].memory = MemoryLink::make(offer, files[rank]);
    DYN_RETURN_IF_FAILED(exchange(rank, true, &offer, sizeof(offer)));
  }
  for (uint32_t rank = 0; rank < self.rank; ++rank) {
    MemoryLink::Offer offer;
    DYN_RETURN_IF_FAILED(exchange(rank, false, &offer, sizeof(offer)));
    if (!self.isNetworkOnly)
      peers[rank].memory = MemoryLink::open(offer);
    char hasMemory = bool(peers[rank].memory);
    DYN_RETURN_IF_FAILED(exchange(rank, true, &hasMemory, 1));
  }
  for (uint32_t rank = self.rank + 1; rank < self.size; ++rank) {
    char hasMemory = 0;
    DYN_RETURN_IF_FAILED(exchange(rank, false, &hasMemory, 1));
    if (!hasMemory)
      peers[rank].memory = MemoryLink();
  }
  return DYN_STATUS_OK;
}

dyn_status_t dyn::rt::meet(const Membership &self,
                           std::vector<Connection> &peers) {
  peers.resize(self.size);
  if (self.size == 1)
    return DYN_STATUS_OK;
  Meeting meeting(self, peers);
  DYN_RETURN_IF_FAILED(self.rank == 0 ? meeting.lead() : meeting.join());
  return meeting.shareMemory();
}
