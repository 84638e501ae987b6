//===- ThreadTransport.cpp - Ranks in threads of one process --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "Transport.h"

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

using namespace dyn::rt;

namespace {
/// A rank waits here for its messages.
struct Mailbox {
  std::mutex mutex;
  std::condition_variable changed;
  bool hasNews = false;

  void notify() {
    std::lock_guard lock(mutex);
    hasNews = true;
    changed.notify_one();
  }
  void wait(uint64_t timeout) {
    std::unique_lock lock(mutex);
    auto arrived = [this] { return hasNews; };
    // Longer times overflow in the library.
    if (timeout > 3600000000000u)
      changed.wait(lock, arrived);
    else
      changed.wait_for(lock, std::chrono::nanoseconds(timeout), arrived);
    hasNews = false;
  }
};

/// From one rank to another. Who comes second copies.
struct Channel {
  std::mutex mutex;
  const void *source = nullptr;
  void *target = nullptr;
  bool hasSent = false, hasReceived = false;
  bool hasEnded = false, hasReported = false; ///< the sender
  std::string reason;

  /// Returns whether a message has passed.
  bool copy(uint64_t bytes) {
    if (!source || !target)
      return false;
    std::memcpy(target, source, bytes);
    source = target = nullptr;
    return hasSent = hasReceived = true;
  }
};

struct Group {
  explicit Group(uint32_t size)
      : mailboxes(size), channels(size_t(size) * size) {}
  Channel &channel(uint32_t from, uint32_t to) {
    return channels[from * mailboxes.size() + to];
  }
  std::vector<Mailbox> mailboxes;
  std::vector<Channel> channels;
};

class ThreadTransport {
public:
  ThreadTransport(std::shared_ptr<Group> group, uint32_t rank)
      : group(std::move(group)), rank(rank),
        size(uint32_t(this->group->mailboxes.size())) {}
  ~ThreadTransport() { leave(""); }

  void send(uint32_t peer, const void *data, uint64_t bytes) {
    Channel &channel = group->channel(rank, peer);
    std::lock_guard lock(channel.mutex);
    channel.source = data;
    notify(peer, channel.copy(bytes));
  }
  void receive(uint32_t peer, void *data, uint64_t bytes) {
    Channel &channel = group->channel(peer, rank);
    std::lock_guard lock(channel.mutex);
    channel.target = data;
    notify(peer, channel.copy(bytes));
  }

  uint32_t progress(uint64_t timeout, dyn_transport_event_t *events,
                    uint32_t capacity) {
    uint32_t count = collect(events, capacity);
    if (count)
      return count;
    group->mailboxes[rank].wait(timeout);
    return collect(events, capacity);
  }
  void wake() { group->mailboxes[rank].notify(); }
  void abort(const char *reason) { leave(reason); }

private:
  void notify(uint32_t peer, bool hasPassed) {
    if (!hasPassed)
      return;
    group->mailboxes[peer].notify();
    group->mailboxes[rank].notify();
  }

  uint32_t collect(dyn_transport_event_t *events, uint32_t capacity) {
    uint32_t count = 0;
    for (uint32_t peer = 0; peer < size; ++peer) {
      // All events of a peer, or none, so that its end comes last.
      if (peer == rank || capacity - count < 3)
        continue;
      {
        Channel &channel = group->channel(rank, peer);
        std::lock_guard lock(channel.mutex);
        if (std::exchange(channel.hasSent, false))
          events[count++] = {peer, DYN_TRANSPORT_SENT, nullptr};
      }
      Channel &channel = group->channel(peer, rank);
      std::lock_guard lock(channel.mutex);
      if (std::exchange(channel.hasReceived, false))
        events[count++] = {peer, DYN_TRANSPORT_RECEIVED, nullptr};
      if (!channel.hasEnded || std::exchange(channel.hasReported, true))
        continue;
      bool isAborted = !channel.reason.empty();
      events[count++] = {peer,
                         isAborted ? uint32_t(DYN_TRANSPORT_ABORTED)
                                   : uint32_t(DYN_TRANSPORT_CLOSED),
                         channel.reason.c_str()};
    }
    return count;
  }

  void leave(const char *reason) {
    for (uint32_t peer = 0; peer < size; ++peer) {
      if (peer == rank)
        continue;
      Channel &in = group->channel(peer, rank);
      {
        std::lock_guard lock(in.mutex);
        in.target = nullptr;
      }
      Channel &out = group->channel(rank, peer);
      {
        std::lock_guard lock(out.mutex);
        out.source = nullptr;
        if (std::exchange(out.hasEnded, true))
          continue;
        out.reason = reason;
      }
      group->mailboxes[peer].notify();
    }
  }

  const std::shared_ptr<Group> group;
  const uint32_t rank, size;
};
} // namespace

dyn_status_t
dyn_communicator_create_threads(uint32_t size,
                                const dyn_communicator_options_t *given,
                                dyn_communicator_t **out_communicators) {
  return guarded([&]() -> dyn_status_t {
    if (!out_communicators)
      return fail(DYN_STATUS_INVALID_ARGUMENT, "out_communicators is null");
    if (size == 0 || size > 1024)
      return fail(DYN_STATUS_INVALID_ARGUMENT,
                  "size is %u: expected 1 to 1024 ranks", size);
    dyn_communicator_options_t options;
    DYN_RETURN_IF_FAILED(
        readOptions(given, "dyn_communicator_options_t", options));
    auto group = std::make_shared<Group>(size);
    std::vector<dyn_communicator_t *> made(size);
    for (uint32_t rank = 0; rank < size; ++rank) {
      Transport transport = makeTransport(
          std::make_unique<ThreadTransport>(group, rank), rank, size);
      DYN_RETURN_IF_FAILED(
          makeCommunicator(std::move(transport), options, &made[rank]));
    }
    std::copy(made.begin(), made.end(), out_communicators);
    return DYN_STATUS_OK;
  });
}
