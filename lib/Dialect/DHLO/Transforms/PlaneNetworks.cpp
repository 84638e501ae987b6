//===- PlaneNetworks.cpp - Convolutions that keep channels first ----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// With channels last, a convolution computes full vectors of channels; with
// channels first, full vectors of pixels. Between the two is a transpose, so
// all convolutions that images flow between have the same layout: the one in
// which fewer multiply-adds are computed.

#include "PlaneNetworks.h"

#include "dyn/Analysis/ConvolutionChoice.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dhlo;

namespace {
/// The cost of a network in each layout.
struct Cost {
  double first = 0, last = 0;
  bool hasFirst = true;
};
} // namespace

/// Channels of a vector.
static constexpr int64_t kChannels = 16;
/// A smaller gain is not worth a change of layout.
static constexpr double kGain = 1.2;

/// The time of a convolution with channels first, for each multiply-add of its
/// definition: F(4, 3) along the image height takes half of them.
static double getFirstFactor(ConvolutionOp op, int64_t channels,
                             int64_t numbers, int64_t lines) {
  return std::min(channels, numbers) >= 8 && lines == 3 &&
                 op.getStrides()[0] == 1 && op.getFilterDilation()[0] == 1
             ? 0.65
             : 1;
}

/// The same with channels last.
static double getLastFactor(ConvolutionOp op, int64_t channels,
                            int64_t numbers) {
  // One vector of channels: a register tile needs a load for each multiply-add.
  double factor = numbers <= kChannels ? 1.5 : 1;
  // F(4x4, 3x3) takes a quarter of the multiply-adds.
  bool isWinograd = !op.getOffsets() && channels % kChannels == 0 &&
                    std::min(channels, numbers) >= kChannels;
  return isWinograd ? factor / 2.5 : factor;
}

static void addTo(Cost &cost, ConvolutionOp op) {
  cost.hasFirst &= isPlaneConvolution(op);
  if (!cost.hasFirst)
    return;
  auto type = op.getType();
  auto filter = cast<RankedTensorType>(op.getFilter().getType());
  int64_t axis = op.getFilterAxis();
  int64_t numbers = filter.getDimSize(axis);
  int64_t channels = filter.getDimSize(axis + 1);
  double sums = channels * filter.getDimSize(axis + 2) *
                double(filter.getDimSize(axis + 3));
  // A dynamic height counts as one row, a dynamic width as some vectors.
  auto height = getConstantValue(getDim(type, 2));
  auto width = getConstantValue(getDim(type, 3));
  double lines = height ? *height : 1,
         pixels = width ? *width : 4 * kPlanePixels;
  double vectors = llvm::divideCeil(int64_t(pixels), kPlanePixels);
  cost.first +=
      lines * vectors * kPlanePixels * sums * numbers *
      getFirstFactor(op, channels, numbers, filter.getDimSize(axis + 2));
  cost.last += lines * pixels * sums * llvm::alignTo(numbers, kChannels) *
               getLastFactor(op, channels, numbers);
}

SmallVector<ConvolutionOp> dyn::dhlo::findPlaneConvolutions(ModuleOp module) {
  llvm::EquivalenceClasses<Operation *> networks;
  auto isImage = [](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type && type.getRank() > 2;
  };
  SmallVector<ConvolutionOp> convolutions;
  module.walk([&](Operation *op) {
    auto convolution = dyn_cast<ConvolutionOp>(op);
    if (convolution)
      convolutions.push_back(convolution);
    for (OpOperand &operand : op->getOpOperands()) {
      Operation *source = operand.get().getDefiningOp();
      bool isFilter = convolution && operand.getOperandNumber() != 0;
      if (source && isImage(operand.get()) && !isFilter)
        networks.unionSets(source, op);
    }
  });

  llvm::MapVector<Operation *, Cost> costs;
  auto getCost = [&](ConvolutionOp op) -> Cost & {
    return costs[networks.getOrInsertLeaderValue(op)];
  };
  for (ConvolutionOp op : convolutions)
    addTo(getCost(op), op);
  llvm::erase_if(convolutions, [&](ConvolutionOp op) {
    const Cost &cost = getCost(op);
    return !cost.hasFirst || cost.last < kGain * cost.first;
  });
  return convolutions;
}
