//===- Simulator.cpp - Ranks and links by discrete events -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Plan/Simulator.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

#include <queue>

using namespace dyn::plan;
using namespace llvm;

namespace {
class Simulator {
public:
  Simulator(const Program &program, const Machine &machine);

  Expected<Simulation> run();

private:
  /// An exchange, as a rank that takes part in it knows it.
  struct Part {
    bool hasStarted = false;
    /// The messages from and to the rank, those that have not left, and the
    /// time at which the others have arrived.
    std::vector<size_t> messages;
    size_t numPending = 0;
    double arrived = 0;
  };
  struct Rank {
    size_t next = 0;
    /// Since when the rank waits for messages to leave; -1 if it does not.
    double waitsSince = -1;
    /// By exchange.
    DenseMap<size_t, Part> parts;
  };
  using Event = std::pair<double, int64_t>;

  /// Runs tasks of a rank from a time on, until it computes or waits.
  void advance(int64_t rank, double now);
  void start(int64_t rank, size_t exchange, double now);
  /// The time at which a message arrives that leaves now.
  double send(const Message &message, double now);
  /// Ends a wait whose messages have all left.
  void endWait(int64_t rank, const Task &wait, double since, double arrived);
  void resume(int64_t rank, double at) { events.push({at, rank}); }

  const Program &program;
  const Machine &machine;
  std::vector<Rank> ranks;
  /// For each level, when the links of its groups are free, out and in.
  std::vector<std::vector<std::pair<double, double>>> links;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
  Simulation result;
};
} // namespace

Simulator::Simulator(const Program &program, const Machine &machine)
    : program(program), machine(machine), ranks(program.tasks.size()) {
  for (auto [exchange, messages] : enumerate(program.exchanges))
    for (auto [i, message] : enumerate(messages))
      if (message.from != message.to)
        for (int64_t rank : {message.from, message.to}) {
          Part &part = ranks[rank].parts[exchange];
          part.messages.push_back(i);
          ++part.numPending;
        }
  for (const LinkLevel &level : machine.links)
    links.emplace_back(divideCeil(ranks.size(), level.ranks));
  result.busySeconds.resize(ranks.size());
  result.bytes.resize(links.size());
}

double Simulator::send(const Message &message, double now) {
  size_t levels = machine.countLevels(message.from, message.to);
  double passed = now;
  auto pass = [&](double &free, const LinkLevel &link) {
    free = std::max(free, now) + message.bytes / link.bytesPerSecond;
    passed = std::max(passed, free);
  };
  for (size_t level = 0; level < levels; ++level) {
    const LinkLevel &link = machine.links[level];
    pass(links[level][message.from / link.ranks].first, link);
    pass(links[level][message.to / link.ranks].second, link);
    result.bytes[level] += message.bytes;
  }
  ++result.messages;
  return passed + machine.links[levels - 1].seconds;
}

void Simulator::endWait(int64_t rank, const Task &wait, double since,
                        double arrived) {
  double end = std::max(since, arrived);
  if (end > since)
    result.spans.push_back({rank, /*isWait=*/true, wait.label, since, end});
  ++ranks[rank].next;
  ranks[rank].waitsSince = -1;
  resume(rank, end);
}

void Simulator::start(int64_t rank, size_t exchange, double now) {
  Part &own = ranks[rank].parts[exchange];
  own.hasStarted = true;
  for (size_t i : own.messages) {
    const Message &message = program.exchanges[exchange][i];
    int64_t peer = message.from == rank ? message.to : message.from;
    Part &other = ranks[peer].parts[exchange];
    if (!other.hasStarted)
      continue;
    double arrived = send(message, now);
    for (Part *part : {&own, &other}) {
      --part->numPending;
      part->arrived = std::max(part->arrived, arrived);
    }
    Rank &waiting = ranks[peer];
    if (waiting.waitsSince < 0 || other.numPending)
      continue;
    const Task &wait = program.tasks[peer][waiting.next];
    if (wait.exchange == exchange)
      endWait(peer, wait, waiting.waitsSince, other.arrived);
  }
}

void Simulator::advance(int64_t rank, double now) {
  Rank &own = ranks[rank];
  while (own.next < program.tasks[rank].size()) {
    const Task &task = program.tasks[rank][own.next];
    switch (task.kind) {
    case Task::Kind::Compute:
      result.busySeconds[rank] += task.seconds;
      result.spans.push_back(
          {rank, /*isWait=*/false, task.label, now, now + task.seconds});
      ++own.next;
      resume(rank, now + task.seconds);
      return;
    case Task::Kind::Start:
      start(rank, task.exchange, now);
      ++own.next;
      break;
    case Task::Kind::Wait: {
      const Part &part = own.parts[task.exchange];
      if (part.numPending == 0)
        endWait(rank, task, now, part.arrived);
      else
        own.waitsSince = now;
      return;
    }
    }
  }
  result.seconds = std::max(result.seconds, now);
}

Expected<Simulation> Simulator::run() {
  for (size_t rank = 0; rank < ranks.size(); ++rank)
    resume(rank, 0);
  while (!events.empty()) {
    auto [now, rank] = events.top();
    events.pop();
    advance(rank, now);
  }
  for (auto [rank, state] : enumerate(ranks))
    if (state.next < program.tasks[rank].size())
      return createStringError("simulation: rank " + Twine(rank) +
                               " waits for ever for exchange " +
                               Twine(program.tasks[rank][state.next].exchange));
  return std::move(result);
}

Expected<Simulation> dyn::plan::simulate(const Program &program,
                                         const Machine &machine) {
  return Simulator(program, machine).run();
}
