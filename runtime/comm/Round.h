//===- Round.h - Exchanges between ranks, and their headers ---------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operation is one round or two. In a round, each pair of ranks that it
// concerns exchanges at most one message each way, after a header each way. An
// operation that waits for itself to be reduced between two rounds has both
// queued from the beginning, so that all ranks have the same order.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_COMM_ROUND_H
#define DYN_RUNTIME_COMM_ROUND_H

#include "Communicator.h"

#include "dyn/comm.h"

#include <string>
#include <vector>

namespace dyn::rt {

enum class Operation : uint32_t {
  AllToAll,
  AllGather,
  Broadcast,
  AllReduce,
  Barrier,
  Send,
  Receive,
  Exchange ///< of a call, with some of the ranks
};

/// Two ranks tell each other this before data move.
struct Header {
  static constexpr uint32_t expectedMagic = 0x32637964; ///< "dyc2"

  uint32_t magic = expectedMagic;
  Operation operation;
  uint64_t number;  ///< of the operation; see RankCommunicator::begin
  uint32_t detail;  ///< root; or type, reduction and order
  uint32_t group;   ///< of some of the ranks; 0 for all
  uint64_t count;   ///< of elements of a reduction, else 0
  uint64_t sends;   ///< bytes to the other rank
  uint64_t expects; ///< bytes from it
  RankError error;  ///< of an exchange
};
static_assert(sizeof(Header) == 56);

/// "all_to_all 17"
std::string nameOf(const Header &header);

/// Why the headers of two ranks do not match, in the same words on both; "" if
/// they do.
std::string compareHeaders(uint32_t rank, const Header &own, uint32_t peer,
                           const Header &theirs);

/// The data that a round moves between this rank and a peer.
struct RoundPart {
  const void *send = nullptr;
  void *receive = nullptr;
  uint64_t sends = 0, expects = 0;
  uint64_t number = 0; ///< of the operation, as both sides count
  /// Directions that have not ended: 0 if the round does not concern the peer.
  uint32_t left = 0;
  bool isAgreed = false; ///< the peer's header matches
};

struct Round {
  dyn_request *request = nullptr;
  std::vector<RoundPart> parts; ///< by rank
  uint32_t left = 0;            ///< of all parts
  bool isReady = false;         ///< what it sends is there

  /// Adds a pair of directions.
  void exchange(uint32_t peer, dyn_part_t sent, dyn_part_t received) {
    parts[peer] = {sent.data, received.data, sent.bytes, received.bytes, 0,
                   2,         false};
    left += 2;
  }
};

} // namespace dyn::rt

#endif // DYN_RUNTIME_COMM_ROUND_H
