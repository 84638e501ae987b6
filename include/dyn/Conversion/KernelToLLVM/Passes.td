//===- Passes.td - Lowers loops over vectors to LLVM ----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_CONVERSION_KERNELTOLLVM_PASSES
#define DYN_CONVERSION_KERNELTOLLVM_PASSES

include "mlir/Pass/PassBase.td"

def ConvertKernelToLLVMPass : Pass<"convert-kernel-to-llvm"> {
  let summary = "Lower kernel functions to the LLVM dialect";
  let description = [{
    Lowers the output of `convert-kernel-to-vector` or `convert-kernel-to-gpu`,
    in one conversion, in a module or a `gpu.module`. Only the LLVM dialect
    remains, and the NVVM dialect in a `gpu.module`; a `gpu.module` within a module
    is not lowered. Internal functions stay internal.

    ```mlir
    llvm.func @k.body(!llvm.ptr, !llvm.ptr, i64, i64, !llvm.ptr)
    llvm.func @k.geometry(!llvm.ptr, !llvm.ptr)
    ```
  }];
  let dependentDialects = ["::mlir::cf::ControlFlowDialect", "::mlir::LLVM::LLVMDialect"];
}

#endif // DYN_CONVERSION_KERNELTOLLVM_PASSES
