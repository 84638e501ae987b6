//===- ConvolutionChoice.cpp - Algorithms of convolutions ---------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Analysis/ConvolutionChoice.h"

using namespace mlir;
using namespace dyn;

bool dyn::isPlaneConvolution(dhlo::ConvolutionOp op) {
  // The image rows of all input channels that one result row reads, and the
  // filters of a few result channels, stay in the first-level cache.
  constexpr int64_t kMostChannels = 64;
  auto filter = cast<RankedTensorType>(op.getFilter().getType());
  int64_t first = op.getFilterAxis();
  if (op.getLayout() != dhlo::Layout::ChannelsFirst ||
      op.getType().getRank() != 4 || !op.getType().getElementType().isF32() ||
      op.getGroups() != 1 || op.getStrides()[1] != 1 ||
      !filter.hasStaticShape() || filter.getNumElements() == 0 ||
      filter.getDimSize(first + 1) > kMostChannels)
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
