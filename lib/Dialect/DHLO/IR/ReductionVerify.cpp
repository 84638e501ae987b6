//===- ReductionVerify.cpp - Verifiers of reductions ----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DHLO/IR/Verify.h"

using namespace mlir;
using namespace dyn::dhlo;

/// Sum, prod, max and min reduce numbers.
static LogicalResult verifyNumberKind(Operation *op, ReduceKind kind) {
  if (kind != ReduceKind::And && kind != ReduceKind::Or)
    return success();
  return op->emitOpError("expected kind sum, prod, max or min, found ")
         << stringifyReduceKind(kind);
}

LogicalResult ReduceOp::verify() {
  // reduce_c1
  RankedTensorType operand = getOperand().getType();
  if (failed(verifyAscendingAxes(*this, getAxes(), operand.getRank())))
    return failure();
  // reduce_c3
  bool isLogical = getKind() == ReduceKind::And || getKind() == ReduceKind::Or;
  if (isLogical != operand.getElementType().isInteger(1))
    return emitOpError("expected ")
           << (isLogical ? "booleans" : "numbers") << " for "
           << stringifyReduceKind(getKind()) << ", found elements of type "
           << operand.getElementType();
  if (failed(verifyElementType(*this, "result", getResult(),
                               operand.getElementType())))
    return failure();
  // reduce_c2
  return verifyInferredSizes(*this);
}

LogicalResult ArgReduceOp::verify() {
  // arg_reduce_c1
  if (failed(verifyAxis(*this, getAxis(), typeOf(getOperand()).getRank())))
    return failure();
  // arg_reduce_c2
  return verifyInferredSizes(*this);
}

LogicalResult ReduceWindowOp::verify() {
  // reduce_window_c1
  RankedTensorType operand = getOperand().getType();
  size_t rank = operand.getRank();
  if (failed(verifyCount(*this, "window sizes", rank, getWindow().size())) ||
      failed(verifyCount(*this, "strides", rank, getStrides().size())) ||
      failed(verifyCount(*this, "dilations", rank, getDilations().size())) ||
      failed(verifyCount(*this, "low widths", rank, getLow().size())) ||
      failed(verifyCount(*this, "high widths", rank, getHigh().size())) ||
      failed(verifyAtLeast(*this, "window sizes", getWindow(), 1)) ||
      failed(verifyAtLeast(*this, "strides", getStrides(), 1)) ||
      failed(verifyAtLeast(*this, "dilations", getDilations(), 1)))
    return failure();
  // reduce_window_c3
  if (failed(verifyElementType(*this, "result", getResult(),
                               operand.getElementType())))
    return failure();
  // reduce_window_c4
  if (failed(verifyNumberKind(*this, getKind())))
    return failure();
  // reduce_window_c2
  return verifyInferredSizes(*this);
}

LogicalResult CumulativeOp::verify() {
  // cumulative_c1
  if (failed(verifyAxis(*this, getAxis(), getType().getRank())))
    return failure();
  // cumulative_c2
  return verifyNumberKind(*this, getKind());
}

LogicalResult SegmentReduceOp::verify() {
  // segment_reduce_c1
  if (typeOf(getOperand()).getRank() == 0)
    return emitOpError("expected operand of rank at least 1, found rank 0");
  // segment_reduce_c2
  if (failed(verifyRank(*this, "offsets", getOffsets(), 1)))
    return failure();
  // segment_reduce_c3
  if (failed(verifyElementType(*this, "result", getResult(),
                               typeOf(getOperand()).getElementType())))
    return failure();
  // segment_reduce_c4
  if (failed(verifyNumberKind(*this, getKind())))
    return failure();
  // segment_reduce_c1, segment_reduce_c2
  return verifyInferredSizes(*this);
}
