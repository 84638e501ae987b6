//===- RecognizeComposites.cpp - Recognizes composites among primitives ---===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recognize.h"

#include "dyn/Dialect/DHLO/Transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"

namespace dyn::dhlo {
#define GEN_PASS_DEF_RECOGNIZECOMPOSITESPASS
#include "dyn/Dialect/DHLO/Transforms/Passes.h.inc"
} // namespace dyn::dhlo

using namespace mlir;
using namespace dyn;
using namespace dyn::dhlo;

namespace {
struct RecognizeCompositesPass
    : dhlo::impl::RecognizeCompositesPassBase<RecognizeCompositesPass> {
  void runOnOperation() override {
    markAnalysesPreserved<SymbolicDims>();
    const auto &dims = getAnalysis<SymbolicDims>();
    auto ops = collectOps<Operation *>(getOperation());
    llvm::erase_if(ops,
                   [](Operation *op) { return !op->hasTrait<Arithmetic>(); });
    // From the last to the first, so that a norm is matched from its bias.
    // Replaced operations are erased at the end: they may be in the list.
    SmallVector<Operation *> replaced;
    for (Operation *op : llvm::reverse(ops)) {
      if (op->use_empty())
        continue;
      OpBuilder builder(op);
      Value result = recognizeGelu(op, builder);
      if (!result)
        result = recognizeSoftmax(op, builder, dims);
      if (!result)
        result = recognizeNorm(op, builder, dims);
      if (!result)
        continue;
      op->getResult(0).replaceAllUsesWith(result);
      replaced.push_back(op);
      count(result.getDefiningOp());
    }
    for (Operation *op : replaced)
      eraseDead(op);
    if (replaced.empty())
      markAllAnalysesPreserved();
  }

private:
  void count(Operation *op) {
    numGelu += isa<GeluOp>(op);
    numSoftmax += isa<SoftmaxOp>(op);
    numNorms += isa<LayerNormOp, RmsNormOp>(op);
  }
};
} // namespace
