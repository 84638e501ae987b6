//===- SumOfRows.cpp - Contractions that sum a few rows -------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DHLO/Analysis/SumOfRows.h"

using namespace mlir;
using namespace dyn;

bool dyn::isSumOfRows(dhlo::DotGeneralOp op) {
  constexpr int64_t kMostRows = 16;
  auto lhs = cast<RankedTensorType>(op.getLhs().getType());
  auto rhs = cast<RankedTensorType>(op.getRhs().getType());
  int64_t batch = op.getBatch(), summed = op.getLhsContract().size();
  if (batch == 0 || summed == 0 || lhs.getRank() != batch + summed ||
      rhs.getRank() == batch + summed ||
      !isa<FloatType>(op.getType().getElementType()) ||
      op.getType().getElementType() != lhs.getElementType())
    return false;
  int64_t rows = 1;
  for (int64_t i = 0; i < summed; ++i) {
    int64_t axis = batch + i;
    if (op.getLhsContract()[i] != axis || op.getRhsContract()[i] != axis)
      return false;
    auto size = dhlo::getConstantValue(dhlo::getDim(rhs, axis));
    if (!size || *size == 0 || *size > kMostRows)
      return false;
    rows *= *size;
  }
  return rows <= kMostRows;
}
