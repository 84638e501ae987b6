//===- GroupOffsets.cpp - The offsets of groups of rows -------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen/Common/Problems/GroupOffsets.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;

Value GroupOffsets::emitOffset(KernelBuilder &b, OpFoldResult i,
                               OpFoldResult least, bool reports) const {
  Value buffer = b.buffer(cast<BlockArgument>(offsets).getArgNumber());
  Value offset = b.load(buffer, i, b.getI64Type(), 1);
  Value legal = b.value(b.min(b.max(offset, least), b.size(rows)));
  if (reports)
    b.fail(op, b.cmp(CmpIPredicate::ne, legal, offset));
  return legal;
}

Value GroupOffsets::emitGroup(KernelBuilder &b, OpFoldResult row) const {
  Value none = b.indexConstant(-1);
  return b.loop(b.constant(0), b.size(offsets, 0), 1,
                ValueRange{b.indexConstant(0), none},
                [&](Value i, ValueRange carried) -> SmallVector<Value> {
                  Value offset = emitOffset(b, i, carried[0], /*reports=*/true);
                  Value isReached = b.cmp(CmpIPredicate::sle, offset, row);
                  return {offset, b.value(b.select(isReached, i, carried[1]))};
                })[1];
}
