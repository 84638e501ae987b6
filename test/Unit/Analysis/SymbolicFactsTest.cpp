//===- SymbolicFactsTest.cpp - Facts of each kind of expression -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// SymbolicDimsTest has one random test of all answers. Here each kind of
// expression is tested with each kind of fact on small domains, exhaustively,
// so that a failure shows which rule is wrong; and answers must not only be
// true but as precise as the rules promise.

#include "Support.h"

using namespace dyn;
using namespace dyn::dhlo;
using dyn::test::Values;

namespace {

/// The declared facts of a symbol, and the values that satisfy them.
struct Domain {
  int64_t min, max, multiple;

  std::string declare(const std::string &name) const {
    return "dhlo.dim @" + name + " in [" + std::to_string(min) + ", " +
           std::to_string(max) + "] multiple_of " + std::to_string(multiple) +
           "\n";
  }
  std::vector<int64_t> values() const {
    std::vector<int64_t> all;
    for (int64_t value = min; value <= max; ++value)
      if (value % multiple == 0)
        all.push_back(value);
    return all;
  }
};

constexpr Domain kDomains[] = {{0, 0, 1}, {1, 1, 1}, {0, 5, 1},  {1, 7, 1},
                               {2, 9, 1}, {0, 8, 4}, {3, 12, 3}, {5, 6, 1}};

/// The expressions to test, over X and Y.
constexpr const char *kExpressions[] = {"@X + @Y",
                                        "@X - @Y",
                                        "2 * @X - 3",
                                        "@X * @Y",
                                        "@X floordiv 3",
                                        "(@X + 1) floordiv 2",
                                        "@X ceildiv 4",
                                        "@X mod 3",
                                        "(@X - @Y) floordiv 2",
                                        "(@X - @Y) mod 4",
                                        "@X - 2 * (@X floordiv 2)",
                                        "@X - @X floordiv 3",
                                        "(@X - 1) floordiv 2 + 1",
                                        "max(@X, @Y)",
                                        "min(@X, @Y)",
                                        "max(@X - @Y, 0)",
                                        "min(@X, 4) + max(@Y, 2)",
                                        "max(@X, @Y) - min(@X, @Y)",
                                        "broadcast(@X, 1)",
                                        "(@X * @Y) floordiv 2",
                                        "4 * (@X floordiv 4)",
                                        "@X - 4 * (@X floordiv 4)",
                                        "min(@X, @Y) - @X",
                                        "@X * @X - @X"};

class SymbolicFactsTest : public test::SizeTest {
protected:
  /// Calls `check` for each expression and pair of domains.
  void forAll(llvm::function_ref<void(const SymbolicDims &, DimExpr,
                                      const std::vector<Values> &, std::string)>
                  check) {
    for (const Domain &x : kDomains)
      for (const Domain &y : kDomains) {
        std::string declarations = x.declare("X") + y.declare("Y");
        auto module = parse(declarations);
        ASSERT_TRUE(module);
        SymbolicDims dims(*module);
        std::vector<Values> all;
        for (int64_t a : x.values())
          for (int64_t b : y.values())
            all.push_back({{"X", a}, {"Y", b}});
        for (const char *text : kExpressions)
          check(dims, expr(text), all, declarations + text);
      }
  }
};

TEST_F(SymbolicFactsTest, RangesHoldEveryValue) {
  forAll([&](const SymbolicDims &dims, DimExpr expr,
             const std::vector<Values> &all, std::string where) {
    SymbolicDims::Range range = dims.getRange(expr);
    for (const Values &values : all) {
      int64_t value = *evaluate(expr, values);
      EXPECT_LE(range.min, value) << where;
      EXPECT_GE(range.max, value) << where;
    }
  });
}

TEST_F(SymbolicFactsTest, MultiplesDivideEveryValue) {
  forAll([&](const SymbolicDims &dims, DimExpr expr,
             const std::vector<Values> &all, std::string where) {
    int64_t multiple = dims.getMultipleOf(expr);
    for (const Values &values : all) {
      int64_t value = *evaluate(expr, values);
      EXPECT_TRUE(multiple == 0 ? value == 0 : value % multiple == 0)
          << where << ": " << value << " is no multiple of " << multiple;
    }
  });
}

TEST_F(SymbolicFactsTest, ExpansionKeepsEveryValue) {
  forAll([&](const SymbolicDims &dims, DimExpr expr,
             const std::vector<Values> &all, std::string where) {
    DimExpr expanded = dims.expand(expr);
    EXPECT_EQ(dims.expand(expanded), expanded) << where;
    for (const Values &values : all)
      EXPECT_EQ(evaluate(expanded, values), evaluate(expr, values))
          << where << " became " << print(expanded);
  });
}

TEST_F(SymbolicFactsTest, ComparisonsAreTrue) {
  forAll([&](const SymbolicDims &dims, DimExpr lhs,
             const std::vector<Values> &all, std::string where) {
    for (const char *text : {"@X", "@Y", "0", "1", "@X + @Y"}) {
      DimExpr rhs = expr(text);
      bool atMost = dims.isAtMost(lhs, rhs), equal = dims.isEqual(lhs, rhs);
      bool distinct = dims.isDistinct(lhs, rhs);
      EXPECT_FALSE(equal && distinct) << where << " and " << text;
      for (const Values &values : all) {
        int64_t l = *evaluate(lhs, values), r = *evaluate(rhs, values);
        EXPECT_TRUE(!atMost || l <= r) << where << " <= " << text;
        EXPECT_TRUE(!equal || l == r) << where << " == " << text;
        EXPECT_TRUE(!distinct || l != r) << where << " != " << text;
      }
    }
  });
}

/// For one symbol that occurs once, intervals are exact.
TEST_F(SymbolicFactsTest, RangesOfOneOccurrenceAreExact) {
  constexpr const char *expressions[] = {
      "@X + 3",        "5 - @X",         "3 * @X - 2",
      "@X floordiv 3", "@X ceildiv 2",   "max(@X, 4)",
      "min(@X, 4)",    "max(@X - 3, 0)", "(2 * @X + 1) floordiv 3"};
  for (const Domain &domain : kDomains) {
    auto module = parse(domain.declare("X"));
    ASSERT_TRUE(module);
    SymbolicDims dims(*module);
    for (const char *text : expressions) {
      std::vector<int64_t> all;
      for (int64_t value : domain.values())
        all.push_back(*evaluate(expr(text), {{"X", value}}));
      SymbolicDims::Range range = dims.getRange(expr(text));
      EXPECT_EQ(range.min, *std::min_element(all.begin(), all.end()))
          << domain.declare("X") << text;
      EXPECT_EQ(range.max, *std::max_element(all.begin(), all.end()))
          << domain.declare("X") << text;
    }
  }
}

/// A declared range that the divisor narrows.
TEST_F(SymbolicFactsTest, DivisorsSharpenRanges) {
  auto module = parse("dhlo.dim @X in [3, 22] multiple_of 8");
  SymbolicDims dims(*module);
  EXPECT_EQ(dims.getRange(expr("@X")).min, 8);
  EXPECT_EQ(dims.getRange(expr("@X")).max, 16);
}

TEST_F(SymbolicFactsTest, OneValueIsAConstant) {
  auto module = parse(R"(
    dhlo.dim @X in [4, 4]
    dhlo.dim @Y in [5, 14] multiple_of 9
    dhlo.dim @Z = @X * @Y)");
  SymbolicDims dims(*module);
  EXPECT_EQ(dims.expand(expr("@X + 1")), expr("5"));
  EXPECT_TRUE(dims.isEqual(expr("@Y"), expr("9")));
  EXPECT_TRUE(dims.isEqual(expr("@Z"), expr("36")));
}

TEST_F(SymbolicFactsTest, BroadcastsWithFacts) {
  auto module = parse(R"(
    dhlo.dim @ONE in [1, 1]
    dhlo.dim @BIG in [2, 9]
    dhlo.dim @ANY in [0, 9])");
  SymbolicDims dims(*module);
  EXPECT_TRUE(dims.isEqual(expr("broadcast(@ONE, @ANY)"), expr("@ANY")));
  EXPECT_TRUE(dims.isEqual(expr("broadcast(@ANY, @ONE)"), expr("@ANY")));
  EXPECT_TRUE(dims.isEqual(expr("broadcast(@BIG, @ANY)"), expr("@BIG")));
  EXPECT_TRUE(dims.isEqual(expr("broadcast(@ANY, @BIG)"), expr("@BIG")));
  EXPECT_FALSE(dims.isEqual(expr("broadcast(@ANY, @ANY + 1)"), expr("@ANY")));
}

/// Upper bounds of sizes by other sizes.
TEST_F(SymbolicFactsTest, BoundsInOtherSizes) {
  auto module = parse(R"(
    dhlo.dim @N in [0, 100]
    dhlo.dim @A at_most @N
    dhlo.dim @B at_most @N - @A
    dhlo.dim @C at_most 2 * @M
    dhlo.dim @M = @N + 1)");
  SymbolicDims dims(*module);
  auto isAtMost = [&](const char *lhs, const char *rhs) {
    return dims.isAtMost(expr(lhs), expr(rhs));
  };
  EXPECT_TRUE(isAtMost("@A", "@N"));
  EXPECT_TRUE(isAtMost("3 * @A", "3 * @N"));
  EXPECT_TRUE(isAtMost("@A + @B", "@N"));
  EXPECT_TRUE(isAtMost("@C", "2 * @N + 2"));
  EXPECT_TRUE(isAtMost("@A", "100"));
  EXPECT_TRUE(dims.isAtLeast(expr("@N - @A"), 0));
  EXPECT_FALSE(isAtMost("@N", "@A"));
  EXPECT_FALSE(isAtMost("@A + 1", "@N"));
  EXPECT_FALSE(isAtMost("@A * @A", "@N"));
  EXPECT_FALSE(dims.isAtLeast(expr("@A"), 1));
}

/// Parts of a whole, each bounded by the remainder of the ones before.
TEST_F(SymbolicFactsTest, PartsOfAWhole) {
  std::string text = "dhlo.dim @N\n", rest = "@N", sum = "0";
  for (std::string part : {"@P0", "@P1", "@P2", "@P3", "@P4", "@P5", "@P6"}) {
    text += "dhlo.dim " + part + " at_most " + rest + "\n";
    rest += " - " + part;
    sum += " + " + part;
  }
  auto module = parse(text);
  SymbolicDims dims(*module);
  EXPECT_TRUE(dims.isAtMost(expr(sum), expr("@N")));
  EXPECT_TRUE(dims.isAtLeast(expr(rest), 0));
  EXPECT_FALSE(dims.isAtMost(expr(sum + " + 1"), expr("@N")));
}

/// min(n, 1) is 0 or 1, also as a factor.
TEST_F(SymbolicFactsTest, FlagsAsFactors) {
  auto module = parse(R"(
    dhlo.dim @N
    dhlo.dim @A at_most @N
    dhlo.dim @B at_most @N - @A)");
  SymbolicDims dims(*module);
  EXPECT_TRUE(dims.isAtMost(expr("min(@B, 1) * (@A + @B)"), expr("@N")));
  EXPECT_TRUE(dims.isAtLeast(expr("min(@B, 1) * @A"), 0));
  EXPECT_FALSE(dims.isAtMost(expr("min(@B, 1) * (@A + @B + 1)"), expr("@N")));
  EXPECT_FALSE(dims.isAtMost(expr("min(@B, 2) * (@A + @B)"), expr("@N")));
}

/// A size of at most n is unchanged by a broadcast with min(1, n).
TEST_F(SymbolicFactsTest, BroadcastsWithAtMostOne) {
  auto module = parse(R"(
    dhlo.dim @N
    dhlo.dim @M
    dhlo.dim @A at_most @N)");
  SymbolicDims dims(*module);
  EXPECT_TRUE(dims.isEqual(expr("broadcast(@A, min(1, @N))"), expr("@A")));
  EXPECT_TRUE(dims.isEqual(expr("broadcast(min(@N, 1), @A)"), expr("@A")));
  EXPECT_TRUE(dims.isEqual(expr("broadcast(@N, min(1, @N))"), expr("@N")));
  EXPECT_FALSE(dims.isEqual(expr("broadcast(@A, min(1, @M))"), expr("@A")));
  EXPECT_FALSE(dims.isEqual(expr("broadcast(@A, min(2, @N))"), expr("@A")));
  EXPECT_FALSE(
      dims.isEqual(expr("broadcast(@A, min(@N, @N + @M))"), expr("@A")));
  EXPECT_FALSE(dims.isEqual(expr("broadcast(@A, @N)"), expr("@A")));
}

/// Cyclic bounds give no information, and terminate.
TEST_F(SymbolicFactsTest, CyclicBoundsEnd) {
  auto module = parse(R"(
    dhlo.dim @A at_most @B
    dhlo.dim @B at_most @A)");
  SymbolicDims dims(*module);
  EXPECT_TRUE(dims.isAtMost(expr("@A"), expr("@B")));
  EXPECT_FALSE(dims.isAtMost(expr("@A"), expr("5")));
}

TEST_F(SymbolicFactsTest, UndeclaredSizesAreAtLeastZero) {
  auto module = parse("dhlo.dim @X");
  SymbolicDims dims(*module);
  EXPECT_EQ(dims.getRange(expr("@NOWHERE")).min, 0);
  EXPECT_EQ(dims.getMultipleOf(expr("@NOWHERE")), 1);
  EXPECT_TRUE(dims.getLikely(expr("@NOWHERE")).empty());
  EXPECT_FALSE(dims.isEqual(expr("@NOWHERE"), expr("@X")));
}

TEST_F(SymbolicFactsTest, DefinitionsMayChainAndCarryFacts) {
  auto module = parse(R"(
    dhlo.dim @D = @C + 1
    dhlo.dim @C = 2 * @B in [0, 50]
    dhlo.dim @B = @A * @A
    dhlo.dim @A in [0, 100])");
  SymbolicDims dims(*module);
  EXPECT_EQ(dims.expand(expr("@D")), expr("2 * @A * @A + 1"));
  // The declared facts of C apply, although A alone would allow more.
  EXPECT_EQ(dims.getRange(expr("@C")).max, 50);
}

/// Values of a size at run time do not overflow; analysis must not either.
TEST_F(SymbolicFactsTest, HugeRangesDoNotWrap) {
  auto module = parse(R"(
    dhlo.dim @X in [0, 9223372036854775807]
    dhlo.dim @Y in [0, 4611686018427387904])");
  SymbolicDims dims(*module);
  for (const char *text :
       {"@X + @X", "@X * @Y", "@X * @X * @X", "3 * @Y + @X", "@X + 1"}) {
    EXPECT_GE(dims.getRange(expr(text)).min, 0) << text;
    EXPECT_EQ(dims.getRange(expr(text)).max,
              std::numeric_limits<int64_t>::max())
        << text;
  }
  EXPECT_FALSE(dims.isAtMost(expr("@X - @Y"), expr("0")));
  EXPECT_FALSE(dims.isAtLeast(expr("@Y - @X"), 0));
  // Each operand is tried instead of the minimum.
  EXPECT_FALSE(
      dims.isAtMost(expr("min(9223372036854775806, @X) - max(0, @X - 2)"), 0));
}

} // namespace
