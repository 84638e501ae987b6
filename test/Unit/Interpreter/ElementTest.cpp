//===- ElementTest.cpp - Rounding to 16-bit floats ------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Interpreter/Element.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace dyn;

TEST(ElementTest, EveryHalfReadsBackAsItself) {
  for (uint32_t bits = 0; bits <= 0xffff; ++bits) {
    float value = expandHalf(bits);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(expandHalf(roundToHalf(value))));
      continue;
    }
    EXPECT_EQ(roundToHalf(value), bits);
    EXPECT_EQ(roundToHalf(double(value)), bits);
  }
}

TEST(ElementTest, HalvesRoundToNearestEven) {
  // Between each number and the next one: below, at and above the midpoint.
  for (uint16_t bits = 0; bits != 0x7bff; ++bits) {
    double low = expandHalf(bits), high = expandHalf(bits + 1);
    double middle = (low + high) / 2, step = (high - low) / 1024;
    EXPECT_EQ(roundToHalf(middle - step), bits);
    EXPECT_EQ(roundToHalf(middle), bits % 2 ? bits + 1 : bits);
    EXPECT_EQ(roundToHalf(middle + step), bits + 1);
    EXPECT_EQ(roundToHalf(float(middle)), bits % 2 ? bits + 1 : bits);
  }
  EXPECT_EQ(roundToHalf(65519.0f), 0x7bff);
  EXPECT_EQ(roundToHalf(65520.0f), 0x7c00);
}

TEST(ElementTest, DoublesAreRoundedOnce) {
  // Via f32 this would be a tie, and be rounded down to even.
  EXPECT_EQ(roundToHalf(1.0 + 0x1p-11 + 0x1p-40), 0x3c01);
  EXPECT_EQ(roundToBFloat16(1.0 + 0x1p-8 + 0x1p-40), 0x3f81);
}

TEST(ElementTest, BFloat16RoundsToNearestEven) {
  EXPECT_EQ(roundToBFloat16(257.0f), 0x4380);
  EXPECT_EQ(roundToBFloat16(259.0f), 0x4382);
  EXPECT_EQ(roundToBFloat16(INFINITY), 0x7f80);
  EXPECT_TRUE(std::isnan(float(BFloat16(NAN))));
}
