//===- FusionOutputs.cpp - Values that are written where they leave -------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusionOutputs.h"

#include "FusionBuilder.h"
#include "FusionRules.h"

#include "dyn/Dialect/Dist/IR/Dist.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dlhlo;

/// Whether all sizes of a type that are known at `end` are already known at
/// `op`, which precedes it in the block.
static bool knowsSizes(Operation *op, Operation *end, RankedTensorType type,
                       const SymbolicDims &dims) {
  llvm::DenseSet<StringAttr> later;
  for (; op != end; op = op->getNextNode())
    if (auto binds = llvm::dyn_cast<dhlo::BindsDims>(op))
      later.insert_range(binds.getBoundDims());
  bool knows = true;
  for (int64_t axis = 0; axis != type.getRank(); ++axis)
    dhlo::walkSymbols(dims.expand(dhlo::getDim(type, axis)),
                      [&](StringAttr name) { knows &= !later.contains(name); });
  return knows;
}

unsigned dlhlo::copyOutputs(Operation *terminator, const SymbolicDims &dims) {
  auto loop = llvm::dyn_cast<dhlo::WhileOp>(terminator->getParentOp());
  OpBuilder builder(terminator);
  llvm::SmallPtrSet<Value, 8> written;
  unsigned numCopies = 0;
  for (OpOperand &output :
       terminator->getOpOperands().drop_front(loop ? 1 : 0)) {
    Value source = skipReshapes(output.get());
    if (loop) {
      Block &body = loop.getBody().front();
      if (source == body.getArgument(output.getOperandNumber() - 1) ||
          !loop.getBody().isAncestor(source.getParentRegion()))
        continue;
    }
    Operation *maker = source.getDefiningOp();
    if (auto wait = llvm::dyn_cast_or_null<dist::ExchangeWaitOp>(maker))
      maker = wait.getRequest().getDefiningOp();
    if (llvm::isa_and_present<FusionOp, dist::ExchangeStartOp>(maker) &&
        maker->getBlock() == terminator->getBlock() &&
        knowsSizes(maker, terminator,
                   llvm::cast<RankedTensorType>(output.get().getType()),
                   dims) &&
        written.insert(source).second)
      continue;
    auto copy = createCopy(builder, terminator->getLoc(), output.get());
    output.set(copy.getResult(0));
    ++numCopies;
  }
  return numCopies;
}
