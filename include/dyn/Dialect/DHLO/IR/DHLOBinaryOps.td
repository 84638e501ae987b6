//===- DHLOBinaryOps.td - Elementwise functions of two operands -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DHLO_BINARY_OPS
#define DYN_DHLO_BINARY_OPS

include "dyn/Dialect/DHLO/IR/DHLOOpBase.td"

class DHLO_BinaryOp<string mnemonic, Type type, list<Trait> traits = [Pure]>
    : DHLO_Op<mnemonic, traits # [SameOperandsAndResultType, DHLO_Elementwise]> {
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs type:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
}

def DHLO_AddOp : DHLO_BinaryOp<"add", DHLO_NumberTensor, [Pure, Commutative, DHLO_Arithmetic]> {
  let summary = "addition";
  let description = [{
    The sum; integers wrap.

    ```mlir
    %z = dhlo.add %x, %y : tensor<4xf32>
    ```
  }];
  let hasFolder = 1;
}

def DHLO_SubOp : DHLO_BinaryOp<"sub", DHLO_NumberTensor, [Pure, DHLO_Arithmetic]> {
  let summary = "subtraction";
  let description = [{
    The difference; integers wrap.

    ```mlir
    %z = dhlo.sub %x, %y : tensor<4xf32>
    ```
  }];
  let hasFolder = 1;
}

def DHLO_MulOp : DHLO_BinaryOp<"mul", DHLO_NumberTensor, [Pure, Commutative, DHLO_Arithmetic]> {
  let summary = "multiplication";
  let description = [{
    The elementwise product; integers wrap.

    ```mlir
    %z = dhlo.mul %x, %y : tensor<4xf32>
    ```
  }];
  let hasFolder = 1;
}

def DHLO_DivOp : DHLO_BinaryOp<"div", DHLO_NumberTensor, [NoMemoryEffect, DHLO_MayFail, DHLO_Expensive, DHLO_Arithmetic]> {
  let summary = "division";
  let description = [{
    The quotient. Integers are rounded towards zero; an integer division by zero
    gives 0 and is a data error.

    ```mlir
    %z = dhlo.div %x, %y : tensor<4xf32>
    ```
  }];
  let hasFolder = 1;
}

def DHLO_RemOp : DHLO_BinaryOp<"rem", DHLO_NumberTensor, [NoMemoryEffect, DHLO_MayFail, DHLO_Expensive]> {
  let summary = "remainder of truncating division";
  let description = [{
    x - trunc(x / y) * y, with the sign of x. An integer division by zero gives 0
    and is a data error.

    ```mlir
    %z = dhlo.rem %x, %y : tensor<4xf32>
    ```
  }];
  let hasFolder = 1;
}

def DHLO_PowOp : DHLO_BinaryOp<"pow", DHLO_NumberTensor, [Pure, DHLO_Expensive, DHLO_Transcendental]> {
  let summary = "power";
  let description = [{
    x to the power of y. For integers, a negative exponent gives the rounded
    exact result (0, 1 or -1).

    ```mlir
    %z = dhlo.pow %x, %y : tensor<4xf32>
    ```
  }];
}

def DHLO_Atan2Op : DHLO_BinaryOp<"atan2", DHLO_FloatTensor, [Pure, DHLO_Expensive]> {
  let summary = "angle of a point";
  let description = [{
    The angle of (rhs, lhs) in (-pi, pi].

    ```mlir
    %z = dhlo.atan2 %x, %y : tensor<4xf32>
    ```
  }];
}

def DHLO_MaximumOp : DHLO_BinaryOp<"maximum", DHLO_NumberTensor, [Pure, Commutative]> {
  let summary = "maximum";
  let description = [{
    The maximum; NaN if either operand is NaN. Of +0 and -0 it is either one.

    ```mlir
    %z = dhlo.maximum %x, %y : tensor<4xf32>
    ```
  }];
  let hasFolder = 1;
}

def DHLO_MinimumOp : DHLO_BinaryOp<"minimum", DHLO_NumberTensor, [Pure, Commutative]> {
  let summary = "minimum";
  let description = [{
    The minimum; NaN if either operand is NaN. Of +0 and -0 it is either one.

    ```mlir
    %z = dhlo.minimum %x, %y : tensor<4xf32>
    ```
  }];
  let hasFolder = 1;
}

def DHLO_AndOp : DHLO_BinaryOp<"and", DHLO_IntOrBoolTensor, [Pure, Commutative]> {
  let summary = "bitwise and";
  let description = [{
    The conjunction of the bits.

    ```mlir
    %z = dhlo.and %x, %y : tensor<4xi1>
    ```
  }];
  let hasFolder = 1;
}

def DHLO_OrOp : DHLO_BinaryOp<"or", DHLO_IntOrBoolTensor, [Pure, Commutative]> {
  let summary = "bitwise or";
  let description = [{
    The disjunction of the bits.

    ```mlir
    %z = dhlo.or %x, %y : tensor<4xi1>
    ```
  }];
  let hasFolder = 1;
}

def DHLO_XorOp : DHLO_BinaryOp<"xor", DHLO_IntOrBoolTensor, [Pure, Commutative]> {
  let summary = "bitwise exclusive or";
  let description = [{
    The exclusive or of the bits.

    ```mlir
    %z = dhlo.xor %x, %y : tensor<4xi1>
    ```
  }];
  let hasFolder = 1;
}

def DHLO_ShiftLeftOp : DHLO_BinaryOp<"shift_left", DHLO_IntTensor, [NoMemoryEffect, DHLO_MayFail]> {
  let summary = "shift left";
  let description = [{
    x shifted left by y bits. An amount outside [0, width) gives 0 and is a data
    error.

    ```mlir
    %z = dhlo.shift_left %x, %y : tensor<4xi32>
    ```
  }];
  let hasFolder = 1;
}

def DHLO_ShiftRightOp : DHLO_BinaryOp<"shift_right", DHLO_IntTensor, [NoMemoryEffect, DHLO_MayFail]> {
  let summary = "shift right";
  let description = [{
    x shifted right by y bits, arithmetically if signed. An amount outside
    [0, width) gives 0 and is a data error.

    ```mlir
    %z = dhlo.shift_right %x, %y : tensor<4xi32>
    ```
  }];
  let hasFolder = 1;
}

#endif // DYN_DHLO_BINARY_OPS
