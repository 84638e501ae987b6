//===- IsaTest.cpp - Names of instruction sets ----------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Support/Isa.h"

#include "gtest/gtest.h"

using namespace dyn;

TEST(IsaTest, NamesReadBack) {
  for (Isa isa : kAllIsas)
    EXPECT_EQ(parseIsa(getIsaName(isa)), isa);
}

TEST(IsaTest, OtherNamesAreNone) {
  for (llvm::StringRef name : {"", "v1", "v5", "V3", "v3 ", "x86-64-v3"})
    EXPECT_EQ(parseIsa(name), std::nullopt) << name.str();
}

TEST(IsaTest, LevelsGrow) {
  EXPECT_EQ(std::size(kAllIsas), 6u);
  EXPECT_EQ(getVectorBits(Isa::V2), 128);
  EXPECT_EQ(getVectorBits(Isa::V3), 256);
  EXPECT_EQ(getVectorBits(Isa::V4), 512);
  EXPECT_EQ(getVectorBits(Isa::V4Vnni), 512);
  EXPECT_FALSE(hasFma(Isa::V2));
  EXPECT_TRUE(hasFma(Isa::V3));
  EXPECT_TRUE(hasFma(Isa::V4));
  EXPECT_EQ(getCpuName(Isa::V3), "x86-64-v3");
  EXPECT_FALSE(hasAvx512(Isa::V3));
  EXPECT_TRUE(hasAvx512(Isa::V4Vnni));
  EXPECT_FALSE(hasVnni(Isa::V4));
  EXPECT_TRUE(hasVnni(Isa::V4Vnni));
  EXPECT_TRUE(hasVnni(Isa::V4Amx));
  EXPECT_FALSE(hasBf16Dots(Isa::V4Vnni));
  EXPECT_TRUE(hasBf16Dots(Isa::V4Bf16));
  EXPECT_TRUE(hasBf16Dots(Isa::V4Amx));
  EXPECT_FALSE(hasTileRegisters(Isa::V4Bf16));
  EXPECT_TRUE(hasTileRegisters(Isa::V4Amx));
}

TEST(IsaTest, ExtensionsAreOfLevels) {
  EXPECT_EQ(getExtendedIsa(Isa::V2), std::nullopt);
  EXPECT_EQ(getExtendedIsa(Isa::V4), std::nullopt);
  EXPECT_EQ(getExtendedIsa(Isa::V4Vnni), Isa::V4);
  EXPECT_EQ(getExtendedIsa(Isa::V4Bf16), Isa::V4Vnni);
  EXPECT_EQ(getExtendedIsa(Isa::V4Amx), Isa::V4Bf16);
  EXPECT_EQ(getCpuName(Isa::V4Vnni), getCpuName(Isa::V4));
  EXPECT_NE(getCpuFeatures(Isa::V4Vnni), getCpuFeatures(Isa::V4));
  EXPECT_NE(getCpuFeatures(Isa::V4Bf16), getCpuFeatures(Isa::V4Vnni));
  EXPECT_NE(getCpuFeatures(Isa::V4Amx), getCpuFeatures(Isa::V4Bf16));
}
