//===- ConvolutionChoiceTest.cpp - Both sides of each condition -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A convolution that suits an algorithm is changed in one part at a time.

#include "Support.h"

#include "dyn/Dialect/DHLO/Analysis/ConvolutionChoice.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace dyn;
using dyn::dhlo::Convolves;

namespace {

/// The parts of a convolution's text. Sizes of images and results are dynamic,
/// so that any window agrees with them.
struct Parts {
  std::string input, filter, result, layout;
  std::string strides = "1, 1", low = "1, 1", high = "1, 1";
  std::string inputDilation = "1, 1", filterDilation = "1, 1", groups = "1";

  /// The same with another part.
  Parts with(std::string Parts::*part, llvm::StringRef text) const {
    Parts parts = *this;
    parts.*part = text.str();
    return parts;
  }
};

/// A change of one part, and what is expected of it.
struct Change {
  std::string Parts::*part;
  const char *text;
  bool expected;
};

class ConvolutionChoiceTest : public test::SizeTest {
protected:
  ConvolutionChoiceTest() { context.loadDialect<mlir::func::FuncDialect>(); }

  /// With channels first: `filters` x `channels` windows of 3 x 3.
  static Parts makePlane(int64_t filters = 8, int64_t channels = 8) {
    std::string from = std::to_string(channels), to = std::to_string(filters);
    Parts parts;
    parts.input = "?x" + from + "x?x?xf32, #dhlo.dims<N, H, W>";
    parts.filter = to + "x" + from + "x3x3xf32";
    parts.result = "?x" + to + "x?x?xf32, #dhlo.dims<N, P, Q>";
    parts.layout = "channels_first";
    return parts;
  }
  /// The same with channels last.
  static Parts makeLast(int64_t filters = 16, int64_t channels = 16) {
    std::string from = std::to_string(channels), to = std::to_string(filters);
    Parts parts;
    parts.input = "?x?x?x" + from + "xf32, #dhlo.dims<N, H, W>";
    parts.filter = "3x3x" + from + "x" + to + "xf32";
    parts.result = "?x?x?x" + to + "xf32, #dhlo.dims<N, P, Q>";
    parts.layout = "channels_last";
    return parts;
  }

  /// Reads a convolution; with a filter for each group of images if there are
  /// `offsets`.
  Convolves read(const Parts &parts, llvm::StringRef offsets = "") {
    bool isGrouped = !offsets.empty();
    std::string arguments =
        "%x: tensor<" + parts.input + ">, %w: tensor<" + parts.filter + ">";
    std::string op = isGrouped ? "dhlo.grouped_convolution %x, %w, %o "
                               : "dhlo.convolution %x, %w ";
    std::string types =
        "tensor<" + parts.input + ">, tensor<" + parts.filter + ">";
    if (isGrouped) {
      arguments += ", %o: tensor<" + offsets.str() + ">";
      types += ", tensor<" + offsets.str() + ">";
    }
    module = parse(
        "dhlo.dim @N\ndhlo.dim @H\ndhlo.dim @W\ndhlo.dim @P\ndhlo.dim @Q\n"
        "func.func @f(" +
        arguments + ") {\n%y = " + op + parts.layout + " strides = [" +
        parts.strides + "] low = [" + parts.low + "] high = [" + parts.high +
        "] input_dilation = [" + parts.inputDilation + "] filter_dilation = [" +
        parts.filterDilation + "] groups = " + parts.groups + " : (" + types +
        ") -> tensor<" + parts.result + ">\nreturn\n}");
    auto function = *module->getOps<mlir::func::FuncOp>().begin();
    return mlir::cast<Convolves>(function.front().front());
  }

  /// Asks `suits` of `parts` with each change.
  void expectEach(const Parts &parts, llvm::ArrayRef<Change> changes,
                  llvm::function_ref<bool(Convolves)> suits) {
    EXPECT_TRUE(suits(read(parts)));
    for (const Change &change : changes)
      EXPECT_EQ(suits(read(parts.with(change.part, change.text))),
                change.expected)
          << change.text;
  }

  mlir::OwningOpRef<mlir::ModuleOp> module;
  ConvolutionInfo info;
};

//===----------------------------------------------------------------------===//
// Channels first
//===----------------------------------------------------------------------===//

TEST_F(ConvolutionChoiceTest, Plane) {
  static_assert(kPlanePixels == 16);
  Change changes[] = {
      // Consecutive pixels are a vector; rows may be apart.
      {&Parts::strides, "1, 2", false},
      {&Parts::strides, "2, 1", true},
      {&Parts::filterDilation, "2, 2", true},
      {&Parts::inputDilation, "2, 1", false},
      {&Parts::inputDilation, "1, 2", false},
      // The padding of a row is a constant, one vector at most.
      {&Parts::low, "0, 16", true},
      {&Parts::low, "1, 17", false},
      {&Parts::low, "17, 1", false},
      {&Parts::low, "1, -1", false},
      {&Parts::low, "1, @P", false},
      {&Parts::high, "16, 0", true},
      {&Parts::high, "1, 17", false},
      {&Parts::high, "-1, 1", false},
      {&Parts::high, "@P, 1", false},
      // The filter's elements are operands of instructions.
      {&Parts::filter, "8x8x?x3xf32, #dhlo.dims<W>", false},
      {&Parts::filter, "8x8x0x3xf32", false},
  };
  expectEach(makePlane(), changes, isPlaneConvolution);
}

TEST_F(ConvolutionChoiceTest, PlaneOfOtherImages) {
  EXPECT_FALSE(isPlaneConvolution(read(makeLast())));
  Parts groups = makePlane().with(&Parts::groups, "2");
  groups.filter = "8x4x3x3xf32";
  EXPECT_FALSE(isPlaneConvolution(read(groups)));
  Parts half = makePlane();
  half.input = "?x8x?x?xf16, #dhlo.dims<N, H, W>";
  half.filter = "8x8x3x3xf16";
  half.result = "?x8x?x?xf16, #dhlo.dims<N, P, Q>";
  EXPECT_FALSE(isPlaneConvolution(read(half)));
  Parts line;
  line.input = "?x8x?xf32, #dhlo.dims<N, W>";
  line.filter = "8x8x3xf32";
  line.result = "?x8x?xf32, #dhlo.dims<N, Q>";
  line.layout = "channels_first";
  line.strides = line.low = line.high = "1";
  line.inputDilation = line.filterDilation = "1";
  EXPECT_FALSE(isPlaneConvolution(read(line)));
}

TEST_F(ConvolutionChoiceTest, PlaneWithFiltersOfGroupsOfImages) {
  Parts parts = makePlane().with(&Parts::filter, "5x8x8x3x3xf32");
  EXPECT_TRUE(isPlaneConvolution(read(parts, "6xi64")));
  EXPECT_TRUE(suitsWinogradLines(read(parts, "6xi64"), info));
}

TEST_F(ConvolutionChoiceTest, WinogradLines) {
  Change changes[] = {
      // Three rows of the window are separate; how wide it is does not matter.
      {&Parts::filter, "8x8x3x5xf32", true},
      {&Parts::filter, "8x8x5x3xf32", false},
      {&Parts::filter, "8x8x1x3xf32", false},
      {&Parts::strides, "2, 1", false},
      {&Parts::filterDilation, "2, 1", false},
      {&Parts::filterDilation, "1, 2", true},
      // Of a single row of the result most would be thrown away.
      {&Parts::result, "?x8x1x?xf32, #dhlo.dims<N, Q>", false},
      {&Parts::result, "?x8x2x?xf32, #dhlo.dims<N, Q>", true},
      {&Parts::result, "?x8x?x1xf32, #dhlo.dims<N, P>", true},
      // No plane.
      {&Parts::strides, "1, 2", false},
  };
  expectEach(makePlane(), changes,
             [&](Convolves op) { return suitsWinogradLines(op, info); });
}

TEST_F(ConvolutionChoiceTest, WinogradLinesFromANumberOfChannels) {
  auto suits = [&](int64_t filters, int64_t channels) {
    return suitsWinogradLines(read(makePlane(filters, channels)), info);
  };
  EXPECT_TRUE(suits(8, 8));
  EXPECT_FALSE(suits(7, 8));
  EXPECT_FALSE(suits(8, 7));
  info.winogradLineChannels = 9;
  EXPECT_FALSE(suits(8, 9));
  EXPECT_FALSE(suits(9, 8));
  EXPECT_TRUE(suits(9, 9));
}

//===----------------------------------------------------------------------===//
// Channels last
//===----------------------------------------------------------------------===//

TEST_F(ConvolutionChoiceTest, Winograd) {
  Change changes[] = {
      {&Parts::filter, "1x3x16x16xf32", false},
      {&Parts::filter, "3x5x16x16xf32", false},
      {&Parts::strides, "2, 1", false},
      {&Parts::strides, "1, 2", false},
      {&Parts::inputDilation, "2, 1", false},
      {&Parts::inputDilation, "1, 2", false},
      {&Parts::filterDilation, "2, 1", false},
      {&Parts::filterDilation, "1, 2", false},
      // A tile is 4 x 4 results.
      {&Parts::result, "?x1x?x16xf32, #dhlo.dims<N, Q>", false},
      {&Parts::result, "?x?x1x16xf32, #dhlo.dims<N, P>", false},
      {&Parts::result, "?x2x?x16xf32, #dhlo.dims<N, Q>", true},
      {&Parts::low, "0, 17", true},
  };
  expectEach(makeLast(), changes,
             [&](Convolves op) { return suitsWinograd(op, info); });
}

TEST_F(ConvolutionChoiceTest, WinogradFromANumberOfChannels) {
  auto suits = [&](int64_t filters, int64_t channels) {
    return suitsWinograd(read(makeLast(filters, channels)), info);
  };
  EXPECT_TRUE(suits(16, 16));
  EXPECT_FALSE(suits(15, 16));
  // Vectors of channels are full; those of results need not be.
  EXPECT_FALSE(suits(16, 24));
  EXPECT_TRUE(suits(17, 32));
  info.winogradChannels = 17;
  EXPECT_FALSE(suits(17, 16));
  EXPECT_FALSE(suits(16, 32));
  EXPECT_TRUE(suits(17, 32));
}

TEST_F(ConvolutionChoiceTest, NoWinogradOfGroupsOfImages) {
  Parts parts = makeLast().with(&Parts::filter, "5x3x3x16x16xf32");
  EXPECT_FALSE(suitsWinograd(read(parts, "6xi64"), info));
}

//===----------------------------------------------------------------------===//
// A few filters
//===----------------------------------------------------------------------===//

TEST_F(ConvolutionChoiceTest, Skinny) {
  Change changes[] = {
      {&Parts::filter, "3x3x?x3xf32, #dhlo.dims<W>", false},
      // One element of the window is a matmul.
      {&Parts::filter, "1x1x16x3xf32", false},
      {&Parts::strides, "2, 2", true},
      {&Parts::filterDilation, "2, 2", true},
      {&Parts::inputDilation, "2, 1", false},
  };
  expectEach(makeLast(3), changes, isSkinnyConvolution);
  EXPECT_TRUE(isSkinnyConvolution(read(makeLast(8))));
  EXPECT_FALSE(isSkinnyConvolution(read(makeLast(9))));
  EXPECT_FALSE(isSkinnyConvolution(read(makeLast(0))));
  EXPECT_FALSE(isSkinnyConvolution(read(makePlane(3, 16))));
  Parts groups = makeLast(4).with(&Parts::groups, "2");
  groups.filter = "3x3x8x4xf32";
  EXPECT_FALSE(isSkinnyConvolution(read(groups)));
  Parts images = makeLast(3).with(&Parts::filter, "5x3x3x16x3xf32");
  EXPECT_FALSE(isSkinnyConvolution(read(images, "6xi64")));
}

/// If rows of the window are dilated, each of its elements has vectors of its
/// own.
TEST_F(ConvolutionChoiceTest, SkinnyOfFewChannels) {
  EXPECT_TRUE(isSkinnyConvolution(read(makeLast(4, 4))));
  EXPECT_FALSE(isSkinnyConvolution(
      read(makeLast(4, 4).with(&Parts::filterDilation, "1, 2"))));
}

//===----------------------------------------------------------------------===//
// Times in both layouts
//===----------------------------------------------------------------------===//

/// 10 rows of 20 pixels, a window of 1 x 1.
class LayoutTimesTest : public ConvolutionChoiceTest {
protected:
  static Parts makePoints(int64_t filters, int64_t channels) {
    std::string from = std::to_string(channels), to = std::to_string(filters);
    Parts parts;
    parts.input = "2x" + from + "x10x20xf32";
    parts.filter = to + "x" + from + "x1x1xf32";
    parts.result = "2x" + to + "x10x20xf32";
    parts.layout = "channels_first";
    parts.low = parts.high = "0, 0";
    return parts;
  }
  void expectTimes(const Parts &parts, double first, double last) {
    std::optional<LayoutTimes> times = getLayoutTimes(read(parts), info);
    ASSERT_TRUE(times);
    EXPECT_DOUBLE_EQ(times->first, first);
    EXPECT_DOUBLE_EQ(times->last, last);
  }
};

/// With channels first two vectors of pixels are for each of 8 filters; with
/// channels last one vector of 16, half of them idle, for each pixel.
TEST_F(LayoutTimesTest, FullVectors) {
  info.singleVectorPercent = 100;
  expectTimes(makePoints(8, 4), 10. * (2 * 16) * 4 * 8, 10. * 20 * 4 * 16);
}

TEST_F(LayoutTimesTest, OneVectorOfChannelsWaitsForLoads) {
  info.singleVectorPercent = 300;
  expectTimes(makePoints(16, 4), 10. * (2 * 16) * 4 * 16,
              10. * 20 * 4 * 16 * 3);
  expectTimes(makePoints(17, 4), 10. * (2 * 16) * 4 * 17, 10. * 20 * 4 * 32);
}

/// With channels last, vectors are along K for a few filters: 9 elements of
/// each of 8 channels are 6 vectors, and the lanes cost as much as 4.
TEST_F(LayoutTimesTest, FewFiltersAreSumsAlongDepth) {
  info.singleVectorPercent = 100;
  auto getLast = [&](const Parts &parts) {
    return getLayoutTimes(read(parts), info)->last;
  };
  EXPECT_DOUBLE_EQ(getLast(makePlane(1, 8)), 64 * 16 * 1 * (6 + 4));
  EXPECT_DOUBLE_EQ(getLast(makePlane(7, 8)), 64 * 16 * 7 * (6 + 4));
  EXPECT_DOUBLE_EQ(getLast(makePlane(8, 8)), 64 * 16 * 9 * 8);
}

/// A dynamic height counts as one row, a dynamic width as four vectors.
TEST_F(LayoutTimesTest, DynamicImages) {
  info.singleVectorPercent = 100;
  Parts parts = makePoints(8, 4);
  parts.input = "2x4x?x20xf32, #dhlo.dims<H>";
  parts.result = "2x8x?x20xf32, #dhlo.dims<H>";
  expectTimes(parts, 1. * (2 * 16) * 4 * 8, 1. * 20 * 4 * 16);
  parts.input = "2x4x10x?xf32, #dhlo.dims<W>";
  parts.result = "2x8x10x?xf32, #dhlo.dims<W>";
  expectTimes(parts, 10. * 64 * 4 * 8, 10. * 64 * 4 * 16);
}

TEST_F(LayoutTimesTest, WinogradLinesTakeTheirShare) {
  info.singleVectorPercent = 100;
  info.winogradLinePercent = 25;
  auto getFirst = [&](const Parts &parts) {
    return getLayoutTimes(read(parts), info)->first;
  };
  double sums = 64 * 9;
  EXPECT_DOUBLE_EQ(getFirst(makePlane(8, 8)), sums * 8 * 8 / 4);
  EXPECT_DOUBLE_EQ(getFirst(makePlane(8, 7)), sums * 8 * 7);
  EXPECT_DOUBLE_EQ(getFirst(makePlane(7, 8)), sums * 7 * 8);
  EXPECT_DOUBLE_EQ(getFirst(makePlane(8, 8).with(&Parts::strides, "2, 1")),
                   sums * 8 * 8);
}

TEST_F(LayoutTimesTest, WinogradGainsWithFullVectors) {
  info.singleVectorPercent = 100;
  info.winogradGainPercent = 400;
  auto getLast = [&](const Parts &parts) {
    return getLayoutTimes(read(parts), info)->last;
  };
  double sums = 64 * 9;
  EXPECT_DOUBLE_EQ(getLast(makePlane(16, 16)), sums * 16 * 16 / 4);
  EXPECT_DOUBLE_EQ(getLast(makePlane(16, 24)), sums * 16 * 24);
  EXPECT_DOUBLE_EQ(getLast(makePlane(15, 16)), sums * 16 * 16);
  // Winograd's algorithm does not compute groups of images.
  Parts groups = makePlane(16, 16).with(&Parts::filter, "5x16x16x3x3xf32");
  EXPECT_DOUBLE_EQ(getLayoutTimes(read(groups, "6xi64"), info)->last,
                   sums * 16 * 16);
}

TEST_F(LayoutTimesTest, ManyChannelsMayNotStayFirst) {
  EXPECT_TRUE(getLayoutTimes(read(makePoints(8, 64)), info));
  EXPECT_FALSE(getLayoutTimes(read(makePoints(8, 65)), info));
  info.planeInputChannels = 65;
  EXPECT_TRUE(getLayoutTimes(read(makePoints(8, 65)), info));
  EXPECT_FALSE(getLayoutTimes(read(makeLast()), info));
}

} // namespace
