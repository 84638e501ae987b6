//===- BackoffTest.cpp - Pauses between attempts that may be in vain ------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Backoff.h"

#include <gtest/gtest.h>

using dyn::rt::Backoff;

TEST(BackoffTest, PausesDouble) {
  Backoff backoff(10);
  EXPECT_TRUE(backoff.isOver(0));
  uint64_t now = 5, attempts = 0;
  for (; now < 10000; ++now)
    if (backoff.isOver(now)) {
      backoff.begin(now);
      ++attempts;
    }
  // 10, 20, 40, ... 5120, 10240.
  EXPECT_EQ(attempts, 10u);
}

TEST(BackoffTest, ACalmMakesThemShort) {
  Backoff backoff(10);
  backoff.begin(0);
  backoff.begin(10);
  EXPECT_EQ(backoff.getLength(), 20u);
  // The pause ended at 30.
  backoff.begin(30 + 81);
  EXPECT_EQ(backoff.getLength(), 10u);
}

TEST(BackoffTest, WorkIsATwentiethOfTime) {
  Backoff backoff(10);
  backoff.begin(0);
  backoff.extend(8, 8);
  EXPECT_FALSE(backoff.isOver(167));
  EXPECT_TRUE(backoff.isOver(168));
}
