//===- ConvolutionChoice.cpp - Algorithms of convolutions -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DHLO/Analysis/ConvolutionChoice.h"

#include "dyn/Dialect/DHLO/IR/ConvolutionAxes.h"

using namespace mlir;
using namespace dyn;

/// Channels of a vector.
static constexpr int64_t kChannels = 16;

static bool isOne(ArrayRef<int64_t> values) {
  return llvm::all_of(values, [](int64_t value) { return value == 1; });
}

bool dyn::isPlaneConvolution(dhlo::Convolves op) {
  auto filter = cast<RankedTensorType>(op.getFilter().getType());
  if (op.getLayout() != dhlo::Layout::ChannelsFirst ||
      op.getType().getRank() != 4 || !op.getType().getElementType().isF32() ||
      op.getGroups() != 1 || op.getStrides()[1] != 1 ||
      !filter.hasStaticShape() || filter.getNumElements() == 0)
    return false;
  // The padding of an image row is written as one vector.
  auto isEdge = [](dhlo::DimExprAttr size) {
    auto value = dhlo::getConstantValue(size);
    return value && *value >= 0 && *value <= kPlanePixels;
  };
  return isOne(op.getInputDilation()) &&
         llvm::all_of(op.getLow().getAsRange<dhlo::DimExprAttr>(), isEdge) &&
         llvm::all_of(op.getHigh().getAsRange<dhlo::DimExprAttr>(), isEdge);
}

/// The multiply-adds of full vectors that a pixel of the result takes with
/// channels last: of vectors of output channels, or, of a few, along K.
struct PixelTimes {
  int64_t columns;
  std::optional<int64_t> alongDepth;
};

static PixelTimes getPixelTimes(dhlo::Convolves op) {
  /// The time to sum the lanes of a vector, in the same unit.
  constexpr int64_t kLaneSums = 4;
  auto filter = cast<RankedTensorType>(op.getFilter().getType());
  dhlo::ConvolutionAxes axes(op);
  int64_t numbers = filter.getDimSize(axes.filterNumber);
  int64_t channels = filter.getDimSize(axes.filterChannel);
  int64_t window = 1;
  for (int64_t i = 0; i < axes.spatial; ++i)
    window *= filter.getDimSize(axes.filterSpatial + i);
  PixelTimes times = {window * channels * llvm::divideCeil(numbers, kChannels),
                      std::nullopt};
  if (op.getGroups() != 1 || op.getImageOffsets() || window <= 1 ||
      numbers > kChannels / 2)
    return times;
  // Elements of a row of the window are consecutive if it is not dilated.
  bool isMerged = op.getFilterDilation().back() == 1;
  int64_t width =
      isMerged ? filter.getDimSize(axes.filterSpatial + axes.spatial - 1) : 1;
  int64_t vectors =
      window / width * llvm::divideCeil(width * channels, kChannels);
  times.alongDepth = numbers * (vectors + kLaneSums);
  return times;
}

bool dyn::isSkinnyConvolution(dhlo::Convolves op) {
  auto filter = cast<RankedTensorType>(op.getFilter().getType());
  if (op.getLayout() != dhlo::Layout::ChannelsLast ||
      !op.getType().getElementType().isF32() || !filter.hasStaticShape() ||
      filter.getNumElements() == 0 || !isOne(op.getInputDilation()))
    return false;
  PixelTimes times = getPixelTimes(op);
  return times.alongDepth && *times.alongDepth < times.columns;
}

bool dyn::isGroupwiseConvolution(dhlo::Convolves op) {
  auto filter = cast<RankedTensorType>(op.getFilter().getType());
  dhlo::ConvolutionAxes axes(op);
  int64_t depth = filter.getDimSize(axes.filterChannel);
  int64_t numbers = filter.getDimSize(axes.filterNumber);
  int64_t groups = op.getGroups();
  if (op.getLayout() != dhlo::Layout::ChannelsLast || groups == 1 ||
      op.getImageOffsets() || !op.getType().getElementType().isF32() ||
      !filter.hasStaticShape() || filter.getNumElements() == 0)
    return false;
  // Whole groups have the lanes of a vector, of any instruction set.
  int64_t width = numbers / groups;
  return depth <= width && width <= kChannels / 2 && llvm::isPowerOf2_64(width);
}

bool dyn::suitsWinograd(dhlo::Convolves op, const ConvolutionInfo &info) {
  auto filter = cast<RankedTensorType>(op.getFilter().getType());
  auto result = cast<RankedTensorType>(op.getType());
  return !op.getImageOffsets() && op.getGroups() == 1 &&
         filter.getRank() == 4 && filter.getDimSize(0) == 3 &&
         filter.getDimSize(1) == 3 && filter.getDimSize(2) % kChannels == 0 &&
         filter.getDimSize(2) >= info.winogradChannels &&
         filter.getDimSize(3) >= info.winogradChannels &&
         isOne(op.getStrides()) && isOne(op.getInputDilation()) &&
         isOne(op.getFilterDilation()) && result.getDimSize(1) != 1 &&
         result.getDimSize(2) != 1;
}

/// Whether windows and channels suit the algorithm with channels first.
static bool hasWinogradLines(dhlo::Convolves op, const ConvolutionInfo &info) {
  auto filter = cast<RankedTensorType>(op.getFilter().getType());
  dhlo::ConvolutionAxes axes(op);
  return filter.getDimSize(axes.filterNumber) >= info.winogradLineChannels &&
         filter.getDimSize(axes.filterChannel) >= info.winogradLineChannels &&
         filter.getDimSize(axes.filterSpatial) == 3 &&
         op.getStrides()[0] == 1 && op.getFilterDilation()[0] == 1;
}

bool dyn::suitsWinogradLines(dhlo::Convolves op, const ConvolutionInfo &info) {
  return isPlaneConvolution(op) && hasWinogradLines(op, info) &&
         op.getType().getDimSize(2) != 1;
}

/// The time of a convolution with channels first, of that of its definition's
/// multiply-adds.
static double getFirstFactor(dhlo::Convolves op, const ConvolutionInfo &info) {
  return hasWinogradLines(op, info) ? info.winogradLinePercent / 100.0 : 1;
}

/// The same with channels last.
static double getLastFactor(dhlo::Convolves op, const ConvolutionInfo &info,
                            int64_t channels, int64_t numbers) {
  double factor = numbers <= kChannels ? info.singleVectorPercent / 100.0 : 1;
  bool isWinograd = !op.getImageOffsets() && channels % kChannels == 0 &&
                    std::min(channels, numbers) >= info.winogradChannels;
  return isWinograd ? factor / (info.winogradGainPercent / 100.0) : factor;
}

std::optional<LayoutTimes> dyn::getLayoutTimes(dhlo::Convolves op,
                                               const ConvolutionInfo &info) {
  if (!isPlaneConvolution(op))
    return std::nullopt;
  auto type = op.getType();
  auto filter = cast<RankedTensorType>(op.getFilter().getType());
  dhlo::ConvolutionAxes axes(op);
  int64_t numbers = filter.getDimSize(axes.filterNumber);
  int64_t channels = filter.getDimSize(axes.filterChannel);
  int64_t height = filter.getDimSize(axes.filterSpatial);
  if (channels > info.planeInputChannels)
    return std::nullopt;
  double sums =
      channels * height * double(filter.getDimSize(axes.filterSpatial + 1));
  // A dynamic height counts as one row, a dynamic width as some vectors.
  auto knownLines = dhlo::getConstantValue(dhlo::getDim(type, 2));
  auto knownPixels = dhlo::getConstantValue(dhlo::getDim(type, 3));
  double lines = knownLines ? *knownLines : 1,
         pixels = knownPixels ? *knownPixels : 4 * kPlanePixels;
  double vectors = llvm::divideCeil(int64_t(pixels), kPlanePixels);
  PixelTimes times = getPixelTimes(op);
  double last =
      times.columns * kChannels * getLastFactor(op, info, channels, numbers);
  if (times.alongDepth)
    last = std::min(last, double(*times.alongDepth * kChannels));
  return LayoutTimes{lines * vectors * kPlanePixels * sums * numbers *
                         getFirstFactor(op, info),
                     lines * pixels * last};
}
