//===- KernelPipelines.cpp - From kernels to the LLVM dialect -------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Codegen/CPU/CodegenCPU.h"
#include "dyn/Codegen/Codegen.h"
#include "dyn/Codegen/GPU/CodegenGPU.h"
#include "dyn/Conversion/KernelToLLVM/KernelToLLVM.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace dyn;

static void buildVectorCode(OpPassManager &pm, StringRef isa,
                            StringRef targetInfo) {
  ConvertKernelToVectorPassOptions options;
  options.isa = isa.str();
  options.targetInfo = targetInfo.str();
  pm.addPass(createConvertKernelToVectorPass(options));
}

static void buildLLVMCode(OpPassManager &pm) {
  // Folds constants and removes dead operations of the emission, before there
  // are blocks.
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createConvertKernelToLLVMPass());
}

void dyn::buildKernelPipeline(OpPassManager &pm, Isa isa,
                              StringRef targetInfo) {
  buildVectorCode(pm, getIsaName(isa), targetInfo);
  buildLLVMCode(pm);
}

void dyn::buildKernelVectorsPipeline(OpPassManager &pm, Isa isa,
                                     StringRef targetInfo) {
  buildVectorCode(pm.nest<ModuleOp>(), getIsaName(isa), targetInfo);
}

void dyn::buildKernelVectorsToLLVMPipeline(OpPassManager &pm) {
  pm.addPass(createShareKernelHelpersPass());
  buildLLVMCode(pm.nest<ModuleOp>());
}

void dyn::buildGpuKernelPipeline(OpPassManager &pm, StringRef targetInfo) {
  pm.addPass(createConvertKernelToGPUPass({targetInfo.str()}));
  buildLLVMCode(pm);
  pm.addNestedPass<gpu::GPUModuleOp>(createConvertKernelToLLVMPass());
}

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

namespace {
struct GpuKernelPipelineOptions
    : PassPipelineOptions<GpuKernelPipelineOptions> {
  Option<std::string> targetInfo{
      *this, "target-info",
      llvm::cl::desc("File that overrides numbers of the target"),
      llvm::cl::init("")};
};

struct KernelPipelineOptions : PassPipelineOptions<KernelPipelineOptions> {
  Option<std::string> isa{*this, "isa",
                          llvm::cl::desc("Instruction set to generate for"),
                          llvm::cl::init("v4")};
  Option<std::string> targetInfo{
      *this, "target-info",
      llvm::cl::desc("File that overrides numbers of the target"),
      llvm::cl::init("")};
};
} // namespace

void dyn::registerKernelPipelines() {
  PassPipelineRegistration<KernelPipelineOptions>(
      "dyn-kernel-pipeline",
      "lower a module of dlhlo.kernel operations to the LLVM dialect",
      [](OpPassManager &pm, const KernelPipelineOptions &options) {
        buildVectorCode(pm, options.isa, options.targetInfo);
        buildLLVMCode(pm);
      });
  PassPipelineRegistration<GpuKernelPipelineOptions>(
      "dyn-gpu-kernel-pipeline",
      "lower a module of dlhlo.kernel operations to the LLVM and NVVM dialects",
      [](OpPassManager &pm, const GpuKernelPipelineOptions &options) {
        buildGpuKernelPipeline(pm, options.targetInfo);
      });
}
