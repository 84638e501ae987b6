//===- RanksTest.cpp - Artifacts that run on several ranks ----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RankCalls.h"

#include <chrono>
#include <fstream>
#include <random>

using namespace dyn::test;

namespace {
class RanksTest : public ::testing::Test, protected RankGroup {
protected:
  void makeRanks(uint32_t count, Kind kind = Kind::Threads,
                 uint64_t timeout = 10 * second) {
    RankGroup::makeRanks(count, ".so", kind, timeout);
  }
  void makeContexts() {
    for (const Outcome &each : onAll([&](uint32_t rank) {
           return makeRankContext(artifact.get(), group[rank].get(),
                                  contexts[rank]);
         }))
      ASSERT_EQ(each.status, DYN_STATUS_OK) << each.message;
  }
  /// A call on each rank, of which `change` may change one.
  std::vector<Outcome>
  callAll(const RankCall::Rows &rows,
          const std::function<void(uint32_t, RankCall &)> &change) {
    return onAll([&](uint32_t rank) {
      RankCall call(contexts[rank].get(), rank, size, rows);
      change(rank, call);
      return call.run();
    });
  }
};
} // namespace

TEST_F(RanksTest, ExchangesRows) {
  for (Kind kind : {Kind::Threads, Kind::Sockets})
    for (uint32_t count : {2, 3, 4}) {
      makeRanks(count, kind);
      makeContexts();
      for (int64_t scale : {0, 1, 1000})
        for (const Outcome &each : onAll([&](uint32_t rank) {
               RankCall call(contexts[rank].get(), rank, size,
                             [&](uint32_t from, uint32_t to) {
                               return scale * someRows(from, to);
                             });
               dyn_status_t status = call.run();
               EXPECT_TRUE(status || call.isRight());
               return status;
             }))
          EXPECT_EQ(each.status, DYN_STATUS_OK) << each.message;
    }
}

/// Sleeps in one of two cases, for up to half a millisecond.
static void sleepAtRandom(std::minstd_rand &random) {
  if (random() % 2)
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 500));
}

TEST_F(RanksTest, ManyCallsWithDelays) {
  makeRanks(3);
  makeContexts();
  for (const Outcome &each : onAll([&](uint32_t rank) -> dyn_status_t {
         std::minstd_rand random(rank + 1);
         RankCall call(contexts[rank].get(), rank, size, someRows);
         for (int i = 0; i < 1000; ++i) {
           if (random() % 4 == 0)
             sleepAtRandom(random);
           if (dyn_status_t status = call.run())
             return status;
           EXPECT_TRUE(call.isRight());
         }
         return DYN_STATUS_OK;
       }))
    EXPECT_EQ(each.status, DYN_STATUS_OK) << each.message;
}

/// Groups whose ranks come, call and leave when they like: none waits for ever.
/// 1000 of them in the long tier.
TEST_F(RanksTest, ManyGroupsWithDelays) {
  const uint32_t runs = isLongTier() ? 125 : 2;
  for (Kind kind : {Kind::Threads, Kind::Sockets})
    for (uint32_t count : {2, 3, 4, 8})
      for (uint32_t seed = 0; seed < runs; ++seed) {
        makeRanks(count, kind);
        for (const Outcome &each : onAll([&](uint32_t rank) -> dyn_status_t {
               std::minstd_rand random(seed * 64 + rank + 1);
               sleepAtRandom(random);
               if (dyn_status_t status = makeRankContext(
                       artifact.get(), group[rank].get(), contexts[rank]))
                 return status;
               RankCall call(contexts[rank].get(), rank, size, someRows);
               for (int i = 0; i < 3; ++i) {
                 sleepAtRandom(random);
                 if (dyn_status_t status = call.run())
                   return status;
                 EXPECT_TRUE(call.isRight());
               }
               sleepAtRandom(random);
               call.execution.reset();
               contexts[rank].reset();
               group[rank].reset();
               return DYN_STATUS_OK;
             }))
          ASSERT_EQ(each.status, DYN_STATUS_OK) << each.message;
      }
}

/// Rows that are in no range are zeros.
TEST_F(RanksTest, ClearsTheRest) {
  makeRanks(2);
  makeContexts();
  std::vector<int64_t> found[2];
  for (const Outcome &each : onAll([&](uint32_t rank) {
         RankCall call(contexts[rank].get(), rank, size,
                       [](uint32_t, uint32_t) { return 1; });
         call.receives = {1, 2, 4, 5};
         call.received = 6;
         dyn_status_t status = call.run();
         found[rank] = elements<int64_t>(call.outputs[0]);
         return status;
       }))
    EXPECT_EQ(each.status, DYN_STATUS_OK) << each.message;
  EXPECT_EQ(found[1],
            (std::vector<int64_t>{0, 0, 0, 3, 4, 5, 0, 0, 0, 0, 0, 0, 1000003,
                                  1000004, 1000005, 0, 0, 0}));
}

/// Over a slow link, the kernel between beginning and end runs meanwhile.
TEST_F(RanksTest, KernelsRunDuringExchanges) {
  size = 2;
  group = makeGroup(Kind::Threads, size,
                    communicatorOptions(10 * second, /*rate=*/240000));
  artifact = load(artifactPath("ranks2.so"));
  contexts.resize(size);
  makeContexts();
  dyn_trace_t *made = nullptr;
  ASSERT_EQ(dyn_trace_create(nullptr, &made), DYN_STATUS_OK);
  Trace trace(made);
  auto outcomes = callAll([](uint32_t, uint32_t) { return 1000; },
                          [&](uint32_t rank, RankCall &call) {
                            if (rank == 0)
                              call.options.trace = made;
                          });
  for (const Outcome &each : outcomes)
    EXPECT_EQ(each.status, DYN_STATUS_OK) << each.message;
  std::string path = ::testing::TempDir() + "ranks.json", text, line;
  ASSERT_EQ(dyn_trace_write(made, path.c_str()), DYN_STATUS_OK);
  std::ifstream file(path);
  while (std::getline(file, line))
    text += line;
  auto start = text.find("exchange_start"), sum = text.find("\"sum\""),
       wait = text.find("exchange_wait");
  EXPECT_LT(start, sum);
  EXPECT_LT(sum, wait);
  ASSERT_NE(wait, std::string::npos);
}

//===----------------------------------------------------------------------===//
// Errors in calls
//===----------------------------------------------------------------------===//

TEST_F(RanksTest, RangesThatAreOut) {
  for (auto [at, value] : {std::pair(0, -1), {1, 9}, {2, 7}, {3, 0}}) {
    makeRanks(2);
    makeContexts();
    auto outcomes = callAll([](uint32_t, uint32_t) { return 2; },
                            [&](uint32_t rank, RankCall &call) {
                              if (rank == 1)
                                call.sends[at] = value;
                            });
    std::string text = "dist.exchange_start at '/exchange': index out of "
                       "range: got " +
                       std::to_string(value);
    expect(outcomes[1], DYN_STATUS_DATA_ERROR, text);
    expect(outcomes[0], DYN_STATUS_RANK_FAILED, "rank 1 failed: " + text);
  }
}

TEST_F(RanksTest, RangesThatOverlap) {
  makeRanks(2);
  makeContexts();
  auto outcomes = callAll([](uint32_t, uint32_t) { return 2; },
                          [&](uint32_t rank, RankCall &call) {
                            if (rank == 0)
                              call.receives = {0, 2, 1, 3};
                          });
  expect(outcomes[0], DYN_STATUS_DATA_ERROR,
         "dist.exchange_start at '/exchange': index out of range: got 1");
}

TEST_F(RanksTest, RanksThatDisagree) {
  makeRanks(2);
  makeContexts();
  auto outcomes = callAll([](uint32_t, uint32_t) { return 2; },
                          [&](uint32_t rank, RankCall &call) {
                            if (rank == 0)
                              call.sends[3] = 3;
                          });
  std::string text =
      "exchange 2: rank 0 sends 24 bytes to rank 1, which expects 48";
  for (const Outcome &each : outcomes)
    if (each.status == DYN_STATUS_DATA_ERROR)
      EXPECT_EQ(each.message, "dist.exchange_start at '/exchange': sizes that "
                              "must agree differ: " +
                                  text);
    else
      expect(each, DYN_STATUS_RANK_FAILED, text);

  makeRanks(2);
  makeContexts();
  outcomes = callAll([](uint32_t, uint32_t) { return 2; },
                     [&](uint32_t rank, RankCall &call) {
                       if (rank == 0)
                         call.sends[1] = 1;
                     });
  expect(outcomes[0], DYN_STATUS_DATA_ERROR,
         "dist.exchange_start at '/exchange': sizes that must agree differ: "
         "rank 0 sends 24 bytes to itself and expects 48");
}

/// A rank whose call stops tells the others, before and in an exchange, and the
/// next call fails at once.
TEST_F(RanksTest, RankThatStops) {
  for (int64_t mode : {1, 2}) {
    makeRanks(3);
    makeContexts();
    auto stop = [&](uint32_t rank, RankCall &call) {
      if (rank == 2)
        call.mode = mode;
    };
    std::string text = "dhlo.bind at '/stop': size negative or outside its "
                       "declared range: got -1";
    auto outcomes = callAll(someRows, stop);
    expect(outcomes[2], DYN_STATUS_DATA_ERROR, text);
    for (uint32_t rank : {0, 1})
      if (mode == 1 || outcomes[rank].status)
        expect(outcomes[rank], DYN_STATUS_RANK_FAILED,
               "rank 2 failed: " + text);
    // Who had ended the call before it heard of it hears it in this one.
    outcomes = callAll(someRows, [](uint32_t, RankCall &) {});
    for (const Outcome &each : outcomes) {
      EXPECT_NE(each.status, DYN_STATUS_OK);
      EXPECT_NE(each.message.find(text), std::string::npos) << each.message;
    }
  }
}

/// Others hear of a data error in the exchanges that follow it, from a rank
/// that has met it or heard of it. Nothing ends.
TEST_F(RanksTest, KernelThatFails) {
  for (Kind kind : {Kind::Threads, Kind::Sockets}) {
    makeRanks(4, kind);
    makeContexts();
    for (uint32_t failing : {3, 1, 4}) {
      auto outcomes = callAll(someRows, [&](uint32_t rank, RankCall &call) {
        call.mode = rank == failing ? 8 : 7;
      });
      std::string text = "dhlo.gather at '/gather': index out of range";
      for (uint32_t rank = 0; rank < 4; ++rank)
        if (failing == 4)
          expect(outcomes[rank], DYN_STATUS_OK, "");
        else if (rank == failing)
          expect(outcomes[rank], DYN_STATUS_DATA_ERROR, text);
        else
          expect(outcomes[rank], DYN_STATUS_RANK_FAILED,
                 "rank " + std::to_string(failing) + " failed: " + text);
    }
  }
}

TEST_F(RanksTest, CodeThatBreaksItsContract) {
  for (auto [mode, text] :
       {std::pair(3, "compiled code waits for exchange 0, which has not begun"),
        {4, "compiled code exchanges rows with rank 9 of 2"}}) {
    makeRanks(2);
    makeContexts();
    auto outcomes = callAll(someRows, [mode = mode](uint32_t, RankCall &call) {
      call.mode = mode;
    });
    expect(outcomes[0], DYN_STATUS_INTERNAL, text);
  }
}

TEST_F(RanksTest, DeadlineOfACall) {
  makeRanks(2);
  makeContexts();
  RankCall call(contexts[0].get(), 0, size, someRows);
  call.options.timeout_ns = 200 * millisecond;
  EXPECT_EQ(call.run(), DYN_STATUS_DEADLINE_EXCEEDED);
  EXPECT_TRUE(std::strstr(dyn_last_error(), "rank 1 did not answer within"))
      << dyn_last_error();
}

TEST_F(RanksTest, CancelledCall) {
  makeRanks(2);
  makeContexts();
  RankCall call(contexts[0].get(), 0, size, someRows);
  volatile int32_t cancel = 0;
  call.options.cancel = &cancel;
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    __atomic_store_n(&cancel, 1, __ATOMIC_RELAXED);
  });
  EXPECT_FAILURE(call.run(), DYN_STATUS_CANCELLED,
                 "rank 0 cancelled exchange 2");
  later.join();
}

TEST_F(RanksTest, OneCallAtATime) {
  makeRanks(2);
  makeContexts();
  RankCall first(contexts[0].get(), 0, size, someRows),
      second(contexts[0].get(), 0, size, someRows);
  std::thread running([&] { EXPECT_EQ(first.run(), DYN_STATUS_OK); });
  dyn_status_t status = DYN_STATUS_OK;
  // Until the first call has begun, the second one would be it.
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  status = second.run();
  EXPECT_FAILURE(status, DYN_STATUS_BUSY,
                 "the communicator is in another call: expected one call at a "
                 "time, in the same order on all ranks");
  RankCall other(contexts[1].get(), 1, size, someRows);
  EXPECT_EQ(other.run(), DYN_STATUS_OK);
  running.join();
  EXPECT_TRUE(first.isRight());
}

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

TEST_F(RanksTest, OtherArtifact) {
  makeRanks(3);
  Artifact foreign = load(artifactPath("ranks_foreign.so"));
  for (const Outcome &each : onAll([&](uint32_t rank) {
         return makeRankContext(rank == 2 ? foreign.get() : artifact.get(),
                                group[rank].get(), contexts[rank]);
       }))
    expect(each, DYN_STATUS_INVALID_ARGUMENT,
           "rank 0 has artifact 72616e6b730300000000000000000000, rank 2 has "
           "72616e6b730201000000000000000000: expected the same file on all "
           "ranks");
  // The communicator still works.
  makeContexts();
}

TEST_F(RanksTest, OtherNumberOfRanks) {
  makeRanks(3);
  Artifact two = load(artifactPath("ranks2.so"));
  for (const Outcome &each : onAll([&](uint32_t rank) {
         return makeRankContext(two.get(), group[rank].get(), contexts[rank]);
       }))
    expect(each, DYN_STATUS_INVALID_ARGUMENT,
           "'" + artifactPath("ranks2.so") +
               "' is for 2 ranks: the communicator has 3");
}

TEST_F(RanksTest, OtherInstructionSet) {
  makeRanks(2);
  for (const Outcome &each : onAll([&](uint32_t rank) {
         return makeRankContext(artifact.get(), group[rank].get(),
                                contexts[rank], rank ? "v2" : "v3");
       }))
    expect(each, DYN_STATUS_INVALID_ARGUMENT,
           "rank 0 runs code for x86-64-v3, rank 1 for x86-64-v2: expected one "
           "instruction set, see `isa` and `device`");
}

TEST_F(RanksTest, RankWithoutAContext) {
  makeRanks(2);
  auto outcomes = onAll([&](uint32_t rank) {
    return makeRankContext(artifact.get(), group[rank].get(), contexts[rank],
                           rank ? "v9" : nullptr);
  });
  EXPECT_EQ(outcomes[1].status, DYN_STATUS_INVALID_ARGUMENT);
  expect(outcomes[0], DYN_STATUS_RANK_FAILED,
         "rank 1 could not make its context: " + outcomes[1].message);
}

TEST_F(RanksTest, RankThatMakesNoContext) {
  makeRanks(2, Kind::Threads, 100 * millisecond);
  EXPECT_FAILURE(makeRankContext(artifact.get(), group[0].get(), contexts[0]),
                 DYN_STATUS_DEADLINE_EXCEEDED,
                 "rank 1 did not answer within 0.1 s in exchange 1");
}

TEST_F(RanksTest, FindsItsPart) {
  makeRanks(2);
  makeContexts();
  for (uint32_t rank : {0, 1}) {
    uint32_t entry = 9;
    EXPECT_EQ(dyn_context_find_entry(contexts[rank].get(), nullptr, &entry),
              DYN_STATUS_OK);
    EXPECT_EQ(entry, rank);
    dyn_entry_info_t info = {};
    info.struct_size = sizeof(info);
    EXPECT_EQ(dyn_artifact_entry(artifact.get(), entry, &info), DYN_STATUS_OK);
    EXPECT_STREQ(info.part_of, "main");
    EXPECT_EQ(info.rank, rank);
    EXPECT_EQ(info.ranks, 2u);
  }
  uint32_t entry = 9;
  EXPECT_EQ(dyn_context_find_entry(contexts[0].get(), "main_1", &entry),
            DYN_STATUS_OK);
  RankCall call(contexts[0].get(), 0, size, someRows);
  call.options.entry = entry;
  EXPECT_FAILURE(call.run(), DYN_STATUS_INVALID_ARGUMENT,
                 "entry 'main_1' is what rank 1 of 2 runs: this is rank 0 of "
                 "2");
  EXPECT_FAILURE(dyn_context_find_entry(contexts[0].get(), "x", &entry),
                 DYN_STATUS_INVALID_ARGUMENT,
                 "entry 'x' does not exist: expected one of 'main_0', "
                 "'main_1'");
  EXPECT_FAILURE(dyn_context_find_entry(nullptr, "x", &entry),
                 DYN_STATUS_INVALID_ARGUMENT, "context or out_entry is null");
}

TEST_F(RanksTest, NeedsACommunicator) {
  makeRanks(2);
  makeContexts();
  RankCall call(contexts[0].get(), 0, size, someRows);
  Context alone = makeContext(artifact.get());
  call.execution = makeExecution(alone.get());
  EXPECT_FAILURE(call.run(), DYN_STATUS_INVALID_ARGUMENT,
                 "entry 'main_0' is what rank 0 of 2 runs: expected a context "
                 "with a communicator");
}

TEST_F(RanksTest, NoModel) {
  makeRanks(2);
  dyn_context_options_t options = {};
  options.struct_size = sizeof(options);
  options.communicator = group[0].get();
  dyn_model_options_t modelOptions = {};
  modelOptions.struct_size = sizeof(modelOptions);
  modelOptions.context = &options;
  dyn_model_t *model = nullptr;
  EXPECT_FAILURE(dyn_model_create(artifact.get(), &modelOptions, &model),
                 DYN_STATUS_UNSUPPORTED,
                 "communicator: expected none of several ranks in a model");
}

/// Kilobytes of a file that this process has in memory.
static int residentKilobytes(const std::string &path) {
  std::ifstream maps("/proc/self/smaps");
  std::string line;
  bool isFile = false;
  int sum = 0;
  while (std::getline(maps, line)) {
    if (line.find('-') < line.find(' '))
      isFile = line.find(path) != std::string::npos;
    else if (isFile && line.rfind("Rss:", 0) == 0)
      sum += std::atoi(line.c_str() + 4);
  }
  return sum;
}

/// Nothing reads the constants of other ranks: here, rank 0 reads 1 of 2 MiB.
TEST_F(RanksTest, ReadsItsOwnConstants) {
  makeRanks(2);
  makeContexts();
  RankCall other(contexts[1].get(), 1, size, someRows);
  other.mode = 2;
  std::thread second([&] { EXPECT_EQ(other.run(), DYN_STATUS_DATA_ERROR); });
  RankCall call(contexts[0].get(), 0, size, someRows);
  (void)call.run();
  second.join();
  int resident = residentKilobytes("ranks2.so");
  EXPECT_LT(resident, 1024 + 512);
}
