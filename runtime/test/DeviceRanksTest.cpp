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

int64_t someRows(uint32_t from, uint32_t to) { return (3 * from + to) % 4; }

/// Ranks in threads, each with a device.
class DeviceRanksTest : public ::testing::Test {
protected:
  void makeRanks(uint32_t count, uint64_t timeout = 10 * second) {
    ASSERT_EQ(isSet, 0);
    size = count;
    group = makeGroup(Kind::Threads, size, communicatorOptions(timeout));
    artifact =
        load(artifactPath("ranks" + std::to_string(size) + "_device.so"));
    contexts.resize(size);
  }
  std::vector<Outcome>
  onAll(const std::function<dyn_status_t(uint32_t rank)> &body) {
    std::vector<Outcome> outcomes(size);
    runThreads(
        size, [&](uint32_t rank) { outcomes[rank] = Outcome::of(body(rank)); });
    return outcomes;
  }
  using Change = std::function<void(uint32_t, dyn_context_options_t &)>;
  std::vector<Outcome> tryContexts(const Change &change) {
    return onAll([&](uint32_t rank) {
      dyn_context_options_t options = deviceOptions();
      options.communicator = group[rank].get();
      options.device_ordinal = int32_t(rank);
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

  uint32_t size = 0;
  std::vector<Communicator> group;
  Artifact artifact;
  std::vector<Context> contexts;
};

void expect(const Outcome &outcome, dyn_status_t status,
            const std::string &message) {
  EXPECT_EQ(outcome.status, status);
  EXPECT_EQ(outcome.message, message);
}

dyn_stats_t statsOf(const RankCall &call) {
  dyn_stats_t stats = {};
  stats.struct_size = sizeof(stats);
  EXPECT_EQ(dyn_execution_stats(call.execution.get(), &stats), DYN_STATUS_OK);
  return stats;
}
} // namespace

TEST_F(DeviceRanksTest, ExchangesRows) {
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
TEST_F(DeviceRanksTest, CountsWhatIsStaged) {
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
         EXPECT_EQ(stats.staged_bytes, 2 * 5 * 24u);
         EXPECT_EQ(stats.allocations, 0u);
         EXPECT_EQ(stats.device_waits, 4u);
         return DYN_STATUS_OK;
       }))
    EXPECT_EQ(each.status, DYN_STATUS_OK) << each.message;
}

/// Rows that are in no range are zeros.
TEST_F(DeviceRanksTest, ClearsTheRest) {
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
TEST_F(DeviceRanksTest, HoldsItsOwnConstants) {
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

TEST_F(DeviceRanksTest, RangesThatAreOut) {
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

TEST_F(DeviceRanksTest, RanksThatDisagree) {
  makeRanks(2);
  makeContexts();
  auto outcomes = callAll(
      [](uint32_t rank, RankCall &call) {
        if (rank == 0)
          call.sends[3] = 3;
      },
      [](uint32_t, uint32_t) { return 2; });
  for (const Outcome &each : outcomes)
    EXPECT_NE(each.message.find("exchange 2: rank 0 sends 24 bytes to rank 1, "
                                "which expects 48"),
              std::string::npos)
        << each.message;
}

TEST_F(DeviceRanksTest, RankThatStops) {
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

TEST_F(DeviceRanksTest, RankThatDoesNotCome) {
  makeRanks(2, 200 * millisecond);
  makeContexts();
  RankCall call(contexts[0].get(), 0, size, someRows);
  EXPECT_FAILURE(call.run(), DYN_STATUS_DEADLINE_EXCEEDED,
                 "rank 1 did not answer within 0.2 s in exchange 2");
}

TEST_F(DeviceRanksTest, OtherCode) {
  makeRanks(2);
  for (const Outcome &each :
       tryContexts([](uint32_t rank, dyn_context_options_t &options) {
         if (rank == 0)
           return;
         options.device = DYN_DEVICE_CPU;
         options.device_ordinal = 0;
         options.device_library = nullptr;
         options.isa = "v2";
       }))
    expect(each, DYN_STATUS_INVALID_ARGUMENT,
           "rank 0 runs code for the emulator, rank 1 for x86-64-v2: expected "
           "one instruction set, see `isa` and `device`");
}

TEST_F(DeviceRanksTest, TooFewDevices) {
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
// The emulator's devices
//===----------------------------------------------------------------------===//

/// A kernel cannot access memory of another device.
TEST_F(DeviceRanksTest, MemoryBelongsToADevice) {
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
TEST_F(DeviceRanksTest, CopiesBetweenDevices) {
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
