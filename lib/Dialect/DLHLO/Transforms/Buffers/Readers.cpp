//===- Readers.cpp - Operations that read a value or views of it ----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Readers.h"

#include "Dialect/DLHLO/Transforms/Fusion/FusionRules.h"

#include "dyn/Dialect/Dist/IR/Dist.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dlhlo;

Value dlhlo::getViewSource(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isView(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

bool dlhlo::visitReaders(Value value,
                         llvm::function_ref<bool(Operation *)> visit) {
  SmallVector<Value> views = {value};
  while (!views.empty()) {
    Value view = views.pop_back_val();
    for (Operation *user : view.getUsers()) {
      if (!visit(user))
        return false;
      if (isView(user))
        views.push_back(user->getResult(0));
    }
  }
  return true;
}

bool dlhlo::mayGive(Operation *op) { return op->getNumRegions() != 0; }

Operation *dlhlo::getEndOfRead(Operation *reader) {
  auto start = llvm::dyn_cast<dist::ExchangeStartOp>(reader);
  return start ? dist::getWait(start).getOperation() : reader;
}

Operation *dlhlo::getLastReader(Value value) {
  Block *block = value.getParentBlock();
  Operation *last = value.getDefiningOp();
  bool isSeen = visitReaders(value, [&](Operation *user) {
    if (mayGive(user) || user->hasTrait<OpTrait::IsTerminator>())
      return false;
    Operation *reader = block->findAncestorOpInBlock(*getEndOfRead(user));
    if (last->isBeforeInBlock(reader))
      last = reader;
    return true;
  });
  return isSeen ? last : nullptr;
}
