//===- CommTest.cpp - Operations of ranks that all go well ----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommTesting.h"

#include <chrono>
#include <cmath>
#include <random>

using namespace dyn::test;

namespace {
class CommTest : public ::testing::TestWithParam<std::tuple<Kind, uint32_t>> {
protected:
  /// Runs a body in each rank of this process.
  void run(const std::function<void(dyn_communicator_t *, uint32_t)> &body) {
    runThreads(size, [&](uint32_t rank) {
      if (communicators[rank])
        body(communicators[rank].get(), rank);
    });
  }
  dyn_communicator_stats_t statsOf(uint32_t rank) {
    dyn_communicator_stats_t stats = {sizeof(stats)};
    EXPECT_EQ(dyn_communicator_stats(communicators[rank].get(), &stats),
              DYN_STATUS_OK);
    return stats;
  }

  const uint32_t size = std::get<1>(GetParam());
  std::vector<Communicator> communicators = makeGroup(
      std::get<0>(GetParam()), size, communicatorOptions(20 * second));
};

std::string nameOf(const ::testing::TestParamInfo<CommTest::ParamType> &info) {
  const char *kinds[] = {"Threads", "Sockets", "Network", "Launched"};
  auto [kind, size] = info.param;
  return kinds[int(kind)] + std::to_string(size);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, CommTest,
    ::testing::Combine(::testing::Values(Kind::Threads, Kind::Sockets),
                       ::testing::Values(1u, 2u, 3u, 4u, 8u)),
    nameOf);
INSTANTIATE_TEST_SUITE_P(
    Network, CommTest,
    ::testing::Values(CommTest::ParamType(Kind::Network, 2),
                      CommTest::ParamType(Kind::Network, 3)),
    nameOf);

/// As many ranks as the launcher of the plugin's processes has started.
std::vector<CommTest::ParamType> launchedGroups() {
  if (!launchedPlugin())
    return {};
  const char *ranks = std::getenv("DYN_TEST_RANKS");
  return {{Kind::Launched, uint32_t(ranks ? std::atoi(ranks) : 1)}};
}
INSTANTIATE_TEST_SUITE_P(Launched, CommTest,
                         ::testing::ValuesIn(launchedGroups()), nameOf);

/// The sum in the order that comm.h states.
float sumTree(const std::vector<float> &values) {
  if (values.size() == 1)
    return values[0];
  size_t half = 1;
  while (half * 2 < values.size())
    half *= 2;
  auto middle = values.begin() + ptrdiff_t(half);
  return sumTree({values.begin(), middle}) + sumTree({middle, values.end()});
}
float sumByRank(const std::vector<float> &values) {
  float sum = values[0];
  for (size_t i = 1; i < values.size(); ++i)
    sum += values[i];
  return sum;
}
} // namespace

/// Empty, small, uneven and huge parts.
TEST_P(CommTest, AllToAll) {
  const Exchange::Sizes kinds[] = {
      [](uint32_t, uint32_t) { return size_t(0); },
      [](uint32_t, uint32_t) { return size_t(16); },
      [](uint32_t from, uint32_t to) { return size_t(1000 * from + 10 * to); },
      // All to one, which sends nothing.
      [](uint32_t from, uint32_t to) {
        return size_t(to == 0 && from != 0 ? 5000 : 0);
      },
      [](uint32_t from, uint32_t to) {
        return (from + 2 * to) % 3 * (sanitized ? 100001 : size_t(1300001));
      }};
  for (const auto &sizes : kinds)
    run([&](dyn_communicator_t *communicator, uint32_t) {
      Exchange exchange(communicator, sizes);
      EXPECT_EQ(exchange.run(), DYN_STATUS_OK) << dyn_last_error();
      EXPECT_TRUE(exchange.isRight());
    });
}

/// Exactly the bytes that change rank, in one message a peer; none for empty
/// ones.
TEST_P(CommTest, AllToAllIsCounted) {
  auto sizes = [](uint32_t from, uint32_t to) {
    return size_t((from + to) % 2 ? 100 * from + to : 0);
  };
  run([&](dyn_communicator_t *communicator, uint32_t) {
    Exchange exchange(communicator, sizes);
    EXPECT_EQ(exchange.run(), DYN_STATUS_OK);
  });
  for (uint32_t rank = 0; rank < size; ++rank) {
    if (!communicators[rank])
      continue;
    uint64_t sentBytes = 0, receivedBytes = 0, sent = 0, received = 0;
    for (uint32_t peer = 0; peer < size; ++peer) {
      if (peer == rank)
        continue;
      sentBytes += sizes(rank, peer);
      receivedBytes += sizes(peer, rank);
      sent += sizes(rank, peer) != 0;
      received += sizes(peer, rank) != 0;
    }
    dyn_communicator_stats_t stats = statsOf(rank);
    EXPECT_EQ(stats.operations, 1u);
    EXPECT_EQ(stats.bytes_sent, sentBytes);
    EXPECT_EQ(stats.bytes_received, receivedBytes);
    EXPECT_EQ(stats.messages_sent, sent);
    EXPECT_EQ(stats.messages_received, received);
    EXPECT_EQ(stats.headers_sent, size - 1);
    EXPECT_EQ(stats.header_bytes_sent, 56 * (size - 1));
    EXPECT_LE(stats.waits, 1u);
  }
}

/// MPI does not say.
TEST_P(CommTest, PeersInMemory) {
  bool isInMemory = std::get<0>(GetParam()) == Kind::Threads ||
                    std::get<0>(GetParam()) == Kind::Sockets;
  for (uint32_t rank = 0; rank < size; ++rank)
    if (communicators[rank])
      EXPECT_EQ(statsOf(rank).memory_peers, isInMemory ? size - 1 : 0);
}

TEST_P(CommTest, AllGather) {
  run([&](dyn_communicator_t *communicator, uint32_t rank) {
    std::vector<char> own = makeBytes(rank, 0, 777 * rank);
    std::vector<std::vector<char>> received(size), expected(size);
    std::vector<dyn_part_t> targets;
    for (uint32_t i = 0; i < size; ++i) {
      expected[i] = makeBytes(i, 0, 777 * i);
      received[i].resize(777 * i);
      targets.push_back(partOf(received[i]));
    }
    EXPECT_EQ(dyn_communicator_all_gather(communicator, own.data(), own.size(),
                                          targets.data(), nullptr, nullptr),
              DYN_STATUS_OK)
        << dyn_last_error();
    EXPECT_EQ(received, expected);
  });
}

TEST_P(CommTest, Broadcast) {
  run([&](dyn_communicator_t *communicator, uint32_t rank) {
    for (uint32_t root = 0; root < size; ++root) {
      std::vector<char> expected = makeBytes(root, 0, 100000 * root);
      std::vector<char> data(expected.size());
      if (rank == root)
        data = expected;
      EXPECT_EQ(dyn_communicator_broadcast(communicator, root, data.data(),
                                           data.size(), nullptr, nullptr),
                DYN_STATUS_OK)
          << dyn_last_error();
      EXPECT_EQ(data, expected);
    }
  });
}

/// Bits are those of the stated order, with more ranks than elements, too.
TEST_P(CommTest, AllReduceInTheStatedOrder) {
  auto element = [](uint32_t rank, uint64_t i) {
    return std::ldexp(1.0f + float(i % 97) / 97,
                      int((rank * 13 + i) % 40) - 20);
  };
  for (uint64_t count : {0u, 1u, 5u, sanitized ? 1000u : 70001u})
    for (auto order : {DYN_ORDER_BY_RANK, DYN_ORDER_TREE})
      run([&](dyn_communicator_t *communicator, uint32_t rank) {
        std::vector<float> elements(count), result(count), expected(count);
        for (uint64_t i = 0; i < count; ++i) {
          std::vector<float> all;
          for (uint32_t r = 0; r < size; ++r)
            all.push_back(element(r, i));
          elements[i] = all[rank];
          expected[i] = order == DYN_ORDER_TREE ? sumTree(all) : sumByRank(all);
        }
        auto reduce = [&](float *target) {
          return dyn_communicator_all_reduce(
              communicator, elements.data(), target, count, DYN_F32,
              DYN_REDUCE_SUM, order, nullptr, nullptr);
        };
        EXPECT_EQ(reduce(result.data()), DYN_STATUS_OK) << dyn_last_error();
        EXPECT_EQ(result, expected);
        // In place.
        EXPECT_EQ(reduce(elements.data()), DYN_STATUS_OK) << dyn_last_error();
        EXPECT_EQ(elements, expected);
      });
}

TEST_P(CommTest, ReductionsOfTypes) {
  run([&](dyn_communicator_t *communicator, uint32_t rank) {
    auto reduce = [&](auto value, dyn_reduction_t reduction) {
      EXPECT_EQ(dyn_communicator_all_reduce(
                    communicator, &value, &value, 1, dtypeOf<decltype(value)>(),
                    reduction, DYN_ORDER_TREE, nullptr, nullptr),
                DYN_STATUS_OK)
          << dyn_last_error();
      return value;
    };
    const int64_t last = size - 1;
    EXPECT_EQ(reduce(int32_t(rank), DYN_REDUCE_SUM), last * size / 2);
    EXPECT_EQ(reduce(int64_t(rank) << 40, DYN_REDUCE_MAX), last << 40);
    EXPECT_EQ(reduce(-int64_t(rank), DYN_REDUCE_MIN), -last);
    EXPECT_EQ(reduce(INT32_MAX, DYN_REDUCE_SUM),
              int32_t(uint32_t(INT32_MAX) * size));
    for (auto kind : {DYN_REDUCE_MIN, DYN_REDUCE_MAX})
      for (uint32_t who : {0u, size - 1})
        EXPECT_TRUE(std::isnan(reduce(who == rank ? NAN : float(rank), kind)));
  });
}

/// Nobody leaves before all have come. Processes do not see each other come.
TEST_P(CommTest, Barrier) {
  const bool isSeen = std::get<0>(GetParam()) != Kind::Launched;
  std::atomic<uint32_t> come = 0;
  run([&](dyn_communicator_t *communicator, uint32_t rank) {
    std::this_thread::sleep_for(std::chrono::milliseconds(3 * rank));
    ++come;
    EXPECT_EQ(dyn_communicator_barrier(communicator, nullptr, nullptr),
              DYN_STATUS_OK)
        << dyn_last_error();
    EXPECT_EQ(come, isSeen ? size : 1);
  });
}

/// A ring, in which all send before they receive.
TEST_P(CommTest, SendAndReceive) {
  if (size == 1)
    return;
  run([&](dyn_communicator_t *communicator, uint32_t rank) {
    const uint32_t next = (rank + 1) % size, last = (rank + size - 1) % size;
    for (size_t bytes : {0, 1, 3000000}) {
      std::vector<char> data = makeBytes(rank, next, bytes), target(bytes);
      // Of two ranks, one has to receive first: both have one order.
      dyn_request_t *requests[2];
      bool sendsFirst = size > 2 || rank == 0;
      for (bool isSend : {sendsFirst, !sendsFirst}) {
        dyn_request_t **request = &requests[isSend];
        dyn_status_t status =
            isSend ? dyn_communicator_send(communicator, next, data.data(),
                                           bytes, nullptr, request)
                   : dyn_communicator_receive(communicator, last, target.data(),
                                              bytes, nullptr, request);
        EXPECT_EQ(status, DYN_STATUS_OK) << dyn_last_error();
      }
      for (dyn_request_t *request : requests)
        EXPECT_EQ(dyn_request_wait(request), DYN_STATUS_OK) << dyn_last_error();
      EXPECT_EQ(target, makeBytes(last, rank, bytes));
    }
  });
}

/// Several operations at once, waited for in another order.
TEST_P(CommTest, StartAndWait) {
  run([&](dyn_communicator_t *communicator, uint32_t rank) {
    auto sizes = [](uint32_t from, uint32_t to) {
      return size_t(50000 * from + to);
    };
    Exchange first(communicator, sizes), last(communicator, sizes);
    std::vector<int64_t> sum(1001, rank);
    dyn_request_t *requests[4];
    EXPECT_EQ(first.run(nullptr, &requests[0]), DYN_STATUS_OK);
    EXPECT_EQ(dyn_communicator_all_reduce(
                  communicator, sum.data(), sum.data(), sum.size(), DYN_I64,
                  DYN_REDUCE_SUM, DYN_ORDER_BY_RANK, nullptr, &requests[1]),
              DYN_STATUS_OK);
    EXPECT_EQ(dyn_communicator_barrier(communicator, nullptr, &requests[2]),
              DYN_STATUS_OK);
    EXPECT_EQ(last.run(nullptr, &requests[3]), DYN_STATUS_OK);
    for (int i : {3, 0, 2, 1})
      EXPECT_EQ(dyn_request_wait(requests[i]), DYN_STATUS_OK)
          << dyn_last_error();
    EXPECT_TRUE(first.isRight());
    EXPECT_TRUE(last.isRight());
    EXPECT_EQ(sum, std::vector<int64_t>(1001, size * (size - 1) / 2));
  });
}

/// Rows and columns of a mesh, and a group of a group.
TEST_P(CommTest, Split) {
  run([&](dyn_communicator_t *communicator, uint32_t rank) {
    auto split = [](dyn_communicator_t *whole, uint32_t color, uint32_t key) {
      dyn_communicator_t *made = nullptr;
      EXPECT_EQ(dyn_communicator_split(whole, color, key, &made), DYN_STATUS_OK)
          << dyn_last_error();
      return Communicator(made);
    };
    auto sum = [](const Communicator &group, int64_t value) {
      EXPECT_EQ(dyn_communicator_all_reduce(group.get(), &value, &value, 1,
                                            DYN_I64, DYN_REDUCE_SUM,
                                            DYN_ORDER_TREE, nullptr, nullptr),
                DYN_STATUS_OK)
          << dyn_last_error();
      return value;
    };
    Communicator row = split(communicator, rank / 2, 0);
    // Backwards.
    Communicator column = split(communicator, rank % 2, size - rank);
    const uint32_t first = rank / 2 * 2;
    const bool isPair = first + 1 < size;
    EXPECT_EQ(dyn_communicator_rank(row.get()), rank % 2);
    EXPECT_EQ(dyn_communicator_size(row.get()), isPair ? 2 : 1);
    int64_t below = 0, columnSum = 0;
    for (uint32_t i = rank % 2; i < size; i += 2) {
      columnSum += i;
      below += i > rank;
    }
    EXPECT_EQ(dyn_communicator_rank(column.get()), below);
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(sum(row, rank), isPair ? 2 * first + 1 : first);
      EXPECT_EQ(sum(column, rank), columnSum);
    }
    // Rank 0 leaves; the others are a group, and each is one of that group.
    Communicator rest = split(communicator, rank ? 1 : DYN_NO_GROUP, 0);
    EXPECT_EQ(rest != nullptr, rank != 0);
    if (!rank)
      return;
    Communicator alone = split(rest.get(), rank, 0);
    EXPECT_EQ(dyn_communicator_size(alone.get()), 1u);
    EXPECT_EQ(sum(alone, rank), rank);
    EXPECT_EQ(sum(rest, 1), size - 1);
  });
}

/// Two communicators of the same ranks, each in its own thread.
TEST_P(CommTest, TwoAtOnce) {
  auto others = makeGroup(std::get<0>(GetParam()), size,
                          communicatorOptions(20 * second));
  run([&](dyn_communicator_t *communicator, uint32_t rank) {
    auto repeat = [rank](dyn_communicator_t *own, uint32_t seed) {
      for (uint32_t i = 0; i < 50; ++i) {
        Exchange exchange(own, [&](uint32_t from, uint32_t to) {
          return size_t((from + 2 * to + i) % 3 * 1000 * seed);
        });
        EXPECT_EQ(exchange.run(), DYN_STATUS_OK) << dyn_last_error();
        EXPECT_TRUE(exchange.isRight()) << rank;
      }
    };
    std::thread other(repeat, others[rank].get(), 2);
    repeat(communicator, 1);
    other.join();
  });
}

/// Ranks that are late at random have no effect but time.
TEST_P(CommTest, RandomDelays) {
  const int runs = isLongTier() ? 100 : 5;
  for (int i = 0; i < runs; ++i)
    run([&](dyn_communicator_t *communicator, uint32_t rank) {
      std::minstd_rand random(uint32_t(i) * 64 + rank + 1);
      auto pause = [&] {
        if (random() % 2)
          std::this_thread::sleep_for(
              std::chrono::microseconds(random() % 500));
      };
      auto sizes = [&](uint32_t from, uint32_t to) {
        return size_t((from * 31 + to * 17 + uint32_t(i)) % 5 * 9999);
      };
      Exchange one(communicator, sizes), other(communicator, sizes);
      dyn_request_t *request = nullptr;
      pause();
      EXPECT_EQ(one.run(nullptr, &request), DYN_STATUS_OK);
      pause();
      float value = float(rank);
      EXPECT_EQ(dyn_communicator_all_reduce(communicator, &value, &value, 1,
                                            DYN_F32, DYN_REDUCE_SUM,
                                            DYN_ORDER_TREE, nullptr, nullptr),
                DYN_STATUS_OK)
          << dyn_last_error();
      pause();
      EXPECT_EQ(other.run(), DYN_STATUS_OK) << dyn_last_error();
      pause();
      EXPECT_EQ(dyn_request_wait(request), DYN_STATUS_OK) << dyn_last_error();
      EXPECT_TRUE(one.isRight() && other.isRight());
      EXPECT_EQ(value, float(size * (size - 1) / 2));
    });
}

/// A limited link takes the time of its rate, and leaves the thread to others.
TEST(CommRateTest, LimitsEachLink) {
  for (Kind kind : {Kind::Threads, Kind::Sockets}) {
    // 1 MB at 4 MB/s, to two peers at the same time: 250 ms.
    auto group = makeGroup(kind, 3, communicatorOptions(20 * second, 4000000));
    runThreads(3, [&](uint32_t rank) {
      dyn_communicator_t *communicator = group[rank].get();
      Exchange exchange(communicator,
                        [](uint32_t, uint32_t) { return size_t(1000000); });
      auto begin = std::chrono::steady_clock::now();
      dyn_request_t *request = nullptr;
      EXPECT_EQ(exchange.run(nullptr, &request), DYN_STATUS_OK);
      std::chrono::duration<double> started =
          std::chrono::steady_clock::now() - begin;
      EXPECT_LT(started.count(), sanitized ? 10 : 0.2);
      EXPECT_EQ(dyn_request_wait(request), DYN_STATUS_OK) << dyn_last_error();
      std::chrono::duration<double> ended =
          std::chrono::steady_clock::now() - begin;
      EXPECT_GT(ended.count(), 0.249);
      EXPECT_TRUE(exchange.isRight());
    });
  }
}

namespace {
/// A transport whose peer never answers: messages are sent, none come.
struct Silence {
  std::vector<uint64_t> sent; ///< bytes of each message
  size_t reported = 0;

  dyn_transport_t makeTransport() {
    dyn_transport_t table = {sizeof(table), this, 0, 2};
    table.send = [](void *self, uint32_t, const void *, uint64_t bytes) {
      static_cast<Silence *>(self)->sent.push_back(bytes);
    };
    table.receive = [](void *, uint32_t, void *, uint64_t) {};
    table.progress = [](void *self, uint64_t, dyn_transport_event_t *events,
                        uint32_t) -> uint32_t {
      auto &own = *static_cast<Silence *>(self);
      if (own.reported == own.sent.size())
        return 0;
      ++own.reported;
      events[0] = {1, DYN_TRANSPORT_SENT, nullptr};
      return 1;
    };
    table.wake = table.close = [](void *) {};
    table.abort = [](void *, const char *) {};
    return table;
  }
};
} // namespace

/// Short data follow their header of 56 bytes at once, longer ones wait for the
/// other rank's.
TEST(CommHeaderTest, ShortDataFollow) {
  for (auto [bytes, messages] : {std::pair{65536, 2}, {65537, 1}}) {
    Silence silence;
    dyn_transport_t transport = silence.makeTransport();
    auto options = communicatorOptions(20 * millisecond);
    dyn_communicator_t *made = nullptr;
    ASSERT_EQ(dyn_communicator_create(&transport, &options, &made),
              DYN_STATUS_OK);
    Communicator communicator(made);
    std::vector<char> data(bytes);
    EXPECT_EQ(
        dyn_communicator_send(made, 1, data.data(), bytes, nullptr, nullptr),
        DYN_STATUS_DEADLINE_EXCEEDED);
    std::vector<uint64_t> expected = {56, uint64_t(bytes)};
    expected.resize(messages);
    EXPECT_EQ(silence.sent, expected);
  }
}
