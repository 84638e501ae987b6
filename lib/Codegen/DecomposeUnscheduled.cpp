//===- DecomposeUnscheduled.cpp - Decomposition without a schedule --------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen/CPU/Schedule.h"
#include "Codegen/GPU/GpuSchedule.h"
#include "dyn/Codegen/Codegen.h"
#include "dyn/Dialect/DHLO/Transforms/Decompose.h"

#include "mlir/IR/BuiltinOps.h"

namespace dyn {
#define GEN_PASS_DEF_DECOMPOSEUNSCHEDULEDPASS
#include "dyn/Codegen/Passes.h.inc"
} // namespace dyn

using namespace mlir;
using namespace dyn;

namespace {
struct DecomposeUnscheduledPass
    : dyn::impl::DecomposeUnscheduledPassBase<DecomposeUnscheduledPass> {
  using DecomposeUnscheduledPassBase::DecomposeUnscheduledPassBase;

  void runOnOperation() override {
    DimBuilder symbols(getAnalysis<SymbolicDims>());
    markAnalysesPreserved<SymbolicDims>();
    bool changed = true;
    while (changed) {
      changed = false;
      SmallVector<Operation *> unscheduled;
      getOperation()->walk([&](Operation *op) {
        if (!hasSchedule(op) &&
            op->getParentWithTrait<OpTrait::SymbolTable>() == getOperation())
          unscheduled.push_back(op);
      });
      // Operations without a decomposition are refused when kernels are
      // compiled.
      for (Operation *op : unscheduled) {
        remark(op);
        if (Value result = isa<dhlo::Convolves>(op)
                               ? dhlo::computeInF32(op)
                               : dhlo::decompose(op, symbols)) {
          op->getResult(0).replaceAllUsesWith(result);
          op->erase();
          ++numDecomposed;
          changed = true;
        }
      }
    }
  }

  bool hasSchedule(Operation *op) {
    return device ? hasGpuSchedule(op) : hasCpuSchedule(op);
  }

  /// Emits a remark where a device takes a slow path.
  void remark(Operation *op) {
    auto attention = dyn_cast<dhlo::AttentionOp>(op);
    if (device && attention && attention.getType().getElementType().isF32())
      attention.emitRemark("attention is computed by matmuls and a softmax: "
                           "a kernel of a GPU takes heads of values of 1 to "
                           "256 elements, found ")
          << attention.getValue().getType();
  }
};
} // namespace
