//===- Round.cpp - Exchanges between ranks, and their headers -------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Round.h"

using namespace dyn::rt;

static const char *nameOf(Operation operation) {
  switch (operation) {
  case Operation::AllToAll:
    return "all_to_all";
  case Operation::AllGather:
    return "all_gather";
  case Operation::Broadcast:
    return "broadcast";
  case Operation::AllReduce:
    return "all_reduce";
  case Operation::Barrier:
    return "barrier";
  case Operation::Send:
    return "send";
  case Operation::Receive:
    return "receive";
  case Operation::Exchange:
    return "exchange";
  }
  return "unknown operation";
}

std::string dyn::rt::nameOf(const Header &header) {
  std::string name =
      ::nameOf(header.operation) + (" " + std::to_string(header.number));
  return header.group ? name + " of group " + std::to_string(header.group)
                      : name;
}

/// The root, or the kind of reduction.
static std::string describe(const Header &header) {
  if (header.operation == Operation::Broadcast)
    return "root " + std::to_string(header.detail);
  static const char *const reductions[] = {"sum", "min", "max"};
  static const char *const orders[] = {"by rank", "tree"};
  auto dtype = dyn_dtype_t(header.detail & 0xff);
  return std::to_string(header.count) + " " + dyn_dtype_name(dtype) + ", " +
         reductions[header.detail >> 8 & 3] + ", " +
         orders[header.detail >> 16 & 1];
}

static std::string rankIs(uint32_t rank, const std::string &what) {
  return "rank " + std::to_string(rank) + what;
}

static std::string sizes(uint32_t from, uint32_t to, uint64_t sent,
                         uint64_t expected) {
  return rankIs(from, " sends " + std::to_string(sent)) + " bytes to " +
         rankIs(to, ", which expects " + std::to_string(expected));
}

/// The operation that the other side of a pair is in.
static Operation opposite(Operation operation) {
  if (operation == Operation::Send)
    return Operation::Receive;
  return operation == Operation::Receive ? Operation::Send : operation;
}

std::string dyn::rt::compareHeaders(uint32_t rank, const Header &own,
                                    uint32_t peer, const Header &theirs) {
  if (rank > peer)
    return compareHeaders(peer, theirs, rank, own);
  for (auto [index, header] : {std::pair{rank, &own}, {peer, &theirs}})
    if (header->magic != Header::expectedMagic ||
        header->operation > Operation::Exchange)
      return rankIs(index, " is of another version of the runtime");
  if (own.operation != opposite(theirs.operation) ||
      own.number != theirs.number || own.group != theirs.group)
    return rankIs(rank, " is in " + nameOf(own)) + ", " +
           rankIs(peer, " in " + nameOf(theirs));
  std::string differ;
  if (own.detail != theirs.detail || own.count != theirs.count)
    differ = rankIs(rank, " has " + describe(own)) + ", " +
             rankIs(peer, " has " + describe(theirs));
  else if (own.sends != theirs.expects)
    differ = sizes(rank, peer, own.sends, theirs.expects);
  else if (theirs.sends != own.expects)
    differ = sizes(peer, rank, theirs.sends, own.expects);
  return differ.empty() ? differ : nameOf(own) + ": " + differ;
}
