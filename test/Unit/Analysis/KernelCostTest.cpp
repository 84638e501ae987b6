//===- KernelCostTest.cpp - Operations and bytes, counted by hand ---------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Sizes are static, so that a cost is a number. kernel-cost.mlir has the
// formulas over dynamic ones.

#include "Support.h"

#include "dyn/Dialect/DLHLO/Analysis/KernelCost.h"

using namespace dyn;

namespace {

class KernelCostTest : public test::SizeTest {
protected:
  KernelCostTest() { context.loadDialect<dlhlo::DLHLODialect>(); }

  KernelCost getCost(llvm::StringRef arguments, llvm::StringRef body) {
    module = parse(
        ("dlhlo.kernel @k loop {\n^bb0(" + arguments + "):\n" + body + "\n}")
            .str());
    if (!module)
      return {expr("-1"), expr("-1")};
    auto kernel = *module->getOps<dlhlo::KernelOp>().begin();
    return getKernelCost(kernel, SymbolicDims(kernel));
  }
  int64_t countFlops(llvm::StringRef arguments, llvm::StringRef body) {
    return dhlo::getConstantValue(getCost(arguments, body).flops).value_or(-1);
  }
  int64_t countBytes(llvm::StringRef arguments, llvm::StringRef body) {
    return dhlo::getConstantValue(getCost(arguments, body).bytes).value_or(-1);
  }

  mlir::OwningOpRef<mlir::ModuleOp> module;
};

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// Each of the 2 x 5 results is a sum over 3 * 4 elements.
TEST_F(KernelCostTest, DotOverTwoAxes) {
  EXPECT_EQ(countFlops("%x: tensor<2x3x4xf32>, %w: tensor<3x4x5xf32>", R"(
    %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1, 2]
        rhs_contract = [0, 1]
        : (tensor<2x3x4xf32>, tensor<3x4x5xf32>) -> tensor<2x5xf32>
    dlhlo.yield %0 : tensor<2x5xf32>)"),
            2 * (2 * 5) * (3 * 4));
}

/// A row is multiplied by the matrix of its group alone, of however many.
TEST_F(KernelCostTest, GroupedDotHasOneMatrixForEachRow) {
  KernelCost cost = getCost(
      "%x: tensor<5x4xf32>, %w: tensor<3x4x6xf32>, %o: tensor<4xi64>", R"(
    %0 = dhlo.grouped_dot %x, %w, %o
        : (tensor<5x4xf32>, tensor<3x4x6xf32>, tensor<4xi64>)
          -> tensor<5x6xf32>
    dlhlo.yield %0 : tensor<5x6xf32>)");
  EXPECT_EQ(print(cost.flops), std::to_string(2 * (5 * 6) * 4));
  EXPECT_EQ(print(cost.bytes),
            std::to_string(4 * (5 * 4 + 3 * 4 * 6 + 5 * 6) + 8 * 4));
}

/// Windows of one and of three axes, at the positions of the result alone.
TEST_F(KernelCostTest, ConvolutionsOverOtherThanTwoAxes) {
  EXPECT_EQ(countFlops("%x: tensor<1x2x10xf32>, %w: tensor<3x2x4xf32>", R"(
    %0 = dhlo.convolution %x, %w channels_first strides = [2] low = [0]
        high = [0] input_dilation = [1] filter_dilation = [1] groups = 1
        : (tensor<1x2x10xf32>, tensor<3x2x4xf32>) -> tensor<1x3x4xf32>
    dlhlo.yield %0 : tensor<1x3x4xf32>)"),
            2 * (3 * 4) * (2 * 4));
  EXPECT_EQ(
      countFlops("%x: tensor<1x3x3x3x5xf32>, %w: tensor<2x2x2x5x7xf32>", R"(
    %0 = dhlo.convolution %x, %w channels_last strides = [1, 1, 1]
        low = [0, 0, 0] high = [0, 0, 0] input_dilation = [1, 1, 1]
        filter_dilation = [1, 1, 1] groups = 1
        : (tensor<1x3x3x3x5xf32>, tensor<2x2x2x5x7xf32>)
          -> tensor<1x2x2x2x7xf32>
    dlhlo.yield %0 : tensor<1x2x2x2x7xf32>)"),
      2 * (2 * 2 * 2 * 7) * (2 * 2 * 2 * 5));
}

/// An input channel meets the filters of its group: 3 of 6.
TEST_F(KernelCostTest, TransposedConvolutionOfGroups) {
  EXPECT_EQ(countFlops("%x: tensor<1x4x3x3xf32>, %w: tensor<6x2x2x2xf32>", R"(
    %0 = dhlo.convolution %x, %w channels_first strides = [1, 1] low = [1, 1]
        high = [1, 1] input_dilation = [2, 2] filter_dilation = [1, 1]
        groups = 2
        : (tensor<1x4x3x3xf32>, tensor<6x2x2x2xf32>) -> tensor<1x6x6x6xf32>
    dlhlo.yield %0 : tensor<1x6x6x6xf32>)"),
            2 * (4 * 3 * 3) * (2 * 2) * 3);
}

/// Scores that are counted one by one: query i sees keys up to i + T - S. With
/// more queries than keys the first ones see none.
TEST_F(KernelCostTest, CausalAttentionCountsWhatQueriesSee) {
  for (int64_t s = 1; s <= 4; ++s)
    for (int64_t t = 1; t <= 5; ++t) {
      int64_t scores = 0;
      for (int64_t i = 0; i != s; ++i)
        for (int64_t j = 0; j != t; ++j)
          scores += j <= i + t - s;
      std::string q = ("tensor<2x3x" + llvm::Twine(s) + "x4xf32>").str();
      std::string k = ("tensor<2x3x" + llvm::Twine(t) + "x4xf32>").str();
      std::string v = ("tensor<2x3x" + llvm::Twine(t) + "x7xf32>").str();
      std::string r = ("tensor<2x3x" + llvm::Twine(s) + "x7xf32>").str();
      EXPECT_EQ(countFlops("%q: " + q + ", %k: " + k + ", %v: " + v,
                           "%0 = dhlo.attention %q, %k, %v scale = 0.5 causal "
                           ": (" +
                               q + ", " + k + ", " + v + ") -> " + r +
                               "\ndlhlo.yield %0 : " + r),
                2 * 3 * (scores * (2 * (4 + 7) + 6) + s * 7))
          << s << " queries, " << t << " keys";
    }
}

/// More keys than queries must be proven, or all scores count.
TEST_F(KernelCostTest, CausalAttentionOfUnrelatedSizes) {
  auto count = [&](llvm::StringRef facts) {
    KernelCost cost = getCost("%q: tensor<1x1x?x1xf32, #dhlo.dims<d0>>, "
                              "%k: tensor<1x1x?x1xf32, #dhlo.dims<d1>>",
                              (facts + R"(
    %0 = dhlo.attention %q, %k, %k scale = 0.5 causal
        : (tensor<1x1x?x1xf32, #dhlo.dims<d0>>,
           tensor<1x1x?x1xf32, #dhlo.dims<d1>>,
           tensor<1x1x?x1xf32, #dhlo.dims<d1>>)
          -> tensor<1x1x?x1xf32, #dhlo.dims<d0>>
    dlhlo.yield %0 : tensor<1x1x?x1xf32, #dhlo.dims<d0>>)")
                                  .str());
    return evaluate(cost.flops, {{"d0", 3}, {"d1", 5}});
  };
  EXPECT_EQ(count("dhlo.dim @d0 in [1, 3]\ndhlo.dim @d1 in [1, 9]"),
            3 * 5 * 10 + 3);
  EXPECT_EQ(count("dhlo.dim @d0 in [1, 3]\ndhlo.dim @d1 in [3, 9]"),
            (3 + 4 + 5) * 10 + 3);
}

TEST_F(KernelCostTest, CapOfScores) {
  auto count = [&](llvm::StringRef cap) {
    return countFlops("%q: tensor<1x1x3x4xf32>, %k: tensor<1x1x5x4xf32>",
                      ("%0 = dhlo.attention %q, %k, %k scale = 0.5 " + cap + R"(
        : (tensor<1x1x3x4xf32>, tensor<1x1x5x4xf32>, tensor<1x1x5x4xf32>)
          -> tensor<1x1x3x4xf32>
    dlhlo.yield %0 : tensor<1x1x3x4xf32>)")
                          .str());
  };
  EXPECT_EQ(count("cap = 30.0") - count(""), 4 * (3 * 5));
}

/// Of T = 3, B = 2, D = 2 and H = 5, a step of each has 2 (4H) H + 13 H.
TEST_F(KernelCostTest, LstmInBothDirections) {
  EXPECT_EQ(countFlops("%x: tensor<3x2x2x20xf32>, %r: tensor<2x5x20xf32>", R"(
    %y, %h, %c = dhlo.lstm bidirectional %x, %r
        : (tensor<3x2x2x20xf32>, tensor<2x5x20xf32>)
          -> (tensor<3x2x2x5xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>)
    dlhlo.yield %y, %h, %c
        : tensor<3x2x2x5xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>)"),
            (3 * 2 * 2) * (2 * 20 * 5 + 13 * 5));
}

/// Nothing is added, so it is one operation less for each element.
TEST_F(KernelCostTest, LayerNormWithoutBias) {
  EXPECT_EQ(countFlops("%x: tensor<3x8xf32>, %s: tensor<8xf32>", R"(
    %0 = dhlo.layer_norm %x, %s axis = 1 eps = 1.0e-5
        : (tensor<3x8xf32>, tensor<8xf32>) -> tensor<3x8xf32>
    dlhlo.yield %0 : tensor<3x8xf32>)"),
            6 * (3 * 8));
}

/// Only axes whose size changes are mixed along: of 4 elements if cubic, of 2
/// if linear, of none if nearest.
TEST_F(KernelCostTest, ResizeMixesAlongChangedAxes) {
  auto count = [&](llvm::StringRef mode) {
    return countFlops("%x: tensor<2x3x4xf32>",
                      ("%0 = dhlo.resize " + mode + R"( asymmetric floor %x
        scales = [1.0, 2.0, 1.0] coefficient = -0.75
        : (tensor<2x3x4xf32>) -> tensor<2x6x4xf32>
    dlhlo.yield %0 : tensor<2x6x4xf32>)")
                          .str());
  };
  EXPECT_EQ(count("nearest"), 0);
  EXPECT_EQ(count("linear"), 2 * 2 * (2 * 6 * 4));
  EXPECT_EQ(count("cubic"), 2 * 4 * (2 * 6 * 4));
}

/// Operations that look at each element of what they read, and write fewer or
/// other elements.
TEST_F(KernelCostTest, OncePerElementOfTheOperand) {
  struct Case {
    const char *op, *results;
  } cases[] = {
      {"%r = dhlo.reduce max %x axes = [0, 1] : (tensor<6x8xf32>) -> "
       "tensor<f32>",
       "%r : tensor<f32>"},
      {"%r = dhlo.arg_reduce max %x axis = 1 : (tensor<6x8xf32>) -> "
       "tensor<6xi64>",
       "%r : tensor<6xi64>"},
      {"%r = dhlo.segment_reduce sum %x, %o : (tensor<6x8xf32>, tensor<3xi64>) "
       "-> tensor<2x8xf32>",
       "%r : tensor<2x8xf32>"},
      {"%r = dhlo.cumulative sum %x axis = 1 : tensor<6x8xf32>",
       "%r : tensor<6x8xf32>"},
      {"%r, %i = dhlo.sort %x axis = 1 : tensor<6x8xf32>, tensor<6x8xi64>",
       "%r, %i : tensor<6x8xf32>, tensor<6x8xi64>"},
      {"%r, %i = dhlo.top_k %x axis = 1 largest : (tensor<6x8xf32>) -> "
       "(tensor<6x1xf32>, tensor<6x1xi64>)",
       "%r, %i : tensor<6x1xf32>, tensor<6x1xi64>"},
      {"%r, %n = dlhlo.find_nonzero %x : (tensor<6x8xf32>) -> "
       "(tensor<48x2xi64>, tensor<i64>)",
       "%r, %n : tensor<48x2xi64>, tensor<i64>"},
      {"%r, %i, %s = dhlo.group %g : (tensor<6x8xi64>) -> "
       "(tensor<3xi64>, tensor<48xi64>, tensor<6x8xi64>)",
       "%r, %i, %s : tensor<3xi64>, tensor<48xi64>, tensor<6x8xi64>"},
  };
  for (const Case &it : cases)
    EXPECT_EQ(countFlops(
                  "%x: tensor<6x8xf32>, %o: tensor<3xi64>, %g: tensor<6x8xi64>",
                  (llvm::Twine(it.op) + "\ndlhlo.yield " + it.results).str()),
              6 * 8)
        << it.op;
}

/// The operand of a scatter is only copied.
TEST_F(KernelCostTest, OncePerElementOfTheUpdates) {
  EXPECT_EQ(countFlops("%x: tensor<9x8xf32>, %i: tensor<2x3xi64>, "
                       "%u: tensor<2x3xf32>",
                       R"(
    %0 = dhlo.scatter_elements %x, %i, %u add axis = 0
        : (tensor<9x8xf32>, tensor<2x3xi64>, tensor<2x3xf32>)
          -> tensor<9x8xf32>
    dlhlo.yield %0 : tensor<9x8xf32>)"),
            2 * 3);
}

/// A comparison, a choice, a conversion; numbers that are made of nothing.
TEST_F(KernelCostTest, OncePerElementOfTheResult) {
  EXPECT_EQ(countFlops("%x: tensor<7xf32>, %y: tensor<7xf32>", R"(
    %0 = dhlo.compare lt %x, %y : tensor<7xf32> -> tensor<7xi1>
    %1 = dhlo.select %0, %x, %y : tensor<7xi1>, tensor<7xf32>
    %2 = dhlo.convert %1 : (tensor<7xf32>) -> tensor<7xi32>
    dlhlo.yield %2 : tensor<7xi32>)"),
            3 * 7);
  EXPECT_EQ(countFlops("", R"(
    %0 = dhlo.rng uniform low = 0.0 high = 1.0 stream = 3 : tensor<7xf32>
    dlhlo.yield %0 : tensor<7xf32>)"),
            7);
}

TEST_F(KernelCostTest, MovementIsNoOperation) {
  EXPECT_EQ(countFlops("%x: tensor<2x3xf32>, %i: tensor<2x3xi64>", R"(
    %0 = dhlo.transpose %x permutation = [1, 0]
        : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %1 = dhlo.reverse %0 axes = [0] : tensor<3x2xf32>
    %2 = dhlo.concat %1, %0 axis = 0
        : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<6x2xf32>
    %3 = dhlo.reshape %2 : (tensor<6x2xf32>) -> tensor<4x3xf32>
    %4 = dhlo.slice %3 starts = [0, 0] strides = [2, 1]
        : (tensor<4x3xf32>) -> tensor<2x3xf32>
    %5 = dhlo.gather_elements %4, %i axis = 1
        : (tensor<2x3xf32>, tensor<2x3xi64>) -> tensor<2x3xf32>
    %6 = dhlo.broadcast %5 axes = [1, 2]
        : (tensor<2x3xf32>) -> tensor<5x2x3xf32>
    dlhlo.yield %6 : tensor<5x2x3xf32>)"),
            0);
}

/// A kernel may compute %0 for each of its users; its definition does once.
TEST_F(KernelCostTest, OperationsCountOnce) {
  EXPECT_EQ(countFlops("%x: tensor<7xf32>", R"(
    %0 = dhlo.exp %x : tensor<7xf32>
    %1 = dhlo.add %0, %0 : tensor<7xf32>
    %2 = dhlo.mul %0, %1 : tensor<7xf32>
    dlhlo.yield %1, %2 : tensor<7xf32>, tensor<7xf32>)"),
            3 * 7);
}

/// A launch passes the dims that have no definition, and no others.
TEST_F(KernelCostTest, CostsAreOverWhatALaunchPasses) {
  KernelCost cost = getCost("%x: tensor<?xf32, #dhlo.dims<d1>>", R"(
    dhlo.dim @d0 in [1, 64]
    dhlo.dim @d1 = 3 * @d0 + 1
    %0 = dhlo.neg %x : tensor<?xf32, #dhlo.dims<d1>>
    dlhlo.yield %0 : tensor<?xf32, #dhlo.dims<d1>>)");
  EXPECT_EQ(cost.flops, expr("3 * @d0 + 1"));
  EXPECT_EQ(cost.bytes, expr("24 * @d0 + 8"));
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

/// A boolean has a byte of its own.
TEST_F(KernelCostTest, BytesOfElementTypes) {
  std::pair<const char *, int64_t> types[] = {
      {"i1", 1},  {"i8", 1},  {"ui8", 1}, {"f16", 2}, {"bf16", 2},
      {"i32", 4}, {"f32", 4}, {"i64", 8}, {"f64", 8}};
  for (auto [type, bytes] : types)
    EXPECT_EQ(countBytes(("%x: tensor<5x" + llvm::Twine(type) + ">").str(),
                         ("%0 = dhlo.reverse %x axes = [0] : tensor<5x" +
                          llvm::Twine(type) + ">\ndlhlo.yield %0 : tensor<5x" +
                          type + ">")
                             .str()),
              2 * 5 * bytes)
        << type;
}

/// An operand of several operations is read once.
TEST_F(KernelCostTest, OperandsAreReadOnce) {
  EXPECT_EQ(countBytes("%x: tensor<7xf32>", R"(
    %0 = dhlo.exp %x : tensor<7xf32>
    %1 = dhlo.mul %0, %x : tensor<7xf32>
    dlhlo.yield %1 : tensor<7xf32>)"),
            4 * (7 + 7));
}

/// The rows of two gathers count, but no more than there are.
TEST_F(KernelCostTest, GathersReadAtMostTheTable) {
  auto count = [&](llvm::StringRef table) {
    std::string gather = (" axis = 0 batch = 0 : (" + table +
                          ", tensor<3xi64>) -> tensor<3x8xf32>")
                             .str();
    return countBytes(("%t: " + table + ", %i: tensor<3xi64>").str(),
                      "%0 = dhlo.gather %t, %i" + gather +
                          "\n%1 = dhlo.gather %t, %i" + gather +
                          "\n%2 = dhlo.add %0, %1 : tensor<3x8xf32>"
                          "\ndlhlo.yield %2 : tensor<3x8xf32>");
  };
  int64_t others = 8 * 3 + 4 * (3 * 8);
  EXPECT_EQ(count("tensor<100x8xf32>") - others, 4 * (6 * 8));
  EXPECT_EQ(count("tensor<5x8xf32>") - others, 4 * (5 * 8));
}

/// Each index is read, and the table that another operation reads, too.
TEST_F(KernelCostTest, GathersReadAllIndices) {
  EXPECT_EQ(countBytes("%t: tensor<100xi64>, %i: tensor<4xi64>", R"(
    %0 = dhlo.gather %t, %i axis = 0 batch = 0
        : (tensor<100xi64>, tensor<4xi64>) -> tensor<4xi64>
    dlhlo.yield %0 : tensor<4xi64>)"),
            8 * (4 + 4 + 4));
  EXPECT_EQ(countBytes("%t: tensor<100xi64>, %i: tensor<4xi64>", R"(
    %0 = dhlo.gather %t, %i axis = 0 batch = 0
        : (tensor<100xi64>, tensor<4xi64>) -> tensor<4xi64>
    %1 = dhlo.gather %i, %t axis = 0 batch = 0
        : (tensor<4xi64>, tensor<100xi64>) -> tensor<100xi64>
    dlhlo.yield %0, %1 : tensor<4xi64>, tensor<100xi64>)"),
            8 * (100 + 4 + 4 + 100));
}

/// Panels have 16 columns; the last one is filled up.
TEST_F(KernelCostTest, PackedOperandsHaveFullPanels) {
  EXPECT_EQ(countBytes("%x: tensor<2x4xf32>, %w: tensor<4x20xf32, "
                       "#dlhlo.packed<panels16, batch = 0, rows = 1>>",
                       R"(
    %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0]
        : (tensor<2x4xf32>,
           tensor<4x20xf32, #dlhlo.packed<panels16, batch = 0, rows = 1>>)
          -> tensor<2x20xf32>
    dlhlo.yield %0 : tensor<2x20xf32>)"),
            4 * (2 * 4 + 4 * 32 + 2 * 20));
}

} // namespace
