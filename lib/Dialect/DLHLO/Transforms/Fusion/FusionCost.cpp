//===- FusionCost.cpp - Whether a value is stored or computed again -------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusionCost.h"

#include "FusionRules.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dlhlo;

/// Instructions of the conversion of a float to an integer, which compares it
/// with itself and with the bounds of the type.
static constexpr int64_t kToInteger = 6;

static bool convertsToInteger(Operation *op) {
  auto convert = llvm::dyn_cast<dhlo::ConvertOp>(op);
  return convert &&
         isa<FloatType>(getElementTypeOrSelf(convert.getOperand())) &&
         isa<IntegerType>(getElementTypeOrSelf(convert.getType()));
}

/// The instructions that compute a vector of an operation's result.
static int64_t getInstructions(Operation *op, const ElementCosts &costs) {
  if (isFree(op))
    return 0;
  if (isNearMovement(op))
    return costs.movement;
  if (convertsToInteger(op))
    return kToInteger;
  return isExpensive(op) ? costs.function : 1;
}

FusionCost dlhlo::getFusionCost(Operation *op, Recomputation often,
                                const ElementCosts &costs) {
  int64_t once = getInstructions(op, costs);
  // A load would take the place of each computation that is repeated: one
  // instruction. Through a transpose, each lane is a load of its own.
  bool isBounded =
      !often.repeats || (once <= 1 && getKind(op) != FusionKind::Transpose);
  return {isBounded ? once * often.positions : FusionCost::kUnbounded,
          once + costs.roundTrip};
}
