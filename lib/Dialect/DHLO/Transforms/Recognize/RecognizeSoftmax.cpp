//===- RecognizeSoftmax.cpp - Recognizes softmax --------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recognize.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dhlo;

namespace {

/// x - max(x) along an axis.
struct Shifted {
  Value operand;
  int64_t axis;
};

/// The reduction that `value` repeats along its axis, looking through unary
/// elementwise operations, which are appended to `through`, the outermost
/// first.
ReduceOp matchRepeated(Value value, SmallVectorImpl<Operation *> &through,
                       const SymbolicDims &dims) {
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  if (!broadcast)
    return {};
  Value inner = dropUnitAxes(broadcast.getOperand(), dims);
  while (Operation *op = inner.getDefiningOp()) {
    if (!isa<LogOp, ReciprocalOp>(op))
      break;
    through.push_back(op);
    inner = dropUnitAxes(op->getOperand(0), dims);
  }
  auto reduce = inner.getDefiningOp<ReduceOp>();
  if (!reduce || reduce.getAxes().size() != 1 ||
      !matchSpread(value, reduce.getAxes(), dims))
    return {};
  return reduce;
}

std::optional<Shifted> matchShifted(Value value, Interior &interior,
                                    const SymbolicDims &dims) {
  auto sub = value.getDefiningOp<SubOp>();
  if (!sub)
    return std::nullopt;
  SmallVector<Operation *> through;
  ReduceOp max = matchRepeated(sub.getRhs(), through, dims);
  if (!max || !through.empty() || max.getKind() != ReduceKind::Max ||
      max.getOperand() != sub.getLhs())
    return std::nullopt;
  interior.add(sub.getOperation());
  interior.add(max.getOperation());
  return Shifted{sub.getLhs(), max.getAxes()[0]};
}

} // namespace

Value dhlo::recognizeSoftmax(Operation *op, OpBuilder &builder,
                             const SymbolicDims &dims) {
  if (!op->hasTrait<Arithmetic>() || isa<AddOp>(op) ||
      !isa<FloatType>(getElementTypeOrSelf(op->getResult(0))))
    return {};
  for (unsigned side : {1, 0}) {
    // Division and subtraction are not commutative.
    if (side == 0 && !isa<MulOp>(op))
      break;
    Interior interior;
    SmallVector<Operation *> through;
    ReduceOp sum = matchRepeated(op->getOperand(side), through, dims);
    if (!sum || sum.getKind() != ReduceKind::Sum)
      continue;
    interior.add(sum.getOperation());
    for (Operation *step : through)
      interior.add(step);
    auto exp = sum.getOperand().getDefiningOp<ExpOp>();
    Value numerator = op->getOperand(1 - side);
    bool isLog = isa<SubOp>(op);
    bool fits = isLog ? through.size() == 1 && isa<LogOp>(through[0]) && exp &&
                            numerator == exp.getOperand()
                : isa<MulOp>(op)
                    ? through.size() == 1 && isa<ReciprocalOp>(through[0]) &&
                          exp && numerator == exp
                    : through.empty() && exp && numerator == exp;
    if (!fits)
      continue;
    interior.add(exp.getOperation());
    std::optional<Shifted> shifted =
        matchShifted(exp.getOperand(), interior, dims);
    if (!shifted || shifted->axis != sum.getAxes()[0] || !interior.isClosed(op))
      continue;
    return SoftmaxOp::create(builder, op->getLoc(), shifted->operand,
                             shifted->axis, isLog);
  }
  return {};
}
