//===- CodegenCPU.h - Code generation of kernel bodies --------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_CODEGEN_CPU_CODEGENCPU_H
#define DYN_CODEGEN_CPU_CODEGENCPU_H

#include "dyn/Codegen/CodegenOptions.h"
#include "dyn/Dialect/DLHLO/IR/DLHLO.h"

#include "mlir/Pass/Pass.h"

namespace dyn {

#define GEN_PASS_DECL
#include "dyn/Codegen/CPU/Passes.h.inc"

/// The options of a pass: an instruction set, by its name, and a file that
/// overrides numbers of it, or "". An error is reported at `op`.
mlir::FailureOr<CodegenOptions> parseCodegenOptions(llvm::StringRef isa,
                                                    llvm::StringRef targetInfo,
                                                    mlir::Operation *op);

/// Writes `@<name>.geometry` and `@<name>.body` before the kernel, which is
/// kept. Emits a diagnostic and fails if its schedule rejects it.
mlir::LogicalResult convertKernel(dlhlo::KernelOp kernel,
                                  const CodegenOptions &options);

/// Whether a kernel is compiled for `isa` if an artifact holds code for `isas`:
/// for an extension of one of these levels only if the kernel benefits.
bool hasVersion(dlhlo::KernelOp kernel, Isa isa, llvm::ArrayRef<Isa> isas);

#define GEN_PASS_REGISTRATION
#include "dyn/Codegen/CPU/Passes.h.inc"

} // namespace dyn

#endif // DYN_CODEGEN_CPU_CODEGENCPU_H
