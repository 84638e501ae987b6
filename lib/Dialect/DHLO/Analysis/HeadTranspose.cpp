//===- HeadTranspose.cpp - Transposes of attention's heads ----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DHLO/Analysis/HeadTranspose.h"

using namespace mlir;
using namespace dyn;

bool dyn::swapsHeads(Operation *op) {
  auto transpose = dyn_cast_if_present<dhlo::TransposeOp>(op);
  return transpose &&
         transpose.getPermutation() == ArrayRef<int64_t>{0, 2, 1, 3};
}
