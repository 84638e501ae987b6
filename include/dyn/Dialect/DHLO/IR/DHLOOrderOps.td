//===- DHLOOrderOps.td - Sorting and finding ------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DHLO_ORDER_OPS
#define DYN_DHLO_ORDER_OPS

include "dyn/Dialect/DHLO/IR/DHLOOpBase.td"

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

def DHLO_SuppressOp : DHLO_Op<"suppress", [DeclareOpInterfaceMethods<DHLO_InfersSizes>, Pure]> {
  let summary = "non-maximum suppression of sorted boxes";
  let description = [{
    Decides for each box of a list, the best one first, whether it is kept: a
    candidate is, unless it overlaps a box that was kept before it, or `most`
    boxes of its list were. A box is two lower and two upper bounds, in this
    order along the last axis, and all other axes but the one before it count
    lists. Two boxes overlap if their intersection and both areas are greater
    than zero, and the intersection is more than `threshold` of the union.

    ```mlir
    %kept = dhlo.suppress %boxes, %candidates, %threshold, %most
        : (tensor<3x9x4xf32>, tensor<3x9xi1>, tensor<f32>, tensor<i64>) -> tensor<3x9xi1>
    ```

    **Constraints**
    - (C1) `boxes` has a rank of at least 2, and 4 elements along its last axis.
    - (C2) `candidates` has the sizes of `boxes` without its last axis, and so
      has the result.
    - (C3) The threshold has the element type of the boxes.
  }];
  let arguments = (ins DHLO_WideFloatTensor:$boxes, DHLO_BoolTensor:$candidates,
                       0DTensorOf<[F32, F64]>:$threshold, 0DTensorOf<[I64]>:$most);
  let results = (outs DHLO_BoolTensor:$result);
  let assemblyFormat = [{
    $boxes `,` $candidates `,` $threshold `,` $most attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // DYN_DHLO_ORDER_OPS
