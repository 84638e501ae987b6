//===- NarrowFloats.cpp - Whether bits depend on what is fused ------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/Cell/Analysis/NarrowFloats.h"

#include "dyn/Dialect/Cell/IR/Cell.h"
#include "dyn/Dialect/DHLO/IR/DHLO.h"

using namespace mlir;
using namespace dyn;

Operation *cell::findNarrowFloats(Operation *root) {
  Operation *found = nullptr;
  root->walk([&](Operation *op) {
    bool isExact =
        op->hasTrait<dhlo::Movement>() || op->getNumRegions() ||
        (isa<CellDialect>(op->getDialect()) && !isa<CombineOp>(op)) ||
        isa<dhlo::WeightOp, dhlo::ConstantOp>(op);
    auto isNarrow = [](Type type) {
      auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
      return element && element.getWidth() < 32;
    };
    if (!isExact && llvm::any_of(op->getResultTypes(), isNarrow))
      found = op;
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}
