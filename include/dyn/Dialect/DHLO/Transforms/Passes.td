//===- Passes.td - Passes inside dhlo -------------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Included are the passes of folders, and defined those that are in none.

#ifndef DYN_DHLO_PASSES
#define DYN_DHLO_PASSES

include "dyn/Dialect/DHLO/Transforms/ContractionPasses.td"
include "dyn/Dialect/DHLO/Transforms/LayoutPasses.td"
include "dyn/Dialect/DHLO/Transforms/PaddingPasses.td"
include "dyn/Dialect/DHLO/Transforms/RecognizePasses.td"
include "dyn/Dialect/DHLO/Transforms/SlicePasses.td"
include "dyn/Dialect/DHLO/Transforms/VerifyPasses.td"
include "mlir/Pass/PassBase.td"

def SimplifySizesPass : Pass<"dhlo-simplify-sizes", "::mlir::ModuleOp"> {
  let summary = "Turn shape arithmetic into size expressions";
  let description = [{
    Evaluates small tensors that are computed from sizes and constants, element
    by element (`SymbolicValues`), and

    1. declares that the count of a `dhlo.nonzero` is at most the number of its
       operand's elements;
    2. defines the symbol of a `dhlo.bind` by the expression that it is bound
       to, if that provably satisfies the symbol's declared facts: otherwise the
       check at run time is kept;
    3. merges symbols that are provably equal, by one walk over all types and
       attributes, and symbols with their constant value;
    4. replaces integer tensors that are still used as data by `dhlo.from_dims`,
       or by `dhlo.constant`, and erases dead operations.

    Afterwards shape tensors only remain as data, and equal sizes have one name.

    ```mlir
    dhlo.dim @S
    dhlo.dim @K in [0, ?]
    func.func @f(%x: tensor<?xf32, #dhlo.dims<S>>) -> tensor<?xf32, #dhlo.dims<K>> {
      %two = dhlo.constant dense<2> : tensor<i64>
      %s = dhlo.from_dims [@S] : tensor<i64>
      %k = dhlo.mul %s, %two : tensor<i64>
      dhlo.bind @K = %k : tensor<i64>
      ...
    ```

    becomes

    ```mlir
    dhlo.dim @S
    dhlo.dim @K = 2 * @S in [0, ?]
    func.func @f(%x: tensor<?xf32, #dhlo.dims<S>>) -> tensor<?xf32, #dhlo.dims<K>> {
      ...
    ```
  }];
  let statistics = [
    Statistic<"numBounded", "num-bounded", "Counts given a bound">,
    Statistic<"numDefined", "num-defined", "Bound symbols given a definition">,
    Statistic<"numMerged", "num-merged", "Symbols merged with an equal one">,
    Statistic<"numReplaced", "num-replaced", "Small tensors replaced by sizes">
  ];
}

def DecomposePass : Pass<"dhlo-decompose", "::mlir::ModuleOp"> {
  let summary = "Decompose composite operations";
  let description = [{
    Replaces composites by operations of the other families with the result of
    the interpreter: f16 and bf16 are computed in f32 and rounded once, and a
    row of attention that has lost all its keys is zero, or NaN. `dhlo.lstm` and
    `dhlo.resize` have no decomposition and are kept.

    The compiler only decomposes operations without a kernel
    (`decompose-unscheduled`); this pass is for users who need primitives.

    ```mlir
    %y = dhlo.softmax %x axis = 1 : tensor<4x8xf32>
    ```

    becomes

    ```mlir
    %0 = dhlo.reduce max %x axes = [1] : (tensor<4x8xf32>) -> tensor<4xf32>
    %1 = dhlo.broadcast %0 axes = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
    %2 = dhlo.sub %x, %1 : tensor<4x8xf32>
    %3 = dhlo.exp %2 : tensor<4x8xf32>
    %4 = dhlo.reduce sum %3 axes = [1] : (tensor<4x8xf32>) -> tensor<4xf32>
    %5 = dhlo.broadcast %4 axes = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
    %y = dhlo.div %3, %5 : tensor<4x8xf32>
    ```
  }];
  let options = [
    ListOption<"ops", "ops", "std::string",
               "Operations to decompose, without the dialect's name; all if empty">
  ];
  let statistics = [
    Statistic<"numDecomposed", "decomposed", "Operations decomposed">
  ];
}

def WidenFloatsPass : Pass<"dhlo-widen-floats", "::mlir::ModuleOp"> {
  let summary = "Compute a model of f32 in f64";
  let description = [{
    Makes every f32 value an f64 one: inputs, results, constants and
    intermediate values. Weights, random numbers and values of sizes are
    unchanged and converted; so are operands of 16 bits of matmuls that
    accumulate in f32. The result, run by the interpreter, is the
    reference where two implementations in f32 differ.

    ```mlir
    %w = dhlo.weight <"m.onnx", offset = 64, length = 8, key = "w"> : tensor<2xf32>
    %y = dhlo.add %x, %w : tensor<2xf32>
    ```

    becomes

    ```mlir
    %0 = dhlo.weight <"m.onnx", offset = 64, length = 8, key = "w"> : tensor<2xf32>
    %w = dhlo.convert %0 : (tensor<2xf32>) -> tensor<2xf64>
    %y = dhlo.add %x, %w : tensor<2xf64>
    ```
  }];
  let statistics = [
    Statistic<"numValues", "values", "Values that were f32">
  ];
}

#endif // DYN_DHLO_PASSES
