//===- DHLOPredicateOps.td - Booleans of elements, and selection ----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DHLO_PREDICATE_OPS
#define DYN_DHLO_PREDICATE_OPS

include "dyn/Dialect/DHLO/IR/DHLOOpBase.td"

class DHLO_PredicateOp<string mnemonic>
    : DHLO_Op<mnemonic, [Pure, DHLO_Elementwise]> {
  let arguments = (ins DHLO_FloatTensor:$operand);
  let results = (outs DHLO_BoolTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def DHLO_IsNanOp : DHLO_PredicateOp<"is_nan"> {
  let summary = "whether elements are NaN";
  let description = [{
    True where the element is not a number.

    ```mlir
    %y = dhlo.is_nan %x : (tensor<4xf32>) -> tensor<4xi1>
    ```

    **Constraints**
    - (C1) Operand and result have the same sizes.
  }];
}

def DHLO_IsInfOp : DHLO_PredicateOp<"is_inf"> {
  let summary = "whether elements are infinite";
  let description = [{
    True where the element is plus or minus infinity.

    ```mlir
    %y = dhlo.is_inf %x : (tensor<4xf32>) -> tensor<4xi1>
    ```

    **Constraints**
    - (C1) Operand and result have the same sizes.
  }];
}

def DHLO_CompareOp : DHLO_Op<"compare", [Pure, DHLO_Elementwise, SameTypeOperands]> {
  let summary = "comparison";
  let description = [{
    Compares element by element. NaN is unequal to everything, and every order
    comparison with it is false.

    ```mlir
    %p = dhlo.compare lt %x, %y : tensor<4xf32> -> tensor<4xi1>
    ```

    **Constraints**
    - (C1) Operands and result have the same sizes.
  }];
  let arguments = (ins DHLO_CompareDirectionAttr:$direction,
                       DHLO_Tensor:$lhs, DHLO_Tensor:$rhs);
  let results = (outs DHLO_BoolTensor:$result);
  let assemblyFormat = [{
    `` $direction $lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def DHLO_SelectOp : DHLO_Op<"select", [Pure, DHLO_Elementwise,
    AllTypesMatch<["onTrue", "onFalse", "result"]>]> {
  let summary = "selection by a boolean";
  let description = [{
    The element of `onTrue` where `predicate` is true, else that of `onFalse`.

    ```mlir
    %z = dhlo.select %p, %x, %y : tensor<4xi1>, tensor<4xf32>
    ```

    **Constraints**
    - (C1) All operands have the same sizes.
  }];
  let arguments = (ins DHLO_BoolTensor:$predicate, DHLO_Tensor:$onTrue,
                       DHLO_Tensor:$onFalse);
  let results = (outs DHLO_Tensor:$result);
  let assemblyFormat = [{
    $predicate `,` $onTrue `,` $onFalse attr-dict `:` type($predicate) `,` type($result)
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

#endif // DYN_DHLO_PREDICATE_OPS
