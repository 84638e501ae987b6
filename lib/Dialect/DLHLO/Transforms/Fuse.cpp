//===- Fuse.cpp - Clusters operations into fusions
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DLHLO/Transforms/Passes.h"

#include "FusionBuilder.h"
#include "FusionCost.h"

namespace dyn::dlhlo {
#define GEN_PASS_DEF_DLHLOFUSE
#include "dyn/Dialect/DLHLO/Transforms/Passes.h.inc"
} // namespace dyn::dlhlo

using namespace mlir;
using namespace dyn;
using namespace dyn::dlhlo;

namespace {

/// The value of whose bytes this is another view, all of them.
Value skipReshapes(Value value) {
  while (auto reshape = value.getDefiningOp<dhlo::ReshapeOp>())
    value = reshape.getOperand();
  return value;
}

struct Fuse : dlhlo::impl::DlhloFuseBase<Fuse> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!function->hasAttr(dhlo::DHLODialect::kEntryAttr) ||
          function.isExternal())
        continue;
      fuseRegion(function.getBody());
      copyOutputs(function);
    }
  }

private:
  void fuseRegion(Region &region) {
    for (Block &block : region) {
      SmallVector<Operation *> ops;
      for (Operation &op : block) {
        if (!staysOutside(&op))
          ops.push_back(&op);
        else
          for (Region &nested : op.getRegions())
            fuseRegion(nested);
      }
      for (Operation *op : llvm::reverse(ops)) {
        if (op->use_empty()) {
          op->erase();
          continue;
        }
        createFusion(getKind(op), op);
        ++numFusions;
      }
    }
  }

  /// Makes each output the result of a fusion of its own, up to reshapes.
  void copyOutputs(func::FuncOp function) {
    Operation *terminator = function.front().getTerminator();
    OpBuilder builder(terminator);
    llvm::SmallPtrSet<Value, 8> written;
    for (OpOperand &output : terminator->getOpOperands()) {
      Value source = skipReshapes(output.get());
      if (source.getDefiningOp<FusionOp>() && written.insert(source).second)
        continue;
      auto copy = createCopy(builder, terminator->getLoc(), output.get());
      output.set(copy.getResult(0));
      ++numFusions;
      ++numCopies;
    }
  }
};

} // namespace
