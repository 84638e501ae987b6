//===- EmulatedStreamsTest.cpp - Streams of the emulator ------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceTesting.h"

using namespace dyn::test;

namespace {

/// A word on the emulator, two streams and an event.
class EmulatedStreamsTest : public testing::Test {
protected:
  EmulatedStreamsTest() {
    driver.memAlloc(&word, 4);
    driver.streamCreate(&first, DYN_CUDA_STREAM_NON_BLOCKING);
    driver.streamCreate(&second, DYN_CUDA_STREAM_NON_BLOCKING);
    driver.eventCreate(&event, DYN_CUDA_EVENT_DISABLE_TIMING);
  }
  ~EmulatedStreamsTest() override {
    driver.eventDestroy(event);
    driver.streamDestroy(first);
    driver.streamDestroy(second);
    driver.memFree(word);
  }
  void write(dyn_cuda_stream_t stream) {
    EXPECT_EQ(driver.copyToDeviceAsync(word, &value, 4, stream),
              DYN_CUDA_SUCCESS);
  }
  void read(dyn_cuda_stream_t stream) {
    EXPECT_EQ(driver.copyToHostAsync(&value, word, 4, stream),
              DYN_CUDA_SUCCESS);
  }
  /// Work on `to` from now on follows that on `from`.
  void order(dyn_cuda_stream_t from, dyn_cuda_stream_t to) {
    EXPECT_EQ(driver.eventRecord(event, from), DYN_CUDA_SUCCESS);
    EXPECT_EQ(driver.streamWaitEvent(to, event, 0), DYN_CUDA_SUCCESS);
  }
  /// The faults that a wait for the stream reports.
  std::string wait(dyn_cuda_stream_t stream) {
    int result = driver.streamSynchronize(stream);
    const char *text = "";
    if (result != DYN_CUDA_SUCCESS)
      driver.getErrorString(result, &text);
    return text;
  }

  EmulatedDriver driver;
  uint64_t word = 0;
  dyn_cuda_stream_t first = nullptr, second = nullptr;
  dyn_cuda_event_t event = nullptr;
  uint32_t value = 7;
};

TEST_F(EmulatedStreamsTest, Races) {
  write(first);
  read(second);
  EXPECT_EQ(wait(second),
            "race in kernel 'copy to the host': 4 bytes, with 'copy to the "
            "device' of another stream, which no event orders");
  EXPECT_EQ(wait(first), "");
}

TEST_F(EmulatedStreamsTest, EventsOrder) {
  write(first);
  order(first, second);
  read(second);
  order(second, first);
  write(first);
  EXPECT_EQ(wait(first), "");
  EXPECT_EQ(wait(second), "");
}

/// An order by way of a third stream.
TEST_F(EmulatedStreamsTest, OrdersAreTransitive) {
  dyn_cuda_stream_t third = nullptr;
  driver.streamCreate(&third, DYN_CUDA_STREAM_NON_BLOCKING);
  write(first);
  order(first, third);
  order(third, second);
  read(second);
  EXPECT_EQ(wait(second), "");
  EXPECT_EQ(wait(third), "");
  driver.streamDestroy(third);
}

TEST_F(EmulatedStreamsTest, WaitsOfTheHostOrder) {
  write(first);
  EXPECT_EQ(wait(first), "");
  write(second);
  EXPECT_EQ(driver.eventRecord(event, second), DYN_CUDA_SUCCESS);
  EXPECT_EQ(driver.eventQuery(event), DYN_CUDA_SUCCESS);
  write(first);
  EXPECT_EQ(driver.eventRecord(event, first), DYN_CUDA_SUCCESS);
  EXPECT_EQ(driver.eventSynchronize(event), DYN_CUDA_SUCCESS);
  write(second);
  EXPECT_EQ(wait(first), "");
  EXPECT_EQ(wait(second), "");
}

/// Whoever waits for a stream sees the faults of work before what it waits for.
TEST_F(EmulatedStreamsTest, FaultsFollowEvents) {
  read(second); // nothing has been written
  order(second, first);
  EXPECT_NE(wait(first).find("read of uninitialized memory"),
            std::string::npos);
  EXPECT_EQ(wait(second), "");
}

} // namespace
