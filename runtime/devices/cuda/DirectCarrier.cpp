//===- DirectCarrier.cpp - Exchanges of rows between devices --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DirectCarrier.h"

#include "Clock.h"
#include "CudaSpace.h"
#include "Ranks.h"

#include <cstdio>
#include <unistd.h>

using namespace dyn::rt;

//===----------------------------------------------------------------------===//
// Movements
//===----------------------------------------------------------------------===//

Movements::~Movements() {
  for (const Movement &movement : movements)
    free.push_back(movement.end);
  for (dyn_cuda_event_t event : free)
    cuda.eventDestroy(event);
  if (own)
    cuda.streamDestroy(own);
}

dyn_status_t Movements::takeEvent(dyn_cuda_event_t &event) {
  if (free.empty()) {
    free.reserve(1);
    dyn_cuda_event_t made = nullptr;
    DYN_RETURN_IF_FAILED(
        cuda.check(cuda.eventCreate(&made, DYN_CUDA_EVENT_DISABLE_TIMING),
                   "make an event"));
    free.push_back(made);
  }
  event = free.back();
  free.pop_back();
  return DYN_STATUS_OK;
}

dyn_status_t Movements::begin(DeviceRanks &ranks,
                              const std::vector<ExchangePart> &parts,
                              const ExchangeTerms &terms,
                              dyn_cuda_stream_t stream, dyn_cuda_event_t &end) {
  constexpr const char *what = "exchange rows between devices";
  if (!own) {
    dyn_cuda_stream_t made = nullptr;
    DYN_RETURN_IF_FAILED(cuda.check(
        cuda.streamCreate(&made, DYN_CUDA_STREAM_NON_BLOCKING), what));
    own = made;
  }
  uint64_t timeout =
      terms.timeoutNs ? terms.timeoutNs : terms.communicator.timeout();
  Movement fresh = {&ranks,  &terms.communicator, terms.cancel,
                    timeout, timeAfter(timeout),  {},
                    nullptr};
  for (const ExchangePart &part : parts)
    if (part.sends || part.receives)
      fresh.peers.push_back(part.rank);
  movements.reserve(movements.size() + 1);
  DYN_RETURN_IF_FAILED(takeEvent(fresh.end));
  end = fresh.end;
  movements.push_back(fresh);
  // One event after the other: the library's work follows what has been queued.
  DYN_RETURN_IF_FAILED(cuda.check(cuda.eventRecord(end, stream), what));
  DYN_RETURN_IF_FAILED(cuda.check(cuda.streamWaitEvent(own, end, 0), what));
  DYN_RETURN_IF_FAILED(ranks.queue(parts, own, fresh.deadline));
  return cuda.check(cuda.eventRecord(end, own), what);
}

dyn_status_t Movements::wait(const Movement &movement) {
  for (int i = 0;; ++i) {
    int result = cuda.eventQuery(movement.end);
    if (result != DYN_CUDA_NOT_READY)
      return cuda.check(result, "exchange rows between devices");
    DYN_RETURN_IF_FAILED(movement.ranks->check());
    DYN_RETURN_IF_FAILED(movement.communicator->check(movement.peers));
    if (movement.cancel && __atomic_load_n(movement.cancel, __ATOMIC_RELAXED))
      return fail(DYN_STATUS_CANCELLED, "the call was cancelled");
    if (now() >= movement.deadline) {
      char seconds[32];
      std::snprintf(seconds, sizeof(seconds), "%g",
                    double(movement.timeout) / 1e9);
      return fail(DYN_STATUS_DEADLINE_EXCEEDED,
                  "the device of %s did not exchange rows within %s s",
                  nameRanks(movement.peers).c_str(), seconds);
    }
    if (i > 100)
      ::usleep(20);
  }
}

dyn_status_t Movements::settle(std::string &text) {
  std::string before = movements.empty() ? "" : dyn_last_error();
  dyn_status_t status = DYN_STATUS_OK;
  for (const Movement &movement : movements) {
    if (!status && (status = wait(movement))) {
      text = dyn_last_error();
      movement.communicator->abort(status, text);
      movement.ranks->abort();
    }
    free.push_back(movement.end);
  }
  movements.clear();
  if (status)
    fail(status, "%s", before.c_str());
  return status;
}

//===----------------------------------------------------------------------===//
// The carrier
//===----------------------------------------------------------------------===//

namespace {
class DirectExchange final : public PendingExchange {
public:
  DirectExchange(CudaSpace &space, dyn_cuda_event_t end)
      : space(space), end(end) {}

  /// Work that is queued from now on follows the exchange.
  dyn_status_t wait(RankError &) override {
    const Driver &cuda = space.program.driver();
    return cuda.check(cuda.streamWaitEvent(space.stream, end, 0),
                      "wait for an exchange of rows");
  }

private:
  CudaSpace &space;
  dyn_cuda_event_t end;
};
} // namespace

dyn_status_t DirectCarrier::begin(const std::vector<ExchangePart> &parts,
                                  const ExchangeTerms &terms,
                                  std::unique_ptr<PendingExchange> &out) {
  std::unique_ptr<PendingExchange> agreement;
  DYN_RETURN_IF_FAILED(terms.communicator.exchange(
      parts, terms.timeoutNs, terms.cancel, Rows::MovedElsewhere, terms.error,
      agreement));
  // A kernel's error ends a call on a device before it exchanges rows.
  RankError none;
  DYN_RETURN_IF_FAILED(agreement->wait(none));
  space.isQueued = true;
  dyn_cuda_event_t end = nullptr;
  DYN_RETURN_IF_FAILED(
      space.movements.begin(ranks, parts, terms, space.stream, end));
  for (const ExchangePart &part : parts)
    space.directBytes += part.sends + part.receives;
  out = std::make_unique<DirectExchange>(space, end);
  return DYN_STATUS_OK;
}
