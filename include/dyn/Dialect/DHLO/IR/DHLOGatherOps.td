//===- DHLOGatherOps.td - Gather and scatter ------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DHLO_GATHER_OPS
#define DYN_DHLO_GATHER_OPS

include "dyn/Dialect/DHLO/IR/DHLOOpBase.td"

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

#endif // DYN_DHLO_GATHER_OPS
