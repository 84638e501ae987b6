//===- Failure.cpp - Operations that fail for some data -------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DHLO/IR/Failure.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace dyn;

bool dhlo::mayFailForTypes(Operation *op) {
  if (!mayFail(op))
    return false;
  Type from = getElementTypeOrSelf(op->getOperand(0));
  Type to = getElementTypeOrSelf(op->getResult(0));
  if (isa<ConvertOp>(op))
    return isa<FloatType>(from) && !isa<FloatType>(to) && !to.isInteger(1);
  if (isa<DivOp, RemOp>(op))
    return !isa<FloatType>(from) &&
           !matchPattern(op->getOperand(1), m_NonZero());
  return true;
}
