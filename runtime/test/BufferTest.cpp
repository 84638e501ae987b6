//===- BufferTest.cpp - Blocks that grow ----------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Buffer.h"
#include "MemoryLimit.h"

#include "gtest/gtest.h"

#include <cstring>
#include <string>
#include <sys/mman.h>
#include <vector>

using namespace dyn::rt;

namespace {
const uint64_t mega = 1 << 20;

/// Bytes of a block that are resident in memory.
uint64_t resident(const Buffer &buffer) {
  std::vector<unsigned char> pages(buffer.bytes() / DYN_PAGE);
  EXPECT_EQ(::mincore(buffer.data(), buffer.bytes(), pages.data()), 0);
  uint64_t count = 0;
  for (unsigned char page : pages)
    count += page & 1;
  return count * DYN_PAGE;
}
} // namespace

TEST(Buffer, TakesNoMemoryThatIsNotAskedFor) {
  MemorySource source;
  Buffer buffer;
  buffer.setSource(source);
  uint64_t allocations = 0;
  // Not multiples of a huge page; the last one fits in the growth for the one
  // before.
  for (uint64_t bytes : {5 * mega, 9 * mega, 13 * mega, 15 * mega}) {
    ASSERT_EQ(buffer.reserve(int64_t(bytes), allocations), DYN_STATUS_OK);
    ASSERT_GE(buffer.bytes(), bytes);
    std::memset(buffer.data(), 1, bytes);
    EXPECT_LE(resident(buffer), bytes + DYN_PAGE);
  }
  EXPECT_EQ(allocations, 3u);
  ASSERT_EQ(buffer.reserve(int64_t(15 * mega), allocations), DYN_STATUS_OK);
  EXPECT_EQ(allocations, 3u);
}

TEST(Buffer, KeepsTouchedPagesWhenItGrows) {
  MemorySource source;
  Buffer buffer;
  buffer.setSource(source);
  uint64_t allocations = 0;
  for (uint64_t bytes = 5 * mega; bytes < 200 * mega; bytes *= 2) {
    uint64_t before = buffer.data() ? resident(buffer) : 0;
    ASSERT_EQ(buffer.reserve(int64_t(bytes), allocations), DYN_STATUS_OK);
    // Kernels before 6.17 cannot move a block that has grown.
    if (uint64_t now = resident(buffer))
      EXPECT_EQ(now, before);
    std::memset(buffer.data(), 1, bytes);
  }
}

/// Address space is not memory, but more than the available memory is refused.
TEST(Buffer, RefusesMoreThanTheProcessMayUse) {
  const auto memory = int64_t(usableMemory());
  MemorySource source;
  Buffer buffer;
  buffer.setSource(source);
  uint64_t allocations = 0;
  ASSERT_EQ(buffer.reserve(1000, allocations), DYN_STATUS_OK);
  EXPECT_EQ(buffer.reserve(memory + 1, allocations), DYN_STATUS_OUT_OF_MEMORY);
  EXPECT_EQ(dyn_last_error(), "cannot allocate " + std::to_string(memory + 1) +
                                  " bytes for intermediate results or outputs");
  EXPECT_EQ(buffer.reserve(2000, allocations), DYN_STATUS_OK);
#ifndef __SANITIZE_ADDRESS__ // which has shadow memory for each byte
  ASSERT_EQ(buffer.reserve(memory / 4 * 3, allocations), DYN_STATUS_OK);
  std::memset(buffer.data(), 1, DYN_PAGE);
  // There is not enough memory to grow by half.
  EXPECT_EQ(buffer.reserve(memory / 8 * 7, allocations), DYN_STATUS_OK);
#endif
}
