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

DimExpr dlhlo::getRowBytes(RankedTensorType type) {
  int64_t bits = type.getElementType().getIntOrFloatBitWidth();
  DimExpr bytes = dhlo::getConstDim(type.getContext(), (bits + 7) / 8);
  for (DimExpr size : llvm::drop_begin(dhlo::getDims(type)))
    bytes = dhlo::mul(bytes, size);
  return bytes;
}

std::optional<int64_t> MemoryPlan::getMisfit(const Size &slot,
                                             const Size &bytes) {
  if (comparer.isEqual(slot.bytes, bytes.bytes))
    return 0;
  int64_t have = slot.estimate, want = bytes.estimate;
  if (comparer.isAtMost(bytes.bytes, slot.bytes))
    return 1 + std::max<int64_t>(have - want, 0);
  // Growing a slot costs the difference.
  int64_t growth = std::max<int64_t>(want - have, 0);
  if (comparer.isAtMost(slot.bytes, bytes.bytes))
    return 1 + growth;
  if (have / 2 > want || want / 2 > have)
    return std::nullopt;
  return 2 + std::max<int64_t>(std::abs(have - want), want / 4);
}

std::optional<unsigned> MemoryPlan::findSlot(const Size &bytes, int64_t begin) {
  // By the difference of the estimates, which a misfit is not less than: most
  // slots need not be compared, which takes long for sums of many sizes.
  SmallVector<std::pair<int64_t, unsigned>> candidates;
  for (unsigned slot = 0; slot != slots.size(); ++slot)
    if (slots[slot].freeFrom < begin)
      candidates.push_back(
          {std::abs(slots[slot].size.estimate - bytes.estimate), slot});
  llvm::sort(candidates);
  std::optional<std::pair<int64_t, unsigned>> best;
  for (auto [difference, slot] : candidates) {
    if (best && difference > best->first)
      break;
    const Size &size = slots[slot].size;
    auto [known, isNew] = misfits.try_emplace({size.bytes, bytes.bytes});
    if (isNew)
      known->second = getMisfit(size, bytes);
    std::optional<int64_t> misfit = known->second;
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
  Size wanted = {bytes, dims.getEstimate(bytes)};
  std::optional<unsigned> found =
      reuse ? findSlot(wanted, begin) : std::optional<unsigned>();
  slotOf[value] = found.value_or(slots.size());
  if (!found) {
    slots.push_back({wanted, end});
    return;
  }
  Slot &slot = slots[*found];
  slot.freeFrom = end;
  if (comparer.isAtMost(slot.size.bytes, bytes))
    slot.size = wanted;
  else if (!comparer.isAtMost(bytes, slot.size.bytes))
    slot.size = {dhlo::max(slot.size.bytes, bytes),
                 std::max(slot.size.estimate, wanted.estimate)};
}
