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

static void buildVectorCode(OpPassManager &pm, StringRef isa) {
  ConvertKernelToVectorPassOptions options;
  options.isa = isa.str();
  pm.addPass(createConvertKernelToVectorPass(options));
}

static void buildLLVMCode(OpPassManager &pm) {
  // Folds constants and removes dead operations of the emission, before there
  // are blocks.
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createConvertKernelToLLVMPass());
}

void dyn::buildKernelPipeline(OpPassManager &pm,
                              const CodegenOptions &options) {
  buildVectorCode(pm, getIsaName(options.isa()));
  buildLLVMCode(pm);
}

void dyn::buildKernelModulesPipeline(OpPassManager &pm,
                                     const CodegenOptions &options) {
  buildVectorCode(pm.nest<ModuleOp>(), getIsaName(options.isa()));
  pm.addPass(createShareKernelHelpersPass());
  buildLLVMCode(pm.nest<ModuleOp>());
}

void dyn::buildGpuKernelPipeline(OpPassManager &pm) {
  pm.addPass(createConvertKernelToGPUPass());
  buildLLVMCode(pm);
  pm.addNestedPass<gpu::GPUModuleOp>(createConvertKernelToLLVMPass());
}

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

namespace {
struct KernelPipelineOptions : PassPipelineOptions<KernelPipelineOptions> {
  Option<std::string> isa{*this, "isa",
                          llvm::cl::desc("Instruction set to generate for"),
                          llvm::cl::init("v4")};
};
} // namespace

void dyn::registerKernelPipelines() {
  PassPipelineRegistration<KernelPipelineOptions>(
      "dyn-kernel-pipeline",
      "lower a module of dlhlo.kernel operations to the LLVM dialect",
      [](OpPassManager &pm, const KernelPipelineOptions &options) {
        buildVectorCode(pm, options.isa);
        buildLLVMCode(pm);
      });
  PassPipelineRegistration<>(
      "dyn-gpu-kernel-pipeline",
      "lower a module of dlhlo.kernel operations to the LLVM and NVVM dialects",
      buildGpuKernelPipeline);
}
