//===- GroupProblem.cpp - Choices of groups by rows -----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen/Common/Problems/GroupProblem.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;

OpFoldResult GroupProblem::clampToCapacity(KernelBuilder &b,
                                           OpFoldResult count) {
  dhlo::DimExprAttr capacity = op.getCapacityAttr();
  return capacity ? b.min(count, b.max(b.size(capacity), b.constant(0)))
                  : count;
}

Value GroupProblem::readGroup(ElementEmitter &e, OpFoldResult row,
                              OpFoldResult slot) {
  KernelBuilder &b = e.getBuilder();
  Value id = e.emit(op.getIds(),
                    {{dhlo::getDim(op.getIds().getType(), 0), e.uniform(row)},
                     {dhlo::getDim(op.getIds().getType(), 1), e.uniform(slot)}},
                    1);
  return id.getType().isInteger(64)
             ? id
             : arith::ExtSIOp::create(b, b.getI64Type(), id);
}

void GroupProblem::check(KernelBuilder &b, Value group) {
  b.fail(op, b.cmp(CmpIPredicate::uge, b.add(group, b.constant(1)),
                   b.constant(numGroups() + 1)));
}

Value GroupProblem::isGroup(KernelBuilder &b, Value group) {
  return b.cmp(CmpIPredicate::ult, group, b.constant(numGroups()));
}
