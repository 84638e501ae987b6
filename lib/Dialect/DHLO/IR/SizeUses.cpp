//===- SizeUses.cpp - Which operations depend on sizes --------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DHLO/IR/SizeUses.h"

#include "mlir/IR/AttrTypeSubElements.h"

using namespace mlir;
using namespace dyn::dhlo;

bool dyn::dhlo::usesSizes(Operation *op) {
  AttrTypeWalker walker;
  walker.addWalk([](DimExprAttr expr) {
    return expr.isSymbol() ? WalkResult::interrupt() : WalkResult::advance();
  });
  return walker.walk(op->getAttrDictionary()).wasInterrupted();
}
