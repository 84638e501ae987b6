//===- DLHLOToLLVM.cpp - Lowers entries over buffers to LLVM --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Conversion/DLHLOToLLVM/DLHLOToLLVM.h"

#include "EntryLowering.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace dyn {
#define GEN_PASS_DEF_CONVERTDLHLOTOLLVMPASS
#include "dyn/Conversion/DLHLOToLLVM/Passes.h.inc"
} // namespace dyn

using namespace mlir;
using namespace dyn;

namespace {

struct ConvertDLHLOToLLVMPass
    : dyn::impl::ConvertDLHLOToLLVMPassBase<ConvertDLHLOToLLVMPass> {
  using ConvertDLHLOToLLVMPassBase::ConvertDLHLOToLLVMPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    ModuleIndex index(module);
    for (auto entry :
         llvm::make_early_inc_range(module.getOps<dlhlo::EntryOp>())) {
      auto function = module.lookupSymbol<func::FuncOp>(entry.getFunction());
      if (!function) {
        entry.emitOpError("expected a function over buffers called '")
            << entry.getFunction() << "'; run dlhlo-plan-buffers first";
        return signalPassFailure();
      }
      if (failed(lowerControlFlow(function)) ||
          failed(lowerEntry(function, index)))
        return signalPassFailure();
    }
  }

private:
  /// Regions to blocks first: a failed call leaves from within a region.
  LogicalResult lowerControlFlow(func::FuncOp function) {
    RewritePatternSet patterns(&getContext());
    populateSCFToControlFlowConversionPatterns(patterns);
    ConversionTarget target(getContext());
    target.addIllegalDialect<scf::SCFDialect>();
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    return applyPartialConversion(function, target, std::move(patterns));
  }

  LogicalResult lowerEntry(func::FuncOp source, const ModuleIndex &index) {
    EntryFrame frame;
    LLVM::LLVMFuncOp function = createEntryFunction(source, device, frame);

    LLVMTypeConverter types(&getContext());
    types.addConversion([](dlhlo::BufferType type) -> Type {
      return LLVM::LLVMPointerType::get(type.getContext());
    });
    RewritePatternSet patterns(&getContext());
    populateEntryPatterns(types, patterns, frame, index);
    arith::populateArithToLLVMConversionPatterns(types, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
    ConversionTarget target(getContext());
    target.addLegalDialect<LLVM::LLVMDialect>();
    target.addLegalOp<UnrealizedConversionCastOp>();
    if (failed(applyFullConversion(function, target, std::move(patterns))))
      return failure();
    SmallVector<UnrealizedConversionCastOp> casts;
    function.walk(
        [&](UnrealizedConversionCastOp cast) { casts.push_back(cast); });
    reconcileUnrealizedCasts(casts);
    return success();
  }
};

} // namespace
