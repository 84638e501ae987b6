//===- KernelCompiler.h - Kernels for each instruction set ----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TARGET_KERNELCOMPILER_H
#define DYN_TARGET_KERNELCOMPILER_H

#include "dyn/Target/ObjectEmitter.h"

#include "mlir/Support/Timing.h"

namespace dyn {

/// Lowers each `dlhlo.kernel` of `module` to code for each instruction set: one
/// module per kernel and instruction set, compiled in parallel with the
/// context's threads, each with its own LLVM context. The module is not
/// changed. Objects are in a fixed order, and their bytes do not depend on the
/// number of threads. Emits a diagnostic at the kernel on failure.
llvm::FailureOr<std::vector<ObjectCode>>
compileKernels(mlir::ModuleOp module, llvm::ArrayRef<Isa> isas,
               const EmitOptions &options, mlir::TimingScope &timing);

/// The module of one instruction set of `isas` after lowering to the LLVM
/// dialect: one nested module for each kernel that has a version for it. Null
/// after emitting a diagnostic.
mlir::OwningOpRef<mlir::ModuleOp> lowerKernels(mlir::ModuleOp module, Isa isa,
                                               llvm::ArrayRef<Isa> isas,
                                               const EmitOptions &options,
                                               mlir::TimingScope &timing);

} // namespace dyn

#endif // DYN_TARGET_KERNELCOMPILER_H
