//===- Peer.h - The rounds that a pair of ranks has queued ----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_COMM_PEER_H
#define DYN_RUNTIME_COMM_PEER_H

#include "Round.h"

#include <deque>

namespace dyn::rt {

/// One direction of a pair: its rounds in order, of which the first moves its
/// header and then its data.
struct Direction {
  std::deque<Round *> rounds;
  Header header;            ///< of the first round
  bool isInData = false;    ///< else in the header
  bool isPosted = false;    ///< the transport has the message
  bool isScheduled = false; ///< `due` is that of the message
  uint64_t due = 0;         ///< when a limited link has taken it

  RoundPart &part(uint32_t peer) { return rounds.front()->parts[peer]; }
};

struct Peer {
  Direction sending, receiving;
  uint64_t linkFree = 0;         ///< when a limited link is free
  uint64_t pairedOperations = 0; ///< sends, receives, exchanges
  bool hasLeft = false;
  uint64_t leftAt = 0;

  /// A round that it still has to do with this rank, or null.
  const Round *current() const {
    for (const Direction *direction : {&receiving, &sending})
      if (!direction->rounds.empty())
        return direction->rounds.front();
    return nullptr;
  }
};

} // namespace dyn::rt

#endif // DYN_RUNTIME_COMM_PEER_H
