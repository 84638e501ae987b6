//===- DeferredSizes.cpp - Sizes that kernels read, and their bounds ------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeferredSizes.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dlhlo;
using dhlo::DimExpr;
using dhlo::DimExprKind;

void DeferredSizes::add(dhlo::DimOp dim) {
  DimExpr most = dim.getAtMostAttr();
  if (std::optional<uint64_t> max = dim.getMax()) {
    DimExpr known = dhlo::getConstDim(dim.getContext(), *max);
    most = most ? dhlo::min(most, known) : known;
  }
  if (most && getMost(most))
    bounds[dim.getSymNameAttr()] = dhlo::max(
        most, dhlo::getConstDim(dim.getContext(), dim.getMin().value_or(0)));
}

void DeferredSizes::visit(DimExpr expr,
                          llvm::function_ref<void(StringAttr)> fn) const {
  dhlo::walkSymbols(dims.expand(expr), [&](StringAttr name) {
    if (contains(name))
      fn(name);
  });
}

bool DeferredSizes::isIn(DimExpr expr) const {
  bool isFound = false;
  visit(expr, [&](StringAttr) { isFound = true; });
  return isFound;
}

void DeferredSizes::eraseIn(DimExpr expr) {
  SmallVector<StringAttr> found;
  visit(expr, [&](StringAttr name) { found.push_back(name); });
  for (StringAttr name : found)
    erase(name);
}

bool DeferredSizes::isGemm(DimExpr elements) const {
  unsigned count = 0;
  for (unsigned i = 0; i != elements.getNumOperands(); ++i) {
    DimExpr operand = elements.getOperand(i);
    if (elements.getKind() == DimExprKind::Add && isGemm(operand))
      return true;
    count += isIn(operand);
  }
  return elements.getKind() == DimExprKind::Mul && count > 1;
}

DimExpr DeferredSizes::getBound(DimExpr expr, bool isMost) const {
  if (!isIn(expr))
    return expr;
  DimExpr zero = dhlo::getConstDim(expr.getContext(), 0);
  if (expr.isSymbol())
    return isMost ? getMost(bounds.lookup(expr.getName())) : zero;
  DimExprKind kind = expr.getKind();
  bool isFlipped = kind == DimExprKind::Mul && expr.getValue() < 0;
  SmallVector<DimExpr> operands;
  if (kind == DimExprKind::Add || kind == DimExprKind::Mul)
    operands.push_back(dhlo::getConstDim(expr.getContext(), expr.getValue()));
  for (unsigned i = 0; i != expr.getNumOperands(); ++i) {
    DimExpr operand = expr.getOperand(i);
    if (kind == DimExprKind::Mul && !dims.isAtLeast(operand, 0))
      return {};
    operands.push_back(getBound(operand, isMost != isFlipped));
    if (!operands.back())
      return {};
  }
  switch (kind) {
  case DimExprKind::Broadcast:
    // One of the operands.
    if (!isMost)
      return zero;
    kind = DimExprKind::Max;
    break;
  case DimExprKind::FloorDiv:
  case DimExprKind::CeilDiv:
    if (isIn(expr.getOperand(1)) || !dims.isAtLeast(expr.getOperand(1), 1))
      return {};
    break;
  case DimExprKind::Mod:
    return {};
  default:
    break;
  }
  DimExpr result = operands.front();
  for (DimExpr operand : llvm::drop_begin(operands))
    result = dhlo::combine(kind, result, operand);
  return result;
}
