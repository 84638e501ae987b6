//===- CommFailureTest.cpp - Ranks that disagree, are late, or leave ------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommTesting.h"

#include <atomic>
#include <chrono>
#include <sys/wait.h>

using namespace dyn::test;

namespace {
class CommFailureTest : public ::testing::TestWithParam<Kind> {
protected:
  using Body = std::function<dyn_status_t(dyn_communicator_t *, uint32_t)>;

  /// Runs a body in each rank.
  std::vector<Outcome> run(uint32_t size, const Body &body,
                           uint64_t timeoutNs = 10 * second) {
    group = makeGroup(GetParam(), size, communicatorOptions(timeoutNs));
    std::vector<Outcome> outcomes(size);
    runThreads(size, [&](uint32_t rank) {
      outcomes[rank] = Outcome::of(body(group[rank].get(), rank));
    });
    return outcomes;
  }

  std::vector<Communicator> group;
};

INSTANTIATE_TEST_SUITE_P(Kinds, CommFailureTest,
                         ::testing::Values(Kind::Threads, Kind::Sockets,
                                           Kind::Network),
                         [](const auto &info) {
                           return info.param == Kind::Threads   ? "Threads"
                                  : info.param == Kind::Sockets ? "Sockets"
                                                                : "Network";
                         });

dyn_status_t sum(dyn_communicator_t *communicator, uint64_t count,
                 dyn_reduction_order_t order) {
  std::vector<float> values(count);
  return dyn_communicator_all_reduce(communicator, values.data(), values.data(),
                                     count, DYN_F32, DYN_REDUCE_SUM, order,
                                     nullptr, nullptr);
}

void expectAll(const std::vector<Outcome> &outcomes, dyn_status_t status,
               const std::string &message) {
  for (const Outcome &outcome : outcomes) {
    EXPECT_EQ(outcome.status, status);
    EXPECT_EQ(outcome.message, message);
  }
}

/// Until it fails. An operation of which a rank has all may succeed there,
/// though others have failed already.
dyn_status_t repeatBarrier(dyn_communicator_t *communicator) {
  dyn_status_t status;
  do
    status = dyn_communicator_barrier(communicator, nullptr, nullptr);
  while (status == DYN_STATUS_OK);
  return status;
}

/// Ranks may be told in an operation, or before they begin the next one.
void expectReason(const std::vector<Outcome> &outcomes,
                  const std::string &reason) {
  for (const Outcome &outcome : outcomes) {
    EXPECT_NE(outcome.status, DYN_STATUS_OK);
    EXPECT_NE(outcome.message.find(reason), std::string::npos)
        << outcome.message;
  }
}
} // namespace

//===----------------------------------------------------------------------===//
// Ranks that disagree
//===----------------------------------------------------------------------===//

/// Both sides name both, and what is received stays as it was.
TEST_P(CommFailureTest, Sizes) {
  expectAll(run(2,
                [](dyn_communicator_t *communicator, uint32_t rank) {
                  std::vector<char> memory[4];
                  dyn_part_t sends[2], receives[2];
                  for (int i = 0; i < 2; ++i) {
                    memory[i].assign(100, 1);
                    memory[2 + i].assign(100, 2);
                    sends[i] = partOf(memory[i]);
                    receives[i] = partOf(memory[2 + i]);
                  }
                  // Rank 1 expects too little.
                  if (rank == 1)
                    receives[0].bytes = 80;
                  dyn_status_t status = dyn_communicator_all_to_all(
                      communicator, sends, receives, nullptr, nullptr);
                  EXPECT_EQ(memory[2 + !rank], std::vector<char>(100, 2));
                  return status;
                }),
            DYN_STATUS_INVALID_ARGUMENT,
            "all_to_all 1: rank 0 sends 100 bytes to rank 1, which expects 80");
  expectAll(run(2,
                [](dyn_communicator_t *communicator, uint32_t rank) {
                  char bytes[8] = {};
                  return rank == 1
                             ? dyn_communicator_send(communicator, 0, bytes, 8,
                                                     nullptr, nullptr)
                             : dyn_communicator_receive(communicator, 1, bytes,
                                                        5, nullptr, nullptr);
                }),
            DYN_STATUS_INVALID_ARGUMENT,
            "receive 1: rank 1 sends 8 bytes to rank 0, which expects 5");
}

TEST_P(CommFailureTest, Operations) {
  expectAll(run(2,
                [](dyn_communicator_t *communicator, uint32_t rank) {
                  return rank ? dyn_communicator_barrier(communicator, nullptr,
                                                         nullptr)
                              : sum(communicator, 5, DYN_ORDER_TREE);
                }),
            DYN_STATUS_INVALID_ARGUMENT,
            "rank 0 is in all_reduce 1, rank 1 in barrier 1");
  expectAll(run(2,
                [](dyn_communicator_t *communicator, uint32_t rank) {
                  char byte = 0;
                  return dyn_communicator_send(communicator, !rank, &byte, 1,
                                               nullptr, nullptr);
                }),
            DYN_STATUS_INVALID_ARGUMENT,
            "rank 0 is in send 1, rank 1 in send 1");
}

TEST_P(CommFailureTest, RootsAndReductions) {
  expectAll(run(2,
                [](dyn_communicator_t *communicator, uint32_t rank) {
                  char byte = 0;
                  return dyn_communicator_broadcast(communicator, rank, &byte,
                                                    1, nullptr, nullptr);
                }),
            DYN_STATUS_INVALID_ARGUMENT,
            "broadcast 1: rank 0 has root 0, rank 1 has root 1");
  expectAll(run(2,
                [](dyn_communicator_t *communicator, uint32_t rank) {
                  return sum(communicator, 5,
                             rank ? DYN_ORDER_TREE : DYN_ORDER_BY_RANK);
                }),
            DYN_STATUS_INVALID_ARGUMENT,
            "all_reduce 1: rank 0 has 5 f32, sum, by rank, rank 1 has 5 f32, "
            "sum, tree");
}

/// A group is named, and its ranks by those of the whole.
TEST_P(CommFailureTest, Groups) {
  auto outcomes = run(3, [](dyn_communicator_t *communicator, uint32_t rank) {
    dyn_communicator_t *made = nullptr;
    dyn_status_t status =
        dyn_communicator_split(communicator, rank == 0, 0, &made);
    // Rank 0 may still be here when the others have failed.
    if (status != DYN_STATUS_OK)
      return status;
    Communicator group(made);
    return repeatBarrier(rank == 1 ? made : communicator);
  });
  expectReason(outcomes,
               "rank 1 is in barrier 1 of group 1, rank 2 in barrier 2");
}

/// Ranks that have nothing to do with it learn of it, and later operations
/// fail.
TEST_P(CommFailureTest, OthersAreTold) {
  auto outcomes = run(3, [](dyn_communicator_t *communicator, uint32_t rank) {
    char byte = 0;
    if (rank == 1)
      return dyn_communicator_receive(communicator, 0, &byte, 1, nullptr,
                                      nullptr);
    if (rank == 0)
      return dyn_communicator_barrier(communicator, nullptr, nullptr);
    return sum(communicator, 5, DYN_ORDER_TREE);
  });
  expectReason(outcomes, "rank 0 is in barrier 1");
  for (const Communicator &communicator : group) {
    EXPECT_NE(dyn_communicator_barrier(communicator.get(), nullptr, nullptr),
              DYN_STATUS_OK);
    EXPECT_EQ(std::string(dyn_last_error())
                  .find("the communicator has failed: rank 0 is in barrier 1"),
              0u);
  }
}

//===----------------------------------------------------------------------===//
// Ranks that are late, cancel, or leave
//===----------------------------------------------------------------------===//

TEST_P(CommFailureTest, Deadline) {
  std::atomic<int> ended = 0;
  auto outcomes = run(
      4,
      [&](dyn_communicator_t *communicator, uint32_t rank) {
        while (rank == 2 && ended < 3)
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        dyn_status_t status = repeatBarrier(communicator);
        ++ended;
        return status;
      },
      second);
  // The first one has told the others.
  expectReason(outcomes, "rank 2 did not answer within 1 s in barrier 1");
  EXPECT_EQ(outcomes[2].status, DYN_STATUS_RANK_FAILED);
}

/// All who are late are named, and an operation's own deadline is the one.
TEST_P(CommFailureTest, SeveralAreLate) {
  auto outcomes = run(4, [](dyn_communicator_t *communicator, uint32_t rank) {
    dyn_transfer_options_t options = {sizeof(options)};
    options.timeout_ns = 50 * millisecond;
    if (rank)
      return DYN_STATUS_OK;
    return dyn_communicator_barrier(communicator, &options, nullptr);
  });
  EXPECT_EQ(outcomes[0].status, DYN_STATUS_DEADLINE_EXCEEDED);
  EXPECT_EQ(outcomes[0].message,
            "ranks 1, 2 and 3 did not answer within 0.05 s in barrier 1");
}

TEST_P(CommFailureTest, Cancel) {
  volatile int32_t flag = 0;
  std::atomic<bool> hasEnded = false;
  auto outcomes = run(3, [&](dyn_communicator_t *communicator, uint32_t rank) {
    dyn_transfer_options_t options = {sizeof(options)};
    options.cancel = &flag;
    if (rank == 1) {
      dyn_status_t status =
          dyn_communicator_barrier(communicator, &options, nullptr);
      hasEnded = true;
      return status;
    }
    if (rank == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      __atomic_store_n(&flag, 1, __ATOMIC_RELAXED);
      while (!hasEnded)
        std::this_thread::yield();
    }
    return repeatBarrier(communicator);
  });
  expectReason(outcomes, "rank 1 cancelled barrier 1");
  EXPECT_EQ(outcomes[1].status, DYN_STATUS_CANCELLED);
  EXPECT_EQ(outcomes[0].status, DYN_STATUS_RANK_FAILED);
  EXPECT_EQ(outcomes[2].status, DYN_STATUS_RANK_FAILED);
}

/// In an operation and before one.
TEST_P(CommFailureTest, Leave) {
  for (int before : {0, 1}) {
    std::atomic<bool> hasLeft = false;
    auto outcomes =
        run(3, [&](dyn_communicator_t *communicator, uint32_t rank) {
          if (rank == 1) {
            group[1].reset();
            hasLeft = true;
            return DYN_STATUS_OK;
          }
          while (before && !hasLeft)
            std::this_thread::yield();
          return dyn_communicator_barrier(communicator, nullptr, nullptr);
        });
    for (uint32_t rank : {0, 2}) {
      EXPECT_EQ(outcomes[rank].status, DYN_STATUS_RANK_FAILED);
      EXPECT_NE(outcomes[rank].message.find(
                    "rank 1 ended or left the communicator in barrier 1"),
                std::string::npos)
          << outcomes[rank].message;
    }
  }
}

/// Who leaves when its own part has ended does no harm.
TEST_P(CommFailureTest, LeaveEarly) {
  auto outcomes = run(3, [&](dyn_communicator_t *communicator, uint32_t rank) {
    std::vector<char> data(3000000, char(rank));
    dyn_status_t status = dyn_communicator_broadcast(
        communicator, 0, data.data(), data.size(), nullptr, nullptr);
    EXPECT_EQ(data, std::vector<char>(3000000, 0));
    if (rank != 1)
      return status;
    group[1].reset();
    return DYN_STATUS_OK;
  });
  expectAll(outcomes, DYN_STATUS_OK, "");
}

/// Requests that nobody waits for yet end with a failure, too.
TEST_P(CommFailureTest, RequestsFail) {
  auto outcomes = run(2, [&](dyn_communicator_t *communicator, uint32_t rank) {
    dyn_request_t *first = nullptr, *second = nullptr;
    if (rank == 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      group[1].reset();
      return DYN_STATUS_OK;
    }
    EXPECT_EQ(dyn_communicator_barrier(communicator, nullptr, &first),
              DYN_STATUS_OK);
    EXPECT_EQ(dyn_communicator_barrier(communicator, nullptr, &second),
              DYN_STATUS_OK);
    EXPECT_EQ(dyn_request_wait(second), DYN_STATUS_RANK_FAILED);
    return dyn_request_wait(first);
  });
  EXPECT_EQ(outcomes[0].status, DYN_STATUS_RANK_FAILED);
  EXPECT_EQ(outcomes[0].message,
            "rank 1 ended or left the communicator in barrier 1");
}

TEST_P(CommFailureTest, ForkedChild) {
  if (!forksAreFollowed)
    return;
  group = makeGroup(GetParam(), 2, communicatorOptions(10 * second));
  pid_t child = ::fork();
  if (child == 0) {
    dyn_status_t status =
        dyn_communicator_barrier(group[0].get(), nullptr, nullptr);
    group[1].reset();
    ::_exit(status == DYN_STATUS_UNSUPPORTED &&
                    !std::strcmp(dyn_last_error(),
                                 "the communicator belongs to the process that "
                                 "called fork()")
                ? 0
                : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  // That the child has released one does not matter to the parent.
  runThreads(2, [&](uint32_t rank) {
    EXPECT_EQ(dyn_communicator_barrier(group[rank].get(), nullptr, nullptr),
              DYN_STATUS_OK)
        << dyn_last_error();
  });
}
