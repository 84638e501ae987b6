//===- CodegenGPU.cpp - The pass convert-kernel-to-gpu --------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Codegen/GPU/CodegenGPU.h"

#include "GpuSchedule.h"
#include "GpuThread.h"

#include "dyn/Dialect/DLHLO/Analysis/KernelCost.h"

#include "Codegen/Common/Builder/WorkerLayout.h"
#include "Codegen/Common/Elements/OpEmitters.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace dyn {
#define GEN_PASS_DEF_CONVERTKERNELTOGPUPASS
#include "dyn/Codegen/GPU/Passes.h.inc"
} // namespace dyn

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;

/// @k.grid: { version, blocks, flops, bytes }.
static void emitGrid(dlhlo::KernelOp kernel, GpuSchedule &schedule,
                     const KernelCost &cost, const SymbolicDims &dims,
                     const CodegenOptions &options) {
  OpBuilder builder(kernel);
  Type pointer = LLVM::LLVMPointerType::get(kernel.getContext());
  auto function = func::FuncOp::create(
      builder, kernel.getLoc(), (kernel.getSymName() + ".grid").str(),
      builder.getFunctionType({pointer, pointer}, {}));
  function.addEntryBlock();
  KernelFrame frame;
  frame.dims = function.getArgument(0);
  frame.out = function.getArgument(1);
  KernelBuilder b(kernel, function, frame, dims, options);
  OpFoldResult version = schedule.emitVersion(b);
  OpFoldResult blocks = schedule.emitBlocks(b, 0);
  for (size_t i = 1; i < schedule.getVersions().size(); ++i)
    blocks = b.select(b.cmp(CmpIPredicate::eq, version, b.constant(i)),
                      schedule.emitBlocks(b, i), blocks);
  // At least one block checks a data-dependent size, even without work.
  if (!kernel.getBody().getOps<dhlo::BindOp>().empty())
    blocks = b.max(blocks, b.constant(1));
  b.storeFields({version, blocks, b.size(cost.flops), b.size(cost.bytes)});
  func::ReturnOp::create(b);
}

/// The function of a version, at the end of a module of the device.
static void emitVersion(dlhlo::KernelOp kernel, gpu::GPUModuleOp module,
                        GpuSchedule &schedule, int64_t version,
                        const SymbolicDims &dims,
                        const CodegenOptions &options) {
  auto builder = OpBuilder::atBlockEnd(module.getBody());
  Type pointer = LLVM::LLVMPointerType::get(kernel.getContext());
  auto function = LLVM::LLVMFuncOp::create(
      builder, kernel.getLoc(),
      (kernel.getSymName() + schedule.getVersions()[version]).str(),
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(kernel.getContext()),
                                  {pointer}));
  builder.setInsertionPointToStart(function.addEntryBlock(builder));
  int64_t buffers = kernel.getBody().getNumArguments() +
                    kernel.getBody().front().getTerminator()->getNumOperands();
  int64_t sizes = llvm::range_size(kernel.getDims());
  function.setArgAttr(
      0, LLVM::LLVMDialect::getByValAttrName(),
      TypeAttr::get(LLVM::LLVMArrayType::get(
          builder.getI64Type(), buffers + sizes + layout::kDeviceWorkerWords)));
  function.setArgAttr(0, LLVM::LLVMDialect::getAlignAttrName(),
                      builder.getI64IntegerAttr(8));
  function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(),
                    builder.getUnitAttr());
  function->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                    builder.getDenseI32ArrayAttr({kBlockThreads}));
  if (int32_t blocks = schedule.getLeastBlocks())
    function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                      builder.getI32IntegerAttr(blocks));

  auto getWord = [&](int64_t number) -> Value {
    return LLVM::GEPOp::create(
        builder, kernel.getLoc(), pointer, builder.getI64Type(),
        function.getArgument(0),
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(number)});
  };
  KernelFrame frame;
  frame.buffers = function.getArgument(0);
  frame.dims = getWord(buffers);
  frame.worker = getWord(buffers + sizes);
  KernelBuilder b(kernel, function, frame, dims, options);
  auto emitBody = [&] { schedule.emitBody(b, version); };
  // The host launches blocks for the upper bounds of data-dependent sizes.
  if (kernel.getBody().getOps<dhlo::BindOp>().empty()) {
    emitBody();
  } else {
    b.checkFound();
    b.ifThen(b.cmp(CmpIPredicate::slt, GpuThread(b).getBlock(),
                   schedule.emitBlocks(b, version)),
             emitBody);
  }
  LLVM::ReturnOp::create(b, ValueRange());
}

/// Constants in packed layouts of CPU kernels are no operands of GPU kernels.
static LogicalResult checkConstants(dlhlo::KernelOp kernel) {
  for (Value argument : kernel.getBody().getArguments()) {
    auto type = cast<RankedTensorType>(argument.getType());
    if (isa_and_present<dlhlo::PackedAttr>(type.getEncoding()) &&
        !argument.use_empty())
      return argument.user_begin()->emitError(
          "no code generation for a GPU for packed constants");
  }
  return success();
}

static LogicalResult convertKernel(dlhlo::KernelOp kernel,
                                   const CodegenOptions &options) {
  SymbolicDims dims(kernel);
  // The cost of the model's operations, before their expansion.
  KernelCost cost = getKernelCost(kernel, dims);
  if (failed(checkConstants(kernel)))
    return failure();
  expandComposites(kernel);
  std::unique_ptr<GpuSchedule> schedule =
      createGpuSchedule(kernel, dims, options.target.gpu);
  if (!schedule || failed(schedule->match(kernel, dims)))
    return failure();
  emitGrid(kernel, *schedule, cost, dims, options);
  OpBuilder builder(kernel);
  auto module =
      gpu::GPUModuleOp::create(builder, kernel.getLoc(), kernel.getSymName());
  for (size_t i = 0; i < schedule->getVersions().size(); ++i)
    emitVersion(kernel, module, *schedule, i, dims, options);
  kernel.erase();
  return success();
}

namespace {
struct ConvertKernelToGPUPass
    : dyn::impl::ConvertKernelToGPUPassBase<ConvertKernelToGPUPass> {
  using Base::Base;

  void runOnOperation() override {
    CodegenOptions options = {TargetInfo::forDevice()};
    if (failed(options.target.overrideByFile(targetInfo, getOperation())))
      return signalPassFailure();
    for (auto kernel :
         llvm::make_early_inc_range(getOperation().getOps<dlhlo::KernelOp>())) {
      if (failed(convertKernel(kernel, options)))
        return signalPassFailure();
      ++numKernels;
    }
  }
};
} // namespace
