//===- Row.cpp - Code that schedules of rows share ------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen/Common/Problems/Row.h"

#include "Codegen/Common/Builder/CodeBuilder.h"

#include "Codegen/Common/Elements/OpEmitters.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace dyn;

bool dyn::isSamePosition(KernelBuilder &b, ArrayRef<Coordinate> lhs,
                         ArrayRef<Coordinate> rhs) {
  SmallVector<const Coordinate *> x, y;
  for (const Coordinate &coordinate : lhs)
    if (!coordinate.extent.isConst(1))
      x.push_back(&coordinate);
  for (const Coordinate &coordinate : rhs)
    if (!coordinate.extent.isConst(1))
      y.push_back(&coordinate);
  return x.size() == y.size() && llvm::all_of(llvm::zip(x, y), [&](auto pair) {
           auto [one, other] = pair;
           return one->index.base == other->index.base &&
                  one->index.step == other->index.step &&
                  b.getDims().isEqual(one->extent, other->extent);
         });
}

Value dyn::combineReduced(KernelBuilder &b, dhlo::ReduceOp op, Value lhs,
                          Value rhs) {
  if (op->hasAttr(kIgnoresNanAttr))
    return maximumOfNumbers(b, rhs, lhs);
  return combine(b, op.getKind(), getElementTypeOrSelf(op.getOperand()), lhs,
                 rhs);
}

void dyn::prefetchRows(KernelBuilder &b, const RowPlan &plan,
                       OpFoldResult operandAt, OpFoldResult resultAt,
                       int64_t level) {
  CodeBuilder code(b, b.getLoc());
  auto prefetch = [&](Value buffer, Value tensor, OpFoldResult index,
                      bool forWrite) {
    OpFoldResult byte = b.mul(index, b.constant(getElementBytes(tensor)));
    code.prefetch(b.address(buffer, byte, b.getI8Type()), forWrite, level);
  };
  for (BlockArgument argument : b.getBlock().getArguments())
    if (plan.isFull(argument))
      prefetch(b.buffer(argument.getArgNumber()), argument, operandAt,
               /*forWrite=*/false);
  for (int64_t i : plan.passes.back().results)
    prefetch(b.resultBuffer(i), b.getResults()[i], resultAt, /*forWrite=*/true);
}

void dyn::prefetchNarrowRows(KernelBuilder &b, const RowPlan &plan,
                             OpFoldResult at) {
  prefetchRows(b, plan, b.add(at, b.constant(b.getCpu().rowOperandsAhead)),
               b.add(at, b.constant(b.getCpu().rowResultsAhead)), /*level=*/1);
}
