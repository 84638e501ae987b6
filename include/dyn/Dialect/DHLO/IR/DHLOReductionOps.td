//===- DHLOReductionOps.td - Reductions -----------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DHLO_REDUCTION_OPS
#define DYN_DHLO_REDUCTION_OPS

include "dyn/Dialect/DHLO/IR/DHLOOpBase.td"

def DHLO_ReduceOp : DHLO_Op<"reduce", [DeclareOpInterfaceMethods<DHLO_InfersSizes>, DeclareOpInterfaceMethods<DHLO_MapsIndices>, Pure, DHLO_Reduction]> {
  let summary = "reduce the elements along axes";
  let description = [{
    Reduces all elements along `axes`, which the result lacks, in row-major
    order; compiled code may associate them otherwise, by a rule that only
    depends on the sizes. Reductions `sum` and `prod` of f16 and bf16 are
    computed in f32 and rounded once. An empty reduction gives the neutral
    element: 0, 1, the minimum or maximum value (of floats an infinity), true or
    false. A NaN is the result of every maximum and minimum, which of +0 and -0
    is either one, here and in the other operations with these kinds.

    ```mlir
    %y = dhlo.reduce sum %x axes = [2] : (tensor<?x?x384xf32, #dhlo.dims<B, S>>) -> tensor<?x?xf32, #dhlo.dims<B, S>>
    ```

    **Constraints**
    - (C1) Axes are strictly ascending and in [0, rank).
    - (C2) The result has the operand's sizes without those axes.
    - (C3) Element types are equal; `and` and `or` take `i1`, others numbers.
  }];
  let arguments = (ins DHLO_ReduceKindAttr:$kind, DHLO_Tensor:$operand,
                       DenseI64ArrayAttr:$axes);
  let results = (outs DHLO_Tensor:$result);
  let assemblyFormat = [{
    `` $kind $operand `axes` `=` $axes attr-dict `:` functional-type(operands, results)
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def DHLO_ArgReduceOp : DHLO_Op<"arg_reduce", [DeclareOpInterfaceMethods<DHLO_InfersSizes>, DeclareOpInterfaceMethods<DHLO_MapsIndices>, Pure, DHLO_Reduction]> {
  let summary = "index of the maximum or minimum";
  let description = [{
    The index along `axis` of the extreme element: the first one, or the last
    one if `last`. NaN counts as extreme. An empty axis is a data error,
    whatever the other sizes, and gives 0.

    ```mlir
    %i = dhlo.arg_reduce max %x axis = 1 : (tensor<4x8xf32>) -> tensor<4xi64>
    ```

    **Constraints**
    - (C1) 0 <= axis < rank.
    - (C2) The result has the operand's sizes without that axis.
  }];
  let arguments = (ins DHLO_ArgKindAttr:$kind, DHLO_NumberTensor:$operand,
                       I64Attr:$axis, UnitAttr:$last);
  let results = (outs DHLO_IndexTensor:$result);
  let assemblyFormat = [{
    `` $kind $operand `axis` `=` $axis (`last` $last^)? attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def DHLO_ReduceWindowOp : DHLO_Op<"reduce_window", [DeclareOpInterfaceMethods<DHLO_InfersSizes>, DeclareOpInterfaceMethods<DHLO_MapsIndices>, DeclareOpInterfaceMethods<DHLO_PermutesAxes>, Pure, DHLO_Reduction]> {
  let summary = "reduce the elements of sliding windows";
  let description = [{
    Reduces windows of `window` elements per axis, `strides` apart, with
    elements `dilations` apart inside, over the operand padded by `low` and
    `high` neutral elements. Pooling in any layout: axes that are not pooled
    have window 1. An average is a sum and a division, by a number or by a
    window sum of ones.

    ```mlir
    %y = dhlo.reduce_window max %x window = [1, 1, 3, 3] strides = [1, 1, 2, 2]
        dilations = [1, 1, 1, 1] low = [0, 0, 1, 1] high = [0, 0, 1, 1]
        : (tensor<?x64x112x112xf32, #dhlo.dims<N>>) -> tensor<?x64x56x56xf32, #dhlo.dims<N>>
    ```

    **Constraints**
    - (C1) There are rank values in each list; windows, strides and dilations
      are at least 1.
    - (C2) The result's size is
      (low + size + high - dilation * (window - 1) - 1) floordiv stride + 1,
      where known.
    - (C3) Ranks and element types are equal.
    - (C4) The kind is sum, prod, max or min.
  }];
  let arguments = (ins DHLO_ReduceKindAttr:$kind, DHLO_NumberTensor:$operand,
                       DenseI64ArrayAttr:$window, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$dilations,
                       DHLO_DimExprArray:$low, DHLO_DimExprArray:$high);
  let results = (outs DHLO_NumberTensor:$result);
  let assemblyFormat = [{
    `` $kind $operand `window` `=` $window `strides` `=` $strides
    `dilations` `=` $dilations `low` `=` custom<DimExprs>($low)
    `high` `=` custom<DimExprs>($high) attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def DHLO_CumulativeOp : DHLO_Op<"cumulative", [DeclareOpInterfaceMethods<DHLO_MapsIndices>, Pure, SameOperandsAndResultType, DHLO_AlongSegments]> {
  let summary = "cumulative sum, product, maximum or minimum";
  let description = [{
    Each element reduces those before it along the axis, itself included unless
    `exclusive`, from the end if `reverse`. For f16 and bf16 the running value
    is f32; each result is rounded once.

    ```mlir
    %y = dhlo.cumulative sum %x axis = 0 : tensor<?xf32, #dhlo.dims<N>>
    ```

    **Constraints**
    - (C1) 0 <= axis < rank.
    - (C2) The kind is sum, prod, max or min.
  }];
  let arguments = (ins DHLO_ReduceKindAttr:$kind, DHLO_NumberTensor:$operand,
                       I64Attr:$axis, UnitAttr:$exclusive, UnitAttr:$reverse);
  let results = (outs DHLO_NumberTensor:$result);
  let assemblyFormat = [{
    `` $kind $operand `axis` `=` $axis (`exclusive` $exclusive^)?
    (`reverse` $reverse^)? attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def DHLO_SegmentReduceOp : DHLO_Op<"segment_reduce", [DeclareOpInterfaceMethods<DHLO_InfersSizes>, DeclareOpInterfaceMethods<DHLO_MapsIndices>, NoMemoryEffect, DHLO_MayFail, DHLO_Reduction]> {
  let summary = "reduce the rows of a ragged axis";
  let description = [{
    Ragged data is an offsets vector over the rows of a dense tensor: segment s
    holds rows offsets[s] to offsets[s + 1] - 1. Each result row reduces the
    rows of a segment; an empty segment gives the neutral element. Offsets that
    descend or are outside of [0, rows] are a data error and are clamped.

    ```mlir
    %y = dhlo.segment_reduce sum %rows, %offsets
        : (tensor<?x32xf32, #dhlo.dims<R>>, tensor<?xi64, #dhlo.dims<O>>) -> tensor<?x32xf32, #dhlo.dims<B>>
    ```

    **Constraints**
    - (C1) Operand and result have rank at least 1 and equal sizes except the
      first.
    - (C2) Offsets have rank 1 and one more element than the result has rows,
      where known.
    - (C3) Element types are equal.
    - (C4) The kind is sum, prod, max or min.
  }];
  let arguments = (ins DHLO_ReduceKindAttr:$kind, DHLO_NumberTensor:$operand,
                       DHLO_IndexTensor:$offsets);
  let results = (outs DHLO_NumberTensor:$result);
  let assemblyFormat = [{
    `` $kind $operand `,` $offsets attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // DYN_DHLO_REDUCTION_OPS
