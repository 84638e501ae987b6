//===- Request.h - Operations that have begun -----------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_COMM_REQUEST_H
#define DYN_RUNTIME_COMM_REQUEST_H

#include "Object.h"
#include "Round.h"

#include <functional>
#include <memory>

/// See comm.h. The communicator's mutex guards it once it has begun.
struct dyn_request {
  dyn_request(dyn_communicator &communicator, dyn::rt::Operation operation,
              uint32_t rounds)
      : communicator(dyn::rt::Ref<dyn_communicator>::share(&communicator)),
        rounds(rounds) {
    header.operation = operation;
    for (dyn::rt::Round &round : this->rounds) {
      round.request = this;
      round.parts.resize(communicator.size);
    }
  }

  dyn::rt::Ref<dyn_communicator> communicator;
  /// The same for all its peers, but for the bytes.
  dyn::rt::Header header = {};
  std::vector<dyn::rt::Round> rounds;
  size_t current = 0; ///< the first round that has not ended
  /// What is computed between the first two rounds.
  std::function<void()> between;
  std::unique_ptr<char[]> scratch;
  dyn::rt::Rows rows = dyn::rt::Rows::MovedHere;

  uint64_t timeout = 0, deadline = 0;
  const volatile int32_t *cancel = nullptr;
  dyn_status_t status = DYN_STATUS_OK;
  dyn::rt::RankError heard; ///< of its peers
  bool hasEnded = false;
  bool isLeftAlone = false; ///< the communicator's own thread may move it

  bool isCancelled() const {
    return cancel && __atomic_load_n(cancel, __ATOMIC_RELAXED);
  }
};

#endif // DYN_RUNTIME_COMM_REQUEST_H
