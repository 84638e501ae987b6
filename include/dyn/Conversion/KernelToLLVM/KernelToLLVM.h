//===- KernelToLLVM.h - Lowers loops over vectors to LLVM -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_CONVERSION_KERNELTOLLVM_KERNELTOLLVM_H
#define DYN_CONVERSION_KERNELTOLLVM_KERNELTOLLVM_H

#include "dyn/Codegen/CodegenOptions.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace dyn {

#define GEN_PASS_DECL
#include "dyn/Conversion/KernelToLLVM/Passes.h.inc"

/// Adds the passes that lower a module of `dlhlo.kernel` operations to the LLVM
/// dialect: `dyn-kernel-pipeline`.
void buildKernelPipeline(mlir::OpPassManager &pm,
                         const CodegenOptions &options);
/// The same for a module of such modules, which are compiled separately:
/// functions that several kernels use get their own modules.
void buildKernelModulesPipeline(mlir::OpPassManager &pm,
                                const CodegenOptions &options);
/// Registers `dyn-kernel-pipeline{isa=v4}`.
void registerKernelPipeline();

#define GEN_PASS_REGISTRATION
#include "dyn/Conversion/KernelToLLVM/Passes.h.inc"

} // namespace dyn

#endif // DYN_CONVERSION_KERNELTOLLVM_KERNELTOLLVM_H
