//===- DHLOSizeOps.td - Symbols, constants and sizes ----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DHLO_SIZE_OPS
#define DYN_DHLO_SIZE_OPS

include "dyn/Dialect/DHLO/IR/DHLOOpBase.td"

def DHLO_DimOp : DHLO_Op<"dim", [Symbol]> {
  let summary = "declare a symbolic size and its facts";
  let description = [{
    Declares a size symbol. With a definition its value is that of the
    expression; without one it is bound at its first occurrence. `min` and `max`
    are inclusive; by default, a size is at least 0. `multiple_of` promises
    divisibility; `at_most` promises that the size is at most another one, an
    expression; `likely` lists values worth specialising for, and promises
    nothing.

    ```mlir
    dhlo.dim @B in [1, 64]
    dhlo.dim @S in [1, 512] multiple_of 8 likely [128, 384]
    dhlo.dim @N in [0, ?]
    dhlo.dim @T = @B * @S
    dhlo.dim @K in [0, ?] at_most @B * @S
    ```

    **Constraints**
    - (C1) min <= max, min >= 0 and multiple_of >= 1.
    - (C2) Symbols in the definition and in `at_most` are declared in the same
      symbol table, and no definition depends on itself.
    - (C3) Once definitions are put in, the definition and `at_most` have at
      most 4096 terms, 64 factors in a term, 512 levels of nesting, and 2^20
      constants and symbols.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       OptionalAttr<DHLO_DimExprAttr>:$definition,
                       OptionalAttr<I64Attr>:$min, OptionalAttr<I64Attr>:$max,
                       OptionalAttr<I64Attr>:$multiple_of,
                       OptionalAttr<DHLO_DimExprAttr>:$at_most,
                       OptionalAttr<DenseI64ArrayAttr>:$likely);
  let assemblyFormat = [{
    $sym_name custom<DimFacts>($definition, $min, $max, $multiple_of, $at_most,
    $likely) attr-dict
  }];
  let hasVerifier = 1;
}

def DHLO_BindOp : DHLO_Op<"bind", [DHLO_MayFail,
    DeclareOpInterfaceMethods<DHLO_BindsDims>,
    MemoryEffects<[MemWrite]>]> {
  let summary = "bind a symbol to the value of a scalar";
  let description = [{
    Binds a symbol to a data-dependent integer. A negative value, or one that
    contradicts the symbol's declaration, is a data error and is read as the
    nearest legal value.

    ```mlir
    dhlo.dim @K in [0, 100]
    dhlo.bind @K = %k : tensor<i64>
    ```

    **Constraints**
    - (C1) The symbol is declared and has no definition.
  }];
  let arguments = (ins FlatSymbolRefAttr:$symbol, 0DTensorOf<[I32, I64]>:$value);
  let assemblyFormat = "$symbol `=` $value attr-dict `:` type($value)";
}

def DHLO_ConstantOp : DHLO_Op<"constant", [Pure, ConstantLike, AllTypesMatch<["value", "result"]>, DHLO_Generated]> {
  let summary = "a small constant";
  let description = [{
    A tensor that is part of the program. Anything above a few hundred bytes is
    a `dhlo.weight`.

    ```mlir
    %c = dhlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs DHLO_Tensor:$result);
  let assemblyFormat = "attr-dict $value";
  let builders = [OpBuilder<(ins "::mlir::ElementsAttr":$value), [{
    build($_builder, $_state, value.getShapedType(), value);
  }]>];
  let hasFolder = 1;
}

def DHLO_WeightOp : DHLO_Op<"weight", [Pure]> {
  let summary = "a constant in a file";
  let description = [{
    A tensor of the model's weights. The program only holds a reference.

    ```mlir
    %w = dhlo.weight <"m.onnx", offset = 64, length = 48, key = "w">
        : tensor<3x4xf32>
    ```

    **Constraints**
    - (C1) The type is static, and its size in bytes is the reference's length.
  }];
  let arguments = (ins DHLO_WeightAttr:$source);
  let results = (outs DHLO_Tensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def DHLO_FromDimsOp : DHLO_Op<"from_dims", [Pure, DHLO_Generated]> {
  let summary = "a small integer tensor of size expressions";
  let description = [{
    Turns sizes into data: a scalar or a vector with the values of the
    expressions. It remains of shape arithmetic whose result the model uses as
    data.

    ```mlir
    %s = dhlo.from_dims [@B, @S + 1, 384] : tensor<3xi64>
    ```

    **Constraints**
    - (C1) The result has rank 0 and one expression, or rank 1 and as many
      elements as there are expressions.
  }];
  let arguments = (ins DHLO_DimExprArray:$exprs);
  let results = (outs RankedTensorOf<[I32, I64, F32]>:$result);
  let assemblyFormat = "custom<DimExprs>($exprs) attr-dict `:` type($result)";
  let hasVerifier = 1;
}

#endif // DYN_DHLO_SIZE_OPS
