//===- ConvolutionChoice.cpp - Algorithms of convolutions -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Analysis/ConvolutionChoice.h"

using namespace mlir;
using namespace dyn;

/// Channels of a vector.
static constexpr int64_t kChannels = 16;

bool dyn::isPlaneConvolution(dhlo::ConvolutionOp op) {
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
  return llvm::all_of(op.getInputDilation(),
                      [](int64_t step) { return step == 1; }) &&
         llvm::all_of(op.getLow().getAsRange<dhlo::DimExprAttr>(), isEdge) &&
         llvm::all_of(op.getHigh().getAsRange<dhlo::DimExprAttr>(), isEdge);
}

static bool isOne(ArrayRef<int64_t> values) {
  return llvm::all_of(values, [](int64_t value) { return value == 1; });
}

bool dyn::suitsWinograd(dhlo::ConvolutionOp op, const ConvolutionInfo &info) {
  auto filter = cast<RankedTensorType>(op.getFilter().getType());
  auto result = cast<RankedTensorType>(op.getType());
  return !op.getOffsets() && filter.getRank() == 4 &&
         filter.getDimSize(0) == 3 && filter.getDimSize(1) == 3 &&
         filter.getDimSize(2) % kChannels == 0 &&
         filter.getDimSize(2) >= info.winogradChannels &&
         filter.getDimSize(3) >= info.winogradChannels &&
         isOne(op.getStrides()) && isOne(op.getInputDilation()) &&
         isOne(op.getFilterDilation()) && result.getDimSize(1) != 1 &&
         result.getDimSize(2) != 1;
}

bool dyn::suitsWinogradLines(dhlo::ConvolutionOp op,
                             const ConvolutionInfo &info) {
  if (!isPlaneConvolution(op))
    return false;
  auto filter = cast<RankedTensorType>(op.getFilter().getType());
  auto sizes = filter.getShape().drop_front(op.getFilterAxis());
  return sizes[0] >= info.winogradLineChannels &&
         sizes[1] >= info.winogradLineChannels && sizes[2] == 3 &&
         op.getStrides()[0] == 1 && op.getFilterDilation()[0] == 1 &&
         cast<RankedTensorType>(op.getType()).getDimSize(2) != 1;
}

/// The time of a convolution with channels first, of that of its definition's
/// multiply-adds.
static double getFirstFactor(dhlo::ConvolutionOp op,
                             const ConvolutionInfo &info, int64_t channels,
                             int64_t numbers, int64_t lines) {
  bool isWinograd = std::min(channels, numbers) >= info.winogradLineChannels &&
                    lines == 3 && op.getStrides()[0] == 1 &&
                    op.getFilterDilation()[0] == 1;
  return isWinograd ? info.winogradLinePercent / 100.0 : 1;
}

/// The same with channels last.
static double getLastFactor(dhlo::ConvolutionOp op, const ConvolutionInfo &info,
                            int64_t channels, int64_t numbers) {
  double factor = numbers <= kChannels ? info.singleVectorPercent / 100.0 : 1;
  bool isWinograd = !op.getOffsets() && channels % kChannels == 0 &&
                    std::min(channels, numbers) >= info.winogradChannels;
  return isWinograd ? factor / (info.winogradGainPercent / 100.0) : factor;
}

std::optional<LayoutTimes> dyn::getLayoutTimes(dhlo::ConvolutionOp op,
                                               const ConvolutionInfo &info) {
  if (!isPlaneConvolution(op))
    return std::nullopt;
  auto type = op.getType();
  auto filter = cast<RankedTensorType>(op.getFilter().getType());
  int64_t axis = op.getFilterAxis();
  int64_t numbers = filter.getDimSize(axis);
  int64_t channels = filter.getDimSize(axis + 1);
  if (channels > info.planeInputChannels)
    return std::nullopt;
  double sums = channels * filter.getDimSize(axis + 2) *
                double(filter.getDimSize(axis + 3));
  // A dynamic height counts as one row, a dynamic width as some vectors.
  auto height = dhlo::getConstantValue(dhlo::getDim(type, 2));
  auto width = dhlo::getConstantValue(dhlo::getDim(type, 3));
  double lines = height ? *height : 1,
         pixels = width ? *width : 4 * kPlanePixels;
  double vectors = llvm::divideCeil(int64_t(pixels), kPlanePixels);
  return LayoutTimes{lines * vectors * kPlanePixels * sums * numbers *
                         getFirstFactor(op, info, channels, numbers,
                                        filter.getDimSize(axis + 2)),
                     lines * pixels * sums * llvm::alignTo(numbers, kChannels) *
                         getLastFactor(op, info, channels, numbers)};
}
