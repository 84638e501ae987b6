//===- DeviceRanksTest.cpp - Ranks on devices, the emulator's -------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceTesting.h"
#include "RankCalls.h"

using namespace dyn::test;

namespace {
/// The emulator has four devices.
const int isSet = setenv("DYN_EMU_DEVICES", "4", 1);

/// Ranks in threads, each with a device. Rows go from device to device by a
/// library, or through the host if the parameter says "none".
class DeviceRanksTest : public ::testing::TestWithParam<const char *>,
                        protected RankGroup {
protected:
  void SetUp() override { unsetenv("DYN_EMU_NCCL"); }
  bool isDirect() const { return !GetParam(); }
  /// Of a call. Contexts have compared artifacts and libraries before, and met
  /// when devices were connected.
  std::string firstExchange() const {
    return isDirect() ? "exchange 4" : "exchange 3";
  }
  void makeRanks(uint32_t count, uint64_t timeout = 10 * second) {
    ASSERT_EQ(isSet, 0);
    RankGroup::makeRanks(count, "_device.so", Kind::Threads, timeout);
  }
  using Change = std::function<void(uint32_t, dyn_context_options_t &)>;
  std::vector<Outcome> tryContexts(const Change &change) {
    return onAll([&](uint32_t rank) {
      dyn_context_options_t options = deviceOptions();
      options.communicator = group[rank].get();
      options.device_ordinal = int32_t(rank);
      options.exchange_library = GetParam();
      change(rank, options);
      dyn_context_t *made = nullptr;
      dyn_status_t status = dyn_context_create(artifact.get(), &options, &made);
      contexts[rank].reset(made);
      return status;
    });
  }
  void makeContexts() {
    for (const Outcome &each :
         tryContexts([](uint32_t, dyn_context_options_t &) {}))
      ASSERT_EQ(each.status, DYN_STATUS_OK) << each.message;
  }
  std::vector<Outcome>
  callAll(const std::function<void(uint32_t, RankCall &)> &change,
          const RankCall::Rows &rows = someRows) {
    return onAll([&](uint32_t rank) {
      RankCall call(contexts[rank].get(), rank, size, rows);
      change(rank, call);
      dyn_status_t status = call.run();
      EXPECT_TRUE(status || call.mode || call.isRight());
      return status;
    });
  }
};

dyn_exchange_info_t infoOf(const Context &context) {
  dyn_exchange_info_t info = {};
  info.struct_size = sizeof(info);
  EXPECT_EQ(dyn_context_exchange_info(context.get(), &info), DYN_STATUS_OK);
  return info;
}

dyn_stats_t statsOf(const RankCall &call) {
  dyn_stats_t stats = {};
  stats.struct_size = sizeof(stats);
  EXPECT_EQ(dyn_execution_stats(call.execution.get(), &stats), DYN_STATUS_OK);
  return stats;
}
} // namespace

TEST_P(DeviceRanksTest, ExchangesRows) {
  for (uint32_t count : {2, 4}) {
    makeRanks(count);
    makeContexts();
    for (int64_t scale : {0, 1, 1000})
      for (const Outcome &each : callAll([](uint32_t, RankCall &) {},
                                         [&](uint32_t from, uint32_t to) {
                                           return scale * someRows(from, to);
                                         }))
        EXPECT_EQ(each.status, DYN_STATUS_OK) << each.message;
  }
}

/// Rows that change rank go to the host and from there, and no others. Memory
/// is kept, and each call waits for the mode, the ranges, the rows and its end.
TEST_P(DeviceRanksTest, CountsWhatMoves) {
  makeRanks(2);
  makeContexts();
  for (const Outcome &each : onAll([&](uint32_t rank) -> dyn_status_t {
         RankCall call(
             contexts[rank].get(), rank, size,
             [](uint32_t from, uint32_t to) { return from == to ? 100 : 5; });
         for (int i = 0; i < 2; ++i) {
           dyn_execution_reset_stats(call.execution.get());
           if (dyn_status_t status = call.run())
             return status;
         }
         dyn_stats_t stats = statsOf(call);
         EXPECT_EQ(stats.staged_bytes, isDirect() ? 0u : 2 * 5 * 24u);
         EXPECT_EQ(stats.direct_bytes, isDirect() ? 2 * 5 * 24u : 0u);
         EXPECT_EQ(stats.allocations, 0u);
         EXPECT_EQ(stats.device_waits, isDirect() ? 3u : 4u);
         return DYN_STATUS_OK;
       }))
    EXPECT_EQ(each.status, DYN_STATUS_OK) << each.message;
}

/// Rows that are in no range are zeros.
TEST_P(DeviceRanksTest, ClearsTheRest) {
  makeRanks(2);
  makeContexts();
  std::vector<int64_t> found[2];
  for (const Outcome &each : onAll([&](uint32_t rank) {
         RankCall call(contexts[rank].get(), rank, size,
                       [](uint32_t, uint32_t) { return 1; });
         call.receives = {1, 2, 3, 4};
         call.received = 5;
         dyn_status_t status = call.run();
         found[rank] = elements<int64_t>(call.outputs[0]);
         return status;
       }))
    EXPECT_EQ(each.status, DYN_STATUS_OK) << each.message;
  EXPECT_EQ(found[1], (std::vector<int64_t>{0, 0, 0, 3, 4, 5, 0, 0, 0, 1000003,
                                            1000004, 1000005, 0, 0, 0}));
}

/// A context holds the constants of its own rank: here one of 1 MiB.
TEST_P(DeviceRanksTest, HoldsItsOwnConstants) {
  makeRanks(2);
  makeContexts();
  for (const Context &context : contexts) {
    dyn_memory_stats_t stats = {};
    stats.struct_size = sizeof(stats);
    ASSERT_EQ(dyn_context_memory_stats(context.get(), &stats), DYN_STATUS_OK);
    EXPECT_EQ(stats.used_bytes, 1u << 20);
  }
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

TEST_P(DeviceRanksTest, RangesThatAreOut) {
  makeRanks(2);
  makeContexts();
  auto outcomes = callAll([](uint32_t rank, RankCall &call) {
    if (rank == 1)
      call.sends[0] = -1;
  });
  std::string text =
      "dist.exchange_start at '/exchange': index out of range: got -1";
  expect(outcomes[1], DYN_STATUS_DATA_ERROR, text);
  expect(outcomes[0], DYN_STATUS_RANK_FAILED, "rank 1 failed: " + text);
}

TEST_P(DeviceRanksTest, RanksThatDisagree) {
  makeRanks(2);
  makeContexts();
  auto outcomes = callAll(
      [](uint32_t rank, RankCall &call) {
        if (rank == 0)
          call.sends[3] = 3;
      },
      [](uint32_t, uint32_t) { return 2; });
  for (const Outcome &each : outcomes)
    EXPECT_NE(each.message.find(firstExchange() +
                                ": rank 0 sends 24 bytes to rank 1, which "
                                "expects 48"),
              std::string::npos)
        << each.message;
}

TEST_P(DeviceRanksTest, RankThatStops) {
  for (int64_t mode : {1, 2}) {
    makeRanks(4);
    makeContexts();
    auto outcomes = callAll([&](uint32_t rank, RankCall &call) {
      if (rank == 2)
        call.mode = mode;
    });
    std::string text = "dhlo.bind at '/stop': size negative or outside its "
                       "declared range: got -1";
    expect(outcomes[2], DYN_STATUS_DATA_ERROR, text);
    for (uint32_t rank : {0, 1, 3})
      if (mode == 1 || outcomes[rank].status)
        expect(outcomes[rank], DYN_STATUS_RANK_FAILED,
               "rank 2 failed: " + text);
  }
}

TEST_P(DeviceRanksTest, RankThatDoesNotCome) {
  makeRanks(2, 200 * millisecond);
  makeContexts();
  RankCall call(contexts[0].get(), 0, size, someRows);
  EXPECT_FAILURE(
      call.run(), DYN_STATUS_DEADLINE_EXCEEDED,
      ("rank 1 did not answer within 0.2 s in " + firstExchange()).c_str());
}

TEST_P(DeviceRanksTest, OtherCode) {
  makeRanks(2);
  for (const Outcome &each :
       tryContexts([](uint32_t rank, dyn_context_options_t &options) {
         if (rank == 0)
           return;
         options.device = DYN_DEVICE_CPU;
         options.device_ordinal = 0;
         options.device_library = options.exchange_library = nullptr;
         options.isa = "v2";
       }))
    expect(each, DYN_STATUS_INVALID_ARGUMENT,
           "rank 0 runs code for the emulator, rank 1 for x86-64-v2: expected "
           "one instruction set, see `isa` and `device`");
}

TEST_P(DeviceRanksTest, TooFewDevices) {
  makeRanks(2);
  auto outcomes =
      tryContexts([](uint32_t rank, dyn_context_options_t &options) {
        options.device_ordinal = rank ? 4 : 0;
      });
  std::string text = "device 4 of CUDA does not exist: there are 4";
  expect(outcomes[1], DYN_STATUS_UNSUPPORTED, text);
  expect(outcomes[0], DYN_STATUS_RANK_FAILED,
         "rank 1 could not make its context: " + text);
}

//===----------------------------------------------------------------------===//
// The library
//===----------------------------------------------------------------------===//

TEST_P(DeviceRanksTest, SaysWhatMovesRows) {
  makeRanks(2);
  makeContexts();
  dyn_exchange_info_t info = infoOf(contexts[1]);
  EXPECT_STREQ(info.library, isDirect() ? kEmulator : "");
  EXPECT_STREQ(info.reason, isDirect() ? "" : "none is wanted");
  EXPECT_EQ(info.version, isDirect() ? 21400u : 0u);
  EXPECT_FAILURE(dyn_context_exchange_info(nullptr, &info),
                 DYN_STATUS_INVALID_ARGUMENT, "context is null");
}

/// If a rank has no library, rows go through the host on all.
TEST_P(DeviceRanksTest, RankWithoutALibrary) {
  makeRanks(2);
  for (const Outcome &each :
       tryContexts([](uint32_t rank, dyn_context_options_t &options) {
         options.exchange_library = rank ? "none" : nullptr;
       }))
    ASSERT_EQ(each.status, DYN_STATUS_OK) << each.message;
  EXPECT_STREQ(infoOf(contexts[0]).library, "");
  EXPECT_STREQ(infoOf(contexts[0]).reason,
               "rank 1 has no library, rank 0 has version 21400");
  for (const Outcome &each : callAll([](uint32_t, RankCall &) {}))
    EXPECT_EQ(each.status, DYN_STATUS_OK) << each.message;
}

TEST_P(DeviceRanksTest, LibrariesThatAreNone) {
  makeRanks(2);
  for (auto [name, text] :
       {std::pair("libnowhere.so", "no exchange library: libnowhere.so: cannot "
                                   "open shared object file: No such file or "
                                   "directory"),
        {"libm.so.6", "'libm.so.6' is no NCCL 2.14 or newer: it has no "
                      "'ncclRecv'"}})
    for (const Outcome &each :
         tryContexts([name = name](uint32_t, dyn_context_options_t &options) {
           options.exchange_library = name;
         }))
      expect(each, DYN_STATUS_UNSUPPORTED, text);
  dyn_context_options_t alone = deviceOptions();
  alone.exchange_library = kEmulator;
  EXPECT_FAILURE(tryContext(load(artifactPath("device.so")), alone),
                 DYN_STATUS_INVALID_ARGUMENT,
                 "exchange_library: expected a communicator beside "
                 "'libdynemu.so'");
  dyn_context_options_t host = {};
  host.struct_size = sizeof(host);
  host.exchange_library = "none";
  EXPECT_FAILURE(tryContext(load(artifactPath("device.so")), host),
                 DYN_STATUS_INVALID_ARGUMENT,
                 "exchange_library: expected none on the CPU, got 'none'");
}

TEST_P(DeviceRanksTest, LibraryThatDoesNotStart) {
  makeRanks(2);
  if (!isDirect())
    return;
  setenv("DYN_EMU_NCCL", "broken", 1);
  for (const Outcome &each :
       tryContexts([](uint32_t, dyn_context_options_t &) {}))
    expect(each, DYN_STATUS_DEVICE_ERROR,
           "cannot connect the devices of ranks: unhandled cuda error: as "
           "DYN_EMU_NCCL wants (error 1 of 'libdynemu.so')");
}

/// A rank that cannot connect ends the wait of the others, which would last for
/// ten seconds, with its reason.
TEST_P(DeviceRanksTest, LibraryThatDoesNotStartOnARank) {
  makeRanks(4);
  if (!isDirect())
    return;
  setenv("DYN_EMU_NCCL", "last-broken", 1);
  auto outcomes = tryContexts([](uint32_t, dyn_context_options_t &) {});
  std::string text = "cannot connect the devices of ranks: unhandled cuda "
                     "error: as DYN_EMU_NCCL wants (error 1 of "
                     "'libdynemu.so')";
  expect(outcomes[3], DYN_STATUS_DEVICE_ERROR, text);
  for (uint32_t rank : {0, 1, 2})
    expect(outcomes[rank], DYN_STATUS_RANK_FAILED, "rank 3 failed: " + text);
  unsetenv("DYN_EMU_NCCL");
  group = makeGroup(Kind::Threads, size, communicatorOptions(10 * second));
  makeContexts();
}

TEST_P(DeviceRanksTest, OneDeviceForTwoRanks) {
  makeRanks(2);
  auto outcomes = tryContexts([](uint32_t, dyn_context_options_t &options) {
    options.device_ordinal = 1;
  });
  for (const Outcome &each : outcomes)
    if (!isDirect())
      EXPECT_EQ(each.status, DYN_STATUS_OK) << each.message;
    else
      EXPECT_TRUE(std::strstr(each.message.c_str(), "have the same device"))
          << each.message;
}

/// A rank that agrees on an exchange and then does not move its rows.
TEST_P(DeviceRanksTest, DeviceThatStops) {
  if (!isDirect())
    return;
  makeRanks(2, 300 * millisecond);
  makeContexts();
  setenv("DYN_EMU_NCCL", "silent", 1);
  auto outcomes = callAll([](uint32_t, RankCall &) {},
                          [](uint32_t, uint32_t) { return 2; });
  bool isNamed = false;
  for (uint32_t rank : {0, 1}) {
    EXPECT_NE(outcomes[rank].status, DYN_STATUS_OK);
    isNamed |= outcomes[rank].message ==
               "the device of rank " + std::to_string(1 - rank) +
                   " did not exchange rows within 0.3 s";
  }
  EXPECT_TRUE(isNamed) << outcomes[0].message << outcomes[1].message;
  // The end of the communicator, but not of the device.
  unsetenv("DYN_EMU_NCCL");
  for (const Outcome &each : callAll([](uint32_t, RankCall &) {}))
    EXPECT_NE(each.status, DYN_STATUS_OK);
  group = makeGroup(Kind::Threads, size, communicatorOptions(10 * second));
  makeContexts();
  for (const Outcome &each : callAll([](uint32_t, RankCall &) {}))
    EXPECT_EQ(each.status, DYN_STATUS_OK) << each.message;
}

/// A kernel beside an exchange that writes what is sent (5), or what is
/// received (6), is reported with both ranks, however fast the exchange is.
TEST_P(DeviceRanksTest, KernelsThatRaceWithAnExchange) {
  if (!isDirect())
    return;
  for (int64_t mode : {5, 6}) {
    makeRanks(2);
    makeContexts();
    auto outcomes = callAll(
        [&](uint32_t rank, RankCall &call) {
          // Rank 0, whose mode means nothing, gets any of the rows.
          call.mode = rank == 1 ? mode : 9;
        },
        [](uint32_t from, uint32_t) { return from ? 1 : 2; });
    std::string text = mode == 5
                           ? "with ncclSend of rank 1 to rank 0, which has "
                             "not ended"
                           : "with ncclRecv of rank 1 from rank 0, which has "
                             "not ended";
    EXPECT_EQ(outcomes[1].status, DYN_STATUS_DEVICE_ERROR);
    EXPECT_NE(outcomes[1].message.find(text), std::string::npos)
        << outcomes[1].message;
  }
}

INSTANTIATE_TEST_SUITE_P(Library, DeviceRanksTest,
                         ::testing::Values(nullptr, "none"),
                         [](const auto &info) {
                           return std::string(info.param ? "Staged" : "Direct");
                         });

//===----------------------------------------------------------------------===//
// The emulator's devices
//===----------------------------------------------------------------------===//

/// A kernel cannot access memory of another device.
TEST(EmulatedDevicesTest, MemoryBelongsToADevice) {
  Artifact device = load(artifactPath("device.so"));
  dyn_context_options_t options = deviceOptions();
  options.device_ordinal = 1;
  Context context = makeContext(device, options);
  Execution execution = makeExecution(context.get());
  DeviceVector x({1, 2, 3, 4}); // on device 0
  dyn_tensor_t inputs[] = {x.tensor(), x.tensor()}, output = {};
  for (dyn_tensor_t &input : inputs)
    input.device_ordinal = 1;
  dyn_call_options_t call = callOptions(execution.get(), "add");
  ASSERT_EQ(dyn_execution_run(execution.get(), &call, inputs, 2, &output, 1),
            DYN_STATUS_DEVICE_ERROR);
  EXPECT_TRUE(
      std::strstr(dyn_last_error(), "memory of device 0, not of device 1"))
      << dyn_last_error();
}

/// Copies may go from one device to another, and keep what is not initialised.
TEST(EmulatedDevicesTest, CopiesBetweenDevices) {
  EmulatedDriver cuda;
  dyn_cuda_context_t second = nullptr, popped = nullptr;
  ASSERT_EQ(cuda.primaryRetain(&second, 1), DYN_CUDA_SUCCESS);
  uint64_t from = 0, to = 0;
  ASSERT_EQ(cuda.memAlloc(&from, 8), DYN_CUDA_SUCCESS);
  ASSERT_EQ(cuda.contextPush(second), DYN_CUDA_SUCCESS);
  ASSERT_EQ(cuda.memAlloc(&to, 8), DYN_CUDA_SUCCESS);
  int32_t value = 7, found = 0;
  dyn_cuda_stream_t stream = nullptr;
  ASSERT_EQ(cuda.streamCreate(&stream, 0), DYN_CUDA_SUCCESS);
  EXPECT_EQ(cuda.copyToDevice(from, &value, 4), DYN_CUDA_SUCCESS);
  EXPECT_EQ(cuda.copyOnDeviceAsync(to, from, 8, stream), DYN_CUDA_SUCCESS);
  EXPECT_EQ(cuda.copyToHostAsync(&found, to, 4, stream), DYN_CUDA_SUCCESS);
  EXPECT_EQ(cuda.streamSynchronize(stream), DYN_CUDA_SUCCESS);
  EXPECT_EQ(found, 7);
  EXPECT_EQ(cuda.copyToHostAsync(&found, to + 4, 4, stream), DYN_CUDA_SUCCESS);
  EXPECT_EQ(cuda.streamSynchronize(stream), DYN_CUDA_LAUNCH_FAILED);
  EXPECT_EQ(cuda.copyOnDeviceAsync(to, from, 9, stream),
            DYN_CUDA_INVALID_VALUE);
  cuda.streamDestroy(stream);
  cuda.memFree(to);
  cuda.memFree(from);
  EXPECT_EQ(cuda.contextPop(&popped), DYN_CUDA_SUCCESS);
  EXPECT_EQ(popped, second);
  EXPECT_EQ(cuda.contextPop(&popped), DYN_CUDA_INVALID_CONTEXT);
}
