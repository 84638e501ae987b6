//===- SymbolicDimsTest.cpp - Facts about sizes ---------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include "dyn/Dialect/DHLO/Analysis/DimBuilder.h"

#include "mlir/IR/Verifier.h"

using namespace dyn;
using namespace dyn::dhlo;
using dyn::test::Values;

namespace {

class SymbolicDimsTest : public test::SizeTest {
protected:
  SymbolicDims analyse(llvm::StringRef declarations) {
    module = parse(declarations);
    return SymbolicDims(*module);
  }
  void expectRange(const SymbolicDims &dims, llvm::StringRef text, int64_t min,
                   int64_t max) {
    SymbolicDims::Range range = dims.getRange(expr(text));
    EXPECT_EQ(range.min, min) << text.str();
    EXPECT_EQ(range.max, max) << text.str();
  }

  mlir::OwningOpRef<mlir::ModuleOp> module;
};

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

TEST_F(SymbolicDimsTest, DefinitionsExpand) {
  SymbolicDims dims = analyse(R"(
    dhlo.dim @B in [1, 64]
    dhlo.dim @S in [1, 512]
    dhlo.dim @T = @B * @S
    dhlo.dim @U = @T + 1)");
  EXPECT_EQ(dims.expand(expr("@U * 2")), expr("2 * @B * @S + 2"));
  EXPECT_TRUE(dims.isEqual(expr("@T * 64"), expr("@S * 64 * @B")));
  EXPECT_FALSE(dims.isEqual(expr("@T"), expr("@S")));
}

TEST_F(SymbolicDimsTest, CyclesEnd) {
  SymbolicDims dims = analyse(R"(
    dhlo.dim @A = @B + 1
    dhlo.dim @B = @A + 1)");
  EXPECT_FALSE(dims.isEqual(expr("@A"), expr("@A + 1")));
}

TEST_F(SymbolicDimsTest, FactsSimplify) {
  SymbolicDims dims = analyse(R"(
    dhlo.dim @N in [1, 8]
    dhlo.dim @M in [9, 20]
    dhlo.dim @E in [0, ?] multiple_of 8
    dhlo.dim @ONE in [1, 1])");
  EXPECT_TRUE(dims.isEqual(expr("max(@N, 1)"), expr("@N")));
  EXPECT_TRUE(dims.isEqual(expr("min(@N, @M)"), expr("@N")));
  EXPECT_TRUE(dims.isEqual(expr("@N floordiv @M"), expr("0")));
  EXPECT_TRUE(dims.isEqual(expr("@N mod @M"), expr("@N")));
  EXPECT_TRUE(dims.isEqual(expr("broadcast(@N, @M)"), expr("@M")));
  EXPECT_TRUE(dims.isEqual(expr("(@E floordiv 8) * 8"), expr("@E")));
  EXPECT_TRUE(
      dims.isEqual(expr("(@E + 4) floordiv 4"), expr("@E floordiv 8 * 2 + 1")));
  EXPECT_TRUE(dims.isEqual(expr("@ONE * @N"), expr("@N")));
  EXPECT_TRUE(dims.isEqual(expr("min(@N, @N + @M)"), expr("@N")));
}

TEST_F(SymbolicDimsTest, Ranges) {
  SymbolicDims dims = analyse(R"(
    dhlo.dim @B in [1, 64]
    dhlo.dim @S in [2, 512]
    dhlo.dim @N
    dhlo.dim @T = @B * @S in [4, 1000])");
  // Declared facts of a derived symbol apply where it is named.
  expectRange(dims, "@T", 4, 1000);
  expectRange(dims, "@B * @S", 2, 64 * 512);
  expectRange(dims, "@N", 0, kMost);
  expectRange(dims, "@B - @S", -511, 62);
  expectRange(dims, "@S floordiv 2", 1, 256);
  expectRange(dims, "@S mod 8", 0, 7);
  expectRange(dims, "min(@B, 10)", 1, 10);
  expectRange(dims, "max(@N, 3)", 3, kMost);
  expectRange(dims, "broadcast(@B, @N)", 0, kMost);
  expectRange(dims, "7", 7, 7);
  // Terms that cancel.
  expectRange(dims, "@S - @S floordiv 2", 1, 256);
  expectRange(dims, "@S - 2 * (@S floordiv 2)", 0, 1);
  expectRange(dims, "@S - min(@S, @N)", 0, 512);
  expectRange(dims, "max(@N, @S) - @S", 0, kMost);
}

TEST_F(SymbolicDimsTest, RangesSaturate) {
  SymbolicDims dims = analyse("dhlo.dim @N in [1, 9000000000000000000]");
  expectRange(dims, "@N * @N", 1, kMost);
  expectRange(dims, "@N + @N", 2, kMost);
  EXPECT_FALSE(dims.isAtMost(expr("@N * 3"), kMost - 1));
}

TEST_F(SymbolicDimsTest, Comparisons) {
  SymbolicDims dims = analyse(R"(
    dhlo.dim @S in [1, 512]
    dhlo.dim @P in [0, ?]
    dhlo.dim @T = @P + @S)");
  EXPECT_TRUE(dims.isAtMost(expr("@S"), expr("@T")));
  EXPECT_FALSE(dims.isAtMost(expr("@T"), expr("@S")));
  EXPECT_TRUE(dims.isAtMost(expr("@S"), 512));
  EXPECT_TRUE(dims.isAtLeast(expr("@T"), 1));
  EXPECT_TRUE(dims.isAtMost(expr("min(@P, @S)"), expr("@P")));
}

TEST_F(SymbolicDimsTest, Distinct) {
  SymbolicDims dims = analyse(R"(
    dhlo.dim @S in [1, 512]
    dhlo.dim @T in [0, ?]
    dhlo.dim @L in [513, ?])");
  EXPECT_TRUE(dims.isDistinct(expr("@S"), expr("@S + 1")));
  EXPECT_TRUE(dims.isDistinct(expr("@S"), expr("@L")));
  EXPECT_TRUE(dims.isDistinct(expr("4 * @S"), expr("2 * @T + 1")));
  EXPECT_TRUE(dims.isDistinct(expr("3"), expr("4")));
  EXPECT_FALSE(dims.isDistinct(expr("@S"), expr("@T")));
  EXPECT_FALSE(dims.isDistinct(expr("@S"), expr("@S")));
}

TEST_F(SymbolicDimsTest, Multiples) {
  SymbolicDims dims = analyse(R"(
    dhlo.dim @E in [0, ?] multiple_of 8
    dhlo.dim @F in [0, ?] multiple_of 12
    dhlo.dim @S
    dhlo.dim @T = @S * 6 multiple_of 4)");
  EXPECT_EQ(dims.getMultipleOf(expr("@E * @F")), 96);
  EXPECT_EQ(dims.getMultipleOf(expr("@E + @F")), 4);
  EXPECT_EQ(dims.getMultipleOf(expr("@E floordiv 2")), 4);
  EXPECT_EQ(dims.getMultipleOf(expr("max(@E, @F)")), 4);
  EXPECT_EQ(dims.getMultipleOf(expr("@E mod 12")), 4);
  EXPECT_EQ(dims.getMultipleOf(expr("@T")), 12);
  EXPECT_EQ(dims.getMultipleOf(expr("0")), 0);
  EXPECT_EQ(dims.getMultipleOf(expr("-6")), 6);
  EXPECT_TRUE(dims.isMultipleOf(expr("3 * @E"), 24));
  EXPECT_TRUE(dims.isMultipleOf(expr("0"), 5));
  EXPECT_FALSE(dims.isMultipleOf(expr("@S"), 2));
}

TEST_F(SymbolicDimsTest, Likely) {
  SymbolicDims dims = analyse(R"(
    dhlo.dim @B in [1, 64] likely [1, 8]
    dhlo.dim @S in [1, 512] likely [128]
    dhlo.dim @N in [4, 1024]
    dhlo.dim @M in [3, ?])");
  EXPECT_EQ(dims.getLikely(expr("@B * @S")),
            (llvm::SmallVector<int64_t>{128, 1024}));
  EXPECT_TRUE(dims.getLikely(expr("@B * @N")).empty());
  EXPECT_EQ(dims.getEstimate(expr("@S + 1")), 129);
  EXPECT_EQ(dims.getEstimate(expr("@N")), 64);
  EXPECT_EQ(dims.getEstimate(expr("@M")), 64);
}

TEST_F(SymbolicDimsTest, SymbolsAreReused) {
  SymbolicDims dims = analyse(R"(
    dhlo.dim @S in [1, 512]
    func.func private @d())");
  DimBuilder symbols(dims);
  DimExpr first = symbols.getOrCreateSymbol(expr("@S + 1"));
  EXPECT_EQ(print(first), "@d_1");
  EXPECT_EQ(symbols.getOrCreateSymbol(expr("1 + max(@S, 1)")), first);
  EXPECT_EQ(symbols.getOrCreateSymbol(expr("@S - 0")), expr("@S"));
  EXPECT_EQ(symbols.getOrCreateSymbol(expr("3")), expr("3"));
  DimExpr bound = symbols.createSymbol("k", 0, 100);
  EXPECT_EQ(dims.getRange(bound).max, 100);
  mlir::Type f32 = mlir::Float32Type::get(&context);
  auto type = symbols.getTensorType({expr("@S + 1"), expr("4"), bound}, f32);
  EXPECT_EQ(type.getShape(),
            (llvm::ArrayRef<int64_t>{mlir::ShapedType::kDynamic, 4,
                                     mlir::ShapedType::kDynamic}));
  EXPECT_EQ(dhlo::getDim(type, 0), first);
  EXPECT_TRUE(succeeded(mlir::verify(*module)));
  // Declarations stay together, before all other operations.
  EXPECT_TRUE(llvm::isa<DimOp>(*std::next(module->getBody()->begin(), 2)));
}

TEST_F(SymbolicDimsTest, SizesOfTypes) {
  SymbolicDims dims = analyse(R"(
    dhlo.dim @B
    dhlo.dim @S
    dhlo.dim @T = @B * @S)");
  auto type = [&](llvm::StringRef text) {
    return llvm::cast<mlir::RankedTensorType>(mlir::parseType(text, &context));
  };
  auto a = type("tensor<?x?x8xf32, #dhlo.dims<B, S>>");
  auto b = type("tensor<?x8xf32, #dhlo.dims<T>>");
  EXPECT_EQ(dims.getNumElements(a), expr("8 * @B * @S"));
  EXPECT_TRUE(dims.hasSameNumElements(a, b));
  EXPECT_FALSE(dims.hasSameSizes(a, b));
  EXPECT_TRUE(dims.hasSameSizes(a, a));
  EXPECT_EQ(dims.getNumElements(type("tensor<f32>")), expr("1"));
  EXPECT_EQ(dims.getNumElements(type("tensor<?x0xf32, #dhlo.dims<B>>")),
            expr("0"));
}

/// Expanded, the size would have 2^40 symbols: the test must terminate.
TEST_F(SymbolicDimsTest, PartsOfSizesAreSeenOnce) {
  SymbolicDims dims = analyse(R"(
    dhlo.dim @A in [0, 100]
    dhlo.dim @B in [0, 100] multiple_of 4)");
  auto nest = [&](DimExpr size) {
    for (int depth = 0; depth != 40; ++depth)
      size = floorDiv(add(size, mul(max(size, expr("@B")), 2)), 3);
    return size;
  };
  DimExpr size = nest(expr("@A"));
  SymbolicDims::Range range = dims.getRange(size);
  EXPECT_EQ(range.min, 0);
  EXPECT_EQ(range.max, 100);
  EXPECT_EQ(dims.getMultipleOf(size), 1);
  EXPECT_TRUE(dims.isEqual(size, dims.expand(size)));
  EXPECT_TRUE(dims.isDistinct(size, add(size, 1)));
  EXPECT_EQ(evaluate(size, {{"A", 9}, {"B", 8}}), 9);
  EXPECT_EQ(substitute(size, [&](mlir::StringAttr) { return expr("@B"); }),
            expr("@B"));
  int symbols = 0;
  walkSymbols(size, [&](mlir::StringAttr) { ++symbols; });
  EXPECT_EQ(symbols, 2);
}

/// Answers about random expressions against all values of their symbols.
TEST_F(SymbolicDimsTest, AnswersHoldForAllValues) {
  SymbolicDims dims = analyse(R"(
    dhlo.dim @A in [0, 6] multiple_of 2
    dhlo.dim @B in [1, 5]
    dhlo.dim @C in [2, 9] multiple_of 3)");
  std::vector<Values> all;
  for (int64_t a : {0, 2, 4, 6})
    for (int64_t b : {1, 2, 3, 4, 5})
      for (int64_t c : {3, 6, 9})
        all.push_back({{"A", a}, {"B", b}, {"C", c}});

  std::mt19937 random(3);
  auto pick = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  std::function<DimExpr(int)> make = [&](int depth) -> DimExpr {
    if (depth == 0 || pick(0, 4) == 0) {
      const char *names[] = {"@A", "@B", "@C"};
      return pick(0, 2) ? expr(names[pick(0, 2)])
                        : getConstDim(&context, pick(-3, 8));
    }
    auto kind = static_cast<DimExprKind>(
        pick(int64_t(DimExprKind::Add), int64_t(DimExprKind::Broadcast)));
    DimExpr lhs = make(depth - 1), rhs = make(depth - 1);
    bool divides = kind == DimExprKind::FloorDiv ||
                   kind == DimExprKind::CeilDiv || kind == DimExprKind::Mod;
    if (divides)
      rhs = pick(0, 1) ? getConstDim(&context, pick(1, 5)) : expr("@B");
    return combine(kind, lhs, rhs);
  };
  for (int round = 0; round != 1500; ++round) {
    DimExpr lhs = make(3), rhs = make(2);
    SymbolicDims::Range range = dims.getRange(lhs);
    int64_t multiple = dims.getMultipleOf(lhs);
    DimExpr expanded = dims.expand(lhs);
    bool equal = dims.isEqual(lhs, rhs), distinct = dims.isDistinct(lhs, rhs);
    bool atMost = dims.isAtMost(lhs, rhs);
    for (const Values &values : all) {
      std::optional<int64_t> a = evaluate(lhs, values);
      std::optional<int64_t> b = evaluate(rhs, values);
      // Sizes that do not broadcast have no value.
      if (!a || !b)
        continue;
      std::string text = print(lhs) + " | " + print(rhs);
      EXPECT_LE(range.min, *a) << text;
      EXPECT_GE(range.max, *a) << text;
      EXPECT_EQ(evaluate(expanded, values), a) << text;
      EXPECT_TRUE(multiple == 0 ? *a == 0 : *a % multiple == 0)
          << text << " multiple of " << multiple;
      EXPECT_TRUE(!equal || *a == *b) << text;
      EXPECT_TRUE(!distinct || *a != *b) << text;
      EXPECT_TRUE(!atMost || *a <= *b) << text;
    }
    if (HasFailure())
      return;
  }
}

} // namespace
