//===- Fuse.cpp - Clusters operations into fusions ------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DLHLO/Transforms/Passes.h"

#include "FusionFreeOps.h"
#include "FusionOutputs.h"
#include "SegmentFuser.h"

#include "dyn/Dialect/DHLO/Analysis/DimBuilder.h"
#include "dyn/Dialect/Dist/IR/Dist.h"

namespace dyn::dlhlo {
#define GEN_PASS_DEF_FUSEPASS
#include "dyn/Dialect/DLHLO/Transforms/Passes.h.inc"
} // namespace dyn::dlhlo

using namespace mlir;
using namespace dyn;
using namespace dyn::dlhlo;

namespace {

struct FusePass : dlhlo::impl::FusePassBase<FusePass> {
  using FusePassBase::FusePassBase;

  void runOnOperation() override {
    TargetInfo target = TargetInfo::forProgram(device);
    if (failed(target.overrideByFile(targetInfo, getOperation())))
      return signalPassFailure();
    costs = target.elements();
    auto &dims = getAnalysis<SymbolicDims>();
    markAnalysesPreserved<SymbolicDims>();
    DimBuilder symbols(dims);
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!function->hasAttr(dhlo::DHLODialect::kEntryAttr) ||
          function.isExternal())
        continue;
      function.walk([&](dhlo::NonzeroOp op) { expandNonzero(op, symbols); });
      fuseRegion(function.getBody(), dims);
      function.walk([](dhlo::ConstantOp op) {
        if (op.use_empty())
          op.erase();
      });
      unsigned copies = copyOutputs(function.front().getTerminator(), dims);
      function.walk([&](dhlo::WhileOp loop) {
        copies += copyOutputs(loop.getBody().front().getTerminator(), dims);
      });
      numFusions += copies;
      numCopies += copies;
    }
  }

private:
  /// dhlo.nonzero -> a search with a buffer for every element, and a view of
  /// the rows found.
  void expandNonzero(dhlo::NonzeroOp op, DimBuilder &symbols) {
    OpBuilder builder(op);
    Location loc = op.getLoc();
    auto operand = llvm::cast<RankedTensorType>(op.getOperand().getType());
    RankedTensorType all = symbols.getTensorType(
        {symbols.getDims().getNumElements(operand),
         dhlo::getConstDim(op.getContext(), operand.getRank())},
        builder.getI64Type());
    auto search = FindNonzeroOp::create(
        builder, loc, all, RankedTensorType::get({}, builder.getI64Type()),
        op.getOperand());
    dhlo::BindOp::create(builder, loc, op.getCountAttr(), search.getCount());
    auto zero = dhlo::getConstDim(op.getContext(), 0);
    auto found =
        dhlo::SliceOp::create(builder, loc, op.getType(), search.getIndices(),
                              builder.getArrayAttr({zero, zero}),
                              builder.getDenseI64ArrayAttr({1, 1}));
    op.replaceAllUsesWith(found.getResult());
    op.erase();
  }

  /// Exchanges keep their order, which is that of all ranks, and what comes
  /// between their beginning and their end stays there.
  static bool endsSegment(Operation *op) {
    return llvm::isa<dhlo::BindsDims, dist::ExchangeStartOp,
                     dist::ExchangeWaitOp>(op);
  }

  void fuseRegion(Region &region, const SymbolicDims &dims) {
    for (Block &block : region) {
      cloneFreeOps(block);
      SmallVector<Operation *> segment;
      SmallVector<Operation *> ops;
      for (Operation &op : block)
        ops.push_back(&op);
      for (Operation *op : ops) {
        if (!endsSegment(op) && op != &block.back()) {
          segment.push_back(op);
          continue;
        }
        numFusions += fuseSegment(segment, dims, costs, device);
        segment.clear();
        for (Region &nested : op->getRegions())
          fuseRegion(nested, dims);
      }
    }
  }

  ElementCosts costs;
};

} // namespace
