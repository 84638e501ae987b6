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

#include "dyn/Dialect/DHLO/Analysis/ConvolutionChoice.h"

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

static void addTo(Cost &cost, Convolves op, const ConvolutionInfo &info) {
  std::optional<LayoutTimes> times = getLayoutTimes(op, info);
  cost.hasFirst &= times.has_value();
  if (!cost.hasFirst)
    return;
  cost.first += times->first;
  cost.last += times->last;
}

SmallVector<Convolves>
dyn::dhlo::findPlaneConvolutions(ModuleOp module, const ConvolutionInfo &info) {
  llvm::EquivalenceClasses<Operation *> networks;
  auto isImage = [](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type && type.getRank() > 2;
  };
  SmallVector<Convolves> convolutions;
  module.walk([&](Operation *op) {
    auto convolution = dyn_cast<Convolves>(op);
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
  auto getCost = [&](Convolves op) -> Cost & {
    return costs[networks.getOrInsertLeaderValue(op)];
  };
  for (Convolves op : convolutions)
    addTo(getCost(op), op, info);
  double gain = info.keepFirstPercent / 100.0;
  llvm::erase_if(convolutions, [&](Convolves op) {
    const Cost &cost = getCost(op);
    return !cost.hasFirst || cost.last < gain * cost.first;
  });
  return convolutions;
}
