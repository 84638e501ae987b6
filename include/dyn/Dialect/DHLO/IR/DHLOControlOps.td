//===- DHLOControlOps.td - Regions ----------------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DHLO_CONTROL_OPS
#define DYN_DHLO_CONTROL_OPS

include "dyn/Dialect/DHLO/IR/DHLOOpBase.td"

def DHLO_YieldOp : DHLO_Op<"yield", [Pure, ReturnLike, Terminator]> {
  let summary = "end of a region";
  let description = [{
    ```mlir
    dhlo.yield %a, %b : tensor<4xf32>, tensor<i1>
    ```
  }];
  let arguments = (ins Variadic<DHLO_Tensor>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
}

def DHLO_IfOp : DHLO_Op<"if", [RecursiveMemoryEffects,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<DHLO_BindsDims>, SingleBlock]> {
  let summary = "one of two regions";
  let description = [{
    Runs one region and returns the values that it yields. Regions may use
    values and symbols of their parent. A result size on which the branches
    differ is a symbol that the operation binds: `binds`, with its value in
    either branch as an expression over the symbols of the branch.

    ```mlir
    %r = dhlo.if %p binds [@K] then_dims [@N] else_dims [2 * @N]
        -> (tensor<?xf32, #dhlo.dims<K>>) {
      dhlo.yield %a : tensor<?xf32, #dhlo.dims<N>>
    } else {
      dhlo.yield %b : tensor<?xf32, #dhlo.dims<N2>>
    }
    ```

    **Constraints**
    - (C1) The condition is a scalar `i1`.
    - (C2) Each region yields as many values as there are results, of the same
      ranks and element types.
    - (C3) There are as many expressions for each branch as bound symbols.
  }];
  let arguments = (ins DHLO_Condition:$condition,
                       DefaultValuedAttr<DHLO_DimSymbolArray, "{}">:$binds,
                       DefaultValuedAttr<DHLO_DimExprArray, "{}">:$then_dims,
                       DefaultValuedAttr<DHLO_DimExprArray, "{}">:$else_dims);
  let results = (outs Variadic<DHLO_Tensor>:$results);
  let regions = (region SizedRegion<1>:$then_region, SizedRegion<1>:$else_region);
  let assemblyFormat = [{
    $condition (`binds` $binds^ `then_dims` custom<DimExprs>($then_dims)
    `else_dims` custom<DimExprs>($else_dims))? (`->` `(` type($results)^ `)`)?
    $then_region `else` $else_region attr-dict
  }];
  let hasVerifier = 1;
}

def DHLO_WhileOp : DHLO_Op<"while", [RecursiveMemoryEffects,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<DHLO_BindsDims, ["getRegionDims"]>, SingleBlock]> {
  let summary = "repeat a region while a condition holds";
  let description = [{
    Carries values through iterations. `body` takes the carried values and
    yields first a scalar `i1`, the condition, then their next values; it runs
    while the condition holds, and the first time if the operand `enter` does.

    Sizes that change from one iteration to the next are symbols of the loop:
    `loop_dims` lists those of the body's arguments, `init_dims` their values at
    entry (expressions outside), `next_dims` those of the yielded values
    (expressions inside), and `result_dims` the symbols that the results bind, one
    for each.

    ```mlir
    dhlo.dim @P in [0, ?]
    dhlo.dim @P1 = @P + 1
    dhlo.dim @R in [0, ?]
    %r = dhlo.while %go carries(%x) loop_dims [@P] init_dims [@N] next_dims [@P + 1] result_dims [@R]
        : (tensor<?xf32, #dhlo.dims<N>>) -> (tensor<?xf32, #dhlo.dims<R>>) {
    ^bb0(%c: tensor<?xf32, #dhlo.dims<P>>):
      ...
      dhlo.yield %again, %next : tensor<i1>, tensor<?xf32, #dhlo.dims<P1>>
    }
    ```

    **Constraints**
    - (C1) `enter` is a scalar `i1`.
    - (C2) The body's arguments, the yielded values after the first, the carried
      operands and the results agree in number, ranks and element types.
    - (C3) The four lists of sizes have equal length.
    - (C4) The first yielded value is a scalar `i1`.
  }];
  let arguments = (ins DHLO_Condition:$enter, Variadic<DHLO_Tensor>:$inits,
                       DefaultValuedAttr<DHLO_DimSymbolArray, "{}">:$loop_dims,
                       DefaultValuedAttr<DHLO_DimExprArray, "{}">:$init_dims,
                       DefaultValuedAttr<DHLO_DimExprArray, "{}">:$next_dims,
                       DefaultValuedAttr<DHLO_DimSymbolArray, "{}">:$result_dims);
  let results = (outs Variadic<DHLO_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $enter `carries` `(` $inits `)` (`loop_dims` $loop_dims^ `init_dims` custom<DimExprs>($init_dims)
    `next_dims` custom<DimExprs>($next_dims) `result_dims` $result_dims)? `:`
    functional-type($inits, $results) $body attr-dict
  }];
  let hasVerifier = 1;
}

#endif // DYN_DHLO_CONTROL_OPS
