//===- LayoutTest.cpp - Parts of values and the messages between them -----===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Plan/Layout.h"

#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace dyn::plan;

static const Splits kNone = {Split::None}, kRows = {Split::Rows},
                    kColumns = {Split::Columns};

/// The bytes that each rank receives.
static std::vector<double> getReceived(llvm::ArrayRef<Message> messages,
                                       int64_t ranks) {
  std::vector<double> bytes(ranks);
  for (const Message &message : messages)
    bytes[message.to] += message.bytes;
  return bytes;
}

TEST(LayoutTest, Shares) {
  EXPECT_DOUBLE_EQ(getBlockShare(8, 4), 0.25);
  EXPECT_DOUBLE_EQ(getBlockShare(7, 4), 2.0 / 7);
  EXPECT_DOUBLE_EQ(getBlockShare(0, 4), 0);
  Mesh mesh = {{2, 4}};
  EXPECT_EQ(mesh.getRanks(), 8);
  EXPECT_DOUBLE_EQ(getShare({8, 16, 1}, mesh, {Split::Rows, Split::Columns}),
                   0.125);
  EXPECT_DOUBLE_EQ(getShare({8, 16, 1}, mesh, {Split::None, Split::Rows}),
                   0.25);
}

/// Whoever has all of a value divides it without a message.
TEST(LayoutTest, DividesForNothing) {
  Mesh mesh = {{4}};
  EXPECT_TRUE(getMessages({8, 8, 256}, mesh, kNone, mesh, kRows).empty());
  EXPECT_TRUE(getMessages({8, 8, 256}, mesh, kRows, mesh, kRows).empty());
}

TEST(LayoutTest, Gathers) {
  Mesh mesh = {{4}};
  auto messages = getMessages({8, 8, 256}, mesh, kRows, mesh, kNone);
  EXPECT_EQ(messages.size(), 12u);
  EXPECT_EQ(getReceived(messages, 4), std::vector<double>(4, 192));
  // The last blocks are shorter: 3, 3, 3, 0 rows.
  messages = getMessages({9, 1, 9}, mesh, kRows, mesh, kNone);
  EXPECT_EQ(getReceived(messages, 4), (std::vector<double>{6, 6, 6, 9}));
}

TEST(LayoutTest, Transposes) {
  Mesh mesh = {{4}};
  auto messages = getMessages({8, 8, 256}, mesh, kRows, mesh, kColumns);
  EXPECT_EQ(messages.size(), 12u);
  EXPECT_EQ(getReceived(messages, 4), std::vector<double>(4, 48));
}

/// Along one axis of two; copies along the other one stay apart.
TEST(LayoutTest, GathersInGroups) {
  Mesh mesh = {{2, 2}};
  auto messages = getMessages({4, 4, 64}, mesh, {Split::None, Split::Rows},
                              mesh, {Split::None, Split::None});
  ASSERT_EQ(messages.size(), 4u);
  for (const Message &message : messages) {
    EXPECT_EQ(message.from / 2, message.to / 2);
    EXPECT_EQ(message.bytes, 32);
  }
}

/// Between stages, each element goes to each rank that needs it once.
TEST(LayoutTest, MovesBetweenMeshes) {
  Mesh from = {{2}, 0}, to = {{3}, 2};
  auto messages = getMessages({6, 1, 6}, from, kRows, to, kRows);
  EXPECT_EQ(getReceived(messages, 5), (std::vector<double>{0, 0, 2, 2, 2}));
  messages = getMessages({6, 1, 6}, from, kNone, to, kNone);
  EXPECT_EQ(getReceived(messages, 5), (std::vector<double>{0, 0, 6, 6, 6}));
}

TEST(LayoutTest, Sums) {
  auto messages =
      getSumMessages({4, 4, 64}, {{2, 4}}, {Split::Rows, Split::Sum});
  EXPECT_EQ(messages.size(), 2u * 4 * 3);
  EXPECT_EQ(getReceived(messages, 8), std::vector<double>(8, 24));
  EXPECT_TRUE(getSumMessages({4, 4, 64}, {{4}}, kRows).empty());
}

/// The first receivers show the time of all where blocks are equal.
TEST(LayoutTest, FirstReceiversShowTheTime) {
  Machine machine;
  machine.ranks = 16;
  machine.links = {{1, 8, 1}, {4, 3, 2}};
  Mesh mesh = {{4, 4}};
  Value value = {32, 64, 6000};
  std::vector<Splits> all;
  for (Split a : {Split::None, Split::Rows, Split::Columns})
    for (Split b : {Split::None, Split::Rows, Split::Columns})
      all.push_back({a, b});
  for (const Splits &from : all)
    for (const Splits &to : all) {
      double whole = machine.getTime(getMessages(value, mesh, from, mesh, to));
      double first =
          machine.getTime(getMessages(value, mesh, from, mesh, to, 4));
      EXPECT_NEAR(first, whole, 1e-9 * whole);
    }
}
