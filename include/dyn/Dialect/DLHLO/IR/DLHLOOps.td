//===- DLHLOOps.td - Fusions, kernels, constants and entries --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DLHLO_OPS
#define DYN_DLHLO_OPS

include "dyn/Dialect/DLHLO/IR/DLHLOBufferOps.td"
include "dyn/Dialect/DLHLO/IR/DLHLOFetchOps.td"
include "dyn/Dialect/DLHLO/IR/DLHLOGuessOps.td"
include "dyn/Dialect/DLHLO/IR/DLHLOLibraryOps.td"
include "dyn/Dialect/DLHLO/IR/DLHLOManyOps.td"
include "dyn/Dialect/DLHLO/IR/DLHLOProbeOps.td"
include "dyn/Dialect/DLHLO/IR/DLHLOOpBase.td"

//===----------------------------------------------------------------------===//
// Fusions
//===----------------------------------------------------------------------===//

def DLHLO_YieldOp : DLHLO_Op<"yield", [Pure, ReturnLike, Terminator,
    ParentOneOf<["FusionOp", "KernelOp", "ConstantOp", "LaunchManyOp"]>]> {
  let summary = "results of a fusion, kernel, constant or list of launches";
  let description = [{
    ```mlir
    dlhlo.yield %0 : tensor<4xf32>
    ```
  }];
  let arguments = (ins Variadic<DHLO_Tensor>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
}

def DLHLO_FusionOp : DLHLO_Op<"fusion", [IsolatedFromAbove, SingleBlock,
    RecursiveMemoryEffects]> {
  let summary = "operations that run as one kernel";
  let description = [{
    ```mlir
    %y = dlhlo.fusion loop (%x, %b)
        : (tensor<?x384xf32, #dhlo.dims<N>>, tensor<384xf32>) -> tensor<?x384xf32, #dhlo.dims<N>> {
    ^bb0(%0: tensor<?x384xf32, #dhlo.dims<N>>, %1: tensor<384xf32>):
      %2 = dhlo.broadcast %1 axes = [1] : (tensor<384xf32>) -> tensor<?x384xf32, #dhlo.dims<N>>
      %3 = dhlo.add %0, %2 : tensor<?x384xf32, #dhlo.dims<N>>
      dlhlo.yield %3 : tensor<?x384xf32, #dhlo.dims<N>>
    }
    ```

    **Constraints**
    - (C1) Block arguments have the operands' types, yielded values the
      results' types.
  }];
  let arguments = (ins DLHLO_FusionKindAttr:$kind, Variadic<DHLO_Tensor>:$inputs);
  let results = (outs Variadic<DHLO_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `` $kind `(` $inputs `)` attr-dict `:` functional-type($inputs, $results) $body
  }];
  let hasVerifier = 1;
}

def DLHLO_FindNonzeroOp : DLHLO_Op<"find_nonzero", [Pure]> {
  let summary = "indices of the elements that are not zero, and their number";
  let description = [{
    Computes `dhlo.nonzero` in a kernel, which cannot bind a symbol: the index
    vectors of the nonzero elements, in row-major order, as the first rows of a
    result with a row for every element (the other rows are not written), and
    their number.

    ```mlir
    %i, %n = dlhlo.find_nonzero %x : (tensor<4x8xf32>) -> (tensor<32x2xi64>, tensor<i64>)
    ```

    **Constraints**
    - (C1) The indices have one column for each axis of the operand, and, where
      known, one row for each element.
  }];
  let arguments = (ins DHLO_Tensor:$operand);
  let results = (outs 2DTensorOf<[I64]>:$indices, 0DTensorOf<[I64]>:$count);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

def DLHLO_KernelOp : DLHLO_Op<"kernel", [Symbol, SymbolTable, IsolatedFromAbove,
    SingleBlock]> {
  let summary = "a function from tensors to tensors, compiled as a unit";
  let description = [{
    The body of structurally equal fusions. It has its own sizes: `dhlo.dim`
    operations at the start of the body declare them with the facts that hold at
    every launch. Those without a definition are the kernel's dims, in order: a
    launch passes their values. Compiled code gets the buffers of the arguments,
    then of the results.

    ```mlir
    dlhlo.kernel @bias loop {
    ^bb0(%0: tensor<?x384xf32, #dhlo.dims<d0>>, %1: tensor<384xf32>):
      dhlo.dim @d0 in [1, 32768]
      %2 = dhlo.broadcast %1 axes = [1] : (tensor<384xf32>) -> tensor<?x384xf32, #dhlo.dims<d0>>
      %3 = dhlo.add %0, %2 : tensor<?x384xf32, #dhlo.dims<d0>>
      dlhlo.yield %3 : tensor<?x384xf32, #dhlo.dims<d0>>
    }
    ```

    On a device, a kernel may read a size from its data: `dhlo.bind` binds a dim
    to the value of an argument, and the launch passes its upper bound.

    **Constraints**
    - (C1) A `dhlo.bind` in the body binds a dim of the kernel to an argument.
    - (C2) Arguments are tensors whose dynamic sizes have names.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, DLHLO_FusionKindAttr:$kind);
  let regions = (region SizedRegion<1>:$body);
  let hasVerifier = 1;
  let assemblyFormat = "$sym_name `` $kind attr-dict-with-keyword $body";
  let extraClassDeclaration = [{
    /// The declarations without a definition, in order: the launch's dims.
    ::llvm::SmallVector<::dyn::dhlo::DimOp> getDims();
  }];
}

def DLHLO_LaunchOp : DLHLO_Op<"launch", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "run a kernel";
  let description = [{
    ```mlir
    %y = dlhlo.launch @bias dims [@B * @S] (%x, %b)
        : (tensor<?x384xf32, #dhlo.dims<N>>, tensor<384xf32>) -> tensor<?x384xf32, #dhlo.dims<N>>
    ```

    **Constraints**
    - (C1) The symbol is a kernel with as many dims, arguments and results, of
      the same ranks and element types.

    `sites` holds a `#dlhlo.site` for each operation of the kernel's body that
    may fail, in the order of the body: one kernel may represent different
    locations of the model.
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, DHLO_DimExprArray:$dims,
                       Variadic<DHLO_Tensor>:$inputs,
                       DefaultValuedAttr<TypedArrayAttrBase<DLHLO_SiteAttr,
                         "sites">, "{}">:$sites);
  let results = (outs Variadic<DHLO_Tensor>:$results);
  let assemblyFormat = [{
    $kernel `dims` custom<DimExprs>($dims) `(` $inputs `)` attr-dict `:`
    functional-type($inputs, $results)
  }];
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

def DLHLO_ConstantOp : DLHLO_Op<"constant", [Symbol, IsolatedFromAbove, SingleBlock]> {
  let summary = "a constant and its computation from weights";
  let description = [{
    The region is the recipe: `dhlo` operations on `dhlo.weight` and
    `dhlo.constant`, evaluated when the artifact is written. The artifact keeps
    it, and constants with equal recipes are one.

    ```mlir
    dlhlo.constant @w0 : tensor<384x1536xf32, #dlhlo.packed<panels16, batch = 0, rows = 1>> {
      %0 = dhlo.weight #dhlo.weight<"m.onnx", offset = 64, length = 2359296, key = "w"> : tensor<1536x384xf32>
      %1 = dhlo.transpose %0 permutation = [1, 0] : (tensor<1536x384xf32>) -> tensor<384x1536xf32>
      %2 = dlhlo.pack %1 : (tensor<384x1536xf32>) -> tensor<384x1536xf32, #dlhlo.packed<panels16, batch = 0, rows = 1>>
      dlhlo.yield %2 : tensor<384x1536xf32, #dlhlo.packed<panels16, batch = 0, rows = 1>>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<DHLO_Tensor>:$type);
  let regions = (region SizedRegion<1>:$recipe);
  let assemblyFormat = "$sym_name `:` $type attr-dict-with-keyword $recipe";
}

def DLHLO_GetConstantOp : DLHLO_Op<"get_constant", [Pure,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a constant's value";
  let description = [{
    ```mlir
    %w = dlhlo.get_constant @w0 : tensor<384xf32>
    ```

    **Constraints**
    - (C1) The symbol is a `dlhlo.constant` of this type.
  }];
  let arguments = (ins FlatSymbolRefAttr:$constant);
  let results = (outs DHLO_Tensor:$result);
  let assemblyFormat = "$constant attr-dict `:` type($result)";
}

def DLHLO_PackOp : DLHLO_Op<"pack", [Pure]> {
  let summary = "pack a constant into a layout for kernels";
  let description = [{
    ```mlir
    %p = dlhlo.pack %w : (tensor<384x1536xf32>) -> tensor<384x1536xf32, #dlhlo.packed<panels16, batch = 0, rows = 1>>
    ```

    **Constraints**
    - (C1) Types are static and equal except for the result's encoding.
  }];
  let arguments = (ins DHLO_Tensor:$operand);
  let results = (outs DHLO_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

def DLHLO_EntryOp : DLHLO_Op<"entry", [Symbol]> {
  let summary = "signature of a function that hosts may call";
  let description = [{
    The signature of an entry whose function is over buffers: the types with
    their symbols, the names, the symbols that the inputs bind in the order in
    which the function takes their values, and the number of arenas it reserves.
    `function` is the symbol of the lowered function.

    ```mlir
    dlhlo.entry @main calls "dyn.entry.main"
        : (tensor<?x384xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<N>>
        inputs ["x"] outputs ["y"] dims [@N] arenas 1
    ```

    **Constraints**
    - (C1) There is a name for each input and each output.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$function,
                       TypeAttrOf<FunctionType>:$type, StrArrayAttr:$input_names,
                       StrArrayAttr:$output_names, DHLO_DimSymbolArray:$dims,
                       I32Attr:$arenas);
  let assemblyFormat = [{
    $sym_name `calls` $function `:` $type `inputs` $input_names
    `outputs` $output_names `dims` $dims `arenas` $arenas attr-dict
  }];
  let hasVerifier = 1;
}

#endif // DYN_DLHLO_OPS
