//===- TargetInfoTest.cpp - Numbers of the machine ------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Support/TargetInfo.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace dyn;
using testing::HasSubstr;
using testing::StartsWith;

/// The message for a text, or "".
static std::string getError(llvm::StringRef text, Isa isa = Isa::V4) {
  TargetInfo info = TargetInfo::forIsa(isa);
  return llvm::toString(info.override(text, "f"));
}

TEST(TargetInfoTest, Defaults) {
  TargetInfo v4 = TargetInfo::forIsa(Isa::V4);
  EXPECT_EQ(v4.isa(), Isa::V4);
  EXPECT_FALSE(v4.isDevice);
  // Parts of caches that schedules use.
  EXPECT_EQ(v4.cpu.l1Bytes * 2 / 3, 32 << 10);
  EXPECT_EQ(v4.cpu.l1Bytes / 6 / 4, 2048);
  EXPECT_EQ(v4.cpu.l1WayBytes / 2, 2048);
  EXPECT_EQ(v4.cpu.l2Bytes / 2, 1 << 20);
  EXPECT_EQ(v4.cpu.l2Bytes / 4, 512 << 10);
  EXPECT_EQ(v4.cpu.l2Bytes / 32, 64 << 10);
  TargetInfo device = TargetInfo::forDevice();
  EXPECT_TRUE(device.isDevice);
  EXPECT_EQ(device.isa(), Isa::V3);
  EXPECT_EQ(device.gpu.multiprocessors, 108);
}

TEST(TargetInfoTest, TextsReadBack) {
  for (Isa isa : kAllIsas) {
    TargetInfo info = TargetInfo::forIsa(isa);
    std::string text = info.toJson();
    EXPECT_EQ(llvm::toString(info.override(text, "f")), "");
    EXPECT_EQ(info.toJson(), text);
    // Of other instruction sets and of devices, too.
    for (Isa other : kAllIsas)
      EXPECT_EQ(getError(text, other), "");
    TargetInfo device = TargetInfo::forDevice();
    EXPECT_EQ(llvm::toString(device.override(text, "f")), "");
    EXPECT_EQ(device.toJson(), TargetInfo::forDevice().toJson());
  }
}

TEST(TargetInfoTest, NumbersAreOverridden) {
  TargetInfo info = TargetInfo::forIsa(Isa::V3);
  EXPECT_EQ(llvm::toString(info.override(
                R"({"cpu": {"l2Bytes": 1310720, "registers": {"gemmRows": 5}},
                    "gpu": {"multiprocessors": 132}})",
                "f")),
            "");
  EXPECT_EQ(info.cpu.l2Bytes, 1310720);
  EXPECT_EQ(info.cpu.l1Bytes, 48 << 10);
  EXPECT_EQ(info.cpu.registers.gemmRows, 5);
  EXPECT_EQ(info.gpu.multiprocessors, 132);
  EXPECT_EQ(info.gpu.gemmStages, 4);
}

TEST(TargetInfoTest, LayoutsAreOfTheTarget) {
  const char *text = R"({"cpu": {"planeInputChannels": 32},
                         "gpu": {"planeInputChannels": 8}})";
  TargetInfo v3 = TargetInfo::forIsa(Isa::V3), device = TargetInfo::forDevice();
  EXPECT_EQ(llvm::toString(v3.override(text, "f")), "");
  EXPECT_EQ(llvm::toString(device.override(text, "f")), "");
  EXPECT_EQ(v3.convolution().planeInputChannels, 32);
  EXPECT_EQ(device.convolution().planeInputChannels, 8);
}

TEST(TargetInfoTest, ErrorsNameTheNumber) {
  EXPECT_THAT(getError("{"), StartsWith("target info: f: "));
  EXPECT_EQ(getError("[]"), "target info: f: expected an object");
  EXPECT_EQ(getError(R"({"cpu": 1})"),
            "target info: f: 'cpu': expected an object, found 1");
  EXPECT_EQ(getError(R"({"gpus": {}})"),
            "target info: f: 'gpus': expected a name that --print-target-info "
            "prints, found {}");
  EXPECT_EQ(getError(R"({"cpu": {"l4Bytes": 8}})"),
            "target info: f: 'cpu.l4Bytes': expected a name that "
            "--print-target-info prints, found 8");
  EXPECT_EQ(getError(R"({"cpu": {"grainWork": 0}})"),
            "target info: f: 'cpu.grainWork': expected an integer from 1 to "
            "1073741824, found 0");
  EXPECT_EQ(getError(R"({"cpu": {"grainWork": "64K"}})"),
            "target info: f: 'cpu.grainWork': expected an integer from 1 to "
            "1073741824, found \"64K\"");
  EXPECT_EQ(getError(R"({"cpu": {"l1WayBytes": 3000}})"),
            "target info: f: 'cpu.l1WayBytes': expected a power of two from "
            "512 to 1048576, found 3000");
  EXPECT_EQ(getError(R"({"gpu": {"warp": 64}})"),
            "target info: f: 'gpu.warp': expected 32, which is a fact, found "
            "64");
  EXPECT_EQ(getError(R"({"cpu": {"registers": {"hasFma": false}}})"),
            "target info: f: 'cpu.registers.hasFma': expected true, which is a "
            "fact, found false");
  EXPECT_THAT(getError(R"({"cpu": {"registers": {"isa": "v9"}}})"),
              HasSubstr("'cpu.registers.isa': expected v2, v3, v4, "));
  // Of another instruction set.
  EXPECT_THAT(
      getError(R"({"cpu": {"registers": {"isa": "v3", "gemmRows": 99}}})"),
      HasSubstr("'cpu.registers.gemmRows': expected an integer from 3 to 7, "));
}

TEST(TargetInfoTest, LimitsFollowOtherNumbers) {
  EXPECT_EQ(getError(R"({"cpu": {"registers": {"gemmRows": 9}}})"),
            "target info: f: 'cpu.registers.gemmSingleRows': expected an "
            "integer from 9 to 10, found 14");
  EXPECT_EQ(getError(R"({"cpu": {"registers":
                {"gemmRows": 9, "gemmSingleRows": 10}}})"),
            "");
}

/// A text with one number of a part of the machine.
static std::string makeText(llvm::StringRef part, llvm::StringRef name,
                            llvm::StringRef value) {
  return ("{\"" + part + "\": {\"" + name + "\": " + value + "}}").str();
}

/// Schedules rest on limits, so that every number has them: both are legal, and
/// what is beyond, or no integer, is not. Facts have one value.
TEST(TargetInfoTest, EachNumberHasLimits) {
  llvm::json::Value all =
      llvm::cantFail(llvm::json::parse(TargetInfo::forIsa(Isa::V4).toJson()));
  int numbers = 0;
  for (llvm::StringRef part : {"cpu", "gpu"}) {
    for (const auto &[key, value] : *all.getAsObject()->getObject(part)) {
      llvm::StringRef name = key;
      if (name == "registers")
        continue;
      std::string label = ("'" + part + "." + name + "': ").str();
      auto fail = [&](llvm::StringRef number) {
        std::string error = getError(makeText(part, name, number));
        EXPECT_THAT(error, HasSubstr(label)) << number.str();
        return error;
      };
      std::string message = fail("1099511627776");
      if (llvm::StringRef(message).contains("which is a fact"))
        continue;
      ++numbers;
      for (llvm::StringRef other :
           {"-1", "1.5", "true", "null", "\"1\"", "[1]", "{}"})
        fail(other);
      // "... from 1 to 4096, found ..."
      auto [before, after] = llvm::StringRef(message).split(" from ");
      auto [least, rest] = after.split(" to ");
      llvm::StringRef most = rest.split(',').first;
      int64_t low = 0, high = 0;
      ASSERT_TRUE(llvm::to_integer(least, low)) << message;
      ASSERT_TRUE(llvm::to_integer(most, high)) << message;
      EXPECT_EQ(getError(makeText(part, name, least)), "") << label;
      // A larger number may be at odds with others, as of rows.
      EXPECT_THAT(getError(makeText(part, name, most)),
                  testing::Not(HasSubstr(label)));
      fail(std::to_string(low - 1));
      fail(std::to_string(high + 1));
    }
  }
  EXPECT_GT(numbers, 40);
}

/// Each is named with its part, the first one by name.
TEST(TargetInfoTest, UnknownNamesInEachPart) {
  EXPECT_THAT(getError(R"({"gpu": {"z": 1, "a": 2}})"),
              HasSubstr("'gpu.a': expected a name"));
  EXPECT_THAT(getError(R"({"cpu": {"registers": {"a": 2}}})"),
              HasSubstr("'cpu.registers.a': expected a name"));
  EXPECT_THAT(getError(R"({"cpu": {"registers": [8]}})"),
              HasSubstr("'cpu.registers': expected an object, found [8]"));
  EXPECT_THAT(getError(R"({"gpu": null})"),
              HasSubstr("'gpu': expected an object, found null"));
  // A number of the other part.
  EXPECT_THAT(getError(R"({"gpu": {"l2Bytes": 2097152}})"),
              HasSubstr("'gpu.l2Bytes': expected a name"));
}

/// A device has no registers of a processor; they must be right if they say
/// whose they are.
TEST(TargetInfoTest, RegistersOfDevices) {
  auto getDeviceError = [](llvm::StringRef text) {
    return llvm::toString(TargetInfo::forDevice().override(text, "f"));
  };
  EXPECT_EQ(getDeviceError(R"({"cpu": {"registers": {"gemmRows": 99}}})"), "");
  EXPECT_THAT(getDeviceError(
                  R"({"cpu": {"registers": {"isa": "v4", "gemmRows": 99}}})"),
              HasSubstr("'cpu.registers.gemmRows': expected"));
}

/// Packed rows are for instruction sets that have them.
TEST(TargetInfoTest, NumbersThatAnInstructionSetLacks) {
  const char *text = R"({"cpu": {"registers": {"gemmPackedFrom": 256}}})";
  EXPECT_EQ(getError(text, Isa::V4), "");
  EXPECT_THAT(getError(text, Isa::V3),
              HasSubstr("'cpu.registers.gemmPackedFrom': expected a name"));
}

TEST(TargetInfoTest, NoFileOverridesNothing) {
  TargetInfo info = TargetInfo::forIsa(Isa::V3);
  std::string before = info.toJson();
  EXPECT_EQ(llvm::toString(info.overrideByFile("")), "");
  EXPECT_EQ(info.toJson(), before);
}
