//===- CodegenGPU.h - Code of kernels for a GPU ---------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_CODEGEN_GPU_CODEGENGPU_H
#define DYN_CODEGEN_GPU_CODEGENGPU_H

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace dyn {

#define GEN_PASS_DECL
#include "dyn/Codegen/GPU/Passes.h.inc"

/// Adds the passes that lower the `dlhlo.kernel` operations of a module to the
/// LLVM and NVVM dialects: `dyn-gpu-kernel-pipeline`.
void buildGpuKernelPipeline(mlir::OpPassManager &pm);
void registerGpuKernelPipeline();

#define GEN_PASS_REGISTRATION
#include "dyn/Codegen/GPU/Passes.h.inc"

} // namespace dyn

#endif // DYN_CODEGEN_GPU_CODEGENGPU_H
