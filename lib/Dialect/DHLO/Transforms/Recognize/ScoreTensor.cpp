//===- ScoreTensor.cpp - Tensors along axes of attention scores -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScoreTensor.h"

#include "Match.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dhlo;

void ScoreTensor::peel(const SymbolicDims &dims) {
  // Continues at the operand, whose axes become those of `map`.
  auto descend = [&](Value operand, ArrayRef<int64_t> map) {
    SmallVector<int64_t> inner;
    for (int64_t axis : map)
      inner.push_back(axes[axis]);
    axes = inner;
    value = operand;
  };
  while (Operation *op = value.getDefiningOp()) {
    if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
      descend(broadcast.getOperand(), broadcast.getAxes());
      continue;
    }
    auto reshape = dyn_cast<ReshapeOp>(op);
    if (!reshape)
      return;
    auto map = getUnitAxesMap(getTensor(reshape.getOperand()),
                              reshape.getType(), dims);
    // Only if all axes are kept and axes of size 1 are inserted.
    if (!map || llvm::is_contained(*map, -1))
      return;
    descend(reshape.getOperand(), *map);
  }
}

bool ScoreTensor::isUniformAlongKeys() const {
  for (auto [axis, scoreAxis] : llvm::enumerate(axes))
    if (scoreAxis == 3 && !getDim(getTensor(value), axis).isConst(1))
      return false;
  return true;
}

Value ScoreTensor::build(OpBuilder &builder, Location loc) const {
  RankedTensorType type = getTensor(value);
  SmallVector<DimExpr> sizes(4, getConstDim(builder.getContext(), 1));
  for (auto [axis, scoreAxis] : llvm::enumerate(axes))
    sizes[scoreAxis] = getDim(type, axis);
  return createReshape(builder, loc, value,
                       getTensorType(sizes, type.getElementType()));
}
