//===- Passes.td - Code of kernels for a GPU ------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_CODEGEN_GPU_PASSES
#define DYN_CODEGEN_GPU_PASSES

include "mlir/Pass/PassBase.td"

def ConvertKernelToGPUPass : Pass<"convert-kernel-to-gpu", "::mlir::ModuleOp"> {
  let summary = "Generate code of a GPU's threads for kernels";
  let description = [{
    Replaces each `dlhlo.kernel` by a function of the host, which computes how
    the kernel is launched for given sizes, and a `gpu.module` with the
    functions of the device:

    ```mlir
    func.func @k.grid(%dims: !llvm.ptr, %out: !llvm.ptr)
    gpu.module @k {
      llvm.func @k(%params: !llvm.ptr {llvm.byval = !llvm.array<9 x i64>})
          attributes {nvvm.kernel}
    }
    ```

    The parameters are one block of 64-bit words: the addresses of the buffers,
    the sizes, and a `dyn_worker_t` up to its seed. A kernel may have several
    functions, its versions, one of which `@k.grid` selects.

    A kernel with an operation that its schedule does not support is rejected
    with a diagnostic at the operation.
  }];
  let options = [
    Option<"targetInfo", "target-info", "std::string", /*default=*/"\"\"",
           "File that overrides numbers of the target (TargetInfo.h)">
  ];
  let statistics = [
    Statistic<"numKernels", "kernels", "Kernels converted">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

#endif // DYN_CODEGEN_GPU_PASSES
