//===- CellFlowTest.cpp - Which cells reach which -------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include "dyn/Dialect/DHLO/Analysis/CellFlow.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace dyn;
using namespace dyn::dhlo;
using namespace mlir;

namespace {

constexpr CellEffect kEffects[] = {CellEffect::Keeps, CellEffect::Permutes,
                                   CellEffect::Gathers, CellEffect::Mixes};

//===----------------------------------------------------------------------===//
// Effects
//===----------------------------------------------------------------------===//

TEST(CellEffectTest, Composition) {
  for (CellEffect a : kEffects) {
    EXPECT_EQ(compose(CellEffect::Keeps, a), a);
    EXPECT_EQ(compose(CellEffect::Mixes, a), CellEffect::Mixes);
    for (CellEffect b : kEffects)
      EXPECT_EQ(compose(a, b), compose(b, a));
  }
  // A permutation of what is gathered is gathered.
  EXPECT_EQ(compose(CellEffect::Permutes, CellEffect::Permutes),
            CellEffect::Permutes);
  EXPECT_EQ(compose(CellEffect::Permutes, CellEffect::Gathers),
            CellEffect::Gathers);
}

/// The effect by its definition, from the cells that each cell of the result is
/// computed from.
CellEffect getEffect(ArrayRef<SmallVector<int64_t>> sources, int64_t cells) {
  SmallVector<int64_t> readers(cells, 0);
  bool isSame = static_cast<int64_t>(sources.size()) == cells;
  bool isPermutation = isSame;
  for (auto [to, from] : llvm::enumerate(sources)) {
    if (from.size() > 1)
      return CellEffect::Mixes;
    isPermutation &= from.size() == 1;
    isSame &= from.empty() || from[0] == static_cast<int64_t>(to);
    if (!from.empty())
      isPermutation &= ++readers[from[0]] == 1;
  }
  if (isSame)
    return CellEffect::Keeps;
  return isPermutation ? CellEffect::Permutes : CellEffect::Gathers;
}

/// Every pattern of zeros of small matrices, on either side of the contraction.
TEST(CellEffectTest, AllSmallMatrices) {
  MLIRContext context;
  for (int64_t rows = 1; rows <= 3; ++rows)
    for (int64_t columns = 1; columns <= 3; ++columns)
      for (unsigned pattern = 0; pattern != 1u << (rows * columns); ++pattern) {
        SmallVector<float> values;
        std::array<SmallVector<SmallVector<int64_t>>, 2> sources;
        sources[0].resize(columns);
        sources[1].resize(rows);
        for (int64_t row = 0; row != rows; ++row)
          for (int64_t column = 0; column != columns; ++column) {
            bool isNonzero = pattern >> values.size() & 1;
            values.push_back(isNonzero ? -0.5f : 0.0f);
            if (!isNonzero)
              continue;
            sources[0][column].push_back(row);
            sources[1][row].push_back(column);
          }
        auto matrix = DenseElementsAttr::get(
            RankedTensorType::get({rows, columns}, Float32Type::get(&context)),
            ArrayRef(values));
        for (int64_t axis : {0, 1})
          EXPECT_EQ(getMatrixEffect(matrix, axis),
                    getEffect(sources[axis], axis == 0 ? rows : columns))
              << rows << "x" << columns << ", " << pattern << ", " << axis;
      }
}

class CellFlowTest : public test::SizeTest {
protected:
  CellFlowTest() { context.loadDialect<func::FuncDialect>(); }

  DenseElementsAttr getElements(StringRef text) {
    return cast<DenseElementsAttr>(parseAttribute(text, &context));
  }

  /// Reads the operations of a function, whose cells have `sizes`.
  SmallVector<Operation *> read(StringRef arguments, StringRef body,
                                ArrayRef<StringRef> sizes) {
    module = parse(("dhlo.dim @B\ndhlo.dim @S\ndhlo.dim @T = @B * @S\n"
                    "dhlo.dim @U = 8 * @S\nfunc.func @f(" +
                    arguments + ") {\n" + body + "\nreturn\n}")
                       .str());
    SmallVector<Operation *> ops;
    if (!module)
      return ops;
    auto function = *module->getOps<func::FuncOp>().begin();
    for (Operation &op : function.front().without_terminator())
      ops.push_back(&op);
    SmallVector<DimExpr> exprs;
    for (StringRef size : sizes)
      exprs.push_back(expr(size));
    dims.emplace(*module);
    flow.emplace(*dims, exprs);
    return ops;
  }

  static std::string getText(ArrayRef<int64_t> axes) {
    std::string text;
    llvm::raw_string_ostream os(text);
    llvm::interleaveComma(axes, os << '[');
    return text + "]";
  }
  static std::string getText(const CellFlow::Step &step) {
    return (stringifyCellEffect(step.effect) + " " + getText(step.axes)).str();
  }
  /// "keeps [0, 1]", or "mixes []".
  std::string step(Operation *op, unsigned operand, ArrayRef<int64_t> axes) {
    return getText(flow->getStep(op, operand, axes));
  }
  /// The step of the last operation of `body` on its first operand.
  std::string step(StringRef arguments, StringRef body,
                   ArrayRef<StringRef> sizes, ArrayRef<int64_t> axes) {
    SmallVector<Operation *> ops = read(arguments, body, sizes);
    return ops.empty() ? "" : step(ops.back(), 0, axes);
  }
  std::string operandAxes(Operation *op, unsigned operand,
                          ArrayRef<int64_t> axes) {
    auto found = flow->getOperandAxes(op, operand, axes);
    return found ? getText(*found) : "none";
  }

  OwningOpRef<ModuleOp> module;
  std::optional<SymbolicDims> dims;
  std::optional<CellFlow> flow;
};

/// Zeros of each kind of element.
TEST_F(CellFlowTest, ZerosOfMatrices) {
  auto effect = [&](StringRef text) {
    return getMatrixEffect(getElements(text), 0);
  };
  EXPECT_EQ(effect("dense<[[1.0, -0.0], [0.0, 1.0]]> : tensor<2x2xf32>"),
            CellEffect::Keeps);
  // Not a number times a number is none, so the other cell matters.
  EXPECT_EQ(effect("dense<[[1.0, 0x7FC00000], [0.0, 1.0]]> : tensor<2x2xf32>"),
            CellEffect::Mixes);
  EXPECT_EQ(effect("dense<[[0, 3], [-1, 0]]> : tensor<2x2xi32>"),
            CellEffect::Permutes);
  EXPECT_EQ(effect("dense<1> : tensor<2x2xi8>"), CellEffect::Mixes);
  EXPECT_EQ(effect("dense<0.0> : tensor<2x2xf64>"), CellEffect::Keeps);
  EXPECT_EQ(effect("dense<1.0> : tensor<1x1xbf16>"), CellEffect::Keeps);
}

TEST_F(CellFlowTest, MatricesThatAreNotAnalysed) {
  EXPECT_EQ(getMatrixEffect(getElements("dense<0.0> : tensor<4xf32>"), 0),
            CellEffect::Mixes);
  EXPECT_EQ(
      getMatrixEffect(getElements("dense<0.0> : tensor<1025x1024xf32>"), 0),
      CellEffect::Mixes);
  EXPECT_EQ(
      getMatrixEffect(getElements("dense<0.0> : tensor<1024x1024xf32>"), 0),
      CellEffect::Keeps);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// Token (b, s) of a tensor [B, S, 8].
constexpr StringLiteral kTokens = "%x: tensor<?x?x8xf32, #dhlo.dims<B, S>>, "
                                  "%p: tensor<i1>";

TEST_F(CellFlowTest, ReductionsMixTheirAxesAndMoveOthers) {
  auto reduce = [&](StringRef axes, StringRef sizes, ArrayRef<int64_t> cells) {
    return step(kTokens,
                ("%0 = dhlo.reduce sum %x axes = [" + axes +
                 "] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>) -> tensor<" +
                 sizes + ">")
                    .str(),
                {"@B", "@S"}, cells);
  };
  EXPECT_EQ(reduce("2", "?x?xf32, #dhlo.dims<B, S>", {0, 1}), "keeps [0, 1]");
  EXPECT_EQ(reduce("1", "?x8xf32, #dhlo.dims<B>", {0, 1}), "mixes []");
  EXPECT_EQ(reduce("0", "?x8xf32, #dhlo.dims<S>", {1}), "keeps [0]");
}

TEST_F(CellFlowTest, RepeatedElements) {
  auto ops = read("%m: tensor<?x8xf32, #dhlo.dims<S>>",
                  "%0 = dhlo.broadcast %m axes = [1, 2] : "
                  "(tensor<?x8xf32, #dhlo.dims<S>>) -> "
                  "tensor<?x?x8xf32, #dhlo.dims<B, S>>",
                  {"@B", "@S"});
  ASSERT_EQ(ops.size(), 1u);
  // All sequences have the same row s.
  EXPECT_EQ(step(ops[0], 0, {-1, 0}), "keeps [-1, 1]");
  EXPECT_EQ(operandAxes(ops[0], 0, {0, 1}), "[-1, 0]");
  EXPECT_EQ(operandAxes(ops[0], 0, {-1, 1}), "[-1, 0]");
}

/// Cells of queries and of keys are different axes of the scores.
TEST_F(CellFlowTest, BothOperandsOfAContraction) {
  auto ops = read("%q: tensor<?x?x8xf32, #dhlo.dims<B, S>>, "
                  "%v: tensor<?x?x?xf32, #dhlo.dims<B, S, S>>",
                  R"(
    %0 = dhlo.dot_general %q, %q batch = 1 lhs_contract = [2] rhs_contract = [2]
        : (tensor<?x?x8xf32, #dhlo.dims<B, S>>,
           tensor<?x?x8xf32, #dhlo.dims<B, S>>)
          -> tensor<?x?x?xf32, #dhlo.dims<B, S, S>>
    %1 = dhlo.dot_general %0, %q batch = 1 lhs_contract = [2] rhs_contract = [1]
        : (tensor<?x?x?xf32, #dhlo.dims<B, S, S>>,
           tensor<?x?x8xf32, #dhlo.dims<B, S>>)
          -> tensor<?x?x8xf32, #dhlo.dims<B, S>>)",
                  {"@B", "@S"});
  ASSERT_EQ(ops.size(), 2u);
  EXPECT_EQ(step(ops[0], 0, {0, 1}), "keeps [0, 1]");
  EXPECT_EQ(step(ops[0], 1, {0, 1}), "keeps [0, 2]");
  // An element of the scores reads all of one query, whichever key it is for.
  EXPECT_EQ(operandAxes(ops[0], 0, {0, 1}), "[0, 1]");
  EXPECT_EQ(operandAxes(ops[0], 0, {0, 2}), "[0, -1]");
  EXPECT_EQ(step(ops[1], 0, {0, 1}), "keeps [0, 1]");
  EXPECT_EQ(step(ops[1], 1, {0, 1}), "mixes []");
}

/// The matrix moves cells along the axis that it sums over, and keeps others;
/// the moved axis is the last or the first one, by the matrix's side.
TEST_F(CellFlowTest, ConstantMatrices) {
  auto multiply = [&](StringRef matrix, StringRef dot, ArrayRef<int64_t> axes,
                      unsigned operand) {
    auto ops = read("%x: tensor<?x3x8xf32, #dhlo.dims<B>>, %w: tensor<3x3xf32>",
                    ("%p = dhlo.constant dense<" + matrix +
                     "> : tensor<3x3xf32>\n%0 = dhlo.dot_general " + dot)
                        .str(),
                    {"@B", "3"});
    return ops.empty() ? "" : step(ops.back(), operand, axes);
  };
  StringRef cycle = "[[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]";
  StringRef right = "%x, %p batch = 0 lhs_contract = [1] rhs_contract = [0] : "
                    "(tensor<?x3x8xf32, #dhlo.dims<B>>, tensor<3x3xf32>) -> "
                    "tensor<?x8x3xf32, #dhlo.dims<B>>";
  StringRef left = "%p, %x batch = 0 lhs_contract = [1] rhs_contract = [1] : "
                   "(tensor<3x3xf32>, tensor<?x3x8xf32, #dhlo.dims<B>>) -> "
                   "tensor<3x?x8xf32, #dhlo.dims<B>>";
  EXPECT_EQ(multiply(cycle, right, {0, 1}, 0), "permutes [0, 2]");
  EXPECT_EQ(multiply(cycle, left, {0, 1}, 1), "permutes [1, 0]");
  EXPECT_EQ(multiply("1.0", left, {0, 1}, 1), "mixes []");
  // Nothing is known of an argument, and of a sum over another axis, too.
  EXPECT_EQ(multiply(cycle,
                     "%x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : "
                     "(tensor<?x3x8xf32, #dhlo.dims<B>>, tensor<3x3xf32>) -> "
                     "tensor<?x8x3xf32, #dhlo.dims<B>>",
                     {0, 1}, 0),
            "mixes []");
}

TEST_F(CellFlowTest, ConstantMatricesOfOtherContractions) {
  // Each sum has one term, but the matrix is another one for each batch.
  auto ops = read("%x: tensor<2x2xf32>, %y: tensor<2x2x8xf32>", R"(
    %i = dhlo.constant dense<[[1.0, 0.0], [0.0, 1.0]]> : tensor<2x2xf32>
    %0 = dhlo.dot_general %i, %x batch = 1 lhs_contract = [1] rhs_contract = [1]
        : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2xf32>
    %1 = dhlo.dot_general %i, %y batch = 0 lhs_contract = [0, 1]
        rhs_contract = [0, 1] : (tensor<2x2xf32>, tensor<2x2x8xf32>)
          -> tensor<8xf32>)",
                  {"2"});
  ASSERT_EQ(ops.size(), 3u);
  EXPECT_EQ(step(ops[1], 1, {1}), "mixes []");
  EXPECT_EQ(step(ops[2], 1, {0}), "mixes []");
}

/// By the constant indices: each cell once, or not.
TEST_F(CellFlowTest, Gathers) {
  auto gather = [&](StringRef indices) {
    return step("%x: tensor<3x8xf32>, %j: tensor<3xi64>",
                ("%i = dhlo.constant dense<" + indices +
                 "> : tensor<3xi64>\n%0 = dhlo.gather %x, %i axis = 0 batch = "
                 "0 : (tensor<3x8xf32>, tensor<3xi64>) -> tensor<3x8xf32>")
                    .str(),
                {"3"}, {0});
  };
  EXPECT_EQ(gather("[2, 0, 1]"), "permutes [0]");
  EXPECT_EQ(gather("[2, 0, 2]"), "gathers [0]");
  EXPECT_EQ(gather("[0, 1, 3]"), "gathers [0]");
}

TEST_F(CellFlowTest, GathersByOtherIndices) {
  auto ops = read("%x: tensor<?x?x8xf32, #dhlo.dims<B, S>>, "
                  "%i: tensor<?xi64, #dhlo.dims<S>>, "
                  "%j: tensor<?x2xi64, #dhlo.dims<S>>",
                  R"(
    %0 = dhlo.gather %x, %i axis = 1 batch = 0
        : (tensor<?x?x8xf32, #dhlo.dims<B, S>>, tensor<?xi64, #dhlo.dims<S>>)
          -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
    %1 = dhlo.gather %x, %j axis = 1 batch = 0
        : (tensor<?x?x8xf32, #dhlo.dims<B, S>>, tensor<?x2xi64, #dhlo.dims<S>>)
          -> tensor<?x?x2x8xf32, #dhlo.dims<B, S>>)",
                  {"@B", "@S"});
  ASSERT_EQ(ops.size(), 2u);
  EXPECT_EQ(step(ops[0], 0, {0, 1}), "gathers [0, 1]");
  EXPECT_EQ(step(ops[0], 0, {0}), "keeps [0]");
  // Cells of the indices: each reads one of x.
  EXPECT_EQ(step(ops[0], 1, {0}), "keeps [1]");
  // Two axes in place of the cells' one.
  EXPECT_EQ(step(ops[1], 0, {0, 1}), "mixes []");
  EXPECT_EQ(operandAxes(ops[0], 0, {0, 1}), "none");
}

TEST_F(CellFlowTest, SortsSlicesAndReversals) {
  EXPECT_EQ(step("%x: tensor<?xf32, #dhlo.dims<B>>",
                 "%v, %i = dhlo.sort %x axis = 0 : "
                 "tensor<?xf32, #dhlo.dims<B>>, tensor<?xi64, #dhlo.dims<B>>",
                 {"@B"}, {0}),
            "permutes [0]");
  StringRef rows = "%x: tensor<?x8xf32, #dhlo.dims<B>>";
  auto sort = [&](StringRef axis) {
    return step(rows,
                ("%v, %i = dhlo.sort %x axis = " + axis +
                 " : tensor<?x8xf32, #dhlo.dims<B>>, "
                 "tensor<?x8xi64, #dhlo.dims<B>>")
                    .str(),
                {"@B"}, {0});
  };
  // Each column has an order of its own.
  EXPECT_EQ(sort("0"), "mixes []");
  EXPECT_EQ(sort("1"), "keeps [0]");
  auto slice = [&](StringRef starts, StringRef result) {
    return step("%x: tensor<9x8xf32>",
                ("%0 = dhlo.slice %x starts = [" + starts +
                 "] strides = [1, 1] : (tensor<9x8xf32>) -> tensor<" + result +
                 "xf32>")
                    .str(),
                {"9"}, {0});
  };
  EXPECT_EQ(slice("2, 0", "5x8"), "gathers [0]");
  EXPECT_EQ(slice("0, 0", "9x8"), "keeps [0]");
  EXPECT_EQ(slice("0, 3", "9x4"), "keeps [0]");
  auto reverse = [&](StringRef axis) {
    return step(rows,
                ("%0 = dhlo.reverse %x axes = [" + axis +
                 "] : tensor<?x8xf32, #dhlo.dims<B>>")
                    .str(),
                {"@B"}, {0});
  };
  EXPECT_EQ(reverse("0"), "permutes [0]");
  EXPECT_EQ(reverse("1"), "keeps [0]");
}

/// Axes are those of the first result, which the last states do not have.
TEST_F(CellFlowTest, ResultsOfOtherSizes) {
  EXPECT_EQ(step("%x: tensor<?x?x1x16xf32, #dhlo.dims<S, B>>, "
                 "%r: tensor<1x4x16xf32>",
                 R"(
    %y, %h, %c = dhlo.lstm forward %x, %r
        : (tensor<?x?x1x16xf32, #dhlo.dims<S, B>>, tensor<1x4x16xf32>)
          -> (tensor<?x1x?x4xf32, #dhlo.dims<S, B>>,
              tensor<1x?x4xf32, #dhlo.dims<B>>,
              tensor<1x?x4xf32, #dhlo.dims<B>>))",
                 {"@B"}, {1}),
            "mixes []");
}

/// Regions may read any cell.
TEST_F(CellFlowTest, Regions) {
  auto ops = read(kTokens, R"(
    %0 = dhlo.not %p : tensor<i1>
    %1 = dhlo.if %0 -> (tensor<?x?x8xf32, #dhlo.dims<B, S>>) {
      dhlo.yield %x : tensor<?x?x8xf32, #dhlo.dims<B, S>>
    } else {
      %2 = dhlo.softmax %x axis = 1 : tensor<?x?x8xf32, #dhlo.dims<B, S>>
      dhlo.yield %2 : tensor<?x?x8xf32, #dhlo.dims<B, S>>
    })",
                  {"@B", "@S"});
  ASSERT_EQ(ops.size(), 2u);
  EXPECT_EQ(step(ops[0], 0, {}), "keeps []");
  EXPECT_EQ(step(ops[1], 0, {}), "mixes []");
  EXPECT_EQ(operandAxes(ops[1], 0, {0, 1}), "none");
}

//===----------------------------------------------------------------------===//
// Reshapes
//===----------------------------------------------------------------------===//

TEST_F(CellFlowTest, Reshapes) {
  auto reshape = [&](StringRef from, StringRef to, ArrayRef<int64_t> axes,
                     ArrayRef<StringRef> sizes) {
    return step(
        ("%x: tensor<" + from + ">").str(),
        ("%0 = dhlo.reshape %x : (tensor<" + from + ">) -> tensor<" + to + ">")
            .str(),
        sizes, axes);
  };
  StringRef tokens = "?x?x8xf32, #dhlo.dims<B, S>";
  StringRef rows = "?x8xf32, #dhlo.dims<T>";
  SmallVector<StringRef> grid = {"@B", "@S"};
  // Both coordinates in one axis, and back.
  EXPECT_EQ(reshape(tokens, rows, {0, 1}, grid), "keeps [0]");
  EXPECT_EQ(reshape(rows, tokens, {0}, grid), "keeps [0, 1]");
  EXPECT_EQ(reshape(tokens, "?x?x2x4xf32, #dhlo.dims<B, S>", {0, 1}, grid),
            "keeps [0, 1]");
  // In another order, they are other cells.
  EXPECT_EQ(reshape("?x?x8xf32, #dhlo.dims<S, B>", rows, {1, 0}, grid),
            "mixes []");
  EXPECT_EQ(reshape(rows, "?x?x8xf32, #dhlo.dims<S, B>", {0}, grid),
            "mixes []");
  // With what is no coordinate.
  EXPECT_EQ(reshape(tokens, "?x?xf32, #dhlo.dims<B, U>", {0, 1}, grid),
            "mixes []");
  // A cell with one coordinate has one axis.
  EXPECT_EQ(reshape(rows, tokens, {0}, {"@T"}), "mixes []");
  // Coordinates of size 1, and those that elements repeat along.
  EXPECT_EQ(reshape("1x?x8xf32, #dhlo.dims<S>", "?x8xf32, #dhlo.dims<S>",
                    {0, 1}, {"1", "@S"}),
            "keeps [0]");
  EXPECT_EQ(reshape("?x8xf32, #dhlo.dims<S>", "1x?x8xf32, #dhlo.dims<S>",
                    {-1, 0}, grid),
            "keeps [-1, 1]");
}

//===----------------------------------------------------------------------===//
// Sequences
//===----------------------------------------------------------------------===//

/// Effects compose, and axes are followed until cells are mixed.
TEST_F(CellFlowTest, Sequences) {
  auto ops = read("%x: tensor<9x8xf32>, %g: tensor<8xf32>", R"(
    %0 = dhlo.rms_norm %x, %g axis = 1 eps = 1.0e-5
        : (tensor<9x8xf32>, tensor<8xf32>) -> tensor<9x8xf32>
    %1 = dhlo.transpose %0 permutation = [1, 0]
        : (tensor<9x8xf32>) -> tensor<8x9xf32>
    %2 = dhlo.reverse %1 axes = [1] : tensor<8x9xf32>
    %3 = dhlo.slice %2 starts = [0, 2] strides = [1, 1]
        : (tensor<8x9xf32>) -> tensor<8x5xf32>
    %4 = dhlo.reverse %3 axes = [1] : tensor<8x5xf32>
    %5 = dhlo.cumulative sum %4 axis = 1 : tensor<8x5xf32>)",
                  {"9"});
  CellFlow::Step whole{CellEffect::Keeps, {0}};
  std::vector<std::string> steps;
  for (Operation *op : ops) {
    CellFlow::Step next = flow->getStep(op, 0, whole.axes);
    whole = {compose(whole.effect, next.effect), next.axes};
    steps.push_back(getText(whole));
  }
  EXPECT_EQ(steps, (std::vector<std::string>{"keeps [0]", "keeps [1]",
                                             "permutes [1]", "gathers [1]",
                                             "gathers [1]", "mixes []"}));
}

/// An operation that keeps cells relates the same axes in both directions.
TEST_F(CellFlowTest, OperandAxesInvertSteps) {
  auto ops = read("%x: tensor<?x?x8xf32, #dhlo.dims<B, S>>, %w: "
                  "tensor<8x8xf32>",
                  R"(
    %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [2] rhs_contract = [0]
        : (tensor<?x?x8xf32, #dhlo.dims<B, S>>, tensor<8x8xf32>)
          -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
    %1 = dhlo.gelu erf %0 : tensor<?x?x8xf32, #dhlo.dims<B, S>>
    %2 = dhlo.transpose %1 permutation = [2, 1, 0]
        : (tensor<?x?x8xf32, #dhlo.dims<B, S>>)
          -> tensor<8x?x?xf32, #dhlo.dims<S, B>>
    %3 = dhlo.softmax %2 axis = 0 : tensor<8x?x?xf32, #dhlo.dims<S, B>>
    %4 = dhlo.reduce max %3 axes = [0]
        : (tensor<8x?x?xf32, #dhlo.dims<S, B>>)
          -> tensor<?x?xf32, #dhlo.dims<S, B>>
    %5 = dhlo.transpose %4 permutation = [1, 0]
        : (tensor<?x?xf32, #dhlo.dims<S, B>>)
          -> tensor<?x?xf32, #dhlo.dims<B, S>>
    %6 = dhlo.reshape %5
        : (tensor<?x?xf32, #dhlo.dims<B, S>>) -> tensor<?xf32, #dhlo.dims<T>>)",
                  {"@B", "@S"});
  ASSERT_EQ(ops.size(), 7u);
  CellAxes axes = {0, 1};
  for (Operation *op : ops) {
    CellFlow::Step step = flow->getStep(op, 0, axes);
    ASSERT_EQ(step.effect, CellEffect::Keeps)
        << op->getName().getStringRef().str();
    EXPECT_EQ(operandAxes(op, 0, step.axes), getText(axes))
        << op->getName().getStringRef().str();
    axes = step.axes;
  }
  EXPECT_EQ(getText(axes), "[0]");
}

} // namespace
