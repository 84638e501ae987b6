//===- Communicator.h - Communicators, as contexts know them --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_CORE_COMMUNICATOR_H
#define DYN_RUNTIME_CORE_COMMUNICATOR_H

#include "Object.h"
#include "Status.h"

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace dyn::rt {

/// The data that a rank sends to another one and receives from it.
struct ExchangePart {
  uint32_t rank;
  const void *send;
  uint64_t sends;
  void *receive;
  uint64_t receives;
};

/// Whether a communicator moves the data of an exchange, or only compares their
/// bytes because something else moves them.
enum class Rows { MovedHere, MovedElsewhere };

/// A data error that a kernel of a rank has met, or none. Who hears of it in an
/// exchange tells it in later ones.
struct RankError {
  uint32_t site = UINT32_MAX; ///< of the artifact, which all ranks have
  uint32_t rank = 0;

  explicit operator bool() const { return site != UINT32_MAX; }
  /// Keeps the one that comes first in program order.
  void merge(const RankError &other) {
    if (std::pair(other.site, other.rank) < std::pair(site, rank))
      *this = other;
  }
};

/// An exchange that has begun.
class PendingExchange {
public:
  virtual ~PendingExchange() = default;
  /// Lets another thread move it, as the caller goes on to something else.
  virtual void moveAlone() {}
  /// Ends it, and merges the errors of the other ranks into `heard`. Called
  /// once before it is destroyed.
  virtual dyn_status_t wait(RankError &heard) = 0;
};

} // namespace dyn::rt

/// See comm.h; runtime/comm derives from it.
struct dyn_communicator : dyn::rt::Object<dyn_communicator> {
  dyn_communicator(uint32_t rank, uint32_t size) : rank(rank), size(size) {}
  virtual ~dyn_communicator() = default;

  /// False while a call of the group runs: two at a time would have no order.
  std::atomic<bool> isIdle{true};

  /// Begins an exchange with some of the other ranks, each at most once. It
  /// fails after `timeoutNs`, 0 for the communicator's own limit, or soon after
  /// `cancel`, which may be null, becomes non-zero. Parts that two ranks do not
  /// agree on are INVALID_ARGUMENT. `error` is told to those ranks.
  virtual dyn_status_t
  exchange(const std::vector<dyn::rt::ExchangePart> &parts, uint64_t timeoutNs,
           const volatile int32_t *cancel, dyn::rt::Rows rows,
           const dyn::rt::RankError &error,
           std::unique_ptr<dyn::rt::PendingExchange> &out) = 0;

  /// Fails if it has failed, or one of these ranks has left: asked while
  /// something else moves rows between them.
  virtual dyn_status_t check(const std::vector<uint32_t> &peers) = 0;

  /// Nanoseconds after which operations without a deadline of their own fail.
  virtual uint64_t timeout() = 0;

  /// Fails on all ranks: here with this status and reason, which the others
  /// quote. Does nothing if it has failed before.
  virtual void abort(dyn_status_t status, const std::string &reason) = 0;

  const uint32_t rank;
  const uint32_t size;
};

#endif // DYN_RUNTIME_CORE_COMMUNICATOR_H
