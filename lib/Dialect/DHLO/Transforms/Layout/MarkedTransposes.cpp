//===- MarkedTransposes.cpp - Transposes that change the layout -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MarkedTransposes.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dhlo;

Permutation dhlo::invert(ArrayRef<int64_t> permutation) {
  Permutation result(permutation.size());
  for (auto [i, axis] : llvm::enumerate(permutation))
    result[axis] = i;
  return result;
}

Permutation dhlo::getToLast(int64_t rank) {
  Permutation result = {0};
  for (int64_t axis = 2; axis < rank; ++axis)
    result.push_back(axis);
  result.push_back(1);
  return result;
}

RankedTensorType dhlo::permuteType(RankedTensorType type,
                                   ArrayRef<int64_t> permutation) {
  return getTensorType(permute(getDims(type), permutation),
                       type.getElementType());
}

Value dhlo::createTranspose(OpBuilder &b, Location loc, Value value,
                            ArrayRef<int64_t> permutation) {
  auto op =
      TransposeOp::create(b, loc, permuteType(getType(value), permutation),
                          value, b.getDenseI64ArrayAttr(permutation));
  op->setAttr(kMark, b.getUnitAttr());
  return op;
}

TransposeOp dhlo::getMarked(Value value) {
  auto op = value.getDefiningOp<TransposeOp>();
  return op && op->hasAttr(kMark) ? op : nullptr;
}
