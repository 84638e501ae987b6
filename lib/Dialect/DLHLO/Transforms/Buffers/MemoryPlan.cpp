//===- MemoryPlan.cpp - Which values of a segment share memory ------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemoryPlan.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dlhlo;
using dhlo::DimExpr;

/// Slots begin at multiples of a cache line.
static constexpr int64_t kAlignment = 64;

DimExpr dlhlo::getByteSize(RankedTensorType type, const SymbolicDims &dims) {
  int64_t bits = type.getElementType().getIntOrFloatBitWidth();
  return dhlo::mul(dims.getNumElements(type), (bits + 7) / 8);
}

std::optional<int64_t> MemoryPlan::getMisfit(DimExpr slot,
                                             DimExpr bytes) const {
  if (dims.isEqual(slot, bytes))
    return 0;
  int64_t have = dims.getEstimate(slot), want = dims.getEstimate(bytes);
  if (dims.isAtMost(bytes, slot))
    return 1 + std::max<int64_t>(have - want, 0);
  // Growing a slot costs the difference.
  int64_t growth = std::max<int64_t>(want - have, 0);
  if (dims.isAtMost(slot, bytes))
    return 1 + growth;
  if (have / 2 > want || want / 2 > have)
    return std::nullopt;
  return 2 + std::max<int64_t>(std::abs(have - want), want / 4);
}

std::optional<unsigned> MemoryPlan::findSlot(DimExpr bytes,
                                             int64_t begin) const {
  // By the difference of the estimates, which a misfit is not less than: most
  // slots need not be compared, which takes long for sums of many sizes.
  SmallVector<std::pair<int64_t, unsigned>> candidates;
  int64_t want = dims.getEstimate(bytes);
  for (unsigned slot = 0; slot != sizes.size(); ++slot)
    if (freeFrom[slot] < begin)
      candidates.push_back(
          {std::abs(dims.getEstimate(sizes[slot]) - want), slot});
  llvm::sort(candidates);
  std::optional<std::pair<int64_t, unsigned>> best;
  for (auto [difference, slot] : candidates) {
    if (best && difference > best->first)
      break;
    std::optional<int64_t> misfit = getMisfit(sizes[slot], bytes);
    if (misfit && (!best || std::pair(*misfit, slot) < *best))
      best = {*misfit, slot};
  }
  return best ? std::optional(best->second) : std::nullopt;
}

void MemoryPlan::add(Value value, DimExpr bytes, int64_t begin, int64_t end) {
  if (!dims.isMultipleOf(bytes, kAlignment))
    bytes = dhlo::mul(
        dhlo::ceilDiv(bytes, dhlo::getConstDim(bytes.getContext(), kAlignment)),
        kAlignment);
  values.push_back(value);
  std::optional<unsigned> slot =
      reuse ? findSlot(bytes, begin) : std::optional<unsigned>();
  if (!slot) {
    slotOf[value] = sizes.size();
    sizes.push_back(bytes);
    freeFrom.push_back(end);
    return;
  }
  slotOf[value] = *slot;
  freeFrom[*slot] = end;
  DimExpr &size = sizes[*slot];
  if (dims.isAtMost(size, bytes))
    size = bytes;
  else if (!dims.isAtMost(bytes, size))
    size = dhlo::max(size, bytes);
}
