//===- GuessVerify.cpp - Verifiers of guesses -----------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DHLO/IR/Verify.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dhlo;

LogicalResult GuessOp::verify() {
  // guess_c1
  if (getKey().empty())
    return emitOpError("expected a key that is not empty");
  // guess_c2
  if (getPaysFrom() > 1024)
    return emitOpError("expected to pay from 0 to 1024, found ")
           << int64_t(getPaysFrom());
  return success();
}

LogicalResult GuessedOp::verify() {
  // guessed_c1
  if (getKey().empty())
    return emitOpError("expected a key that is not empty");
  // guessed_c2
  RankedTensorType offsets = typeOf(getRoutes());
  if (offsets.getRank() != 1 || offsets.isDynamicDim(0) ||
      offsets.getDimSize(0) < 2)
    return emitOpError(
               "expected a static number of at least two offsets, found ")
           << offsets;
  return success();
}
