//===- DimExprSize.cpp - How much a size expression says
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DHLO/IR/DimExprSize.h"

using namespace dyn::dhlo;

unsigned dyn::dhlo::getNumTerms(DimExpr expr) {
  if (expr.getKind() != DimExprKind::Add)
    return 1;
  return expr.getNumOperands() + (expr.getValue() != 0);
}

/// Takes what is written of an expression off `budget`, or fails.
static bool spend(DimExpr expr, unsigned &budget) {
  if (expr.getNumOperands() == 0)
    return budget-- != 0;
  for (unsigned i = 0; i != expr.getNumOperands(); ++i)
    if (!spend(expr.getOperand(i), budget))
      return false;
  return true;
}

bool dyn::dhlo::isShort(DimExpr expr, unsigned most) {
  return spend(expr, most);
}
