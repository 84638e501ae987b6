//===- SharedHeads.cpp - Repeated heads of keys and values ----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedHeads.h"
#include "Match.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dhlo;

namespace {
/// Heads before they are repeated, and the type of their tensor.
struct SharedHeads {
  Value source;
  RankedTensorType type;
};
} // namespace

/// The source [B, G, T, D] of repeated heads: [B, G, T, D] -> [B, G, R, T, D]
/// -> [B, G * R, T, D].
static std::optional<SharedHeads> matchSharedHeads(Value value,
                                                   const SymbolicDims &dims) {
  auto merge = value.getDefiningOp<ReshapeOp>();
  if (!merge)
    return std::nullopt;
  auto repeat = merge.getOperand().getDefiningOp<BroadcastOp>();
  RankedTensorType type = getTensor(value);
  if (!repeat || repeat.getType().getRank() != 5)
    return std::nullopt;
  RankedTensorType wide = repeat.getType();
  for (auto [axis, sourceAxis] : {std::pair(0, 0), {3, 2}, {4, 3}})
    if (!dims.isEqual(getDim(wide, axis), getDim(type, sourceAxis)))
      return std::nullopt;
  // The source has all axes but the third, which is repeated.
  Value source = matchSpread(repeat, {2}, dims);
  if (!source)
    return std::nullopt;
  SmallVector<DimExpr> shared = getDims(wide);
  shared.erase(shared.begin() + 2);
  // The number of query heads is a multiple of that of the groups: G * R.
  return SharedHeads{source, getTensorType(shared, type.getElementType())};
}

bool dhlo::shareHeads(AttentionOp op, const SymbolicDims &dims) {
  auto keys = matchSharedHeads(op.getKey(), dims);
  auto values = matchSharedHeads(op.getValue(), dims);
  if (!keys || !values || getDim(keys->type, 1) != getDim(values->type, 1))
    return false;
  llvm::SmallSetVector<Operation *, 2> repeats;
  repeats.insert(op.getKey().getDefiningOp());
  repeats.insert(op.getValue().getDefiningOp());
  OpBuilder builder(op);
  op.getKeyMutable().assign(
      createReshape(builder, op.getLoc(), keys->source, keys->type));
  op.getValueMutable().assign(
      createReshape(builder, op.getLoc(), values->source, values->type));
  llvm::for_each(repeats, eraseDead);
  return true;
}
