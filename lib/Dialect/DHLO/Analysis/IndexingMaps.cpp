//===- IndexingMaps.cpp - Indexing maps with facts on sizes ---------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DHLO/Analysis/IndexingMaps.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dhlo;

std::optional<IndexingMap> dyn::getIndexingMap(Operation *op, unsigned operand,
                                               const SymbolicDims &dims) {
  std::optional<IndexingMap> map = dhlo::getIndexingMap(op, operand);
  if (!map)
    return std::nullopt;
  using Kind = AxisIndex::Kind;
  auto from = cast<RankedTensorType>(op->getOperand(operand).getType());
  auto to = cast<RankedTensorType>(op->getResult(0).getType());
  for (auto [axis, index] : llvm::enumerate(*map)) {
    auto isEqual = [&, axis = axis, &index = index] {
      return dims.isEqual(getDim(from, axis), getDim(to, index.axis));
    };
    switch (index.kind) {
    case Kind::Broadcast:
      if (isEqual())
        index = AxisIndex::same(index.axis);
      else if (from.getDimSize(axis) == 1)
        index = AxisIndex::repeated(index.axis);
      break;
    case Kind::Resampled:
      index = isEqual() ? AxisIndex::same(index.axis)
                        : AxisIndex::mixed(index.axis);
      break;
    case Kind::Strided:
    case Kind::Shifted:
      if (index.start.isConst(0) && index.stride == 1 && isEqual())
        index = AxisIndex::same(index.axis);
      break;
    default:
      break;
    }
  }
  return map;
}
