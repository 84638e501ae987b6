//===- SingleOperation.cpp - Kernels of one operation ---------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen/Common/Problems/SingleOperation.h"

using namespace mlir;
using namespace dyn;

bool dyn::isOnlyYielded(Operation *op) {
  return llvm::all_of(
      op->getBlock()->getTerminator()->getOperands(),
      [&](Value result) { return result.getDefiningOp() == op; });
}

LogicalResult dyn::checkYieldsOnly(dlhlo::KernelOp kernel, Operation *op) {
  if (isOnlyYielded(op))
    return success();
  return op->emitError("expected a kernel that yields results of this "
                       "operation alone");
}
