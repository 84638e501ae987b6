//===- DHLOUnaryOps.td - Elementwise functions of one operand -------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DHLO_UNARY_OPS
#define DYN_DHLO_UNARY_OPS

include "dyn/Dialect/DHLO/IR/DHLOOpBase.td"

class DHLO_UnaryOp<string mnemonic, Type type, list<Trait> traits = [Pure]>
    : DHLO_Op<mnemonic, traits # [SameOperandsAndResultType, DHLO_Elementwise]> {
  let arguments = (ins type:$operand);
  let results = (outs type:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}

def DHLO_AbsOp : DHLO_UnaryOp<"abs", DHLO_NumberTensor> {
  let summary = "absolute value";
  let description = [{
    The absolute value. The minimum signed integer is its own absolute value.

    ```mlir
    %y = dhlo.abs %x : tensor<4xf32>
    ```
  }];
  let hasFolder = 1;
}

def DHLO_NegOp : DHLO_UnaryOp<"neg", DHLO_NumberTensor> {
  let summary = "negation";
  let description = [{
    The negated value; integers wrap.

    ```mlir
    %y = dhlo.neg %x : tensor<4xf32>
    ```
  }];
  let hasFolder = 1;
}

def DHLO_SignOp : DHLO_UnaryOp<"sign", DHLO_NumberTensor> {
  let summary = "sign";
  let description = [{
    -1, 0 or 1 by the sign of each element; NaN stays NaN, -0.0 stays -0.0.

    ```mlir
    %y = dhlo.sign %x : tensor<4xf32>
    ```
  }];
}

def DHLO_ExpOp : DHLO_UnaryOp<"exp", DHLO_FloatTensor, [Pure, DHLO_Expensive, DHLO_Transcendental]> {
  let summary = "exponential";
  let description = [{
    e to the power of each element.

    ```mlir
    %y = dhlo.exp %x : tensor<4xf32>
    ```
  }];
}

def DHLO_Expm1Op : DHLO_UnaryOp<"expm1", DHLO_FloatTensor, [Pure, DHLO_Expensive]> {
  let summary = "exponential minus one";
  let description = [{
    e^x - 1, accurate near zero.

    ```mlir
    %y = dhlo.expm1 %x : tensor<4xf32>
    ```
  }];
}

def DHLO_LogOp : DHLO_UnaryOp<"log", DHLO_FloatTensor, [Pure, DHLO_Expensive, DHLO_Transcendental]> {
  let summary = "natural logarithm";
  let description = [{
    The natural logarithm; NaN for negative elements, -inf for zero.

    ```mlir
    %y = dhlo.log %x : tensor<4xf32>
    ```
  }];
}

def DHLO_Log1pOp : DHLO_UnaryOp<"log1p", DHLO_FloatTensor, [Pure, DHLO_Expensive]> {
  let summary = "logarithm of one plus x";
  let description = [{
    log(1 + x), accurate near zero.

    ```mlir
    %y = dhlo.log1p %x : tensor<4xf32>
    ```
  }];
}

def DHLO_SqrtOp : DHLO_UnaryOp<"sqrt", DHLO_FloatTensor, [Pure, DHLO_Expensive]> {
  let summary = "square root";
  let description = [{
    The square root, correctly rounded; NaN for negative elements.

    ```mlir
    %y = dhlo.sqrt %x : tensor<4xf32>
    ```
  }];
}

def DHLO_RsqrtOp : DHLO_UnaryOp<"rsqrt", DHLO_FloatTensor, [Pure, DHLO_Expensive]> {
  let summary = "reciprocal square root";
  let description = [{
    1 / sqrt(x), computed as a square root and a division.

    ```mlir
    %y = dhlo.rsqrt %x : tensor<4xf32>
    ```
  }];
}

def DHLO_ReciprocalOp : DHLO_UnaryOp<"reciprocal", DHLO_FloatTensor> {
  let summary = "reciprocal";
  let description = [{
    1 / x, correctly rounded.

    ```mlir
    %y = dhlo.reciprocal %x : tensor<4xf32>
    ```
  }];
  let hasFolder = 1;
}

def DHLO_TanhOp : DHLO_UnaryOp<"tanh", DHLO_FloatTensor, [Pure, DHLO_Expensive, DHLO_Transcendental]> {
  let summary = "hyperbolic tangent";
  let description = [{
    The hyperbolic tangent.

    ```mlir
    %y = dhlo.tanh %x : tensor<4xf32>
    ```
  }];
}

def DHLO_ErfOp : DHLO_UnaryOp<"erf", DHLO_FloatTensor, [Pure, DHLO_Expensive, DHLO_Transcendental]> {
  let summary = "error function";
  let description = [{
    The error function.

    ```mlir
    %y = dhlo.erf %x : tensor<4xf32>
    ```
  }];
}

def DHLO_LogisticOp : DHLO_UnaryOp<"logistic", DHLO_FloatTensor, [Pure, DHLO_Expensive, DHLO_Transcendental]> {
  let summary = "logistic function";
  let description = [{
    1 / (1 + exp(-x)), without overflow.

    ```mlir
    %y = dhlo.logistic %x : tensor<4xf32>
    ```
  }];
}

def DHLO_SinOp : DHLO_UnaryOp<"sin", DHLO_FloatTensor, [Pure, DHLO_Expensive, DHLO_Transcendental]> {
  let summary = "sine";
  let description = [{
    The sine of each element in radians.

    ```mlir
    %y = dhlo.sin %x : tensor<4xf32>
    ```
  }];
}

def DHLO_CosOp : DHLO_UnaryOp<"cos", DHLO_FloatTensor, [Pure, DHLO_Expensive, DHLO_Transcendental]> {
  let summary = "cosine";
  let description = [{
    The cosine of each element in radians.

    ```mlir
    %y = dhlo.cos %x : tensor<4xf32>
    ```
  }];
}

def DHLO_TanOp : DHLO_UnaryOp<"tan", DHLO_FloatTensor, [Pure, DHLO_Expensive]> {
  let summary = "tangent";
  let description = [{
    The tangent of each element in radians.

    ```mlir
    %y = dhlo.tan %x : tensor<4xf32>
    ```
  }];
}

def DHLO_AsinOp : DHLO_UnaryOp<"asin", DHLO_FloatTensor, [Pure, DHLO_Expensive]> {
  let summary = "inverse sine";
  let description = [{
    The inverse sine; NaN outside [-1, 1].

    ```mlir
    %y = dhlo.asin %x : tensor<4xf32>
    ```
  }];
}

def DHLO_AcosOp : DHLO_UnaryOp<"acos", DHLO_FloatTensor, [Pure, DHLO_Expensive]> {
  let summary = "inverse cosine";
  let description = [{
    The inverse cosine; NaN outside [-1, 1].

    ```mlir
    %y = dhlo.acos %x : tensor<4xf32>
    ```
  }];
}

def DHLO_AtanOp : DHLO_UnaryOp<"atan", DHLO_FloatTensor, [Pure, DHLO_Expensive]> {
  let summary = "inverse tangent";
  let description = [{
    The inverse tangent.

    ```mlir
    %y = dhlo.atan %x : tensor<4xf32>
    ```
  }];
}

def DHLO_SinhOp : DHLO_UnaryOp<"sinh", DHLO_FloatTensor, [Pure, DHLO_Expensive]> {
  let summary = "hyperbolic sine";
  let description = [{
    The hyperbolic sine.

    ```mlir
    %y = dhlo.sinh %x : tensor<4xf32>
    ```
  }];
}

def DHLO_CoshOp : DHLO_UnaryOp<"cosh", DHLO_FloatTensor, [Pure, DHLO_Expensive]> {
  let summary = "hyperbolic cosine";
  let description = [{
    The hyperbolic cosine.

    ```mlir
    %y = dhlo.cosh %x : tensor<4xf32>
    ```
  }];
}

def DHLO_AsinhOp : DHLO_UnaryOp<"asinh", DHLO_FloatTensor, [Pure, DHLO_Expensive]> {
  let summary = "inverse hyperbolic sine";
  let description = [{
    The inverse hyperbolic sine.

    ```mlir
    %y = dhlo.asinh %x : tensor<4xf32>
    ```
  }];
}

def DHLO_AcoshOp : DHLO_UnaryOp<"acosh", DHLO_FloatTensor, [Pure, DHLO_Expensive]> {
  let summary = "inverse hyperbolic cosine";
  let description = [{
    The inverse hyperbolic cosine; NaN below 1.

    ```mlir
    %y = dhlo.acosh %x : tensor<4xf32>
    ```
  }];
}

def DHLO_AtanhOp : DHLO_UnaryOp<"atanh", DHLO_FloatTensor, [Pure, DHLO_Expensive]> {
  let summary = "inverse hyperbolic tangent";
  let description = [{
    The inverse hyperbolic tangent; NaN outside [-1, 1].

    ```mlir
    %y = dhlo.atanh %x : tensor<4xf32>
    ```
  }];
}

def DHLO_FloorOp : DHLO_UnaryOp<"floor", DHLO_FloatTensor, [Pure, DHLO_Rounding]> {
  let summary = "round down";
  let description = [{
    The largest integer not above each element.

    ```mlir
    %y = dhlo.floor %x : tensor<4xf32>
    ```
  }];
  let hasFolder = 1;
}

def DHLO_CeilOp : DHLO_UnaryOp<"ceil", DHLO_FloatTensor, [Pure, DHLO_Rounding]> {
  let summary = "round up";
  let description = [{
    The smallest integer not below each element.

    ```mlir
    %y = dhlo.ceil %x : tensor<4xf32>
    ```
  }];
  let hasFolder = 1;
}

def DHLO_RoundOp : DHLO_UnaryOp<"round", DHLO_FloatTensor, [Pure, DHLO_Rounding]> {
  let summary = "round to nearest, ties to even";
  let description = [{
    The nearest integer; ties go to the even one.

    ```mlir
    %y = dhlo.round %x : tensor<4xf32>
    ```
  }];
  let hasFolder = 1;
}

def DHLO_NotOp : DHLO_UnaryOp<"not", DHLO_IntOrBoolTensor> {
  let summary = "bitwise complement";
  let description = [{
    The complement of each bit; the negation of booleans.

    ```mlir
    %y = dhlo.not %x : tensor<4xi1>
    ```
  }];
  let hasFolder = 1;
}

def DHLO_ConvertOp : DHLO_Op<"convert", [NoMemoryEffect, DHLO_Elementwise, DHLO_MayFail]> {
  let summary = "conversion of the element type";
  let description = [{
    Converts element by element. Floats to narrower floats round to nearest
    even, once; integers become f16 and bf16 by way of f32. Floats to integers
    truncate; a value out of range gives the nearest integer and NaN gives 0,
    and both are data errors, except that infinities are not: programs round the
    logarithm of 0 and discard it by a select. Integers to narrower integers
    wrap. A conversion to `i1` gives whether the value is not zero; `i1` counts
    as 0 or 1.

    ```mlir
    %y = dhlo.convert %x : (tensor<4xf32>) -> tensor<4xi32>
    ```

    **Constraints**
    - (C1) Operand and result have the same sizes.
  }];
  let arguments = (ins DHLO_Tensor:$operand);
  let results = (outs DHLO_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

#endif // DYN_DHLO_UNARY_OPS
