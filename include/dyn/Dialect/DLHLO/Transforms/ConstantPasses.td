//===- ConstantPasses.td - Passes on values of weights alone --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DLHLO_CONSTANT_PASSES
#define DYN_DLHLO_CONSTANT_PASSES

include "mlir/Pass/PassBase.td"

def HoistConstantsPass : Pass<"dlhlo-hoist-constants", "::mlir::ModuleOp"> {
  let summary = "Turn values that only depend on weights into constants";
  let description = [{
    Each maximal subgraph of an entry that only depends on weights and constants
    becomes the recipe of a `dlhlo.constant` and its value a
    `dlhlo.get_constant`; equal recipes become one constant. Splat constants are
    kept in the program: fusions inline them. A subgraph does not include
    operations whose value would be much larger than the values that it is
    computed from (a broadcast is left to the kernel that reads it). Filters of
    convolutions may have four times the bytes, as those of bytes do in f32,
    since only constants are packed.

    Before:
    ```mlir
    %0 = dhlo.weight #dhlo.weight<"m.onnx", offset = 64, length = 24, key = "w"> : tensor<3x2xf32>
    %1 = dhlo.transpose %0 permutation = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
    %2 = dhlo.add %x, %1 : tensor<2x3xf32>
    ```
    After:
    ```mlir
    dlhlo.constant @w : tensor<2x3xf32> {
      %0 = dhlo.weight #dhlo.weight<"m.onnx", offset = 64, length = 24, key = "w"> : tensor<3x2xf32>
      %1 = dhlo.transpose %0 permutation = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
      dlhlo.yield %1 : tensor<2x3xf32>
    }
    ...
    %1 = dlhlo.get_constant @w : tensor<2x3xf32>
    %2 = dhlo.add %x, %1 : tensor<2x3xf32>
    ```
  }];
  let dependentDialects = ["::dyn::dlhlo::DLHLODialect"];
  let statistics = [
    Statistic<"numConstants", "constants", "Number of constants made">,
    Statistic<"numMerged", "merged", "Number of recipes merged with an equal one">
  ];
}

def PackConstantsPass : Pass<"dlhlo-pack-constants", "::mlir::ModuleOp"> {
  let summary = "Pack constant operands of GEMMs into panels";
  let description = [{
    If the RHS of a `dhlo.dot_general`, or the filter of a channels-last
    `dhlo.convolution` without groups, is an f32 constant, its recipe permutes
    its axes to batch, K, N, and packs its elements into panels of 16 columns,
    which micro-kernels read in one stream. Unused constants are erased.

    Filters of 3 x 3 with many channels, at stride 1, are packed for Winograd's
    algorithm (`winograd4`), unless `winograd=false`: a convolution takes less
    than half the time, its weights five times the memory, and its error grows
    from some 5e-7 of the largest result to 2e-6. With channels first, filters
    of three rows and eight channels or more are packed for the same along the
    image height (`winograd4_lines`), with half of the multiply-adds.

    Before:
    ```mlir
    dlhlo.constant @w : tensor<1536x384xf32> { ... }
    ...
    %w = dlhlo.get_constant @w : tensor<1536x384xf32>
    %y = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [1]
        : (tensor<?x384xf32, #dhlo.dims<N>>, tensor<1536x384xf32>) -> tensor<?x1536xf32, #dhlo.dims<N>>
    ```
    After:
    ```mlir
    dlhlo.constant @w_0 : tensor<384x1536xf32, #dlhlo.packed<panels16, batch = 0, rows = 1>> {
      ...
      %1 = dhlo.transpose %0 permutation = [1, 0] : (tensor<1536x384xf32>) -> tensor<384x1536xf32>
      %2 = dlhlo.pack %1 : (tensor<384x1536xf32>) -> tensor<384x1536xf32, #dlhlo.packed<panels16, batch = 0, rows = 1>>
      dlhlo.yield %2 : tensor<384x1536xf32, #dlhlo.packed<panels16, batch = 0, rows = 1>>
    }
    ```
  }];
  let dependentDialects = ["::dyn::dlhlo::DLHLODialect"];
  let options = [
    Option<"winograd", "winograd", "bool", /*default=*/"true",
           "Pack filters for Winograd's algorithm where it saves time">,
    Option<"targetInfo", "target-info", "std::string", /*default=*/"\"\"",
           "File that overrides numbers of the target (TargetInfo.h)">
  ];
  let statistics = [
    Statistic<"numPacked", "packed", "Number of operands packed">
  ];
}

#endif // DYN_DLHLO_CONSTANT_PASSES
