//===- MachineTest.cpp - Files of machines, and times of messages ---------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Plan/Machine.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace dyn::plan;
using testing::HasSubstr;

static constexpr llvm::StringLiteral kRank =
    R"("rank": {"flops": 4, "bytesPerSecond": 8, "memoryBytes": 16, "kernelSeconds": 0})";
static constexpr llvm::StringLiteral kLink =
    R"({"ranks": 1, "bytesPerSecond": 10, "seconds": 1})";

static llvm::Expected<Machine> parse(const llvm::Twine &text) {
  return Machine::parse(text.str(), "m.json");
}

static std::string messageOf(const llvm::Twine &text) {
  llvm::Expected<Machine> machine = parse(text);
  return machine ? "" : llvm::toString(machine.takeError());
}

TEST(MachineTest, Reads) {
  auto machine =
      parse(R"({"ranks": 5, )" + kRank + R"(, "links": [)" + kLink +
            R"(, {"ranks": 2, "bytesPerSecond": 5, "seconds": 3}]})");
  ASSERT_TRUE(bool(machine));
  EXPECT_EQ(machine->ranks, 5);
  EXPECT_EQ(machine->flops, 4);
  EXPECT_EQ(machine->bytesPerSecond, 8);
  EXPECT_EQ(machine->memoryBytes, 16);
  EXPECT_EQ(machine->links[1].bytesPerSecond, 5);
  EXPECT_EQ(machine->getTime(8, 8), 2);
  EXPECT_EQ(machine->getTime(1, 16), 2);
}

TEST(MachineTest, RefusesOthers) {
  auto withLinks = [](llvm::StringRef links) {
    return (R"({"ranks": 2, )" + kRank + R"(, "links": [)" + links + "]}")
        .str();
  };
  EXPECT_THAT(messageOf("{"), HasSubstr("machine: m.json: "));
  EXPECT_THAT(messageOf("[]"), HasSubstr("expected object"));
  EXPECT_THAT(messageOf(R"({"ranks": 2, "speed": 1})"),
              HasSubstr("unexpected member at machine.speed"));
  EXPECT_THAT(messageOf(R"({"ranks": 0})"),
              HasSubstr("expected 1 to 65536 ranks at machine.ranks"));
  EXPECT_THAT(messageOf(R"({"ranks": 2})"),
              HasSubstr("missing value at machine.rank"));
  EXPECT_THAT(messageOf(R"({"ranks": 2, "rank": {"flops": 0}})"),
              HasSubstr("expected a number above 0 at machine.rank.flops"));
  EXPECT_THAT(
      messageOf(
          withLinks(R"({"ranks": 1, "bytesPerSecond": 1, "seconds": -1})")),
      HasSubstr("expected a number of at least 0 at machine.links[0].seconds"));
  EXPECT_THAT(messageOf(withLinks("")),
              HasSubstr("expected a first link of 1 rank at machine.links"));
  EXPECT_THAT(messageOf(withLinks((kLink + "," + kLink).str())),
              HasSubstr("expected a multiple of the ranks of the link before "
                        "at machine.links[1].ranks"));
  llvm::Expected<Machine> missing = Machine::read("/nowhere/m.json");
  ASSERT_FALSE(bool(missing));
  EXPECT_THAT(llvm::toString(missing.takeError()),
              HasSubstr("machine: /nowhere/m.json: "));
}

/// The fullest link decides, and groups share theirs.
TEST(MachineTest, TimesMessages) {
  Machine machine;
  machine.ranks = 4;
  machine.links = {{1, 10, 1}, {2, 5, 3}};
  EXPECT_EQ(machine.countLevels(1, 1), 0u);
  EXPECT_EQ(machine.countLevels(0, 1), 1u);
  EXPECT_EQ(machine.countLevels(1, 2), 2u);
  EXPECT_EQ(machine.getTime({}), 0);
  EXPECT_EQ(machine.getTime(Message{0, 0, 100}), 0);
  EXPECT_EQ(machine.getTime(Message{0, 1, 100}), 10 + 1);
  // Both directions of a link are apart.
  EXPECT_EQ(machine.getTime({{0, 1, 100}, {1, 0, 100}}), 10 + 1);
  EXPECT_EQ(machine.getTime({{0, 1, 100}, {0, 1, 100}}), 20 + 1);
  EXPECT_EQ(machine.getTime({{0, 2, 100}, {1, 3, 100}}), 40 + 3);
}
