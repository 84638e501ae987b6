//===- Passes.td - Code generation of kernel bodies -----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_CONVERSION_KERNELTOVECTOR_PASSES
#define DYN_CONVERSION_KERNELTOVECTOR_PASSES

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
           "v4-amx">
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

def DecomposeUnscheduledPass : Pass<"decompose-unscheduled", "::mlir::ModuleOp"> {
  let summary = "Decompose dhlo operations that no schedule supports";
  let description = [{
    Decomposes operations that no schedule supports (`hasSchedule`), as
    `dhlo-decompose` does, until no remaining one has a decomposition. Runs
    before fusions are formed, so that the results are fused.

    Attention is only scheduled on f32. On f16 and bf16 it becomes attention on
    f32 between conversions; on f64, contractions and reductions. A GPU supports
    more: on f16 and bf16, heads of a multiple of 16 and at most 128 elements,
    and less: on f32, heads of values of a static size, at most 256 elements, or
    they become contractions, with a remark.

    ```mlir
    %y = dhlo.attention %q, %k, %v scale = 1.0
        : (tensor<1x2x4x8xf16>, tensor<1x2x4x8xf16>, tensor<1x2x4x8xf16>) -> tensor<1x2x4x8xf16>
    ```

    becomes

    ```mlir
    %0 = dhlo.convert %q : (tensor<1x2x4x8xf16>) -> tensor<1x2x4x8xf32>
    ...
    %3 = dhlo.attention %0, %1, %2 scale = 1.0
        : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
    %y = dhlo.convert %3 : (tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf16>
    ```
  }];
  let options = [
    Option<"device", "device", "bool", /*default=*/"false",
           "Ask the schedules of a GPU">
  ];
  let statistics = [
    Statistic<"numDecomposed", "decomposed", "Operations decomposed">
  ];
}

#endif // DYN_CONVERSION_KERNELTOVECTOR_PASSES
