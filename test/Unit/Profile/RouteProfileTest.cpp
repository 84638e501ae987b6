//===- RouteProfileTest.cpp - Counts of routes ----------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Profile/RouteProfile.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace dyn;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

namespace {

using Paths = PathTable::Paths;

ProfileRouter makeRouter(uint32_t paths, uint64_t windowMs,
                         llvm::StringRef key = "r") {
  ProfileRouter router;
  router.key = key.str();
  router.paths = paths;
  router.windowMs = windowMs;
  return router;
}

CellDecisions decide(std::vector<int64_t> paths, uint64_t choices = 1) {
  CellDecisions decisions;
  decisions.paths = std::move(paths);
  decisions.choices = choices;
  return decisions;
}

/// Counts one cell on path 0 at each time.
void countAt(ProfileRouter &router, std::vector<int64_t> times) {
  for (int64_t ms : times)
    router.count(ms, decide({0}), nullptr);
}

/// The number and the calls of each window.
std::vector<std::pair<int64_t, uint64_t>> callsOf(const ProfileRouter &router) {
  std::vector<std::pair<int64_t, uint64_t>> calls;
  for (const ProfileWindow &window : router.windows)
    calls.push_back({window.at, window.calls});
  return calls;
}

RouteProfile profileOf(std::vector<ProfileRouter> routers) {
  RouteProfile profile;
  profile.routers = std::move(routers);
  return profile;
}

std::string print(const RouteProfile &profile) {
  std::string text;
  llvm::raw_string_ostream os(text);
  profile.print(os);
  return text;
}

/// Reads a text without problems.
RouteProfile parse(llvm::StringRef text, uint64_t windowMs = 1000) {
  ProfileProblems problems;
  llvm::Expected<RouteProfile> profile =
      parseProfile(text, "p", problems, windowMs);
  EXPECT_THAT(problems, IsEmpty());
  if (profile)
    return std::move(*profile);
  ADD_FAILURE() << llvm::toString(profile.takeError());
  return {};
}

/// Why a text is no profile.
std::string refuse(llvm::StringRef text) {
  ProfileProblems problems;
  llvm::Expected<RouteProfile> profile = parseProfile(text, "p", problems);
  return profile ? "" : llvm::toString(profile.takeError());
}

} // namespace

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

TEST(PathTableTest, SortsByBothPaths) {
  PathTable table;
  // Paths are 32 bits each: neither may leak into the other.
  for (Paths paths : {Paths(1, 0), Paths(0, 1), Paths(0, 1u << 20),
                      Paths(1u << 20, 0), Paths(0, 0)})
    table[paths] += paths.first + 10;
  EXPECT_THAT(table.getSorted(),
              ElementsAre(Pair(Paths(0, 0), 10u), Pair(Paths(0, 1), 10u),
                          Pair(Paths(0, 1u << 20), 10u), Pair(Paths(1, 0), 11u),
                          Pair(Paths(1u << 20, 0), (1u << 20) + 10u)));
}

TEST(PathTableTest, LooksUpWithoutAdding) {
  PathTable table;
  EXPECT_EQ(table.lookup({3, 4}), 0u);
  EXPECT_TRUE(table.empty());
  table[{3, 4}] = 7;
  EXPECT_EQ(table.lookup({3, 4}), 7u);
  EXPECT_EQ(table.lookup({4, 3}), 0u);
  EXPECT_EQ(table.size(), 1u);
}

TEST(PathTableTest, Adds) {
  PathTable first, second;
  first[{0, 1}] = 1, first[{2, 2}] = 5;
  second[{0, 1}] = 10, second[{1, 1}] = 20;
  first.add(second);
  first.add({});
  EXPECT_THAT(first.getSorted(),
              ElementsAre(Pair(Paths(0, 1), 11u), Pair(Paths(1, 1), 20u),
                          Pair(Paths(2, 2), 5u)));
}

//===----------------------------------------------------------------------===//
// Decisions
//===----------------------------------------------------------------------===//

TEST(CellDecisionsTest, EndsAtTheFirstMissingPath) {
  CellDecisions decisions = decide({0, 3, 2, -1, -1, -1}, 2);
  EXPECT_EQ(decisions.getNumCells(), 3u);
  EXPECT_THAT(decisions.getPaths(0), ElementsAre(0, 3));
  EXPECT_THAT(decisions.getPaths(1), ElementsAre(2));
  EXPECT_THAT(decisions.getPaths(2), IsEmpty());
  EXPECT_EQ(decide({}, 0).getNumCells(), 0u);
  EXPECT_EQ(decide({}, 4).getNumCells(), 0u);
}

TEST(ProfileRouterTest, CountsACall) {
  ProfileRouter router = makeRouter(4, 1000);
  router.count(0, decide({0, 3, 1, 3, 2, -1, -1, -1}, 2), nullptr);
  ProfileWindow sum = router.getSum();
  EXPECT_EQ(sum.calls, 1u);
  EXPECT_EQ(sum.cells, 4u);
  EXPECT_EQ(sum.dropped, 1u);
  EXPECT_EQ(sum.hottest, 2u);
  EXPECT_THAT(sum.load, ElementsAre(1, 1, 1, 2));
  EXPECT_EQ(sum.getRows(), 5u);
  EXPECT_THAT(sum.pairs.getSorted(),
              ElementsAre(Pair(Paths(0, 3), 1u), Pair(Paths(1, 3), 1u)));
  EXPECT_TRUE(sum.transitions.empty());
}

/// The fullest path is another one in each call.
TEST(ProfileRouterTest, HottestIsOfEachCall) {
  ProfileRouter router = makeRouter(2, 1000);
  router.count(0, decide({0, 0, 0, 1}), nullptr);
  router.count(0, decide({1, 1, 1, 1}), nullptr);
  EXPECT_EQ(router.getSum().hottest, 7u);
  EXPECT_THAT(router.getSum().load, ElementsAre(3, 5));
}

TEST(ProfileRouterTest, CountsTransitions) {
  ProfileRouter router = makeRouter(3, 1000);
  CellDecisions before = decide({0, 1, 1, -1}, 2);
  router.count(0, decide({2, -1}), &before);
  EXPECT_THAT(router.getSum().transitions.getSorted(),
              ElementsAre(Pair(Paths(0, 2), 1u), Pair(Paths(1, 2), 1u)));
  // Decisions on another number of cells are not of the same cells.
  CellDecisions fewer = decide({0});
  router.count(0, decide({2, 2}), &fewer);
  EXPECT_EQ(router.getSum().transitions.size(), 2u);
  EXPECT_EQ(router.getSum().calls, 2u);
}

TEST(ProfileRouterTest, SharesOfNothing) {
  ProfileRouter router = makeRouter(3, 1000);
  EXPECT_THAT(router.getSum().getShares(), ElementsAre(0, 0, 0));
  router.count(0, decide({}), nullptr);
  EXPECT_EQ(router.getSum().calls, 1u);
  EXPECT_THAT(router.getSum().getShares(), ElementsAre(0, 0, 0));
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// The times of a window are [at, at + 1) * length, also before the epoch, and
/// whatever the order in which calls arrive.
TEST(ProfileRouterTest, WindowsAreAlignedAndSorted) {
  ProfileRouter router = makeRouter(1, 10);
  countAt(router, {25, 0, 9, 10, -1, -10, -11, 29});
  EXPECT_THAT(callsOf(router),
              ElementsAre(Pair(-2, 1u), Pair(-1, 2u), Pair(0, 2u), Pair(1, 1u),
                          Pair(2, 2u)));
}

TEST(ProfileRouterTest, CoarsensPairsOfWindows) {
  ProfileRouter router = makeRouter(1, 10);
  countAt(router, {-30, -20, -10, 0, 10, 20, 50});
  router.coarsen();
  EXPECT_EQ(router.windowMs, 20u);
  // -3 joins none, -2 and -1 join, as do 0 and 1.
  EXPECT_THAT(callsOf(router),
              ElementsAre(Pair(-2, 1u), Pair(-1, 2u), Pair(0, 2u), Pair(1, 1u),
                          Pair(2, 1u)));
  // The same as if all had been counted with the longer windows.
  ProfileRouter wide = makeRouter(1, 20);
  countAt(wide, {-30, -20, -10, 0, 10, 20, 50});
  EXPECT_EQ(print(profileOf({router})), print(profileOf({wide})));
}

TEST(ProfileRouterTest, AddsWindowsOfAnotherLength) {
  ProfileRouter fine = makeRouter(1, 10), wide = makeRouter(1, 40);
  countAt(fine, {0, 10, 45, 90});
  countAt(wide, {-1, 41, 130});
  for (bool swaps : {false, true}) {
    ProfileRouter sum = swaps ? wide : fine;
    sum.add(swaps ? fine : wide);
    EXPECT_EQ(sum.windowMs, 40u);
    EXPECT_THAT(callsOf(sum),
                ElementsAre(Pair(-1, 1u), Pair(0, 2u), Pair(1, 2u), Pair(2, 1u),
                            Pair(3, 1u)));
  }
}

TEST(ProfileRouterTest, AddsNothing) {
  ProfileRouter router = makeRouter(1, 10), empty = makeRouter(1, 10);
  countAt(router, {0, 10});
  const std::string before = print(profileOf({router}));
  router.add(empty);
  EXPECT_EQ(print(profileOf({router})), before);
  empty.add(router);
  EXPECT_EQ(print(profileOf({empty})), before);
}

//===----------------------------------------------------------------------===//
// Mismatches
//===----------------------------------------------------------------------===//

TEST(ProfileRouterTest, Mismatches) {
  ProfileRouter router = makeRouter(4, 1000), other = router;
  auto mismatch = [&] { return router.getMismatch(other, "A", "B"); };
  EXPECT_EQ(mismatch(), "");
  // Names for people do not identify a router.
  other.label = "experts", other.cell = "token";
  EXPECT_EQ(mismatch(), "");
  other.paths = 5;
  EXPECT_EQ(mismatch(), "paths: 4 in A, 5 in B");
  other = router, other.fingerprint = "ab";
  EXPECT_EQ(mismatch(), "fingerprint: '' in A, 'ab' in B");
  other = router, other.after = "q", other.afterPaths = 2;
  EXPECT_EQ(mismatch(), "router before: '' of 0 paths in A, 'q' of 2 paths in "
                        "B");
  for (uint64_t length : {1000u, 2000u, 500u, 125u, 8000u}) {
    other = router, other.windowMs = length;
    EXPECT_EQ(mismatch(), "") << length;
  }
  for (uint64_t length : {3000u, 1500u, 300u, 200u, 6000u}) {
    other = router, other.windowMs = length;
    EXPECT_EQ(mismatch(), "windows: 1000 ms in A, " + std::to_string(length) +
                              " ms in B; expected one to be a power of two "
                              "times the other");
  }
}

TEST(RouteProfileTest, MergesRouterByRouter) {
  ProfileRouter same = makeRouter(2, 10, "same"),
                narrow = makeRouter(2, 10, "other"),
                wide = makeRouter(3, 10, "other"),
                fresh = makeRouter(1, 10, "new");
  countAt(same, {0}), countAt(narrow, {0}), countAt(wide, {0});
  RouteProfile sum = profileOf({same, narrow});
  sum.lost = 3;
  RouteProfile more = profileOf({wide, fresh, same});
  more.lost = 4;
  ProfileProblems problems;
  sum.merge(std::move(more), "b.json", problems);
  EXPECT_THAT(problems,
              ElementsAre("b.json: router 'other': paths: 2 in the profiles "
                          "before, 3 in this one"));
  EXPECT_EQ(sum.lost, 7u);
  ASSERT_EQ(sum.routers.size(), 3u);
  EXPECT_EQ(sum.find("same")->getSum().calls, 2u);
  EXPECT_EQ(sum.find("other")->getSum().calls, 1u);
  EXPECT_EQ(sum.find("other")->paths, 2u);
  EXPECT_NE(sum.find("new"), nullptr);
  EXPECT_EQ(sum.find(""), nullptr);
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

TEST(RouteProfileTest, ReadsWhatItPrints) {
  ProfileRouter first = makeRouter(3, 10, "layers.0");
  first.label = "a \"label\"\n", first.cell = "t\u00f6ken";
  first.fingerprint = "00aa";
  first.count(-5, decide({0, 2, 1, -1}, 2), nullptr);
  first.count(70, decide({2, 2}), nullptr);
  ProfileRouter second = makeRouter(2, 20, "layers.1");
  second.after = "layers.0", second.afterPaths = 3;
  CellDecisions before = decide({2});
  second.count(0, decide({1}), &before);
  RouteProfile profile = profileOf({first, second, makeRouter(1, 1, "none")});
  profile.lost = 9;
  const std::string text = print(profile);
  RouteProfile again = parse(text);
  EXPECT_EQ(print(again), text);
  EXPECT_EQ(again.lost, 9u);
  EXPECT_EQ(again.routers[0].label, "a \"label\"\n");
  EXPECT_EQ(again.routers[1].getSum().transitions.lookup({2, 1}), 1u);
  EXPECT_EQ(print(parse(print(RouteProfile()))), print(RouteProfile()));
}

TEST(RouteProfileTest, IsNoProfile) {
  EXPECT_EQ(refuse("{}"), "p: not a profile: expected a member 'dyn_profile'");
  EXPECT_EQ(refuse("[]"), "p: not a profile: expected a member 'dyn_profile'");
  EXPECT_EQ(refuse("{\"dyn_profile\": 2, \"routers\": []}"),
            "p: expected a profile of version 1, found 2");
  EXPECT_EQ(refuse("{\"dyn_profile\": \"1\", \"routers\": []}"),
            "p: expected a profile of version 1, found \"1\"");
  EXPECT_EQ(refuse("{\"dyn_profile\": 1}"),
            "p: not a profile: expected an array 'routers'");
  EXPECT_NE(refuse(""), "");
  // The parser is recursive, and brackets in strings are none.
  EXPECT_EQ(refuse(std::string(65, '[')),
            "p: not a profile: expected brackets at most 64 deep");
  EXPECT_EQ(refuse("{\"" + std::string(1000, '[') + "\\\"[\": 1}"),
            "p: not a profile: expected a member 'dyn_profile'");
}

TEST(RouteProfileTest, ConvertsRawDecisions) {
  const std::string header =
      "{\"dyn_profile_raw\":1}\n"
      "{\"router\":0,\"paths\":2,\"key\":\"a\"}\n"
      "{\"router\":1,\"paths\":3,\"key\":\"b\",\"after\":\"a\"}\n";
  RouteProfile profile = parse(
      header +
          "{\"router\":0,\"ms\":5,\"call\":0,\"choices\":1,\"chosen\":[1]}\n"
          "{\"router\":1,\"ms\":5,\"call\":0,\"choices\":1,\"chosen\":[2]}\n"
          // The router before has decided nothing in this call.
          "{\"router\":1,\"ms\":19,\"call\":1,\"choices\":1,"
          "\"chosen\":[0]}\n",
      10);
  ASSERT_EQ(profile.routers.size(), 2u);
  const ProfileRouter &second = profile.routers[1];
  EXPECT_EQ(second.afterPaths, 2u);
  EXPECT_THAT(callsOf(second), ElementsAre(Pair(0, 1u), Pair(1, 1u)));
  EXPECT_THAT(second.getSum().transitions.getSorted(),
              ElementsAre(Pair(Paths(1, 2), 1u)));
}

/// A process that was killed while it wrote leaves half a line.
TEST(RouteProfileTest, RawDecisionsThatAreCut) {
  const std::string whole =
      "{\"dyn_profile_raw\":1}\n{\"router\":0,\"paths\":2,\"key\":\"a\"}\n"
      "{\"router\":0,\"ms\":5,\"call\":0,\"choices\":1,\"chosen\":[1]}\n";
  ProfileProblems problems;
  auto profile = parseProfile(whole + "{\"router\":0,\"m", "p", problems);
  ASSERT_TRUE(bool(profile)) << llvm::toString(profile.takeError());
  EXPECT_THAT(problems, ElementsAre("p:4: the last line is cut"));
  EXPECT_EQ(profile->routers[0].getSum().calls, 1u);
  // In the middle of a file it is damage.
  EXPECT_EQ(refuse(whole + "{\"router\":0,\"m\n" + whole).rfind("p:4: ", 0),
            0u);
}

TEST(RouteProfileTest, RawDecisionsThatAreDamaged) {
  const std::string header = "{\"dyn_profile_raw\":1}\n"
                             "{\"router\":7,\"paths\":2,\"key\":\"a\"}\n";
  auto call = [&](llvm::StringRef members) {
    return refuse(header + "{\"router\":7" + members.str() + "}\n");
  };
  EXPECT_EQ(refuse("{\"dyn_profile_raw\":2}\n"),
            "p:1: expected raw decisions of version 1");
  EXPECT_EQ(refuse(header + "{\"router\":8,\"ms\":0}\n"),
            "p:3: expected the line that names router 8 first");
  EXPECT_EQ(refuse(header + "{\"router\":7,\"paths\":2,\"key\":\"b\"}\n"),
            "p:3: router 7 found twice");
  EXPECT_EQ(refuse(header + "{\"router\":8,\"paths\":2,\"key\":\"a\"}\n"),
            "p:3: router 'a' found twice");
  EXPECT_EQ(call(",\"ms\":0,\"call\":0,\"choices\":2,\"chosen\":[1]"),
            "p:3: expected 2 choices for each cell, found 1 in all");
  EXPECT_EQ(call(",\"ms\":0,\"call\":0,\"choices\":0,\"chosen\":[1]"),
            "p:3: expected 0 choices for each cell, found 1 in all");
  for (const char *path : {"2", "-2", "\"1\"", "0.5"})
    EXPECT_EQ(call(std::string(",\"ms\":0,\"call\":0,\"choices\":1,"
                               "\"chosen\":[") +
                   path + "]"),
              "p:3: expected paths of -1 to 1");
}
