//===- Rendezvous.h - How the processes of a group find each other --------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_COMM_RENDEZVOUS_H
#define DYN_RUNTIME_COMM_RENDEZVOUS_H

#include "Socket.h"
#include "Status.h"

namespace dyn::rt {

/// Where and as whom a process joins a group.
struct Membership {
  uint32_t rank = 0, size = 0;
  std::string address;
  uint16_t port = 0;
  uint64_t timeout = 0;

  /// Reads from the environment what is not set.
  dyn_status_t complete();
};

/// Connects all pairs. Each rank tells rank 0 where it listens, which checks
/// that all agree and sends the list to all; then each connects to those before
/// it. Fills a connection for each other rank.
dyn_status_t meet(const Membership &self, std::vector<Socket> &peers);

} // namespace dyn::rt

#endif // DYN_RUNTIME_COMM_RENDEZVOUS_H
