//===- Codegen.h - Pipelines from kernels to the LLVM dialect -------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_CODEGEN_CODEGEN_H
#define DYN_CODEGEN_CODEGEN_H

#include "dyn/Codegen/CodegenOptions.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace dyn {

#define GEN_PASS_DECL
#include "dyn/Codegen/Passes.h.inc"

/// Adds the passes that lower a module of `dlhlo.kernel` operations to the LLVM
/// dialect: `dyn-kernel-pipeline`.
/// The file `targetInfo` overrides numbers of the target; "" for none.
void buildKernelPipeline(mlir::OpPassManager &pm, Isa isa,
                         llvm::StringRef targetInfo = "");
/// The same for a module of such modules, which are compiled separately, in two
/// parts: the schedules, which write vector code,
void buildKernelVectorsPipeline(mlir::OpPassManager &pm, Isa isa,
                                llvm::StringRef targetInfo = "");
/// and the conversion of that code. Functions that several kernels use get
/// their own modules.
void buildKernelVectorsToLLVMPipeline(mlir::OpPassManager &pm);
/// Adds the passes that lower the `dlhlo.kernel` operations of a module to the
/// LLVM and NVVM dialects: `dyn-gpu-kernel-pipeline`.
void buildGpuKernelPipeline(mlir::OpPassManager &pm,
                            llvm::StringRef targetInfo = "");

/// Registers `dyn-kernel-pipeline{isa=v4 target-info=FILE}` and
/// `dyn-gpu-kernel-pipeline{target-info=FILE}`.
void registerKernelPipelines();

#define GEN_PASS_REGISTRATION
#include "dyn/Codegen/Passes.h.inc"

} // namespace dyn

#endif // DYN_CODEGEN_CODEGEN_H
