//===- RendezvousTest.cpp - Processes that find each other, or not --------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommTesting.h"

#include <cstdlib>

using namespace dyn::test;

namespace {
struct Member {
  uint32_t rank, size;
};

/// Lets each member join. Those that get a communicator drop it.
std::vector<Outcome> meet(const std::vector<Member> &members, uint32_t port,
                          uint64_t timeoutNs = 10 * second) {
  std::vector<Outcome> outcomes(members.size());
  runThreads(uint32_t(members.size()), [&](uint32_t i) {
    auto [rank, size] = members[i];
    dyn_socket_options_t sockets = socketOptions(rank, size, port, timeoutNs);
    dyn_communicator_t *communicator = nullptr;
    outcomes[i] = Outcome::of(
        dyn_communicator_create_sockets(&sockets, nullptr, &communicator));
    EXPECT_EQ(communicator != nullptr, outcomes[i].status == DYN_STATUS_OK);
    dyn_communicator_release(communicator);
  });
  return outcomes;
}

/// Variables of the environment, which are restored.
class Environment {
public:
  explicit Environment(
      std::vector<std::pair<const char *, const char *>> variables) {
    for (const char *name :
         {"RANK", "WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
          "PMI_RANK", "PMI_SIZE", "MASTER_ADDR", "MASTER_PORT",
          "DYN_MASTER_PORT", "TORCHELASTIC_USE_AGENT_STORE"}) {
      if (const char *value = std::getenv(name))
        before.emplace_back(name, value);
      ::unsetenv(name);
      names.push_back(name);
    }
    for (auto [name, value] : variables)
      ::setenv(name, value, 1);
  }
  ~Environment() {
    for (const char *name : names)
      ::unsetenv(name);
    for (const auto &[name, value] : before)
      ::setenv(name, value.c_str(), 1);
  }

private:
  std::vector<const char *> names;
  std::vector<std::pair<const char *, std::string>> before;
};

Outcome
joinByEnvironment(std::vector<std::pair<const char *, const char *>> variables,
                  uint32_t *rank = nullptr) {
  Environment environment(std::move(variables));
  dyn_socket_options_t sockets = {sizeof(sockets)};
  sockets.timeout_ns = 100 * millisecond;
  dyn_communicator_t *made = nullptr;
  Outcome outcome =
      Outcome::of(dyn_communicator_create_sockets(&sockets, nullptr, &made));
  if (rank)
    *rank = dyn_communicator_rank(made);
  dyn_communicator_release(made);
  return outcome;
}
} // namespace

TEST(RendezvousTest, OtherSize) {
  for (const Outcome &outcome : meet({{0, 3}, {1, 3}, {2, 4}}, freePort())) {
    EXPECT_EQ(outcome.status, DYN_STATUS_INVALID_ARGUMENT);
    EXPECT_EQ(outcome.message,
              "rank 0 has a group of 3 ranks, rank 2 one of 4");
  }
}

TEST(RendezvousTest, SameRankTwice) {
  for (const Outcome &outcome : meet({{0, 3}, {1, 3}, {1, 3}}, freePort())) {
    EXPECT_EQ(outcome.status, DYN_STATUS_INVALID_ARGUMENT);
    EXPECT_EQ(outcome.message, "two processes are rank 1 of 3");
  }
}

TEST(RendezvousTest, MissingRanks) {
  uint32_t port = freePort();
  auto outcomes = meet({{0, 4}, {2, 4}}, port, 300 * millisecond);
  EXPECT_EQ(outcomes[0].status, DYN_STATUS_DEADLINE_EXCEEDED);
  EXPECT_EQ(outcomes[0].message, "ranks 1, 3 did not come to 127.0.0.1:" +
                                     std::to_string(port) + " within 0.3 s");
  EXPECT_EQ(outcomes[1].status, DYN_STATUS_DEADLINE_EXCEEDED);
}

TEST(RendezvousTest, NoLeader) {
  uint32_t port = freePort();
  Outcome outcome = meet({{1, 2}}, port, 100 * millisecond)[0];
  EXPECT_EQ(outcome.status, DYN_STATUS_DEADLINE_EXCEEDED);
  EXPECT_EQ(outcome.message,
            "rank 0 did not answer at 127.0.0.1:" + std::to_string(port) +
                " within 0.1 s: Connection refused");
}

/// Bytes of something else at the port do no harm.
TEST(RendezvousTest, Stranger) {
  uint32_t port = freePort();
  std::thread stranger([&] {
    for (int i = 0; i < 3; ++i) {
      int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
      sockaddr_in address = {};
      address.sin_family = AF_INET;
      address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      address.sin_port = htons(uint16_t(port));
      while (::connect(socket, reinterpret_cast<sockaddr *>(&address),
                       sizeof(address)) != 0)
        std::this_thread::yield();
      const char text[] = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
      EXPECT_GT(::send(socket, text, sizeof(text), MSG_NOSIGNAL), 0);
      ::close(socket);
    }
  });
  std::vector<Outcome> outcomes(3);
  runThreads(3, [&](uint32_t rank) {
    if (rank) // after the stranger
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    outcomes[rank] = meet({{rank, 3}}, port)[0];
  });
  stranger.join();
  for (const Outcome &outcome : outcomes)
    EXPECT_EQ(outcome.message, "");
}

TEST(RendezvousTest, BusyPort) {
  uint32_t port = freePort();
  int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(uint16_t(port));
  ASSERT_EQ(
      ::bind(socket, reinterpret_cast<sockaddr *>(&address), sizeof(address)),
      0);
  ::listen(socket, 1);
  Outcome outcome = meet({{0, 2}}, port, 100 * millisecond)[0];
  ::close(socket);
  EXPECT_EQ(outcome.status, DYN_STATUS_IO_ERROR);
  EXPECT_EQ(outcome.message,
            "rank 0 cannot listen at 127.0.0.1:" + std::to_string(port) +
                ": Address already in use");
}

/// One rank that uses TCP alone, whichever end of a pair it is.
TEST(RendezvousTest, WithoutMemory) {
  for (uint32_t apart : {0u, 1u, 2u}) {
    uint32_t port = freePort();
    runThreads(3, [&](uint32_t rank) {
      dyn_socket_options_t sockets = socketOptions(rank, 3, port);
      sockets.network_only = rank == apart;
      dyn_communicator_t *made = nullptr;
      ASSERT_EQ(dyn_communicator_create_sockets(&sockets, nullptr, &made),
                DYN_STATUS_OK)
          << dyn_last_error();
      Communicator communicator(made);
      dyn_communicator_stats_t stats = {sizeof(stats)};
      EXPECT_EQ(dyn_communicator_stats(made, &stats), DYN_STATUS_OK);
      EXPECT_EQ(stats.memory_peers, rank == apart ? 0u : 1u);
      Exchange exchange(made, [](uint32_t from, uint32_t to) {
        return size_t(1000 * from + 300000 * to);
      });
      EXPECT_EQ(exchange.run(), DYN_STATUS_OK) << dyn_last_error();
      EXPECT_TRUE(exchange.isRight());
    });
  }
}

TEST(RendezvousTest, Arguments) {
  EXPECT_EQ(meet({{3, 3}}, 1)[0].message, "rank is 3, of 3 ranks");
  EXPECT_EQ(meet({{0, 3}}, 70000)[0].message, "port is 70000");
  EXPECT_EQ(meet({{0, 5000}}, 1)[0].message,
            "expected at most 1024 ranks, found 5000");
  dyn_socket_options_t sockets = socketOptions(0, 2, 1);
  sockets.address = "no.such.host.invalid";
  dyn_communicator_t *communicator = nullptr;
  EXPECT_EQ(dyn_communicator_create_sockets(&sockets, nullptr, &communicator),
            DYN_STATUS_NOT_FOUND);
  EXPECT_EQ(std::string(dyn_last_error())
                .find("cannot find the host 'no.such.host.invalid': "),
            0u);
  EXPECT_EQ(dyn_communicator_create_sockets(&sockets, nullptr, nullptr),
            DYN_STATUS_INVALID_ARGUMENT);
}

TEST(RendezvousTest, EnvironmentOfLaunchers) {
  uint32_t rank = 7;
  EXPECT_EQ(
      joinByEnvironment({{"RANK", "0"}, {"WORLD_SIZE", "1"}}, &rank).message,
      "");
  EXPECT_EQ(rank, 0u);
  // The port is the one of each launcher, as the message of rank 1 shows.
  const std::vector<std::pair<const char *, const char *>> location = {
      {"MASTER_ADDR", "127.0.0.1"}, {"MASTER_PORT", "1"}};
  auto at = [&](std::vector<std::pair<const char *, const char *>> more) {
    more.insert(more.end(), location.begin(), location.end());
    return joinByEnvironment(more).message;
  };
  const std::string begin = "rank 0 did not answer at 127.0.0.1:",
                    end = " within 0.1 s: Connection refused";
  EXPECT_EQ(at({{"RANK", "1"}, {"WORLD_SIZE", "2"}}), begin + "1" + end);
  EXPECT_EQ(at({{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "2"}}),
            begin + "1" + end);
  EXPECT_EQ(at({{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}}), begin + "1" + end);
  EXPECT_EQ(at({{"RANK", "1"},
                {"WORLD_SIZE", "2"},
                {"TORCHELASTIC_USE_AGENT_STORE", "True"}}),
            begin + "2" + end);
  EXPECT_EQ(at({{"RANK", "1"}, {"WORLD_SIZE", "2"}, {"DYN_MASTER_PORT", "3"}}),
            begin + "3" + end);
}

TEST(RendezvousTest, EnvironmentThatIsWrong) {
  EXPECT_EQ(joinByEnvironment({}).message,
            "no rank is set: expected RANK and WORLD_SIZE, or the variables of "
            "mpirun");
  EXPECT_EQ(joinByEnvironment({{"RANK", "0"}}).message,
            "WORLD_SIZE is not set");
  EXPECT_EQ(joinByEnvironment({{"RANK", "two"}, {"WORLD_SIZE", "2"}}).message,
            "RANK is 'two': expected a number of at most 4294967295");
  EXPECT_EQ(joinByEnvironment({{"RANK", "1"}, {"WORLD_SIZE", "2"}}).message,
            "MASTER_ADDR is not set");
  EXPECT_EQ(
      joinByEnvironment(
          {{"RANK", "1"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "127.0.0.1"}})
          .message,
      "MASTER_PORT is not set");
}
