//===- SingleOperation.cpp - Kernels of one operation ---------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen/Common/Problems/SingleOperation.h"

using namespace mlir;
using namespace dyn;

LogicalResult dyn::checkYieldsOnly(dlhlo::KernelOp kernel, Operation *op) {
  Block &block = kernel.getBody().front();
  for (Value result : block.getTerminator()->getOperands())
    if (result.getDefiningOp() != op)
      return op->emitError("expected a kernel that yields results of this "
                           "operation alone");
  return success();
}
