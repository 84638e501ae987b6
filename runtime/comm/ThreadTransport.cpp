//===- ThreadTransport.cpp - Ranks in threads of one process --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "Processors.h"
#include "Transport.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <sched.h>
#include <string>
#include <utility>
#include <vector>

using namespace dyn::rt;

namespace {
/// Nanoseconds: about as long as kernels of ranks differ, and as it takes to
/// wake a thread.
constexpr uint64_t spinTime = 50000;

// Ranks that wait poll, so they must not find locks taken: to wake a thread
// takes longer than most messages.

/// A rank waits here for its messages.
struct Mailbox {
  std::atomic<bool> hasNews{false}, isAsleep{false};
  std::mutex mutex;
  std::condition_variable changed;

  void notify() {
    hasNews = true;
    // Who goes to sleep says so before it looks a last time.
    if (!isAsleep)
      return;
    std::lock_guard lock(mutex);
    changed.notify_one();
  }
  /// Whether there is something new.
  bool check() { return hasNews && hasNews.exchange(false); }
  void wait(uint64_t timeout) {
    auto arrived = [this] { return hasNews.load(); };
    std::unique_lock lock(mutex);
    isAsleep = true;
    // Longer times overflow in the library.
    if (timeout > 3600000000000u)
      changed.wait(lock, arrived);
    else
      changed.wait_for(lock, std::chrono::nanoseconds(timeout), arrived);
    isAsleep = false;
    hasNews = false;
  }
};

/// From one rank to another. Who comes second copies.
struct alignas(64) Channel {
  enum : uint32_t { Source = 1, Target = 2 };

  std::atomic<uint32_t> given{0}; ///< both while one of the two copies
  const void *source = nullptr;
  void *target = nullptr;
  std::atomic<bool> hasSent{false}, hasReceived{false};
  std::atomic<bool> hasEnded{false}; ///< the sender, after it set the reason
  bool hasReported = false;
  std::string reason;

  /// After `source` or `target` was set. Returns whether a message has passed.
  bool give(uint32_t side, uint64_t bytes) {
    if (!given.fetch_or(side))
      return false;
    std::memcpy(target, source, bytes);
    given = 0;
    hasSent = hasReceived = true;
    return true;
  }
  /// Takes back what nobody has copied, and waits for who does.
  void take(uint32_t side) {
    uint32_t now = given;
    while (now == (Source | Target) ||
           !given.compare_exchange_weak(now, now & ~side)) {
      ::sched_yield();
      now = given;
    }
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
    channel.source = data;
    notify(peer, channel.give(Channel::Source, bytes));
  }
  void receive(uint32_t peer, void *data, uint64_t bytes) {
    Channel &channel = group->channel(peer, rank);
    channel.target = data;
    notify(peer, channel.give(Channel::Target, bytes));
  }

  uint32_t progress(uint64_t timeout, dyn_transport_event_t *events,
                    uint32_t capacity) {
    Mailbox &mailbox = group->mailboxes[rank];
    // Who looks into all channels disturbs those who fill them.
    if (!mailbox.check()) {
      if (!timeout)
        return 0;
      mailbox.wait(timeout);
    }
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
      if (peer == rank)
        continue;
      if (capacity - count < 3) {
        group->mailboxes[rank].notify();
        break;
      }
      if (group->channel(rank, peer).hasSent.exchange(false))
        events[count++] = {peer, DYN_TRANSPORT_SENT, nullptr};
      Channel &channel = group->channel(peer, rank);
      // Asked first, as what was sent before comes before the end.
      bool hasEnded = channel.hasEnded;
      if (channel.hasReceived.exchange(false))
        events[count++] = {peer, DYN_TRANSPORT_RECEIVED, nullptr};
      if (!hasEnded || std::exchange(channel.hasReported, true))
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
      group->channel(peer, rank).take(Channel::Target);
      Channel &out = group->channel(rank, peer);
      out.take(Channel::Source);
      if (out.hasEnded)
        continue;
      out.reason = reason;
      out.hasEnded = true;
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
    const uint64_t spin = size <= availableProcessors() ? spinTime : 0;
    std::vector<dyn_communicator_t *> made(size);
    for (uint32_t rank = 0; rank < size; ++rank) {
      Transport transport =
          makeTransport(std::make_unique<ThreadTransport>(group, rank), rank,
                        size, spin, /*memoryPeers=*/size - 1);
      DYN_RETURN_IF_FAILED(
          makeCommunicator(std::move(transport), options, &made[rank]));
    }
    std::copy(made.begin(), made.end(), out_communicators);
    return DYN_STATUS_OK;
  });
}
