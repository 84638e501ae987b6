//===- DHLODataOps.td - Movement of data ----------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DHLO_DATA_OPS
#define DYN_DHLO_DATA_OPS

include "dyn/Dialect/DHLO/IR/DHLOOpBase.td"

def DHLO_IotaOp : DHLO_Op<"iota", [Pure, DHLO_Generated]> {
  let summary = "indices along an axis";
  let description = [{
    Each element is `start + step * index` of its index along `axis`, where
    start and step are size expressions.

    ```mlir
    %i = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xi64, #dhlo.dims<S>>
    ```

    **Constraints**
    - (C1) 0 <= axis < rank.
    - (C2) There is one start and one step.
  }];
  let arguments = (ins I64Attr:$axis, DHLO_DimExprArray:$start,
                       DHLO_DimExprArray:$step);
  let results = (outs DHLO_NumberTensor:$result);
  let assemblyFormat = [{
    `axis` `=` $axis `start` `=` custom<DimExprs>($start)
    `step` `=` custom<DimExprs>($step) attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def DHLO_RngOp : DHLO_Op<"rng", [Pure]> {
  let summary = "random numbers from a counter";
  let description = [{
    Philox4x32-10 numbers. Element i of the operation with stream number
    `stream` only depends on the seed of the call (or `seed`, if given), the
    stream and i, so results are reproducible, with any number of threads.
    Uniform numbers are in [low, high), normal ones have mean `low` and
    deviation `high`.

    In detail: the key is the seed, its low word first; the counter of block b
    is the words of b, then those of the stream, low word first. A block gives
    words w0 to w3. With `unit(w) = (w >> 8) * 2^-24`:

    - Uniform, f32: element i uses word i mod 4 of block i floordiv 4 and is
      `fma(unit(w), high - low, low)`, all in f32, or `low` if that is not below
      `high`. f16 and bf16 numbers are the f32 ones, rounded.
    - Uniform, f64: element i uses words 2 (i mod 2), the low one, and the next
      one of block i floordiv 2, as a 64-bit integer u, with `(u >> 11) * 2^-53`
      for the unit and f64 for the rest.
    - Normal: elements 2 j and 2 j + 1 use words 2 (j mod 2) and the next one of
      block j floordiv 2, `r = sqrt(-2 log(unit(w) + 2^-24))` and `t = 2 pi
      unit(next)`; they are `fma(r cos(t), high, low)` and `fma(r sin(t), high,
      low)`, the last step in the type, f32 for f16 and bf16.

    ```mlir
    %r = dhlo.rng uniform low = 0.0 high = 1.0 stream = 3 : tensor<?xf32, #dhlo.dims<N>>
    ```
  }];
  let arguments = (ins DHLO_RngKindAttr:$kind, F64Attr:$low, F64Attr:$high,
                       I64Attr:$stream, OptionalAttr<I64Attr>:$seed);
  let results = (outs DHLO_FloatTensor:$result);
  let assemblyFormat = [{
    `` $kind `low` `=` $low `high` `=` $high `stream` `=` $stream
    (`seed` `=` $seed^)? attr-dict `:` type($result)
  }];
}

def DHLO_BroadcastOp : DHLO_Op<"broadcast", [DeclareOpInterfaceMethods<DHLO_InfersSizes>, DeclareOpInterfaceMethods<DHLO_MapsIndices>, Pure, DHLO_Movement, DHLO_MovesOneOperand]> {
  let summary = "repeat along axes";
  let description = [{
    Axis i of the operand becomes axis `axes[i]` of the result. If the operand's
    size is 1 it is repeated; other axes of the result repeat the full operand.
    Whether a symbolic size is 1 may only be known at run time.

    ```mlir
    %y = dhlo.broadcast %b axes = [1] : (tensor<384xf32>) -> tensor<?x384xf32, #dhlo.dims<N>>
    ```

    **Constraints**
    - (C1) There is one axis for each operand axis, strictly ascending, in
      [0, rank of result).
    - (C2) A static size of the operand is 1 or that of the result's axis.
    - (C3) Element types are equal.
  }];
  let arguments = (ins DHLO_Tensor:$operand, DenseI64ArrayAttr:$axes);
  let results = (outs DHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `axes` `=` $axes attr-dict `:` functional-type(operands, results)
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def DHLO_ReshapeOp : DHLO_Op<"reshape", [Pure, DHLO_Movement, DHLO_MovesOneOperand]> {
  let summary = "the same elements with other sizes";
  let description = [{
    The same elements in row-major order with other sizes.

    ```mlir
    %y = dhlo.reshape %x : (tensor<?x12x64xf32, #dhlo.dims<N>>) -> tensor<?x768xf32, #dhlo.dims<N>>
    ```

    **Constraints**
    - (C1) Both have the same number of elements.
    - (C2) Element types are equal.
  }];
  let arguments = (ins DHLO_Tensor:$operand);
  let results = (outs DHLO_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def DHLO_TransposeOp : DHLO_Op<"transpose", [DeclareOpInterfaceMethods<DHLO_InfersSizes>, DeclareOpInterfaceMethods<DHLO_MapsIndices>, Pure, DHLO_Movement, DHLO_MovesOneOperand]> {
  let summary = "permute the axes";
  let description = [{
    Axis i of the result is axis `permutation[i]` of the operand.

    ```mlir
    %y = dhlo.transpose %x permutation = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
    ```

    **Constraints**
    - (C1) `permutation` is a permutation of the operand's axes.
    - (C2) Size i of the result is size `permutation[i]` of the operand.
    - (C3) Element types are equal.
  }];
  let arguments = (ins DHLO_Tensor:$operand, DenseI64ArrayAttr:$permutation);
  let results = (outs DHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `permutation` `=` $permutation attr-dict `:` functional-type(operands, results)
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def DHLO_SliceOp : DHLO_Op<"slice", [DeclareOpInterfaceMethods<DHLO_MapsIndices>, DeclareOpInterfaceMethods<DHLO_PermutesAxes>, Pure, DHLO_Movement, DHLO_MovesOneOperand]> {
  let summary = "part of a tensor";
  let description = [{
    Element i along an axis is element `start + i * stride` of the operand.
    Starts are size expressions; a stride may be negative. The number of
    elements is given by the result type.

    ```mlir
    %y = dhlo.slice %x starts = [0, @S - 1] strides = [1, 1]
        : (tensor<?x?xf32, #dhlo.dims<B, S>>) -> tensor<?x1xf32, #dhlo.dims<B>>
    ```

    **Constraints**
    - (C1) There is one start and one stride for each axis.
    - (C2) No stride is 0.
    - (C3) Every element read is in the operand, where sizes are known.
    - (C4) Element types and ranks are equal.
  }];
  let arguments = (ins DHLO_Tensor:$operand, DHLO_DimExprArray:$starts,
                       DenseI64ArrayAttr:$strides);
  let results = (outs DHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `starts` `=` custom<DimExprs>($starts) `strides` `=` $strides
    attr-dict `:` functional-type(operands, results)
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def DHLO_PadOp : DHLO_Op<"pad", [DeclareOpInterfaceMethods<DHLO_InfersSizes>, DeclareOpInterfaceMethods<DHLO_MapsIndices>, DeclareOpInterfaceMethods<DHLO_PermutesAxes>, Pure, DHLO_Movement]> {
  let summary = "add elements around a tensor";
  let description = [{
    Adds `low` elements before and `high` elements after the operand along each
    axis; a negative width removes elements. The new elements are `value`
    (constant), mirrored without the edge (reflect), the nearest element (edge)
    or periodic (wrap).

    ```mlir
    %y = dhlo.pad %x, %zero constant low = [1] high = [@P]
        : (tensor<?xf32, #dhlo.dims<N>>, tensor<f32>) -> tensor<?xf32, #dhlo.dims<M>>
    ```

    **Constraints**
    - (C1) There is one low and one high width for each axis.
    - (C2) The size of the result is low + size + high, where sizes are known.
    - (C3) Element types and ranks are equal.
  }];
  let arguments = (ins DHLO_Tensor:$operand, 0DTensorOf<[AnyType]>:$value,
                       DHLO_PadModeAttr:$mode, DHLO_DimExprArray:$low,
                       DHLO_DimExprArray:$high);
  let results = (outs DHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` $value $mode `low` `=` custom<DimExprs>($low)
    `high` `=` custom<DimExprs>($high) attr-dict `:` functional-type(operands, results)
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def DHLO_ConcatOp : DHLO_Op<"concat", [DeclareOpInterfaceMethods<DHLO_InfersSizes>, DeclareOpInterfaceMethods<DHLO_MapsIndices>, DeclareOpInterfaceMethods<DHLO_PermutesAxes>, Pure, DHLO_Movement]> {
  let summary = "join tensors along an axis";
  let description = [{
    ```mlir
    %y = dhlo.concat %a, %b axis = 1
        : (tensor<?x8xf32, #dhlo.dims<N>>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x12xf32, #dhlo.dims<N>>
    ```

    **Constraints**
    - (C1) There is at least one operand, and 0 <= axis < rank.
    - (C2) Ranks and element types are equal.
    - (C3) Sizes off the axis are equal; the result's size along the axis is
      the sum of the operands', where known.
  }];
  let arguments = (ins Variadic<DHLO_Tensor>:$operands, I64Attr:$axis);
  let results = (outs DHLO_Tensor:$result);
  let assemblyFormat = [{
    $operands `axis` `=` $axis attr-dict `:` functional-type(operands, results)
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def DHLO_ReverseOp : DHLO_Op<"reverse", [DeclareOpInterfaceMethods<DHLO_MapsIndices>, Pure, SameOperandsAndResultType, DHLO_Movement, DHLO_MovesOneOperand]> {
  let summary = "reverse the order along axes";
  let description = [{
    ```mlir
    %y = dhlo.reverse %x axes = [0] : tensor<?x4xf32, #dhlo.dims<N>>
    ```

    **Constraints**
    - (C1) Axes are distinct and in [0, rank).
  }];
  let arguments = (ins DHLO_Tensor:$operand, DenseI64ArrayAttr:$axes);
  let results = (outs DHLO_Tensor:$result);
  let assemblyFormat = "$operand `axes` `=` $axes attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def DHLO_GatherOp : DHLO_Op<"gather", [DeclareOpInterfaceMethods<DHLO_InfersSizes>, DeclareOpInterfaceMethods<DHLO_MapsIndices>, NoMemoryEffect, DHLO_MayFail, DHLO_Gathers]> {
  let summary = "slices of a tensor chosen by indices";
  let description = [{
    Replaces axis `axis` of the operand by the axes of `indices`: `result[i...,
    j..., k...] = operand[i..., indices[j...], k...]`. The first `batch` axes of
    operand and indices are batch axes, with `batch <= axis`. A negative index
    counts from the end; one out of range is a data error and reads the nearest
    element (0 for an empty axis).

    ```mlir
    %e = dhlo.gather %table, %ids axis = 0 batch = 0
        : (tensor<30522x384xf32>, tensor<?x?xi64, #dhlo.dims<B, S>>) -> tensor<?x?x384xf32, #dhlo.dims<B, S>>
    ```

    **Constraints**
    - (C1) 0 <= batch <= axis < rank of operand, and batch <= rank of indices.
    - (C2) The result's sizes are those of the operand before the axis, of the
      indices after their batch axes, and of the operand after the axis.
    - (C3) Element types of operand and result are equal.
  }];
  let arguments = (ins DHLO_Tensor:$operand, DHLO_IndexTensor:$indices,
                       I64Attr:$axis, I64Attr:$batch);
  let results = (outs DHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` $indices `axis` `=` $axis `batch` `=` $batch attr-dict `:`
    functional-type(operands, results)
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def DHLO_GatherElementsOp : DHLO_Op<"gather_elements", [DeclareOpInterfaceMethods<DHLO_InfersSizes>, DeclareOpInterfaceMethods<DHLO_MapsIndices>, NoMemoryEffect, DHLO_MayFail, DHLO_Gathers]> {
  let summary = "elements of a tensor chosen by indices";
  let description = [{
    `result[i, j, k] = operand[i, indices[i, j, k], k]` for axis 1. Indices as
    in `dhlo.gather`.

    ```mlir
    %y = dhlo.gather_elements %x, %i axis = 1 : (tensor<4x8xf32>, tensor<4x2xi64>) -> tensor<4x2xf32>
    ```

    **Constraints**
    - (C1) 0 <= axis < rank; ranks are equal.
    - (C2) The result has the sizes of the indices and the operand's element type.
  }];
  let arguments = (ins DHLO_Tensor:$operand, DHLO_IndexTensor:$indices, I64Attr:$axis);
  let results = (outs DHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` $indices `axis` `=` $axis attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def DHLO_GatherNdOp : DHLO_Op<"gather_nd", [DeclareOpInterfaceMethods<DHLO_InfersSizes>, DeclareOpInterfaceMethods<DHLO_MapsIndices>, NoMemoryEffect, DHLO_MayFail, DHLO_Gathers]> {
  let summary = "slices of a tensor chosen by index vectors";
  let description = [{
    The last axis of `indices` holds vectors that index the operand's axes from
    `batch` on; the first `batch` axes are batch axes. Indices as in
    `dhlo.gather`.

    ```mlir
    %y = dhlo.gather_nd %x, %i batch = 0 : (tensor<4x8x2xf32>, tensor<5x2xi64>) -> tensor<5x2xf32>
    ```

    **Constraints**
    - (C1) The last size n of indices is static, and batch + n <= rank of operand.
    - (C2) The result's sizes are those of indices except the last one, then
      those of the operand from batch + n on; its element type is the operand's.
  }];
  let arguments = (ins DHLO_Tensor:$operand, DHLO_IndexTensor:$indices, I64Attr:$batch);
  let results = (outs DHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` $indices `batch` `=` $batch attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def DHLO_ScatterNdOp : DHLO_Op<"scatter_nd", [DeclareOpInterfaceMethods<DHLO_InfersSizes>, DeclareOpInterfaceMethods<DHLO_MapsIndices>, NoMemoryEffect, DHLO_MayFail]> {
  let summary = "write slices at index vectors";
  let description = [{
    A copy of the operand in which the slice at each index vector is combined
    with an update, in order of the vectors. A negative index counts from the
    end; a vector out of range is a data error and its update is dropped.

    ```mlir
    %y = dhlo.scatter_nd %x, %i, %u replace
        : (tensor<4x8xf32>, tensor<5x1xi64>, tensor<5x8xf32>) -> tensor<4x8xf32>
    ```

    **Constraints**
    - (C1) The last size n of indices is static, and n <= rank of operand.
    - (C2) The updates' sizes are those of indices except the last one, then
      those of the operand from n on.
    - (C3) Operand and result types are equal, as are element types.
  }];
  let arguments = (ins DHLO_Tensor:$operand, DHLO_IndexTensor:$indices,
                       DHLO_Tensor:$updates, DHLO_ScatterKindAttr:$kind);
  let results = (outs DHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` $indices `,` $updates $kind attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def DHLO_ScatterElementsOp : DHLO_Op<"scatter_elements", [DeclareOpInterfaceMethods<DHLO_InfersSizes>, DeclareOpInterfaceMethods<DHLO_MapsIndices>, NoMemoryEffect, DHLO_MayFail]> {
  let summary = "write elements at indices";
  let description = [{
    A copy of the operand with `result[i, indices[i, j, k], k]` combined with
    `updates[i, j, k]` for axis 1, in row-major order of the updates. A negative
    index counts from the end; one out of range is a data error and its update
    is dropped.

    ```mlir
    %y = dhlo.scatter_elements %x, %i, %u add axis = 1
        : (tensor<4x8xf32>, tensor<4x2xi64>, tensor<4x2xf32>) -> tensor<4x8xf32>
    ```

    **Constraints**
    - (C1) 0 <= axis < rank; all ranks are equal.
    - (C2) Indices and updates have the same sizes.
    - (C3) Operand and result types are equal, as are element types.
  }];
  let arguments = (ins DHLO_Tensor:$operand, DHLO_IndexTensor:$indices,
                       DHLO_Tensor:$updates, DHLO_ScatterKindAttr:$kind, I64Attr:$axis);
  let results = (outs DHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` $indices `,` $updates $kind `axis` `=` $axis attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def DHLO_NonzeroOp : DHLO_Op<"nonzero", [DeclareOpInterfaceMethods<DHLO_BindsDims>,
    MemoryEffects<[MemWrite]>]> {
  let summary = "indices of the elements that are not zero";
  let description = [{
    The index vectors of the nonzero elements, in row-major order, as rows.
    Their number is data-dependent and bound to the symbol `count`.

    ```mlir
    dhlo.dim @K in [0, ?]
    %i = dhlo.nonzero %x binds @K : (tensor<4x8xf32>) -> tensor<?x2xi64, #dhlo.dims<K>>
    ```

    **Constraints**
    - (C1) The result is `tensor<?xRxi64, #dhlo.dims<count>>` with R the
      operand's rank.
  }];
  let arguments = (ins DHLO_Tensor:$operand, FlatSymbolRefAttr:$count);
  let results = (outs DHLO_TensorOf<[I64]>:$result);
  let assemblyFormat = [{
    $operand `binds` $count attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def DHLO_SortOp : DHLO_Op<"sort", [DeclareOpInterfaceMethods<DHLO_InfersSizes>, DeclareOpInterfaceMethods<DHLO_MapsIndices>, Pure, AllTypesMatch<["operand", "values"]>, DHLO_AlongSegments]> {
  let summary = "sort along an axis";
  let description = [{
    Sorts stably; returns the values and their indices in the operand. NaN is
    greater than every number.

    ```mlir
    %v, %i = dhlo.sort %x axis = 1 : tensor<4x8xf32>, tensor<4x8xi64>
    ```

    **Constraints**
    - (C1) 0 <= axis < rank.
    - (C2) All have the same sizes.
  }];
  let arguments = (ins DHLO_Tensor:$operand, I64Attr:$axis, UnitAttr:$descending);
  let results = (outs DHLO_Tensor:$values, DHLO_TensorOf<[I64]>:$indices);
  let assemblyFormat = [{
    $operand `axis` `=` $axis (`descending` $descending^)? attr-dict `:`
    type($values) `,` type($indices)
  }];
  let hasVerifier = 1;
}

def DHLO_TopKOp : DHLO_Op<"top_k", [DeclareOpInterfaceMethods<DHLO_InfersSizes>, DeclareOpInterfaceMethods<DHLO_MapsIndices>, Pure, DHLO_AlongSegments]> {
  let summary = "largest or smallest elements along an axis";
  let description = [{
    The k largest (or smallest) elements along an axis in order, equal ones by
    ascending index, with their indices. The result type determines k.

    ```mlir
    %v, %i = dhlo.top_k %x axis = 1 largest
        : (tensor<4x8xf32>) -> (tensor<4x2xf32>, tensor<4x2xi64>)
    ```

    **Constraints**
    - (C1) 0 <= axis < rank.
    - (C2) Both results have the operand's sizes except along the axis, where
      they agree.
    - (C3) The values have the operand's element type.
  }];
  let arguments = (ins DHLO_NumberTensor:$operand, I64Attr:$axis, UnitAttr:$largest);
  let results = (outs DHLO_NumberTensor:$values, DHLO_TensorOf<[I64]>:$indices);
  let assemblyFormat = [{
    $operand `axis` `=` $axis (`largest` $largest^)? attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def DHLO_GroupOp : DHLO_Op<"group", [DeclareOpInterfaceMethods<DHLO_InfersSizes>, NoMemoryEffect, DHLO_MayFail]> {
  let summary = "order choices by group";
  let description = [{
    A stable counting sort. `ids` holds k choices for each of its rows, each the
    index of a group, or -1 for none; choices are numbered in row-major order.
    Choices of group 0 come first, then those of group 1, and so on, each group
    in the order of numbers. With `capacity`, choices of a group above that
    number are dropped. An id out of range is a data error and no choice.

    - `offsets[g]`: the number of choices before those of group g; the last
      offset is the number of all choices.
    - `order[i]`: the number of the i-th choice; -1 past the last one.
    - `seats[r, j]`: the sorted positions of row r's choices, ascending; -1 for
      those dropped, at the end.

    ```mlir
    %offsets, %order, %seats = dhlo.group %ids capacity = <@C>
        : (tensor<?x2xi64, #dhlo.dims<N>>)
        -> (tensor<9xi64>, tensor<?xi64, #dhlo.dims<R>>, tensor<?x2xi64, #dhlo.dims<N>>)
    ```

    **Constraints**
    - (C1) `ids` has rank 2.
    - (C2) `offsets` has rank 1 and a static size of at least 1, one more than
      there are groups.
    - (C3) `order` has as many elements as `ids`, and `seats` its sizes.
  }];
  let arguments = (ins DHLO_IndexTensor:$ids, OptionalAttr<DHLO_DimExprAttr>:$capacity);
  let results = (outs DHLO_TensorOf<[I64]>:$offsets, DHLO_TensorOf<[I64]>:$order,
                      DHLO_TensorOf<[I64]>:$seats);
  let assemblyFormat = [{
    $ids (`capacity` `=` $capacity^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // DYN_DHLO_DATA_OPS
