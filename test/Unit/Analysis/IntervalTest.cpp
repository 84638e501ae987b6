//===- IntervalTest.cpp - Arithmetic on ranges of integers ----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Each operation is compared with the values of all pairs of elements of all
// small ranges: those are the narrowest range, which most operations reach.

#include "Dialect/DHLO/Analysis/Interval.h"

#include "llvm/Support/MathExtras.h"

#include "gtest/gtest.h"

using namespace dyn;
using interval::Range;

namespace {
constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

using Combine = Range (*)(Range, Range);
using Evaluate = std::optional<int64_t> (*)(int64_t, int64_t);

std::string print(Range range) {
  return "[" + std::to_string(range.min) + ", " + std::to_string(range.max) +
         "]";
}

/// All ranges within [from, to].
std::vector<Range> getRanges(int64_t from, int64_t to) {
  std::vector<Range> ranges;
  for (int64_t min = from; min <= to; ++min)
    for (int64_t max = min; max <= to; ++max)
      ranges.push_back({min, max});
  return ranges;
}

/// The range of the values of pairs, if one has a value.
std::optional<Range> getHull(Range lhs, Range rhs, Evaluate evaluate) {
  std::optional<Range> hull;
  for (int64_t x = lhs.min; x <= lhs.max; ++x)
    for (int64_t y = rhs.min; y <= rhs.max; ++y)
      if (auto value = evaluate(x, y))
        hull = hull ? interval::unite(*hull, interval::of(*value))
                    : interval::of(*value);
  return hull;
}

void check(Combine combine, Evaluate evaluate, int64_t leastLhs,
           int64_t leastRhs, bool isExact) {
  for (Range lhs : getRanges(leastLhs, 6))
    for (Range rhs : getRanges(leastRhs, 6)) {
      auto hull = getHull(lhs, rhs, evaluate);
      if (!hull)
        continue;
      Range found = combine(lhs, rhs);
      SCOPED_TRACE(print(lhs) + " and " + print(rhs) + ": " + print(found));
      EXPECT_LE(found.min, hull->min);
      EXPECT_GE(found.max, hull->max);
      if (isExact) {
        EXPECT_EQ(print(found), print(*hull));
      }
    }
}

TEST(IntervalTest, SumsProductsAndExtremesAreExact) {
  check(
      interval::add, [](int64_t x, int64_t y) { return std::optional(x + y); },
      -4, -4, true);
  check(
      interval::mul, [](int64_t x, int64_t y) { return std::optional(x * y); },
      -4, -4, true);
  check(
      interval::min,
      [](int64_t x, int64_t y) { return std::optional(std::min(x, y)); }, -4,
      -4, true);
  check(
      interval::max,
      [](int64_t x, int64_t y) { return std::optional(std::max(x, y)); }, -4,
      -4, true);
}

TEST(IntervalTest, QuotientsAreExact) {
  Evaluate floor = [](int64_t x, int64_t y) {
    return y > 0 ? std::optional(llvm::divideFloorSigned(x, y)) : std::nullopt;
  };
  Evaluate ceil = [](int64_t x, int64_t y) {
    return y > 0 ? std::optional(llvm::divideCeilSigned(x, y)) : std::nullopt;
  };
  check(interval::floorDiv, floor, -4, 0, true);
  check(interval::ceilDiv, ceil, -4, 0, true);
  // Of divisors that may be negative nothing is known.
  check(interval::floorDiv, floor, -4, -2, false);
  check(interval::ceilDiv, ceil, -4, -2, false);
}

TEST(IntervalTest, RemaindersAndBroadcastsHoldEveryValue) {
  check(
      interval::mod,
      [](int64_t x, int64_t y) {
        return y > 0 ? std::optional(x - y * llvm::divideFloorSigned(x, y))
                     : std::nullopt;
      },
      -4, -2, false);
  check(
      interval::broadcast,
      [](int64_t x, int64_t y) {
        return x == y || y == 1 ? std::optional(x)
               : x == 1         ? std::optional(y)
                                : std::nullopt;
      },
      0, 0, false);
  // As narrow as where it matters: below the divisor nothing is taken off.
  EXPECT_EQ(print(interval::mod({5, 6}, {8, kMost})), "[5, 6]");
  EXPECT_EQ(print(interval::mod({0, 100}, {1, 8})), "[0, 7]");
  EXPECT_EQ(print(interval::broadcast({2, 5}, {0, 9})), "[2, 5]");
  EXPECT_EQ(print(interval::broadcast({1, 1}, {0, 9})), "[0, 9]");
}

TEST(IntervalTest, UnboundedEndsStay) {
  Range all;
  EXPECT_EQ(print(interval::add({kLeast, 0}, {1, kMost})), print(all));
  EXPECT_EQ(print(interval::add({0, kMost - 1}, {0, 5})),
            print(Range{0, kMost}));
  EXPECT_EQ(print(interval::add({kLeast + 1, 0}, {-5, 0})),
            print(Range{kLeast, 0}));
  EXPECT_EQ(print(interval::mul({0, 0}, all)), "[0, 0]");
  EXPECT_EQ(print(interval::mul({-1, -1}, {3, kMost})),
            print(Range{kLeast, -3}));
  EXPECT_EQ(print(interval::mul({int64_t(1) << 40, int64_t(1) << 40},
                                {2, int64_t(1) << 40})),
            print(Range{int64_t(1) << 41, kMost}));
}

TEST(IntervalTest, QuotientsOfUnboundedDivisors) {
  EXPECT_EQ(print(interval::floorDiv({7, 100}, {3, kMost})), "[0, 33]");
  EXPECT_EQ(print(interval::ceilDiv({7, 100}, {3, kMost})), "[1, 34]");
  EXPECT_EQ(print(interval::floorDiv({-7, -7}, {2, kMost})), "[-4, -1]");
  EXPECT_EQ(print(interval::ceilDiv({-7, -7}, {2, kMost})), "[-3, 0]");
  EXPECT_EQ(print(interval::floorDiv({0, kMost}, {2, 2})),
            print(Range{0, kMost}));
  // A division by zero has no value, so its range is not used.
  EXPECT_EQ(print(interval::floorDiv({1, 2}, {0, 0})), print(Range()));
}
} // namespace
