//===- CommMisuseTest.cpp - Wrong arguments of operations of ranks --------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommTesting.h"

using namespace dyn::test;

namespace {
/// None of these begins an operation, so rank 0 can be alone with them.
class CommMisuseTest : public ::testing::Test {
protected:
  ~CommMisuseTest() override {
    // The communicator is usable afterwards.
    runThreads(2, [&](uint32_t rank) {
      EXPECT_EQ(dyn_communicator_barrier(group[rank].get(), nullptr, nullptr),
                DYN_STATUS_OK);
    });
  }

  std::vector<Communicator> group =
      makeGroup(Kind::Threads, 2, communicatorOptions(second));
  dyn_communicator_t *rank0 = group[0].get();
  char byte = 0;
  dyn_part_t parts[2] = {{&byte, 1}, {nullptr, 3}};
};
} // namespace

TEST_F(CommMisuseTest, NoCommunicator) {
  const char *message = "communicator is null";
  dyn_communicator_stats_t stats = {sizeof(stats)};
  for (dyn_status_t status :
       {dyn_communicator_barrier(nullptr, nullptr, nullptr),
        dyn_communicator_all_to_all(nullptr, parts, parts, nullptr, nullptr),
        dyn_communicator_all_gather(nullptr, &byte, 1, parts, nullptr, nullptr),
        dyn_communicator_broadcast(nullptr, 0, &byte, 1, nullptr, nullptr),
        dyn_communicator_all_reduce(nullptr, &byte, &byte, 0, DYN_F32,
                                    DYN_REDUCE_SUM, DYN_ORDER_TREE, nullptr,
                                    nullptr),
        dyn_communicator_send(nullptr, 0, &byte, 1, nullptr, nullptr),
        dyn_communicator_receive(nullptr, 0, &byte, 1, nullptr, nullptr),
        dyn_communicator_stats(nullptr, &stats)}) {
    EXPECT_EQ(status, DYN_STATUS_INVALID_ARGUMENT);
    EXPECT_STREQ(dyn_last_error(), message);
  }
  dyn_communicator_t *made = nullptr;
  EXPECT_FAILURE(dyn_communicator_split(nullptr, 0, 0, &made),
                 DYN_STATUS_INVALID_ARGUMENT, message);
  EXPECT_FAILURE(dyn_communicator_split(rank0, 0, 0, nullptr),
                 DYN_STATUS_INVALID_ARGUMENT, "out_communicator is null");
  EXPECT_FAILURE(dyn_request_wait(nullptr), DYN_STATUS_INVALID_ARGUMENT,
                 "request is null");
  EXPECT_FAILURE(dyn_communicator_stats(rank0, nullptr),
                 DYN_STATUS_INVALID_ARGUMENT,
                 "dyn_communicator_stats_t is null");
}

TEST_F(CommMisuseTest, NoMemory) {
  dyn_part_t good[2] = {{&byte, 1}, {&byte, 1}};
  EXPECT_FAILURE(
      dyn_communicator_all_to_all(rank0, nullptr, good, nullptr, nullptr),
      DYN_STATUS_INVALID_ARGUMENT, "sends is null");
  EXPECT_FAILURE(
      dyn_communicator_all_to_all(rank0, good, parts, nullptr, nullptr),
      DYN_STATUS_INVALID_ARGUMENT, "receives[1] is null, of 3 bytes");
  EXPECT_FAILURE(
      dyn_communicator_broadcast(rank0, 0, nullptr, 9, nullptr, nullptr),
      DYN_STATUS_INVALID_ARGUMENT, "data is null, of 9 bytes");
  EXPECT_FAILURE(dyn_communicator_all_reduce(rank0, nullptr, &byte, 2, DYN_F32,
                                             DYN_REDUCE_SUM, DYN_ORDER_TREE,
                                             nullptr, nullptr),
                 DYN_STATUS_INVALID_ARGUMENT, "elements is null, of 8 bytes");
}

TEST_F(CommMisuseTest, OwnParts) {
  dyn_part_t sends[2] = {{&byte, 1}, {}}, receives[2] = {};
  EXPECT_FAILURE(
      dyn_communicator_all_to_all(rank0, sends, receives, nullptr, nullptr),
      DYN_STATUS_INVALID_ARGUMENT,
      "rank 0 sends 1 bytes to itself and expects 0");
}

TEST_F(CommMisuseTest, Ranks) {
  EXPECT_FAILURE(
      dyn_communicator_broadcast(rank0, 2, &byte, 1, nullptr, nullptr),
      DYN_STATUS_INVALID_ARGUMENT, "root is 2, of 2 ranks");
  EXPECT_FAILURE(dyn_communicator_send(rank0, 0, &byte, 1, nullptr, nullptr),
                 DYN_STATUS_INVALID_ARGUMENT,
                 "peer is 0: expected another rank than 0, of 2");
}

TEST_F(CommMisuseTest, Reductions) {
  auto reduce = [&](uint64_t count, dyn_dtype_t dtype, int kind) {
    return dyn_communicator_all_reduce(rank0, &byte, &byte, count, dtype,
                                       dyn_reduction_t(kind), DYN_ORDER_TREE,
                                       nullptr, nullptr);
  };
  EXPECT_FAILURE(reduce(1, DYN_BF16, DYN_REDUCE_SUM), DYN_STATUS_UNSUPPORTED,
                 "cannot reduce bf16: expected f32, f64, i32 or i64");
  EXPECT_FAILURE(reduce(1, DYN_F32, 3), DYN_STATUS_INVALID_ARGUMENT,
                 "reduction is 3, order is 1: expected values of comm.h");
  EXPECT_FAILURE(reduce(UINT64_MAX / 4, DYN_F32, DYN_REDUCE_SUM),
                 DYN_STATUS_INVALID_ARGUMENT, "count is 4611686018427387903");
}

TEST_F(CommMisuseTest, Creation) {
  dyn_communicator_t *made = nullptr;
  EXPECT_FAILURE(dyn_communicator_create_threads(0, nullptr, &made),
                 DYN_STATUS_INVALID_ARGUMENT,
                 "size is 0: expected 1 to 1024 ranks");
  EXPECT_FAILURE(dyn_communicator_create_threads(2, nullptr, nullptr),
                 DYN_STATUS_INVALID_ARGUMENT, "out_communicators is null");
  EXPECT_FAILURE(dyn_communicator_create(nullptr, nullptr, &made),
                 DYN_STATUS_INVALID_ARGUMENT, "transport is null");
  dyn_transport_t transport = {sizeof(transport)};
  EXPECT_FAILURE(dyn_communicator_create(&transport, nullptr, &made),
                 DYN_STATUS_INVALID_ARGUMENT,
                 "a function of the transport is null");
  transport.send = [](void *, uint32_t, const void *, uint64_t) {};
  transport.receive = [](void *, uint32_t, void *, uint64_t) {};
  transport.progress = [](void *, uint64_t, dyn_transport_event_t *, uint32_t) {
    return uint32_t(0);
  };
  static int closed = 0;
  transport.wake = transport.close = [](void *) { ++closed; };
  transport.abort = [](void *, const char *) {};
  transport.rank = transport.size = 3;
  EXPECT_FAILURE(dyn_communicator_create(&transport, nullptr, &made),
                 DYN_STATUS_INVALID_ARGUMENT, "the transport has rank 3 of 3");
  EXPECT_EQ(closed, 1);
}

TEST_F(CommMisuseTest, Plugins) {
  dyn_communicator_t *made = nullptr;
  EXPECT_EQ(dyn_communicator_create_plugin("/no/such.so", nullptr, &made),
            DYN_STATUS_NOT_FOUND);
  EXPECT_EQ(std::string(dyn_last_error()).find("cannot load '/no/such.so': "),
            0u);
  EXPECT_FAILURE(dyn_communicator_create_plugin(nullptr, nullptr, &made),
                 DYN_STATUS_INVALID_ARGUMENT, "library is null");
  EXPECT_FAILURE(
      dyn_communicator_create_plugin("libm.so.6", nullptr, &made),
      DYN_STATUS_UNSUPPORTED,
      "'libm.so.6' is not a transport: it has no dyn_transport_open");
}
