//===- EmulatedNcclTest.cpp - The emulator as NCCL ------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceTesting.h"

#include "dyn/nccl.h"

namespace {
/// Two ranks of NCCL, each with a device, a stream and 64 bytes, of which the
/// first 32 are initialised. One thread acts for both.
class EmulatedNcclTest : public testing::Test {
protected:
  struct Functions : dyn::test::EmulatedDriver {
#define DYN_NCCL_FUNCTION(member, result, symbol, parameters)                  \
  result(*member) parameters;
#include "dyn/nccl.def"
  };
  struct Rank {
    dyn_cuda_context_t context = nullptr;
    dyn_nccl_comm_t comm = nullptr;
    dyn_cuda_stream_t stream = nullptr;
    uint64_t memory = 0;
  };

  void SetUp() override {
    setenv("DYN_EMU_DEVICES", "4", 1);
    void *library = dlopen(dyn::test::kEmulator, RTLD_NOW);
    ASSERT_TRUE(library) << dlerror();
#define DYN_NCCL_FUNCTION(member, result, symbol, parameters)                  \
  f.member = reinterpret_cast<result(*) parameters>(dlsym(library, #symbol));
#include "dyn/nccl.def"
    ASSERT_EQ(f.getUniqueId(&id), DYN_NCCL_SUCCESS);
    std::vector<char> bytes(32, 'x');
    for (int i = 0; i < 2; ++i) {
      Rank &rank = ranks[i];
      ASSERT_EQ(f.primaryRetain(&rank.context, i), DYN_CUDA_SUCCESS);
      ASSERT_EQ(f.contextPush(rank.context), DYN_CUDA_SUCCESS);
      ASSERT_EQ(f.streamCreate(&rank.stream, 0), DYN_CUDA_SUCCESS);
      ASSERT_EQ(f.memAlloc(&rank.memory, 64), DYN_CUDA_SUCCESS);
      ASSERT_EQ(f.copyToDevice(rank.memory, bytes.data(), 32),
                DYN_CUDA_SUCCESS);
      EXPECT_EQ(join(i, 2, rank.comm), DYN_NCCL_IN_PROGRESS);
      pop();
    }
  }
  ~EmulatedNcclTest() override {
    for (Rank &rank : ranks) {
      f.finalize(rank.comm);
      f.destroy(rank.comm);
      f.streamDestroy(rank.stream);
      f.memFree(rank.memory);
    }
  }
  int join(int rank, int size, dyn_nccl_comm_t &comm) {
    dyn_nccl_config_t config = {sizeof(config), DYN_NCCL_MAGIC, DYN_NCCL_OLDEST,
                                0};
    return f.initRank(&comm, size, id, rank, &config);
  }
  void pop() {
    dyn_cuda_context_t popped = nullptr;
    f.contextPop(&popped);
  }
  int getState(int rank) {
    int state = -1;
    EXPECT_EQ(f.getAsyncError(ranks[rank].comm, &state), DYN_NCCL_SUCCESS);
    return state;
  }
  int send(int rank, uint64_t offset, size_t bytes, int to) {
    Rank &own = ranks[rank];
    return f.send(reinterpret_cast<void *>(own.memory + offset), bytes,
                  DYN_NCCL_BYTE, to, own.comm, own.stream);
  }
  int receive(int rank, uint64_t offset, size_t bytes, int from) {
    Rank &own = ranks[rank];
    return f.receive(reinterpret_cast<void *>(own.memory + offset), bytes,
                     DYN_NCCL_BYTE, from, own.comm, own.stream);
  }
  /// The report of a wait for the stream of a rank, "" for none.
  std::string wait(int rank) {
    const char *text = "";
    if (int result = f.streamSynchronize(ranks[rank].stream))
      f.getErrorString(result, &text);
    return text;
  }
  bool isEnded(int rank) {
    dyn_cuda_event_t event = nullptr;
    EXPECT_EQ(f.eventCreate(&event, 0), DYN_CUDA_SUCCESS);
    EXPECT_EQ(f.eventRecord(event, ranks[rank].stream), DYN_CUDA_SUCCESS);
    int result = f.eventQuery(event);
    f.eventDestroy(event);
    return result == DYN_CUDA_SUCCESS;
  }
  char read(int rank, uint64_t offset) {
    char value = 0;
    EXPECT_EQ(f.copyToHostAsync(&value, ranks[rank].memory + offset, 1,
                                ranks[rank].stream),
              DYN_CUDA_SUCCESS);
    return value;
  }

  Functions f;
  dyn_nccl_id_t id;
  Rank ranks[2];
};
} // namespace

TEST_F(EmulatedNcclTest, WaitsForTheOtherRank) {
  EXPECT_EQ(getState(0), DYN_NCCL_SUCCESS);
  ASSERT_EQ(f.groupStart(), DYN_NCCL_SUCCESS);
  EXPECT_EQ(send(0, 0, 16, 1), DYN_NCCL_SUCCESS);
  EXPECT_EQ(receive(0, 32, 16, 1), DYN_NCCL_SUCCESS);
  ASSERT_EQ(f.groupEnd(), DYN_NCCL_SUCCESS);
  EXPECT_FALSE(isEnded(0));
  // Later work on the stream waits, but pageable memory is read at once.
  char value = 'y';
  EXPECT_EQ(f.copyToDeviceAsync(ranks[0].memory, &value, 1, ranks[0].stream),
            DYN_CUDA_SUCCESS);
  value = 'z';
  ASSERT_EQ(f.groupStart(), DYN_NCCL_SUCCESS);
  EXPECT_EQ(receive(1, 32, 16, 0), DYN_NCCL_SUCCESS);
  EXPECT_EQ(send(1, 0, 16, 0), DYN_NCCL_SUCCESS);
  ASSERT_EQ(f.groupEnd(), DYN_NCCL_SUCCESS);
  EXPECT_TRUE(isEnded(0));
  EXPECT_EQ(wait(0), "");
  EXPECT_EQ(wait(1), "");
  EXPECT_EQ(read(1, 47), 'x');
  EXPECT_EQ(read(0, 0), 'y');
}

TEST_F(EmulatedNcclTest, Faults) {
  struct Case {
    uint64_t offset;
    size_t sends, receives;
    const char *sender, *receiver;
  };
  const Case cases[] = {
      {0, 8, 4,
       "ranks that disagree in kernel 'ncclSend': rank 0 sends 8 elements of "
       "type 1 to rank 1, which expects 4 elements of type 1",
       "ranks that disagree in kernel 'ncclRecv': rank 0 sends 8 elements of "
       "type 1 to rank 1, which expects 4 elements of type 1"},
      {32, 8, 8,
       "read of uninitialized memory in kernel 'ncclSend': byte 0 of 8 of "
       "ncclSend of rank 0 to rank 1",
       ""}};
  for (const Case &wrong : cases) {
    EXPECT_EQ(send(0, wrong.offset, wrong.sends, 1), DYN_NCCL_SUCCESS);
    EXPECT_EQ(receive(1, 40, wrong.receives, 0), DYN_NCCL_SUCCESS);
    EXPECT_EQ(wait(0), wrong.sender);
    EXPECT_EQ(wait(1), wrong.receiver);
  }
  EXPECT_EQ(send(0, 60, 8, 1), DYN_NCCL_SUCCESS);
  EXPECT_EQ(wait(0), "access out of bounds in kernel 'ncclSend': 8 bytes of "
                     "ncclSend of rank 0 to rank 1");
}

/// The host writes what is sent, before it knows that the send has ended.
TEST_F(EmulatedNcclTest, RaceWithTheHost) {
  EXPECT_EQ(send(0, 0, 16, 1), DYN_NCCL_SUCCESS);
  EXPECT_EQ(receive(1, 0, 16, 0), DYN_NCCL_SUCCESS);
  dyn_cuda_stream_t other = nullptr;
  ASSERT_EQ(f.streamCreate(&other, 0), DYN_CUDA_SUCCESS);
  char value = 'y';
  auto writeAndWait = [&]() -> std::string {
    const char *text = "";
    EXPECT_EQ(f.copyToDeviceAsync(ranks[0].memory, &value, 1, other),
              DYN_CUDA_SUCCESS);
    if (int result = f.streamSynchronize(other))
      f.getErrorString(result, &text);
    return text;
  };
  EXPECT_EQ(writeAndWait(),
            "race in kernel 'copy to the device': 1 bytes, with ncclSend of "
            "rank 0 to rank 1, which has not ended");
  EXPECT_EQ(wait(0), "");
  EXPECT_EQ(writeAndWait(), "");
  f.streamDestroy(other);
}

/// A rank that aborts ends its own transfers; the other one's wait.
TEST_F(EmulatedNcclTest, Abort) {
  EXPECT_EQ(send(0, 0, 16, 1), DYN_NCCL_SUCCESS);
  EXPECT_FALSE(isEnded(0));
  EXPECT_EQ(f.abort(ranks[0].comm), DYN_NCCL_SUCCESS);
  EXPECT_EQ(wait(0), "");
  EXPECT_EQ(receive(1, 0, 16, 0), DYN_NCCL_SUCCESS);
  EXPECT_FALSE(isEnded(1));
  f.contextPush(ranks[0].context);
  f.getUniqueId(&id);
  join(0, 1, ranks[0].comm);
  pop();
}

TEST_F(EmulatedNcclTest, WhatNcclRefuses) {
  EXPECT_EQ(send(0, 0, 8, 2), DYN_NCCL_INVALID_ARGUMENT);
  EXPECT_EQ(f.groupEnd(), DYN_NCCL_INVALID_USAGE);
  std::swap(ranks[0].stream, ranks[1].stream);
  EXPECT_EQ(send(0, 0, 8, 1), DYN_NCCL_INVALID_USAGE);
  std::swap(ranks[0].stream, ranks[1].stream);
  dyn_nccl_comm_t comm = nullptr;
  EXPECT_EQ(join(2, 2, comm), DYN_NCCL_INVALID_ARGUMENT);
  dyn_nccl_config_t blocking = {sizeof(blocking), DYN_NCCL_MAGIC,
                                DYN_NCCL_OLDEST, 1};
  EXPECT_EQ(f.initRank(&comm, 1, id, 0, &blocking), DYN_NCCL_INVALID_ARGUMENT);
  // Two ranks of one device, and a rank that comes twice.
  for (int second : {1, 0}) {
    dyn_nccl_comm_t made[2] = {};
    f.getUniqueId(&id);
    EXPECT_EQ(join(0, 2, made[0]), DYN_NCCL_IN_PROGRESS);
    EXPECT_EQ(join(second, 2, made[1]), DYN_NCCL_IN_PROGRESS);
    int state = 0;
    EXPECT_EQ(f.getAsyncError(made[0], &state), DYN_NCCL_SUCCESS);
    EXPECT_EQ(state, DYN_NCCL_INVALID_USAGE);
    f.abort(made[0]);
    f.abort(made[1]);
  }
}
