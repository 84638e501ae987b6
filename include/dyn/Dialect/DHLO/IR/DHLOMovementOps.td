//===- DHLOMovementOps.td - Movement of data ------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DHLO_MOVEMENT_OPS
#define DYN_DHLO_MOVEMENT_OPS

include "dyn/Dialect/DHLO/IR/DHLOOpBase.td"

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

#endif // DYN_DHLO_MOVEMENT_OPS
