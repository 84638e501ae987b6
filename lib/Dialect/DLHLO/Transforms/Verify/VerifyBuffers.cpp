//===- VerifyBuffers.cpp - Checks the level of buffers --------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DLHLO/Transforms/Passes.h"

namespace dyn::dlhlo {
#define GEN_PASS_DEF_VERIFYBUFFERSPASS
#include "dyn/Dialect/DLHLO/Transforms/Passes.h.inc"
} // namespace dyn::dlhlo

using namespace mlir;
using namespace dyn;
using namespace dyn::dlhlo;

namespace {

struct VerifyBuffersPass
    : dlhlo::impl::VerifyBuffersPassBase<VerifyBuffersPass> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    bool bad = false;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function->hasAttr(dhlo::DHLODialect::kEntryAttr)) {
        function.emitOpError("expected a dlhlo.entry instead of an entry "
                             "over tensors");
        bad = true;
      }
    for (auto entry : getOperation().getOps<EntryOp>())
      bad |= failed(checkEntry(entry));
    if (bad)
      signalPassFailure();
  }

private:
  LogicalResult checkEntry(EntryOp entry) {
    auto function =
        getOperation().lookupSymbol<func::FuncOp>(entry.getFunction());
    if (!function)
      return entry.emitOpError("expected a function over buffers called '")
             << entry.getFunction() << "'";
    WalkResult result = function.walk([&](Operation *op) {
      for (Type type : op->getResultTypes())
        if (llvm::isa<TensorType>(type)) {
          op->emitOpError(
              "expected buffers and sizes alone in an entry, found ")
              << type;
          return WalkResult::interrupt();
        }
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }
};

} // namespace
