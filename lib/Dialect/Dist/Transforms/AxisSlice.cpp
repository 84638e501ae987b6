//===- AxisSlice.cpp - A block of a value along one axis ------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AxisSlice.h"

using namespace mlir;
using namespace dyn;

Value dist::sliceAxis(OpBuilder &b, Location loc, Value value, int64_t axis,
                      dhlo::DimExpr start, RankedTensorType type) {
  SmallVector<Attribute> starts(type.getRank(),
                                dhlo::getConstDim(b.getContext(), 0));
  starts[axis] = start;
  SmallVector<int64_t> strides(type.getRank(), 1);
  return dhlo::SliceOp::create(b, loc, type, value, b.getArrayAttr(starts),
                               strides);
}
