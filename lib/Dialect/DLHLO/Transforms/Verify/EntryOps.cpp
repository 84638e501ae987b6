//===- EntryOps.cpp - Operations between kernels --------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryOps.h"

#include "Dialect/DLHLO/Transforms/Fusion/FusionRules.h"

#include "dyn/Dialect/Dist/IR/Dist.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dlhlo;

LogicalResult
dlhlo::checkEntryOps(ModuleOp module,
                     llvm::function_ref<LogicalResult(Operation *)> check) {
  bool failed = false;
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr(dhlo::DHLODialect::kEntryAttr))
      function.walk<WalkOrder::PreOrder>([&](Operation *op) {
        if (op == function)
          return WalkResult::advance();
        failed |= mlir::failed(check(op));
        return llvm::isa<FusionOp>(op) ? WalkResult::skip()
                                       : WalkResult::advance();
      });
  return failure(failed);
}

bool dlhlo::isBetweenKernels(Operation *op) {
  if (llvm::isa_and_nonnull<dhlo::DHLODialect>(op->getDialect()))
    return staysOutside(op) && !isStored(op);
  if (llvm::isa_and_nonnull<DLHLODialect>(op->getDialect()))
    return llvm::isa<GetConstantOp, FetchOp>(op);
  if (llvm::isa_and_nonnull<dist::DistDialect>(op->getDialect()))
    return !llvm::isa<dist::ReshardOp>(op);
  return llvm::isa<func::ReturnOp>(op);
}
