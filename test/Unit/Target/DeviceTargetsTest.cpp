//===- DeviceTargetsTest.cpp - The targets of an artifact, by name --------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Target/DeviceCompiler.h"
#include "dyn/Target/PtxEmitter.h"

#include "gmock/gmock.h"

using namespace dyn;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

DeviceTargets parse(llvm::StringRef text) {
  std::string error;
  std::optional<DeviceTargets> targets = DeviceTargets::parse(text, error);
  EXPECT_TRUE(targets) << error;
  return targets.value_or(DeviceTargets());
}

std::string getError(llvm::StringRef text) {
  std::string error;
  EXPECT_FALSE(DeviceTargets::parse(text, error)) << text.str();
  return error;
}

TEST(DeviceTargetsTest, TheCpuAlone) {
  DeviceTargets targets = parse("cpu");
  EXPECT_TRUE(targets.empty());
  EXPECT_FALSE(targets.emulated);
}

TEST(DeviceTargetsTest, AnyOrder) {
  for (llvm::StringRef text :
       {"cpu,cuda:sm_80,emu", "emu,cuda:sm_80,cpu", "cuda:sm_80,emu,cpu"}) {
    DeviceTargets targets = parse(text);
    EXPECT_TRUE(targets.emulated) << text.str();
    EXPECT_THAT(targets.chips, ElementsAre("sm_80")) << text.str();
    EXPECT_FALSE(targets.empty());
  }
  EXPECT_THAT(parse("cpu,emu").chips, IsEmpty());
  EXPECT_FALSE(parse("cpu,emu").empty());
}

/// Newer chips run the oldest one's PTX, which is the first in the image.
TEST(DeviceTargetsTest, ChipsAscend) {
  EXPECT_THAT(parse("cpu,cuda:sm_90a,sm_80,sm_90,sm_80").chips,
              ElementsAre("sm_80", "sm_90", "sm_90a"));
  EXPECT_THAT(parse("cpu,cuda:sm_90,cuda:sm_86").chips,
              ElementsAre("sm_86", "sm_90"));
}

TEST(DeviceTargetsTest, EachBadNameIsTold) {
  EXPECT_EQ(getError(""), "expected cpu, cuda:CHIP,... or emu, found ''");
  EXPECT_EQ(getError("cpu,"), "expected cpu, cuda:CHIP,... or emu, found ''");
  EXPECT_EQ(getError("CPU"), "expected cpu, cuda:CHIP,... or emu, found 'CPU'");
  EXPECT_EQ(getError("cpu, emu"),
            "expected cpu, cuda:CHIP,... or emu, found ' emu'");
  EXPECT_THAT(getError("cpu,cuda:"), HasSubstr("behind 'cuda:', found ''"));
  EXPECT_THAT(getError("cpu,cuda:80"), HasSubstr("found '80'"));
  EXPECT_THAT(getError("cpu,cuda:sm_80,sm_75"), HasSubstr("found 'sm_75'"));
  EXPECT_EQ(getError("cuda:sm_80,emu"),
            "expected cpu among the targets, found 'cuda:sm_80,emu'");
}

/// The list in messages is that of what is accepted.
TEST(DeviceTargetsTest, EachListedChipIsOne) {
  std::string list = getChipList();
  llvm::SmallVector<llvm::StringRef> names;
  llvm::StringRef(list).split(names, ", ");
  EXPECT_THAT(names, testing::SizeIs(testing::Ge(2)));
  for (llvm::StringRef name : names) {
    EXPECT_TRUE(isChip(name)) << name.str();
    EXPECT_THAT(parse(("cpu,cuda:" + name).str()).chips,
                ElementsAre(name.str()));
  }
  EXPECT_FALSE(isChip("sm_8"));
  EXPECT_FALSE(isChip(""));
}

} // namespace
