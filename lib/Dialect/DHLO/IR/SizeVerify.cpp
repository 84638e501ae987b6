//===- SizeVerify.cpp - Verifiers of symbols, constants and sizes ---------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DHLO/IR/Verify.h"

#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace dyn::dhlo;

LogicalResult DimOp::verify() {
  // dim_c1; dim_c2 needs the other declarations: dhlo-verify-dims.
  int64_t min = getMin().value_or(0);
  if (min < 0)
    return emitOpError("expected a least value of at least 0, found ") << min;
  if (getMax() && static_cast<int64_t>(*getMax()) < min)
    return emitOpError("expected a maximum of at least ")
           << min << ", found " << static_cast<int64_t>(*getMax());
  if (getMultipleOf() && static_cast<int64_t>(*getMultipleOf()) < 1)
    return emitOpError("expected a divisor of at least 1, found ")
           << static_cast<int64_t>(*getMultipleOf());
  return success();
}

LogicalResult WeightOp::verify() {
  // weight_c1
  RankedTensorType type = getType();
  if (!type.hasStaticShape())
    return emitOpError("expected static sizes, found ") << type;
  unsigned bits =
      type.getElementType().isInteger(1) ? 8 : type.getElementTypeBitWidth();
  std::optional<uint64_t> bytes = bits / 8;
  if (llvm::is_contained(type.getShape(), 0))
    bytes = 0;
  // If the product of sizes wrapped around, it could equal the length of a few
  // bytes.
  for (int64_t size : type.getShape())
    if (bytes)
      bytes = llvm::checkedMulUnsigned<uint64_t>(*bytes, size);
  if (!bytes)
    return emitOpError("expected a number of bytes that fits 64 bits, found ")
           << type;
  if (*bytes != getSource().getLength())
    return emitOpError("expected a reference to ")
           << *bytes << " bytes, found " << getSource().getLength();
  return success();
}

LogicalResult FromDimsOp::verify() {
  // from_dims_c1
  RankedTensorType type = getType();
  if (type.getRank() > 1 || !type.hasStaticShape())
    return emitOpError("expected a scalar or a vector of static size, found ")
           << type;
  return verifyCount(*this, "size expressions", type.getNumElements(),
                     getExprs().size());
}
