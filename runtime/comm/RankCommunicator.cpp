//===- RankCommunicator.cpp - Operations over a transport -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RankCommunicator.h"

#include "Clock.h"
#include "Options.h"
#include "Ranks.h"
#include "Spin.h"
#include "Thread.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

using namespace dyn::rt;

static constexpr uint64_t defaultTimeout = 30000000000u;
/// How often a flag that cancels an operation is read while nothing happens.
static constexpr uint64_t cancelInterval = 1000000;

/// The longest data that follow their header at once. They wait on the way, in
/// buffers of the system at most, until the other rank has agreed.
static constexpr uint64_t promptBytes = 65536;

/// How long reports of other ranks are awaited after a connection was closed: a
/// rank that fails while it sends a long message cannot say why.
static constexpr uint64_t closedGrace = 100000000;

/// How long reports of other ranks are awaited after a deadline.
static uint64_t graceOf(const dyn_request &request) {
  return std::min<uint64_t>(request.timeout / 8, 250000000);
}

static uint64_t rateOfEnvironment() {
  const char *text = std::getenv("DYN_LINK_RATE");
  return text ? std::strtoull(text, nullptr, 10) : 0;
}

RankCommunicator::RankCommunicator(Transport given,
                                   const dyn_communicator_options_t &options)
    : RankGroup(given->rank, given->size), transport(std::move(given)),
      ownTimeout(options.timeout_ns ? options.timeout_ns : defaultTimeout),
      rate(options.link_rate ? options.link_rate : rateOfEnvironment()),
      isInMemory(transport->memory_peers + 1 >= size), process(::getpid()),
      peers(size) {
  stats.memory_peers = transport->memory_peers;
}

RankCommunicator::~RankCommunicator() {
  if (::getpid() != process) {
    // To close it would end the parent's connections.
    (void)transport.release();
    return;
  }
  if (!hasThread)
    return;
  {
    Lock lock(mutex);
    isEnding = true;
    work.notify_all();
    changed.notify_all();
  }
  ::pthread_join(thread, nullptr);
}

//===----------------------------------------------------------------------===//
// Begin and wait
//===----------------------------------------------------------------------===//

dyn_status_t RankCommunicator::begin(std::unique_ptr<dyn_request> request,
                                     const dyn_transfer_options_t *given,
                                     dyn_request_t **out, uint64_t &counter) {
  dyn_transfer_options_t options;
  DYN_RETURN_IF_FAILED(readOptions(given, "dyn_transfer_options_t", options));
  if (::getpid() != process)
    return fail(DYN_STATUS_UNSUPPORTED,
                "the communicator belongs to the process that called fork()");
  Lock lock(mutex);
  if (failure != DYN_STATUS_OK)
    return fail(failure, "the communicator has failed: %s",
                failureText.c_str());
  if (out && !startThread())
    return fail(DYN_STATUS_OUT_OF_MEMORY,
                "cannot start the thread of the communicator");
  request->cancel = options.cancel;
  request->timeout = options.timeout_ns ? options.timeout_ns : ownTimeout;
  request->deadline = timeAfter(request->timeout);
  enqueue(*request, counter);
  if (isPolling) {
    wakePoller();
  } else {
    postAll();
    while (isInMemory && !request->hasEnded && poll(lock, 0, 0))
      ;
  }
  if (!out) {
    lock.unlock();
    return wait(*request);
  }
  *out = request.release();
  return DYN_STATUS_OK;
}

void RankCommunicator::moveAlone(dyn_request &request) {
  Lock lock(mutex);
  request.isLeftAlone = true;
  if (!request.hasEnded && !isPolling)
    work.notify_all();
}

void dyn::rt::moveAlone(dyn_request &request) {
  static_cast<RankCommunicator &>(*request.communicator.get())
      .moveAlone(request);
}

void RankCommunicator::wakePoller() {
  isWoken = true;
  transport->wake(transport->user);
}

dyn_status_t RankCommunicator::wait(dyn_request &request) {
  Lock lock(mutex);
  if (!request.hasEnded) {
    uint64_t begin = now();
    ++stats.waits;
    // The waiting thread polls itself, which saves a change of threads.
    if (waiters++ == 0 && isPolling)
      wakePoller();
    while (!request.hasEnded) {
      if (isPolling)
        changed.wait(lock);
      else
        poll(lock, UINT64_MAX, transport->spin_ns);
    }
    stats.wait_ns += now() - begin;
    auto isLeftAlone = [](dyn_request *each) { return each->isLeftAlone; };
    if (--waiters == 0 &&
        std::any_of(active.begin(), active.end(), isLeftAlone))
      work.notify_all();
  }
  if (request.status != DYN_STATUS_OK)
    return fail(request.status, "%s", failureText.c_str());
  return DYN_STATUS_OK;
}

void RankCommunicator::abortAll(dyn_status_t status,
                                const std::string &reason) {
  Lock lock(mutex);
  if (failure != DYN_STATUS_OK || ending != DYN_STATUS_OK ||
      ::getpid() != process)
    return;
  ending = status;
  endingText = reason;
  // Who polls uses the transport.
  if (isPolling)
    return wakePoller();
  checkEnding();
  changed.notify_all();
}

void RankCommunicator::enqueue(dyn_request &request, uint64_t &counter) {
  // A pair counts its sends, receives and exchanges, the group all else, so
  // that both sides of a pair have the same numbers.
  Header &header = request.header;
  bool isPaired = header.operation == Operation::Send ||
                  header.operation == Operation::Receive ||
                  header.operation == Operation::Exchange;
  if (!isPaired)
    header.number = ++counter;
  ++stats.operations;
  active.push_back(&request);
  request.rounds.front().isReady = true;
  for (Round &round : request.rounds) {
    for (uint32_t i = 0; i < size; ++i) {
      if (!round.parts[i].left)
        continue;
      Peer &peer = peers[i];
      round.parts[i].number =
          isPaired ? ++peer.pairedOperations : header.number;
      peer.sending.rounds.push_back(&round);
      peer.receiving.rounds.push_back(&round);
    }
  }
  advance(request);
}

//===----------------------------------------------------------------------===//
// Polling
//===----------------------------------------------------------------------===//

uint32_t RankCommunicator::awaitEvents(uint64_t mostNs, uint64_t spinNs,
                                       dyn_transport_event_t (&events)[32]) {
  uint32_t count = 0;
  auto ask = [&](uint64_t time) {
    count = transport->progress(transport->user, time, events,
                                uint32_t(std::size(events)));
    return count || isWoken;
  };
  spinNs = std::min(mostNs, spinNs);
  if (!spinUntil(spinNs, [&] { return ask(0); }) && mostNs > spinNs)
    ask(mostNs == UINT64_MAX ? mostNs : mostNs - spinNs);
  return count;
}

bool RankCommunicator::poll(Lock &lock, uint64_t mostNs, uint64_t spinNs) {
  checkPeers();
  if (failure != DYN_STATUS_OK) {
    changed.notify_all();
    return false;
  }
  isPolling = true;
  isWoken = false;
  dyn_transport_event_t events[32];
  uint64_t time = now(), next = nextTime();
  uint64_t longest = next == UINT64_MAX ? next : next - std::min(next, time);
  longest = std::min(longest, mostNs);
  lock.unlock();
  uint32_t count = awaitEvents(longest, spinNs, events);
  lock.lock();
  isPolling = false;
  for (uint32_t i = 0; i < count && failure == DYN_STATUS_OK; ++i)
    handle(events[i]);
  checkEnding();
  if (failure == DYN_STATUS_OK)
    checkTime();
  if (failure == DYN_STATUS_OK)
    postAll();
  changed.notify_all();
  return count != 0 && failure == DYN_STATUS_OK;
}

dyn_status_t RankCommunicator::check(const std::vector<uint32_t> &ranks) {
  Lock lock(mutex);
  if (failure == DYN_STATUS_OK && !isPolling) {
    poll(lock, 0, 0);
    std::vector<uint32_t> left;
    for (uint32_t i : ranks)
      if (peers[i].hasLeft && now() >= peers[i].leftAt + closedGrace)
        left.push_back(i);
    std::string text = nameRanks(left) + " ended or left the communicator";
    if (!left.empty() && failure == DYN_STATUS_OK && !isPolling)
      failAll(DYN_STATUS_RANK_FAILED, text,
              "rank " + std::to_string(rank) + " reports: " + text);
  }
  if (failure == DYN_STATUS_OK)
    return DYN_STATUS_OK;
  return fail(failure, "%s", failureText.c_str());
}

void RankCommunicator::pollInBackground() {
  Lock lock(mutex);
  while (!isEnding) {
    if (active.empty() || waiters)
      work.wait(lock);
    else if (isPolling)
      changed.wait(lock);
    else
      poll(lock, UINT64_MAX, 0);
  }
}

bool RankCommunicator::startThread() {
  if (!hasThread)
    hasThread = dyn::rt::startThread(
        thread,
        [](void *self) -> void * {
          static_cast<RankCommunicator *>(self)->pollInBackground();
          return nullptr;
        },
        this);
  return hasThread;
}

uint64_t RankCommunicator::nextTime() {
  uint64_t next = UINT64_MAX, time = now();
  for (const dyn_request *request : active) {
    bool isLate = time >= request->deadline;
    next = std::min(next, request->deadline + (isLate ? graceOf(*request) : 0));
    if (request->cancel)
      next = std::min(next, time + cancelInterval);
  }
  for (const Peer &peer : peers) {
    if (peer.sending.isScheduled)
      next = std::min(next, peer.sending.due);
    if (peer.hasLeft && peer.current())
      next = std::min(next, peer.leftAt + closedGrace);
  }
  return next;
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

static Header makeHeader(const Round &round, uint32_t peer) {
  Header header = round.request->header;
  header.magic = Header::expectedMagic;
  header.number = round.parts[peer].number;
  header.sends = round.parts[peer].sends;
  header.expects = round.parts[peer].expects;
  return header;
}

void RankCommunicator::postAll() {
  uint64_t time = rate ? now() : 0;
  for (uint32_t i = 0; i < size; ++i) {
    postReceive(i);
    postSend(i, time);
  }
}

void RankCommunicator::postSend(uint32_t index, uint64_t time) {
  Peer &peer = peers[index];
  Direction &direction = peer.sending;
  if (direction.rounds.empty() || direction.isPosted)
    return;
  const Round &round = *direction.rounds.front();
  const RoundPart &part = round.parts[index];
  bool mayFollow = part.isAgreed || part.sends <= promptBytes;
  if (direction.isInData && !(mayFollow && round.isReady))
    return;
  uint64_t bytes = direction.isInData ? part.sends : sizeof(Header);
  if (rate && !direction.isScheduled) {
    uint64_t taken = uint64_t(double(bytes) * 1e9 / double(rate));
    direction.due = peer.linkFree = std::max(time, peer.linkFree) + taken;
    direction.isScheduled = true;
  }
  if (rate && time < direction.due)
    return;
  if (!direction.isInData)
    direction.header = makeHeader(round, index);
  direction.isScheduled = false;
  direction.isPosted = true;
  transport->send(transport->user, index,
                  direction.isInData ? part.send : &direction.header, bytes);
}

void RankCommunicator::postReceive(uint32_t index) {
  Direction &direction = peers[index].receiving;
  if (direction.rounds.empty() || direction.isPosted)
    return;
  RoundPart &part = direction.part(index);
  direction.isPosted = true;
  if (direction.isInData)
    transport->receive(transport->user, index, part.receive, part.expects);
  else
    transport->receive(transport->user, index, &direction.header,
                       sizeof(Header));
}

void RankCommunicator::handle(const dyn_transport_event_t &event) {
  uint32_t index = event.peer;
  switch (event.kind) {
  case DYN_TRANSPORT_SENT:
    return handleSent(index);
  case DYN_TRANSPORT_RECEIVED:
    return handleReceived(index);
  case DYN_TRANSPORT_ABORTED:
    return failAll(DYN_STATUS_RANK_FAILED, event.reason, event.reason);
  case DYN_TRANSPORT_CLOSED:
    // Not a failure if it has nothing left to do with this rank.
    peers[index].hasLeft = true;
    peers[index].leftAt = now();
  }
}

void RankCommunicator::handleSent(uint32_t index) {
  Direction &direction = peers[index].sending;
  RoundPart &part = direction.part(index);
  direction.isPosted = false;
  if (direction.isInData) {
    ++stats.messages_sent;
    stats.bytes_sent += part.sends;
    return finish(index, direction);
  }
  ++stats.headers_sent;
  stats.header_bytes_sent += sizeof(Header);
  if (part.sends && direction.rounds.front()->request->rows == Rows::MovedHere)
    direction.isInData = true;
  else
    finish(index, direction);
}

void RankCommunicator::handleReceived(uint32_t index) {
  Direction &direction = peers[index].receiving;
  RoundPart &part = direction.part(index);
  direction.isPosted = false;
  if (direction.isInData) {
    ++stats.messages_received;
    stats.bytes_received += part.expects;
    return finish(index, direction);
  }
  std::string difference =
      compareHeaders(rank, makeHeader(*direction.rounds.front(), index), index,
                     direction.header);
  if (!difference.empty())
    return failAll(DYN_STATUS_INVALID_ARGUMENT, difference, difference);
  part.isAgreed = true;
  direction.rounds.front()->request->heard.merge(direction.header.error);
  if (part.expects &&
      direction.rounds.front()->request->rows == Rows::MovedHere)
    direction.isInData = true;
  else
    finish(index, direction);
}

void RankCommunicator::finish(uint32_t index, Direction &direction) {
  Round &round = *direction.rounds.front();
  direction.rounds.pop_front();
  direction.isInData = false;
  --round.parts[index].left;
  if (--round.left == 0)
    advance(*round.request);
}

void RankCommunicator::advance(dyn_request &request) {
  while (request.rounds[request.current].left == 0) {
    if (++request.current == request.rounds.size())
      return end(request, DYN_STATUS_OK);
    if (request.between)
      request.between();
    request.rounds[request.current].isReady = true;
  }
}

//===----------------------------------------------------------------------===//
// Ends
//===----------------------------------------------------------------------===//

void RankCommunicator::end(dyn_request &request, dyn_status_t status) {
  request.status = status;
  request.hasEnded = true;
  active.erase(std::find(active.begin(), active.end(), &request));
}

/// The ranks that a round waits for: those whose headers have not come, or else
/// whose data have not.
static std::vector<uint32_t> findLate(const Round &round) {
  std::vector<uint32_t> late;
  for (bool isAgreed : {false, true})
    for (uint32_t i = 0; i < round.parts.size() && (!isAgreed || late.empty());
         ++i)
      if (round.parts[i].left && round.parts[i].isAgreed == isAgreed)
        late.push_back(i);
  return late;
}

void RankCommunicator::checkPeers() {
  std::vector<uint32_t> left;
  const Round *round = nullptr;
  bool isDue = false;
  for (uint32_t i = 0; i < size; ++i) {
    const Peer &peer = peers[i];
    if (!peer.hasLeft || !peer.current())
      continue;
    left.push_back(i);
    round = round ? round : peer.current();
    isDue |= now() >= peer.leftAt + closedGrace;
  }
  if (!isDue)
    return;
  std::string text = nameRanks(left) + " ended or left the communicator in " +
                     nameOf(makeHeader(*round, left.front()));
  failAll(DYN_STATUS_RANK_FAILED, text,
          "rank " + std::to_string(rank) + " reports: " + text);
}

void RankCommunicator::checkEnding() {
  if (ending != DYN_STATUS_OK && failure == DYN_STATUS_OK)
    failAll(ending, endingText,
            "rank " + std::to_string(rank) + " failed: " + endingText);
}

void RankCommunicator::checkTime() {
  uint64_t time = now();
  for (const dyn_request *request : active) {
    if (!request->isCancelled() && time < request->deadline)
      continue;
    const Round &round = request->rounds[request->current];
    auto late = findLate(round);
    std::string name = nameOf(makeHeader(round, late.front()));
    if (request->isCancelled()) {
      std::string text = "rank " + std::to_string(rank) + " cancelled " + name;
      return failAll(DYN_STATUS_CANCELLED, text, text);
    }
    // Of several ranks, all but one may wait for that one, and are about to say
    // so.
    if (late.size() > 1 && time - request->deadline < graceOf(*request))
      continue;
    char seconds[32];
    std::snprintf(seconds, sizeof(seconds), "%g",
                  double(request->timeout) / 1e9);
    std::string text =
        nameRanks(late) + " did not answer within " + seconds + " s in " + name;
    return failAll(DYN_STATUS_DEADLINE_EXCEEDED, text,
                   "rank " + std::to_string(rank) + " reports: " + text);
  }
}

void RankCommunicator::failAll(dyn_status_t status, const std::string &own,
                               const std::string &told) {
  failure = status;
  failureText = own;
  transport->abort(transport->user, told.c_str());
  for (Peer &peer : peers)
    peer.sending = peer.receiving = Direction();
  while (!active.empty())
    end(*active.back(), status);
}

dyn_communicator_stats_t RankCommunicator::getStats() {
  Lock lock(mutex);
  return stats;
}

uint32_t RankCommunicator::nextGroup() {
  Lock lock(mutex);
  return lastGroup + 1;
}
void RankCommunicator::setLastGroup(uint32_t last) {
  Lock lock(mutex);
  lastGroup = std::max(lastGroup, last);
}
