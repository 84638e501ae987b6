//===- Verify.cpp - Checks that verifiers share ---------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DHLO/IR/Verify.h"

using namespace mlir;

namespace dyn::dhlo {

namespace {
std::string toText(ArrayRef<int64_t> values) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '[';
  llvm::interleaveComma(values, os);
  os << ']';
  return text;
}

/// "result", or "result 1" if there are several.
std::string nameResult(Operation *op, unsigned index) {
  return op->getNumResults() == 1 ? "result"
                                  : "result " + std::to_string(index);
}
} // namespace

LogicalResult verifyAxis(Operation *op, int64_t axis, int64_t rank) {
  if (axis >= 0 && axis < rank)
    return success();
  return op->emitOpError("expected axis in [0, ")
         << rank << "), found " << axis;
}

LogicalResult verifyAscendingAxes(Operation *op, ArrayRef<int64_t> axes,
                                  int64_t rank) {
  int64_t before = -1;
  for (int64_t axis : axes) {
    if (axis <= before || axis >= rank)
      return op->emitOpError("expected strictly ascending axes in [0, ")
             << rank << "), found " << toText(axes);
    before = axis;
  }
  return success();
}

LogicalResult verifyDistinctAxes(Operation *op, StringRef name,
                                 ArrayRef<int64_t> axes, int64_t least,
                                 int64_t rank) {
  SmallVector<bool> seen(rank);
  for (int64_t axis : axes) {
    if (axis < least || axis >= rank || seen[axis])
      return op->emitOpError("expected distinct ")
             << name << " in [" << least << ", " << rank << "), found "
             << toText(axes);
    seen[axis] = true;
  }
  return success();
}

LogicalResult verifyCount(Operation *op, StringRef name, size_t expected,
                          size_t found) {
  if (expected == found)
    return success();
  return op->emitOpError("expected ")
         << expected << " " << name << ", found " << found;
}

LogicalResult verifyAtLeast(Operation *op, StringRef name,
                            ArrayRef<int64_t> values, int64_t least) {
  for (int64_t value : values)
    if (value < least)
      return op->emitOpError("expected ") << name << " of at least " << least
                                          << ", found " << toText(values);
  return success();
}

LogicalResult verifyRank(Operation *op, StringRef name, Value tensor,
                         int64_t expected) {
  if (typeOf(tensor).getRank() == expected)
    return success();
  return op->emitOpError("expected ")
         << name << " of rank " << expected << ", found rank "
         << typeOf(tensor).getRank();
}

LogicalResult verifyElementType(Operation *op, StringRef name, Value tensor,
                                Type expected) {
  if (typeOf(tensor).getElementType() == expected)
    return success();
  return op->emitOpError("expected ")
         << name << " with elements of type " << expected << ", found "
         << typeOf(tensor).getElementType();
}

LogicalResult verifySize(Operation *op, StringRef name, int64_t axis,
                         DimExpr expected, DimExpr found) {
  std::optional<int64_t> wanted = getConstantValue(expected);
  std::optional<int64_t> given = getConstantValue(found);
  if (!wanted || !given || *wanted == *given)
    return success();
  return op->emitOpError("expected size ")
         << *wanted << " at axis " << axis << " of " << name << ", found "
         << *given;
}

LogicalResult verifySizes(Operation *op, StringRef name,
                          ArrayRef<DimExpr> expected, Value tensor) {
  if (failed(verifyRank(op, name, tensor, expected.size())))
    return failure();
  for (auto [axis, sizes] :
       llvm::enumerate(llvm::zip(expected, sizesOf(tensor))))
    if (failed(
            verifySize(op, name, axis, std::get<0>(sizes), std::get<1>(sizes))))
      return failure();
  return success();
}

LogicalResult verifyInferredSizes(InfersSizes op) {
  for (auto [index, sizes] : llvm::enumerate(op.inferSizes()))
    if (failed(verifySizes(op, nameResult(op, index), sizes,
                           op->getResult(index))))
      return failure();
  return success();
}

LogicalResult verifyElementwiseSizes(Operation *op) {
  Sizes sizes = sizesOf(op->getOperand(0));
  for (auto [index, operand] : llvm::enumerate(op->getOperands()))
    if (failed(verifySizes(op, "operand " + std::to_string(index), sizes,
                           operand)))
      return failure();
  return verifySizes(op, "result", sizes, op->getResult(0));
}

} // namespace dyn::dhlo
