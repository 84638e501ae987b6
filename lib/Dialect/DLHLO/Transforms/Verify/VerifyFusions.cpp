//===- VerifyFusions.cpp - Checks the level of fusions --------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryOps.h"

#include "dyn/Dialect/DLHLO/Transforms/Passes.h"

namespace dyn::dlhlo {
#define GEN_PASS_DEF_VERIFYFUSIONSPASS
#include "dyn/Dialect/DLHLO/Transforms/Passes.h.inc"
} // namespace dyn::dlhlo

using namespace mlir;
using namespace dyn;
using namespace dyn::dlhlo;

namespace {

struct VerifyFusionsPass
    : dlhlo::impl::VerifyFusionsPassBase<VerifyFusionsPass> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    auto check = [](Operation *op) -> LogicalResult {
      if (llvm::isa<dhlo::NonzeroOp>(op) ||
          !(llvm::isa<FusionOp>(op) || isBetweenKernels(op)))
        return op->emitOpError("expected to be in a fusion or a constant");
      return success();
    };
    if (failed(checkEntryOps(getOperation(), check)))
      signalPassFailure();
  }
};

} // namespace
