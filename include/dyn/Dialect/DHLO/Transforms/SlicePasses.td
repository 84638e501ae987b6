//===- SlicePasses.td - Passes that move slices and repetition ------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DHLO_SLICE_PASSES
#define DYN_DHLO_SLICE_PASSES

include "mlir/Pass/PassBase.td"

def HoistSlicesPass : Pass<"dhlo-hoist-slices", "::mlir::ModuleOp"> {
  let summary = "Compute only elements that slices read";
  let description = [{
    A slice that is the only user of a value is swapped with the value's
    producer, if that keeps the sliced axes apart: its indexing maps say that
    operands are read at the same index, as those of elementwise operations, of
    softmax and norms along other axes, of contractions along free axes and of
    attention along its queries, or a reshape keeps the axis, or it is a slice,
    too. A language model of which only the logits of the last token are
    used then computes one row from the last layer's attention on. A value with
    several users is sliced once all of them are the same slice, so nothing is
    computed twice; the bits stay the same.

    A reshape of rows [N, C] to [..., C] between a matmul and its slice moves
    before the matmul. Not sliced are weights, which are packed in full, and
    queries of causal attention except the last ones.

    First, gathers at constant indices that are evenly apart and in range become
    slices. Those of weights, such as the matrices of a mixture's experts, are
    constants then.

    ```mlir
    %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x8xf32, #dhlo.dims<N>>, tensor<8x4xf32>) -> tensor<?x4xf32, #dhlo.dims<N>>
    %1 = dhlo.tanh %0 : tensor<?x4xf32, #dhlo.dims<N>>
    %y = dhlo.slice %1 starts = [@N - 1, 0] strides = [1, 1] : (tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<1x4xf32>
    ```

    becomes

    ```mlir
    %0 = dhlo.slice %x starts = [@N - 1, 0] strides = [1, 1] : (tensor<?x8xf32, #dhlo.dims<N>>) -> tensor<1x8xf32>
    %1 = dhlo.dot_general %0, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<1x8xf32>, tensor<8x4xf32>) -> tensor<1x4xf32>
    %y = dhlo.tanh %1 : tensor<1x4xf32>
    ```
  }];
  let statistics = [
    Statistic<"numHoisted", "hoisted", "Operations that a slice was moved before">,
    Statistic<"numSliced", "sliced", "Gathers that became slices">
  ];
}

def HoistRepeatsPass : Pass<"dhlo-hoist-repeats", "::mlir::ModuleOp"> {
  let summary = "Multiply operands before their repetition";
  let description = [{
    Rows that are multiplied by a constant matrix are often a concatenation of
    their own values and values that many rows share: each key of an attention
    by additive scores and the query, the nodes at both ends of an edge, each
    position and the features of the full image. The contraction becomes a sum
    of contractions, one for each part of at least 8 columns that is repeated
    along some axes, computed before it is repeated, and one for all other
    parts. Only the order of sums changes.

    ```mlir
    %0 = dhlo.broadcast %q axes = [0, 2] : (tensor<?x8xf32, #dhlo.dims<B>>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
    %1 = dhlo.concat %0, %k axis = 2 : (tensor<?x?x8xf32, #dhlo.dims<B, S>>, tensor<?x?x8xf32, #dhlo.dims<B, S>>) -> tensor<?x?x16xf32, #dhlo.dims<B, S>>
    %y = dhlo.dot_general %1, %w batch = 0 lhs_contract = [2] rhs_contract = [0] : (tensor<?x?x16xf32, #dhlo.dims<B, S>>, tensor<16x4xf32>) -> tensor<?x?x4xf32, #dhlo.dims<B, S>>
    ```

    becomes

    ```mlir
    %0 = dhlo.slice %w starts = [0, 0] strides = [1, 1] : (tensor<16x4xf32>) -> tensor<8x4xf32>
    %1 = dhlo.dot_general %q, %0 batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x8xf32, #dhlo.dims<B>>, tensor<8x4xf32>) -> tensor<?x4xf32, #dhlo.dims<B>>
    %2 = dhlo.broadcast %1 axes = [0, 2] : (tensor<?x4xf32, #dhlo.dims<B>>) -> tensor<?x?x4xf32, #dhlo.dims<B, S>>
    %3 = dhlo.slice %w starts = [8, 0] strides = [1, 1] : (tensor<16x4xf32>) -> tensor<8x4xf32>
    %4 = dhlo.dot_general %k, %3 batch = 0 lhs_contract = [2] rhs_contract = [0] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>, tensor<8x4xf32>) -> tensor<?x?x4xf32, #dhlo.dims<B, S>>
    %y = dhlo.add %4, %2 : tensor<?x?x4xf32, #dhlo.dims<B, S>>
    ```
  }];
  let statistics = [
    Statistic<"numHoisted", "hoisted", "Contractions that a repeated part was hoisted out of">
  ];
}

#endif // DYN_DHLO_SLICE_PASSES
