//===- SegmentSums.cpp - Sums in a fixed order ----------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SegmentSums.h"

#include "AxisSlice.h"

#include "dyn/Dialect/Dist/IR/Dist.h"

using namespace mlir;
using namespace dyn;

Value dist::addInTree(OpBuilder &b, Location loc, SmallVector<Value> terms) {
  for (; terms.size() > 1; terms.truncate(terms.size() / 2))
    for (size_t i = 0; i < terms.size() / 2; ++i)
      terms[i] = dhlo::AddOp::create(b, loc, terms[2 * i], terms[2 * i + 1]);
  return terms.front();
}

/// Segment `index` of `count` along a static axis.
static Value getSegment(OpBuilder &b, Location loc, Value value, int64_t axis,
                        int64_t index, int64_t count) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<dhlo::DimExpr> sizes = dhlo::getDims(type);
  int64_t each = type.getDimSize(axis) / count;
  sizes[axis] = dhlo::getConstDim(b.getContext(), each);
  return dist::sliceAxis(b, loc, value, axis,
                         dhlo::getConstDim(b.getContext(), index * each),
                         dhlo::getTensorType(sizes, type.getElementType()));
}

Value dist::sumSegments(OpBuilder &b, dhlo::DotGeneralOp op, Value lhs,
                        Value rhs, RankedTensorType type, int64_t pair,
                        int64_t count) {
  SmallVector<Value> sums;
  for (int64_t i = 0; i < count; ++i) {
    Value left = lhs, right = rhs;
    if (count > 1) {
      left =
          getSegment(b, op.getLoc(), lhs, op.getLhsContract()[pair], i, count);
      right =
          getSegment(b, op.getLoc(), rhs, op.getRhsContract()[pair], i, count);
    }
    auto sum = cast<dhlo::DotGeneralOp>(b.clone(*op));
    sum->setOperands({left, right});
    sum->removeAttr(DistDialect::kSumsAttr);
    sum.getResult().setType(type);
    sums.push_back(sum);
  }
  return addInTree(b, op.getLoc(), std::move(sums));
}
