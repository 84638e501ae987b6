//===- SumArithmetic.cpp - Operands and sums of contractions --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen/Common/Problems/SumArithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace dyn;

Value dyn::toSum(KernelBuilder &b, Value factor, Type element, Type sum) {
  if (factor.getType() == sum)
    return factor;
  auto getWidth = [](Type type) {
    return getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  };
  bool isWider = getWidth(factor.getType()) > getWidth(sum);
  if (isa<FloatType>(getElementTypeOrSelf(sum)))
    return isWider ? Value(arith::TruncFOp::create(b, sum, factor))
                   : Value(arith::ExtFOp::create(b, sum, factor));
  if (isWider)
    return arith::TruncIOp::create(b, sum, factor);
  return element.isUnsignedInteger()
             ? Value(arith::ExtUIOp::create(b, sum, factor))
             : Value(arith::ExtSIOp::create(b, sum, factor));
}

Value dyn::multiplyAdd(KernelBuilder &b, Value lhs, Value rhs, Value sum) {
  if (isa<FloatType>(getElementTypeOrSelf(sum)))
    return b.fma(lhs, rhs, sum);
  return arith::AddIOp::create(b, sum, arith::MulIOp::create(b, lhs, rhs));
}
