//===- Rendezvous.h - How the processes of a group find each other --------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_COMM_RENDEZVOUS_H
#define DYN_RUNTIME_COMM_RENDEZVOUS_H

#include "MemoryLink.h"
#include "Status.h"

namespace dyn::rt {

/// Where and as whom a process joins a group.
struct Membership {
  uint32_t rank = 0, size = 0;
  std::string address;
  uint16_t port = 0;
  uint64_t timeout = 0;
  bool isNetworkOnly = false; ///< without memory between processes

  /// Reads from the environment what is not set.
  dyn_status_t complete();
};

/// Ways between two processes.
struct Connection {
  Socket socket;
  MemoryLink memory; ///< if both are on one machine, and can see each other
};

/// Connects all pairs. Each rank tells rank 0 where it listens, which checks
/// that all agree and sends the list to all; then each connects to those before
/// it. Where both ends have one address, the first rank offers memory. Fills a
/// connection for each other rank.
dyn_status_t meet(const Membership &self, std::vector<Connection> &peers);

} // namespace dyn::rt

#endif // DYN_RUNTIME_COMM_RENDEZVOUS_H
