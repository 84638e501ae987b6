//===- GuessSwitchTest.cpp - When guesses are switched off and on ---------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GuessSwitch.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <thread>
#include <vector>

using namespace dyn::rt;

namespace {
/// Calls a router of four rows, of which a guess has `right` right; returns the
/// number of calls that guess.
uint32_t call(GuessSwitch &guesses, uint32_t times, uint32_t right,
              GuessMode mode = GuessMode::Adapt) {
  uint32_t made = 0;
  for (uint32_t i = 0; i < times; ++i)
    if (guesses.ask(512, mode)) {
      guesses.count(4, right);
      ++made;
    }
  return made;
}
} // namespace

TEST(GuessSwitchTest, GuessesWhereItPays) {
  GuessSwitch guesses;
  EXPECT_EQ(call(guesses, 1000, 2), 1000u);
  EXPECT_EQ(guesses.counts().rows, 4000u);
  EXPECT_EQ(guesses.counts().right, 2000u);
}

TEST(GuessSwitchTest, TriesLessAndLess) {
  GuessSwitch guesses;
  EXPECT_EQ(call(guesses, GuessSwitch::window, 1), GuessSwitch::window);
  for (uint32_t pause = GuessSwitch::window; pause < 16384; pause *= 2) {
    uint32_t length = std::min(pause, GuessSwitch::longestPause);
    EXPECT_EQ(call(guesses, length, 1), 0u) << pause;
    EXPECT_EQ(call(guesses, 1, 1), 1u) << pause;
  }
  // One in a hundred calls soon, and one in four thousand later.
  EXPECT_EQ(guesses.counts().guesses, GuessSwitch::window + 8);
  EXPECT_FALSE(guesses.counts().isOn);
}

TEST(GuessSwitchTest, ComesBack) {
  GuessSwitch guesses;
  call(guesses, 10000, 0);
  uint32_t calls = 0;
  for (; !guesses.counts().isOn; ++calls)
    call(guesses, 1, 4);
  EXPECT_LE(calls, GuessSwitch::longestPause + 1);
  EXPECT_EQ(call(guesses, 1000, 4), 1000u);
  // After a good window pauses are short again.
  call(guesses, 2 * GuessSwitch::window, 0);
  EXPECT_FALSE(guesses.counts().isOn);
  EXPECT_EQ(call(guesses, 2 * GuessSwitch::window, 0), 1u);
}

TEST(GuessSwitchTest, LuckDoesNotShortenPauses) {
  GuessSwitch guesses;
  call(guesses, GuessSwitch::window, 0);
  EXPECT_EQ(call(guesses, GuessSwitch::window, 0), 0u);
  // The call that tries is right, and the window after it is not.
  EXPECT_EQ(call(guesses, 1, 4), 1u);
  EXPECT_EQ(call(guesses, GuessSwitch::window, 0), GuessSwitch::window);
  EXPECT_EQ(call(guesses, 2 * GuessSwitch::window, 0), 0u);
  EXPECT_EQ(call(guesses, 1, 0), 1u);
}

TEST(GuessSwitchTest, CallsWithoutRowsDecideNothing) {
  GuessSwitch guesses;
  for (uint32_t i = 0; i < 3 * GuessSwitch::window; ++i)
    EXPECT_TRUE(guesses.ask(512));
  call(guesses, GuessSwitch::window, 0);
  // A try that counts nothing is repeated after the pause.
  uint32_t tries = 0;
  for (uint32_t i = 0; i < 1000; ++i)
    tries += guesses.ask(512);
  EXPECT_GE(tries, 5u);
  EXPECT_LE(tries, 15u);
  EXPECT_FALSE(guesses.counts().isOn);
}

TEST(GuessSwitchTest, ModesForce) {
  GuessSwitch guesses;
  EXPECT_EQ(call(guesses, 1000, 0, GuessMode::Always), 1000u);
  EXPECT_EQ(call(guesses, 1000, 4, GuessMode::Never), 0u);
  EXPECT_EQ(guesses.counts().calls, 2000u);
}

TEST(GuessSwitchTest, CountsInManyThreads) {
  GuessSwitch guesses;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] { call(guesses, 2000, 0); });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(guesses.counts().calls, 8000u);
  EXPECT_EQ(guesses.counts().rows, 4 * guesses.counts().guesses);
  EXPECT_LE(guesses.counts().guesses, 200u);
}
