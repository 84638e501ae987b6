//===- Passes.td - Preparation for code generation ------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_CODEGEN_PASSES
#define DYN_CODEGEN_PASSES

include "mlir/Pass/PassBase.td"

def DecomposeUnscheduledPass : Pass<"decompose-unscheduled", "::mlir::ModuleOp"> {
  let summary = "Decompose dhlo operations that no schedule supports";
  let description = [{
    Decomposes operations that no schedule supports (`hasCpuSchedule`, `hasGpuSchedule`), as
    `dhlo-decompose` does, until no remaining one has a decomposition. Runs
    before layouts are chosen, which depend on the types of convolutions, and
    before fusions are formed, so that the results are fused.

    Attention is only scheduled on f32. On f16 and bf16 it becomes attention on f32
    between conversions, as convolutions do, whose sums are in f32 anyway; on f64,
    attention becomes contractions and reductions. A GPU supports convolutions of
    all types, and more of attention: on f16 and bf16, heads of a multiple of 16 and
    at most 128 elements, and less: on f32, heads of values of a static size, at
    most 256 elements, or they become contractions, with a remark.

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

#endif // DYN_CODEGEN_PASSES
