//===- RankCommunicator.h - Operations over a transport -------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Moves the rounds of requests. In each direction of a pair, rounds follow one
// another: header, then data once the peer's header matches and what is sent is
// ready. So a pair needs no more than one message each way at a time, nothing
// is sent that has no place at the other end, and pairs do not wait for each
// other.
//
// One thread at a time polls the transport: one that waits for a request, else
// the communicator's own, which is started with the first request that nobody
// waits for. To wake it takes longer than a short exchange, so what is begun
// moves at once as far as it can in memory, and exchanges of calls wake the
// thread only when the call goes on to something else. The transport is used by
// who holds the mutex while nobody polls, or by who polls. A thread that begins
// a request while another one polls wakes it.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_COMM_RANKCOMMUNICATOR_H
#define DYN_RUNTIME_COMM_RANKCOMMUNICATOR_H

#include "Peer.h"
#include "Request.h"
#include "Transport.h"

#include <condition_variable>
#include <mutex>
#include <pthread.h>

namespace dyn::rt {

class RankCommunicator;

/// The ranks of a transport, or some of them.
struct RankGroup : dyn_communicator {
  using dyn_communicator::dyn_communicator;
  /// Begins the request. Waits for it if `out` is null.
  virtual dyn_status_t begin(std::unique_ptr<dyn_request> request,
                             const dyn_transfer_options_t *options,
                             dyn_request_t **out) = 0;
  virtual RankCommunicator &whole() = 0;

  dyn_status_t exchange(const std::vector<ExchangePart> &parts,
                        uint64_t timeoutNs, const volatile int32_t *cancel,
                        Rows rows, const RankError &error,
                        std::unique_ptr<PendingExchange> &out) final;
  uint64_t timeout() final;
  void abort(dyn_status_t status, const std::string &reason) final;
};

class RankCommunicator final : public RankGroup {
public:
  RankCommunicator(Transport transport,
                   const dyn_communicator_options_t &options);
  ~RankCommunicator() override;

  dyn_status_t begin(std::unique_ptr<dyn_request> request,
                     const dyn_transfer_options_t *options,
                     dyn_request_t **out) override {
    return begin(std::move(request), options, out, operations);
  }
  /// The same for a group with a counter of its own. Parts are by rank of this
  /// one.
  dyn_status_t begin(std::unique_ptr<dyn_request> request,
                     const dyn_transfer_options_t *options, dyn_request_t **out,
                     uint64_t &counter);
  RankCommunicator &whole() override { return *this; }
  /// The request belongs to the caller again.
  dyn_status_t wait(dyn_request &request);
  /// Lets the communicator's own thread move a request while nobody waits.
  void moveAlone(dyn_request &request);
  /// See dyn_communicator::abort.
  void abortAll(dyn_status_t status, const std::string &reason);
  dyn_status_t check(const std::vector<uint32_t> &ranks) override;
  dyn_communicator_stats_t getStats();
  uint64_t getTimeout() const { return ownTimeout; }

  /// The number of the next group of some ranks, which no pair of this rank has
  /// used.
  uint32_t nextGroup();
  void setLastGroup(uint32_t last);

private:
  using Lock = std::unique_lock<std::mutex>;

  void enqueue(dyn_request &request, uint64_t &counter);
  /// Waits for events for at most `mostNs`, of which it asks again and again
  /// for `spinNs` before it sleeps. Returns whether there were any.
  bool poll(Lock &lock, uint64_t mostNs, uint64_t spinNs);
  uint32_t awaitEvents(uint64_t mostNs, uint64_t spinNs,
                       dyn_transport_event_t (&events)[32]);
  void wakePoller();
  void pollInBackground();
  bool startThread();

  // With the mutex, while no other thread polls:
  void postAll();
  void postSend(uint32_t index, uint64_t time);
  void postReceive(uint32_t index);
  void handle(const dyn_transport_event_t &event);
  void handleSent(uint32_t index);
  void handleReceived(uint32_t index);
  void finish(uint32_t index, Direction &direction);
  void advance(dyn_request &request);
  void checkPeers();
  void checkEnding();
  void checkTime();
  uint64_t nextTime();
  void end(dyn_request &request, dyn_status_t status);
  void failAll(dyn_status_t status, const std::string &own,
               const std::string &told);

  Transport transport;
  const uint64_t ownTimeout;
  uint64_t rate;
  const bool isInMemory; ///< all messages pass in memory
  const int process;

  std::mutex mutex;                ///< guards the members below
  std::condition_variable changed; ///< a request has ended, or nobody polls
  std::condition_variable work;    ///< for the communicator's own thread
  std::vector<Peer> peers;
  std::vector<dyn_request *> active;
  uint64_t operations = 0;
  uint32_t lastGroup = 0;
  uint32_t waiters = 0;
  bool isPolling = false;
  std::atomic<bool> isWoken{false}; ///< who polls has to look here
  bool isEnding = false;
  bool hasThread = false;
  pthread_t thread;
  dyn_status_t failure = DYN_STATUS_OK;
  std::string failureText;
  /// Why this rank ends the communicator, if it does.
  dyn_status_t ending = DYN_STATUS_OK;
  std::string endingText;
  dyn_communicator_stats_t stats = {};
};

/// The same, of the communicator that the request belongs to.
void moveAlone(dyn_request &request);

} // namespace dyn::rt

#endif // DYN_RUNTIME_COMM_RANKCOMMUNICATOR_H
