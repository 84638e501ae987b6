//===- DLHLOToLLVM.cpp - Lowers entries over buffers to LLVM --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Conversion/DLHLOToLLVM/DLHLOToLLVM.h"

#include "EntryLowering.h"

#include "dyn/Dialect/Dist/IR/Dist.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
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
      if (failed(lowerControlFlow(function)))
        return signalPassFailure();
      listConstants(entry, function, index);
      splitBlocks(function);
      if (failed(lowerEntry(function, index)))
        return signalPassFailure();
    }
  }

private:
  /// The constants that an entry reads, for its descriptor.
  void listConstants(dlhlo::EntryOp entry, func::FuncOp function,
                     const ModuleIndex &index) {
    llvm::SmallSetVector<int32_t, 16> read;
    function.walk([&](dlhlo::ConstantBufferOp op) {
      read.insert(index.constants.lookup(op.getConstantAttr().getAttr()));
    });
    SmallVector<int32_t> sorted = read.takeVector();
    llvm::sort(sorted);
    entry->setAttr(kEntryConstantsAttr,
                   DenseI32ArrayAttr::get(&getContext(), sorted));
  }

  /// Regions to blocks first: a failed call leaves from within a region.
  LogicalResult lowerControlFlow(func::FuncOp function) {
    RewritePatternSet patterns(&getContext());
    populateSCFToControlFlowConversionPatterns(patterns);
    ConversionTarget target(getContext());
    target.addIllegalDialect<scf::SCFDialect>();
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    return applyPartialConversion(function, target, std::move(patterns));
  }

  /// Divides long blocks. An exit in the middle of a block moves the operations
  /// behind it one by one, and most calls of the runtime may exit.
  void splitBlocks(func::FuncOp function) {
    constexpr size_t kOperations = 32;
    for (Block &block : llvm::make_early_inc_range(function.getBody())) {
      size_t count = 0;
      for (Operation &op :
           llvm::make_early_inc_range(llvm::reverse(block.getOperations()))) {
        if (++count < kOperations || &op == &block.front())
          continue;
        Block *next = block.splitBlock(&op);
        auto builder = OpBuilder::atBlockEnd(&block);
        cf::BranchOp::create(builder, op.getLoc(), next);
        count = 0;
      }
    }
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
