//===- Simulator.h - Ranks and links by discrete events -------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Each rank runs its tasks in order: it computes for a time, starts its part of
// an exchange, or waits for the end of that part. A message leaves when both
// ranks have started the exchange, as the communicator's do. Each link passes
// messages in the order in which they leave, at its rate, each direction by
// itself; a message has arrived its latency after the last of its links has
// passed it.

#ifndef DYN_PLAN_SIMULATOR_H
#define DYN_PLAN_SIMULATOR_H

#include "dyn/Plan/Machine.h"

#include <string>
#include <vector>

namespace dyn::plan {

struct Task {
  enum class Kind : uint8_t { Compute, Start, Wait };

  Kind kind;
  /// Of Compute.
  double seconds = 0;
  /// Of Start and Wait.
  size_t exchange = 0;
  /// An index of the caller, for timelines.
  size_t label = 0;
};

struct Program {
  /// The tasks of each rank.
  std::vector<std::vector<Task>> tasks;
  /// The messages of each exchange.
  std::vector<llvm::SmallVector<Message>> exchanges;
};

/// A time in which a rank computes or waits.
struct Span {
  int64_t rank;
  bool isWait;
  size_t label;
  double begin, end;
};

struct Simulation {
  double seconds = 0;
  /// Of each rank.
  std::vector<double> busySeconds;
  /// Through the links of each level, out of its groups.
  std::vector<double> bytes;
  uint64_t messages = 0;
  /// In the order of their ends.
  std::vector<Span> spans;
};

/// Runs a program. Fails if ranks wait for each other for ever.
llvm::Expected<Simulation> simulate(const Program &program,
                                    const Machine &machine);

} // namespace dyn::plan

#endif // DYN_PLAN_SIMULATOR_H
