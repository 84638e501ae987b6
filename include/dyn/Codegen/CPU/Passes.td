//===- Passes.td - Code generation of kernel bodies -----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_CODEGEN_CPU_PASSES
#define DYN_CODEGEN_CPU_PASSES

include "mlir/Pass/PassBase.td"

def ConvertKernelToVectorPass : Pass<"convert-kernel-to-vector", "::mlir::ModuleOp"> {
  let summary = "Generate loops over vectors for kernels";
  let description = [{
    Replaces each `dlhlo.kernel` by two functions, in `scf`, `vector`, `arith`
    and `llvm` (pointers), with the C types of `dyn_kernel_fn` and
    `dyn_geometry_fn`:

    ```mlir
    func.func @k.body(%buffers: !llvm.ptr, %dims: !llvm.ptr, %begin: i64,
                      %end: i64, %worker: !llvm.ptr)
    func.func @k.geometry(%dims: !llvm.ptr, %out: !llvm.ptr)
    ```

    Buffers are dense; `i1` is stored as bytes. The schedule of the kernel's
    kind writes the code. A kernel with an operation that its schedule does not
    support is rejected with a diagnostic at the operation.
  }];
  let options = [
    Option<"isa", "isa", "std::string", /*default=*/"\"v4\"",
           "Instruction set to generate for: v2, v3, v4, v4-vnni, v4-bf16 or "
           "v4-amx">,
    Option<"targetInfo", "target-info", "std::string", /*default=*/"\"\"",
           "File that overrides numbers of the target (TargetInfo.h)">
  ];
  let statistics = [
    Statistic<"numKernels", "kernels", "Kernels converted">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def ReportSlowKernelsPass : Pass<"report-slow-kernels", "::mlir::ModuleOp"> {
  let summary = "Report kernels that are far from the roofline";
  let description = [{
    Emits a remark of the category `codegen-rate` for each kernel whose code
    computes most of its elements one by one, or reaches less than a third of
    the roofline at large sizes: the operation, its location in the model, the
    reason and the share (SlowKernels.h). Without an engine of remarks it does
    nothing.

    ```mlir
    %y = dhlo.gather_elements %x, %i axis = 1
        : (tensor<?x?xf32, #dhlo.dims<d0, d1>>, tensor<?x?xi64, #dhlo.dims<d0, d1>>)
        -> tensor<?x?xf32, #dhlo.dims<d0, d1>>
    ```

    is reported as

    ```
    remark: [Missed] dhlo.gather_elements | Category:codegen-rate
        | Function=gather_elements
        | Remark="computed element by element: each element has its own index",
          share=...
    ```
  }];
  let options = [
    Option<"isa", "isa", "std::string", /*default=*/"\"v4\"",
           "Instruction set whose code is counted: v2, v3, v4, v4-vnni, v4-bf16 "
           "or v4-amx">,
    Option<"targetInfo", "target-info", "std::string", /*default=*/"\"\"",
           "File that overrides numbers of the target (TargetInfo.h)">
  ];
  let statistics = [
    Statistic<"numSlow", "slow", "Kernels reported">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def ShareKernelHelpersPass : Pass<"share-kernel-helpers", "::mlir::ModuleOp"> {
  let summary = "Keep one copy of the functions that several kernels use";
  let description = [{
    Works on a module of modules, each of which is compiled separately. Kernels
    call micro-kernels and copying functions that `convert-kernel-to-vector` has
    written into each module. The first function of each name gets its own
    module, before those of the kernels, and becomes public; the others are
    erased, and kernels declare the functions that they call.

    ```mlir
    module {
      func.func private @mk_2x1(...) attributes {dyn.helper} { ... }
      func.func @k.body(...) { call @mk_2x1(...) ... }
    }
    ```

    becomes

    ```mlir
    module {
      func.func @mk_2x1(...) { ... }
    }
    module {
      func.func private @mk_2x1(...)
      func.func @k.body(...) { call @mk_2x1(...) ... }
    }
    ```
  }];
  let statistics = [
    Statistic<"numShared", "shared", "Functions that are kept">,
    Statistic<"numDropped", "dropped", "Copies that are dropped">
  ];
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

#endif // DYN_CODEGEN_CPU_PASSES
