//===- DimExprTest.cpp - Laws of the normal form of size expressions ------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include "dyn/Dialect/DHLO/IR/DimExprSize.h"

using namespace dyn;
using namespace dyn::dhlo;
using dyn::test::Values;

namespace {

class DimExprTest : public test::SizeTest {
protected:
  /// An expression of random shape with its value, which is computed without
  /// any normal form.
  struct Sample {
    DimExpr expr;
    std::optional<int64_t> value;
  };

  Sample makeSample(std::mt19937 &random, const Values &values, int depth) {
    auto pick = [&](int64_t low, int64_t high) {
      return std::uniform_int_distribution<int64_t>(low, high)(random);
    };
    if (depth == 0 || pick(0, 5) == 0) {
      if (pick(0, 1)) {
        int64_t value = pick(-4, 9);
        return {getConstDim(&context, value), value};
      }
      auto it = values.begin();
      std::advance(it, pick(0, values.size() - 1));
      return {getSymbolDim(mlir::StringAttr::get(&context, it->first)),
              it->second};
    }
    auto kind = static_cast<DimExprKind>(
        pick(int64_t(DimExprKind::Add), int64_t(DimExprKind::Max)));
    Sample lhs = makeSample(random, values, depth - 1);
    Sample rhs = makeSample(random, values, depth - 1);
    bool divides = kind == DimExprKind::FloorDiv ||
                   kind == DimExprKind::CeilDiv || kind == DimExprKind::Mod;
    if (divides && rhs.expr.isConst(0))
      return lhs;
    return {combine(kind, lhs.expr, rhs.expr), apply(kind, lhs, rhs)};
  }

  static std::optional<int64_t> apply(DimExprKind kind, Sample lhs,
                                      Sample rhs) {
    if (!lhs.value || !rhs.value)
      return std::nullopt;
    int64_t a = *lhs.value, b = *rhs.value;
    switch (kind) {
    case DimExprKind::Add:
      return a + b;
    case DimExprKind::Mul:
      return a * b;
    case DimExprKind::FloorDiv:
    case DimExprKind::CeilDiv:
    case DimExprKind::Mod: {
      if (b == 0)
        return std::nullopt;
      int64_t quotient = a / b, rest = a % b;
      int64_t floor = quotient - (rest != 0 && (rest < 0) != (b < 0));
      if (kind == DimExprKind::FloorDiv)
        return floor;
      return kind == DimExprKind::Mod ? a - floor * b
                                      : floor + (floor * b != a);
    }
    case DimExprKind::Min:
      return std::min(a, b);
    case DimExprKind::Max:
      return std::max(a, b);
    default:
      return std::nullopt;
    }
  }
};

TEST_F(DimExprTest, NormalFormKeepsTheValue) {
  std::mt19937 random(1);
  for (int round = 0; round != 4000; ++round) {
    Values values;
    for (const char *name : {"A", "B", "C"})
      values[name] = std::uniform_int_distribution<int64_t>(1, 9)(random);
    Sample sample = makeSample(random, values, 4);
    // The normal form need not preserve a value that a zero divisor hides.
    if (!sample.value)
      continue;
    std::optional<int64_t> value = evaluate(sample.expr, values);
    ASSERT_TRUE(value) << print(sample.expr);
    EXPECT_EQ(*value, *sample.value) << print(sample.expr);
  }
}

TEST_F(DimExprTest, PrintedFormParsesToTheSame) {
  std::mt19937 random(2);
  Values values = {{"A", 2}, {"B", 3}, {"C", 5}};
  for (int round = 0; round != 1000; ++round) {
    DimExpr sample = makeSample(random, values, 4).expr;
    EXPECT_EQ(expr(print(sample)), sample) << print(sample);
  }
}

TEST_F(DimExprTest, SumsAndProductsAreEqualAsPolynomials) {
  EXPECT_EQ(expr("(@B + 1) * @S - @S"), expr("@S * @B"));
  EXPECT_EQ(expr("(@A + @B) * (@A - @B)"), expr("@A * @A - @B * @B"));
  EXPECT_EQ(expr("@A - @A"), expr("0"));
}

TEST_F(DimExprTest, ExactQuotientsVanish) {
  EXPECT_EQ(expr("(@B * @S) floordiv @S"), expr("@B"));
  EXPECT_EQ(expr("(@B * @P * 64 + @B * @S * 64) floordiv (@P + @S)"),
            expr("64 * @B"));
  EXPECT_EQ(expr("(@A * @A - @B * @B) floordiv (@A + @B)"), expr("@A - @B"));
  EXPECT_EQ(expr("(@A * @B + @A) mod (@B + 1)"), expr("0"));
  EXPECT_NE(expr("(@A * @B + 1) floordiv (@B + 1)"), expr("@A"));
}

TEST_F(DimExprTest, QuotientsOfConstantsMoveMultiplesOut) {
  EXPECT_EQ(expr("(4 * @S + 3) floordiv 4"), expr("@S"));
  EXPECT_EQ(expr("(@S floordiv 2) floordiv 3"), expr("@S floordiv 6"));
  EXPECT_EQ(expr("((@S + 1) floordiv 2 + 1) floordiv 2"),
            expr("(@S + 3) floordiv 4"));
  EXPECT_EQ(expr("@S ceildiv 4"), expr("(@S + 3) floordiv 4"));
}

TEST_F(DimExprTest, LongQuotientsAreNotLookedFor) {
  DimExpr sum = expr("@A + @B + @C + 1"), power = sum, quotient = sum;
  for (int i = 0; i != 7; ++i) {
    quotient = power;
    power = mul(power, sum);
  }
  EXPECT_GT(getNumTerms(quotient), 64u);
  EXPECT_NE(floorDiv(power, sum), quotient);
  EXPECT_EQ(floorDiv(mul(sum, sum), sum), sum);
}

TEST_F(DimExprTest, LengthCountsRepeatedParts) {
  DimExpr length = expr("@A");
  EXPECT_TRUE(isShort(length, 1));
  EXPECT_FALSE(isShort(length, 0));
  for (int i = 0; i != 100; ++i)
    length = add(length, floorDiv(length, 7));
  EXPECT_FALSE(isShort(length, 100000));
}

TEST_F(DimExprTest, LatticeOperandsAreASet) {
  EXPECT_EQ(expr("max(@A, max(@B, @A))"), expr("max(@B, @A)"));
  EXPECT_EQ(expr("min(3, min(@A, 5))"), expr("min(@A, 3)"));
  EXPECT_EQ(expr("min(9223372036854775807, @A)"), expr("@A"));
  EXPECT_EQ(expr("max(@A, -9223372036854775808)"), expr("@A"));
  EXPECT_EQ(expr("broadcast(@A, 1)"), expr("@A"));
  EXPECT_EQ(expr("broadcast(@A, @A)"), expr("@A"));
}

TEST_F(DimExprTest, BroadcastDropsSizesThatFollow) {
  EXPECT_EQ(expr("broadcast(@A, max(1, @A))"), expr("@A"));
  EXPECT_EQ(expr("broadcast(max(0, @A - 1) + 1, @B, @A)"),
            expr("broadcast(@A, @B)"));
  EXPECT_EQ(expr("broadcast(@A, max(-3, @A))"), expr("@A"));
  EXPECT_EQ(expr("broadcast(@A, max(0, @A - 2) + 2)"),
            expr("max(0, @A - 2) + 2"));
  // A size that others bound, too, is no implied one.
  EXPECT_NE(expr("broadcast(@A, max(1, @A, @B))"), expr("@A"));
  EXPECT_NE(expr("broadcast(@A, max(1, @B))"), expr("@A"));
  EXPECT_NE(expr("broadcast(@A, max(1, @A) + 1)"), expr("@A"));
  // Steps of a loop.
  DimExpr size = expr("@A");
  for (int64_t step : {1, 2, 1, 2, 3}) {
    DimExpr moved =
        add(max(expr("0"), add(size, -step)), getConstDim(&context, step));
    size = broadcast(size, moved);
  }
  EXPECT_EQ(size, expr("max(0, max(0, @A - 2) - 1) + 3"));
  for (int64_t a : {1, 2, 3, 4, 9})
    EXPECT_EQ(evaluate(size, {{"A", a}}), std::max<int64_t>(3, a));
}

TEST_F(DimExprTest, SubstituteNormalises) {
  DimExpr result = substitute(expr("@A * @B - 6"), [&](mlir::StringAttr name) {
    return name == "A" ? expr("2 * @B") : DimExpr();
  });
  EXPECT_EQ(result, expr("2 * @B * @B - 6"));
}

TEST_F(DimExprTest, EvaluationRefusesWhatHasNoValue) {
  EXPECT_EQ(evaluate(expr("@A floordiv @B"), {{"A", 1}, {"B", 0}}),
            std::nullopt);
  EXPECT_EQ(evaluate(expr("@A + 1"), {}), std::nullopt);
  DimExpr both = broadcast(expr("@A"), expr("@B"));
  EXPECT_EQ(evaluate(both, {{"A", 3}, {"B", 5}}), std::nullopt);
  EXPECT_EQ(evaluate(both, {{"A", 1}, {"B", 0}}), 0);
  EXPECT_EQ(evaluate(expr("@A * @A"), {{"A", int64_t(1) << 62}}), std::nullopt);
  int64_t least = std::numeric_limits<int64_t>::min();
  for (auto kind :
       {DimExprKind::FloorDiv, DimExprKind::CeilDiv, DimExprKind::Mod}) {
    DimExpr quotient = combine(kind, expr("@A"), expr("@B"));
    EXPECT_EQ(evaluate(quotient, {{"A", least}, {"B", -1}}), std::nullopt);
    EXPECT_NE(evaluate(quotient, {{"A", least}, {"B", least + 1}}),
              std::nullopt);
  }
}

} // namespace
