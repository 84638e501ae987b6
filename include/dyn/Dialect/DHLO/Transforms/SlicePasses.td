//===- SlicePasses.td - Passes that move slices and repetition ------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DHLO_SLICE_PASSES
#define DYN_DHLO_SLICE_PASSES

include "mlir/Pass/PassBase.td"

def ReplaceIndicesPass : Pass<"dhlo-replace-indices", "::mlir::ModuleOp"> {
  let summary = "Replace gathers and scatters at evenly spaced indices";
  let description = [{
    Exporters write `x[:, 2]` as a gather, and `x[:, 2] = y` as a scatter at the
    indices of all elements that it replaces. Where indices are provably affine
    functions of their own index and in range, a gather along an axis becomes a
    slice, repeated along the axes that the indices do not depend on, and a
    scatter becomes a selection between the old elements and the padded new
    ones. Neither can fail, so those of weights, such as the matrices of a
    mixture's experts, are constants. Indices that depend on several of their
    axes, as those of windows do, become a sum of iotas: kernels compute it with
    the indices of loads.

    Before that, indices of single elements that are the same along all other
    axes, as PyTorch's `gather` and `scatter` take them for rows, become those of
    rows, for each of a batch if need be.

    A scatter stays that changes less than an eighth of the elements, or is not
    known to change more: it can write in place.

    ```mlir
    %i = dhlo.iota axis = 0 start = [2] step = [1] : tensor<?xi64, #dhlo.dims<N>>
    %y = dhlo.gather %x, %i axis = 0 batch = 0 : (tensor<?x8xf32, #dhlo.dims<M>>, tensor<?xi64, #dhlo.dims<N>>) -> tensor<?x8xf32, #dhlo.dims<N>>
    ```

    becomes, if `@N + 2` is at most `@M`,

    ```mlir
    %y = dhlo.slice %x starts = [2, 0] strides = [1, 1] : (tensor<?x8xf32, #dhlo.dims<M>>) -> tensor<?x8xf32, #dhlo.dims<N>>
    ```
  }];
  let statistics = [
    Statistic<"numRows", "rows", "Gathers and scatters of elements that became those of rows">,
    Statistic<"numSliced", "sliced", "Gathers that became slices">,
    Statistic<"numSums", "sums", "Gathers whose indices became sums of iotas">,
    Statistic<"numPadded", "padded", "Scatters that became selections">
  ];
}

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
    Statistic<"numHoisted", "hoisted", "Operations that a slice was moved before">
  ];
}

def NarrowRepeatsPass : Pass<"dhlo-narrow-repeats", "::mlir::ModuleOp"> {
  let summary = "Compute elements before their repetition";
  let description = [{
    Exporters expand learned queries, positions and masks to the batch before
    the first matmul. Contractions, attention, softmax and norms whose operands
    all repeat their elements along an axis, by a broadcast or by operations on
    repeated values, are computed for one index on it and repeated afterwards.
    The bits stay the same, and what is computed from weights alone becomes a
    constant.

    ```mlir
    %0 = dhlo.broadcast %q axes = [1, 2] : (tensor<5x8xf32>) -> tensor<?x5x8xf32, #dhlo.dims<B>>
    %1 = dhlo.add %0, %0 : tensor<?x5x8xf32, #dhlo.dims<B>>
    %y = dhlo.dot_general %1, %w batch = 0 lhs_contract = [2] rhs_contract = [0] : (tensor<?x5x8xf32, #dhlo.dims<B>>, tensor<8x4xf32>) -> tensor<?x5x4xf32, #dhlo.dims<B>>
    ```

    becomes

    ```mlir
    %0 = dhlo.reshape %q : (tensor<5x8xf32>) -> tensor<1x5x8xf32>
    %1 = dhlo.add %0, %0 : tensor<1x5x8xf32>
    %2 = dhlo.dot_general %1, %w batch = 0 lhs_contract = [2] rhs_contract = [0] : (tensor<1x5x8xf32>, tensor<8x4xf32>) -> tensor<1x5x4xf32>
    %y = dhlo.broadcast %2 axes = [0, 1, 2] : (tensor<1x5x4xf32>) -> tensor<?x5x4xf32, #dhlo.dims<B>>
    ```
  }];
  let statistics = [
    Statistic<"numNarrowed", "narrowed", "Operations computed before a repetition">
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
