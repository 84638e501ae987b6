//===- Passes.td - Passes of the dlhlo dialect ----------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Included are the passes of folders, in the order in which they run, and
// defined those that check what is between them.

#ifndef DYN_DLHLO_PASSES
#define DYN_DLHLO_PASSES

include "dyn/Dialect/DLHLO/Transforms/ConstantPasses.td"
include "dyn/Dialect/DLHLO/Transforms/FusionPasses.td"
include "dyn/Dialect/DLHLO/Transforms/KernelPasses.td"
include "dyn/Dialect/DLHLO/Transforms/BufferPasses.td"
include "dyn/Dialect/DLHLO/Transforms/ExplainPasses.td"
include "mlir/Pass/PassBase.td"

def VerifyFusionsPass : Pass<"dlhlo-verify-fusions", "::mlir::ModuleOp"> {
  let summary = "Check that every operation of an entry is in a fusion";
  let description = [{
    After `dlhlo-fuse`, an entry consists of fusions, constants, control flow,
    `dhlo.bind`, and views and sizes that the host provides. Anything else is
    reported.

    ```mlir
    %0 = dhlo.exp %x : tensor<4xf32>  // error: expected to be in a fusion or a constant
    ```
  }];
}

def VerifyKernelsPass : Pass<"dlhlo-verify-kernels", "::mlir::ModuleOp"> {
  let summary = "Check kernels and that entries only launch them";
  let description = [{
    After `dlhlo-outline-kernels`, no fusion remains, the types of a launch are
    those of its kernel up to the names of sizes, and a kernel declares each
    size that it uses.

    ```mlir
    %0 = dlhlo.fusion loop (%x) ...  // error: expected to be in a kernel
    ```
  }];
}

def VerifyBuffersPass : Pass<"dlhlo-verify-buffers", "::mlir::ModuleOp"> {
  let summary = "Check that no tensor remains in an entry";
  let description = [{
    After `dlhlo-plan-buffers`, each entry is a `dlhlo.entry` and a function over
    buffers and sizes.

    ```mlir
    func.func @main(%x: tensor<4xf32>) attributes {dhlo.entry}  // error: expected a dlhlo.entry
    ```
  }];
}

#endif // DYN_DLHLO_PASSES
