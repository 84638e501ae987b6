//===- ManyVerify.cpp - Constraints of kernels launched together ----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DLHLO/IR/Chains.h"
#include "dyn/Dialect/DLHLO/IR/DLHLO.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dlhlo;

/// Checks that all `operations` are of one kind, besides views in chains, and
/// that one launch may have that many.
template <typename Op, typename Range>
static LogicalResult checkParts(Operation *many, Range &&operations) {
  int64_t count = 0;
  for (Operation &part : operations) {
    if (getChains(many) && llvm::isa<dhlo::ReshapeOp, dhlo::SliceOp>(part))
      continue;
    if (!llvm::isa<Op>(part))
      return many->emitOpError("expected operations '")
             << Op::getOperationName() << "' alone, found '" << part.getName()
             << "'";
    ++count;
  }
  if (count < 2 || count > DLHLODialect::kMaxLaunches)
    return many->emitOpError("expected 2 to ")
           << DLHLODialect::kMaxLaunches << " kernels, found " << count;
  // launch_many_c4, dispatch_many_c2
  DenseI64ArrayAttr chains = getChains(many);
  if (many->hasAttr(kChainsAttr) &&
      (!chains || chains.size() != count ||
       llvm::any_of(chains.asArrayRef(), [](int64_t c) { return c < 1; })))
    return many->emitOpError("expected the number of a chain, from 1 on, of "
                             "each launch");
  return success();
}

LogicalResult LaunchManyOp::verifyRegions() {
  // launch_many_c1
  Block &block = getBody().front();
  if (failed(checkParts<LaunchOp>(*this, block.without_terminator())))
    return failure();
  SmallVector<Value> results;
  DenseI64ArrayAttr chains = getChains(*this);
  llvm::DenseMap<Operation *, int64_t> chainOf;
  int64_t count = 0;
  for (auto launch : block.getOps<LaunchOp>()) {
    chainOf[launch] = chains ? chains[count] : count;
    // launch_many_c2
    for (Value operand : launch.getOperands()) {
      Operation *maker = operand.getDefiningOp();
      while (maker && maker->getBlock() == &block &&
             !llvm::isa<LaunchOp>(maker))
        maker = maker->getOperand(0).getDefiningOp();
      if (maker && maker->getBlock() == &block &&
          chainOf.lookup(maker) != chainOf.lookup(launch))
        return emitOpError("expected launches that wait for nothing of each "
                           "other, found that @")
               << launch.getKernel() << " takes a result of another";
    }
    llvm::append_range(results, launch.getResults());
    ++count;
  }
  // launch_many_c3
  if (!llvm::equal(block.getTerminator()->getOperands(), results))
    return emitOpError("expected to yield the launches' results, in order");
  if (!llvm::equal(ValueRange(results).getTypes(), getResultTypes()))
    return emitOpError("expected yielded values with the results' types");
  return success();
}

LogicalResult DispatchManyOp::verifyRegions() {
  // dispatch_many_c1
  return checkParts<DispatchOp>(*this, getBody().front().getOperations());
}
