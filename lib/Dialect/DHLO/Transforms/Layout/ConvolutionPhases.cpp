//===- ConvolutionPhases.cpp - Pixels that meet the same taps -------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConvolutionPhases.h"
#include "MarkedTransposes.h"

#include "dyn/Dialect/DHLO/IR/ConvolutionAxes.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dhlo;

namespace {

/// Channels of a vector.
constexpr int64_t kChannels = 16;

/// The ways to compute an axis.
using Ways = SmallVector<PhasedAxis>;

PhasedAxis getUndilated(int64_t window, DimExpr size) {
  PhasedAxis axis = {/*step=*/1, window, /*gap=*/1, /*taps=*/window};
  axis.phases = {{0, 1, window, 0}};
  axis.blocks = size;
  return axis;
}

/// Moves the phases before `cut` behind the others, into the next block.
PhasedAxis rotate(const PhasedAxis &axis, DimExpr blocks) {
  PhasedAxis result = axis;
  result.cut = 0;
  result.blocks = blocks;
  result.phases.clear();
  SmallVector<Phases> before;
  for (Phases part : axis.phases) {
    int64_t count = std::clamp<int64_t>(axis.cut - part.first, 0, part.count);
    if (count > 0)
      before.push_back({part.first, count, part.taps, part.low - 1});
    if (count < part.count)
      result.phases.push_back(
          {part.first + count, part.count - count, part.taps, part.low});
  }
  result.phases.append(before);
  return result;
}

Ways getWays(int64_t step, int64_t window, int64_t gap, int64_t low,
             DimExpr size) {
  auto getBlocks = [&](int64_t cut) {
    return ceilDiv(add(size, cut), getConstDim(size.getContext(), step));
  };
  int64_t reach = gap * (window - 1) + 1, last = step - 1;
  PhasedAxis axis = {step, window, gap, llvm::divideCeilSigned(reach, step)};
  axis.cut = llvm::mod(last - low, step);
  low = (low + axis.cut - last) / step;
  axis.blocks = getBlocks(axis.cut);
  // Phases with a tap less than the others.
  int64_t fewer = axis.taps * step - reach;
  axis.empty = axis.taps == 1 ? fewer : 0;
  axis.phases = {{axis.empty, step - axis.empty, axis.taps, low}};
  Ways ways = {axis};
  if (fewer > axis.empty) {
    axis.phases = {{0, fewer, axis.taps - 1, low},
                   {fewer, step - fewer, axis.taps, low}};
    ways.push_back(axis);
  }
  if (axis.cut > 0 && axis.empty == 0)
    for (size_t i = 0, e = ways.size(); i < e; ++i)
      ways.push_back(rotate(ways[i], getBlocks(0)));
  return ways;
}

/// Multiply-adds, as if vectors are full, and convolutions.
struct Cost {
  double sums = 0;
  int64_t convolutions = 0;
};

void addCosts(ArrayRef<PhasedAxis> axes, int64_t numbers,
              const SymbolicDims &dims, Cost &cost, double taps = 1,
              int64_t phases = 1) {
  if (axes.empty()) {
    cost.sums += taps * llvm::alignTo(phases * numbers, kChannels);
    ++cost.convolutions;
    return;
  }
  double blocks = std::max<int64_t>(1, dims.getEstimate(axes.front().blocks));
  for (const Phases &part : axes.front().phases)
    addCosts(axes.drop_front(), numbers, dims, cost, taps * blocks * part.taps,
             phases * part.count);
}

/// Chooses a way for each axis: of those that take at most an eighth longer
/// than the fastest, one with the fewest convolutions.
SmallVector<PhasedAxis> choose(ArrayRef<Ways> ways, int64_t numbers,
                               const SymbolicDims &dims) {
  SmallVector<SmallVector<PhasedAxis>> all = {{}};
  for (const Ways &some : ways) {
    SmallVector<SmallVector<PhasedAxis>> longer;
    for (const SmallVector<PhasedAxis> &axes : all)
      for (const PhasedAxis &axis : some) {
        longer.push_back(axes);
        longer.back().push_back(axis);
      }
    all = std::move(longer);
  }
  SmallVector<Cost> costs(all.size());
  for (auto [axes, cost] : llvm::zip(all, costs))
    addCosts(axes, numbers, dims, cost);
  double limit =
      1.125 * llvm::min_element(costs, [](const Cost &lhs, const Cost &rhs) {
                return lhs.sums < rhs.sums;
              })->sums;
  auto isBetter = [&](const Cost &lhs, const Cost &rhs) {
    return std::tuple(lhs.sums > limit, lhs.convolutions, lhs.sums) <
           std::tuple(rhs.sums > limit, rhs.convolutions, rhs.sums);
  };
  return all[llvm::min_element(costs, isBetter) - costs.begin()];
}

} // namespace

SmallVector<PhasedAxis> dhlo::choosePhases(Convolves op,
                                           const SymbolicDims &dims) {
  RankedTensorType filter = getType(op.getFilter());
  if (op.getLayout() != Layout::ChannelsLast || !filter.hasStaticShape() ||
      filter.getNumElements() == 0)
    return {};
  ConvolutionAxes at(op);
  SmallVector<Ways> ways;
  bool isDilated = false;
  for (int64_t i = 0; i < at.spatial; ++i) {
    int64_t step = op.getInputDilation()[i];
    int64_t window = filter.getDimSize(at.filterSpatial + i);
    DimExpr size = dims.expand(getDim(op.getType(), at.firstSpatial + i));
    if (step == 1) {
      ways.push_back({getUndilated(window, size)});
      continue;
    }
    isDilated = true;
    auto low = getConstantValue(dims.expand(cast<DimExprAttr>(op.getLow()[i])));
    if (!low || op.getStrides()[i] != 1)
      return {};
    int64_t gap = window > 1 ? op.getFilterDilation()[i] : 1;
    ways.push_back(getWays(step, window, gap, *low, size));
  }
  if (!isDilated)
    return {};
  return choose(ways, filter.getShape().back(), dims);
}
