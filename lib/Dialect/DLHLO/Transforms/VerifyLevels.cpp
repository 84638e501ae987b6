//===- VerifyLevels.cpp - Checks the invariants of levels -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// One pass for each level, as in the table of docs/Architecture.md: an
// operation that a level should have lowered is reported at its boundary.

#include "dyn/Dialect/DLHLO/Transforms/Passes.h"

#include "Dialect/DLHLO/Transforms/Fusion/FusionRules.h"

#include "mlir/IR/AttrTypeSubElements.h"

namespace dyn::dlhlo {
#define GEN_PASS_DEF_VERIFYFUSIONSPASS
#define GEN_PASS_DEF_VERIFYKERNELSPASS
#define GEN_PASS_DEF_VERIFYBUFFERSPASS
#include "dyn/Dialect/DLHLO/Transforms/Passes.h.inc"
} // namespace dyn::dlhlo

using namespace mlir;
using namespace dyn;
using namespace dyn::dlhlo;

namespace {

/// Calls `check` for each operation of the entries that is in no fusion. Fails
/// if it does for one of them.
LogicalResult
checkEntryOps(ModuleOp module,
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

/// Whether an operation may occur between kernels at every level over tensors.
bool isBetweenKernels(Operation *op) {
  if (llvm::isa_and_nonnull<dhlo::DHLODialect>(op->getDialect()))
    return staysOutside(op) && !isStored(op);
  return llvm::isa<GetConstantOp, func::ReturnOp>(op);
}

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

struct VerifyKernelsPass
    : dlhlo::impl::VerifyKernelsPassBase<VerifyKernelsPass> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    SymbolTable symbols(getOperation());
    bool bad = failed(checkEntryOps(getOperation(), [&](Operation *op) {
      return checkEntryOp(op, symbols);
    }));
    for (auto kernel : getOperation().getOps<KernelOp>())
      bad |= failed(checkKernel(kernel));
    if (bad)
      signalPassFailure();
  }

private:
  LogicalResult checkEntryOp(Operation *op, const SymbolTable &symbols) {
    auto launch = llvm::dyn_cast<LaunchOp>(op);
    if (!launch)
      return isBetweenKernels(op) || llvm::isa<LaunchManyOp, YieldOp>(op)
                 ? success()
                 : op->emitOpError("expected to be in a kernel");
    // A launch must agree with its kernel up to the names of sizes.
    auto kernel = symbols.lookup<KernelOp>(launch.getKernel());
    Block &body = kernel.getBody().front();
    auto compare = [&](TypeRange given, TypeRange expected,
                       StringRef what) -> LogicalResult {
      for (auto [i, types] : llvm::enumerate(llvm::zip(given, expected))) {
        auto from = llvm::cast<RankedTensorType>(std::get<0>(types));
        auto to = llvm::cast<RankedTensorType>(std::get<1>(types));
        if (from.getShape() != to.getShape() ||
            from.getElementType() != to.getElementType())
          return launch.emitOpError("expected ")
                 << what << ' ' << i << " to match the kernel's " << to
                 << ", found " << from;
      }
      return success();
    };
    if (failed(compare(launch.getInputs().getTypes(), body.getArgumentTypes(),
                       "operand")))
      return failure();
    return compare(launch.getResultTypes(),
                   body.getTerminator()->getOperandTypes(), "result");
  }

  LogicalResult checkKernel(KernelOp kernel) {
    SymbolTable declared(kernel);
    StringAttr missing;
    AttrTypeWalker walker;
    auto check = [&](StringAttr name) {
      if (!declared.lookup<dhlo::DimOp>(name))
        missing = name;
    };
    walker.addWalk(
        [&](dhlo::DimsAttr dims) { llvm::for_each(dims.getNames(), check); });
    walker.addWalk([&](dhlo::DimExprAttr expr) {
      if (expr.isSymbol())
        check(expr.getName());
    });
    for (Type type : kernel.getBody().getArgumentTypes())
      walker.walk(type);
    kernel.getBody().walk([&](Operation *op) {
      walker.walk(op->getAttrDictionary());
      for (Type type : op->getResultTypes())
        walker.walk(type);
    });
    if (missing)
      return kernel.emitOpError("expected a declaration of the size @")
             << missing.getValue() << " in the kernel";
    return success();
  }
};

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
