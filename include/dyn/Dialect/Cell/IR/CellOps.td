//===- CellOps.td - Operations on cells, routers and routes ---------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_CELL_OPS
#define DYN_CELL_OPS

include "dyn/Dialect/Cell/IR/CellBase.td"
include "dyn/Dialect/DHLO/IR/DHLOInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// Marks operations whose first result holds the cells of the first operand at
/// other positions, or their rows, or the cells that rows are of.
def Cell_MovesCells : NativeOpTrait<"MovesCells"> {
  let cppNamespace = "::dyn::cell";
}

class Cell_Op<string mnemonic, list<Trait> traits = []>
    : Op<Cell_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Cells
//===----------------------------------------------------------------------===//

def Cell_SplitOp : Cell_Op<"split", [Pure, Cell_MovesCells, DeclareOpInterfaceMethods<DHLO_InfersSizes>]> {
  let summary = "cells of a tensor, on axis 0";
  let description = [{
    Splits each axis of `axes` into blocks of `block` elements. A cell is one
    block along all of them, with the other axes in full; cells are numbered in
    row-major order of their blocks. Axis 0 of the result numbers the cells; the
    axes of a cell follow in the operand's order, without those of blocks of 1.

    ```mlir
    // Tokens of a batch of sentences.
    %t = cell.split %x axes = [0, 1] block = [1, 1]
        : (tensor<?x?x64xf32, #dhlo.dims<B, S>>) -> tensor<?x64xf32, #dhlo.dims<BS>>
    // Patches of 32 x 32 pixels.
    %p = cell.split %image axes = [0, 2, 3] block = [1, 32, 32]
        : (tensor<?x3x?x?xf32, #dhlo.dims<B, H, W>>) -> tensor<?x3x32x32xf32, #dhlo.dims<P>>
    ```

    **Constraints**
    - (C1) `axes` are strictly ascending, in [0, rank).
    - (C2) There is one block for each axis, of at least 1.
    - (C3) A size is a multiple of its block, where known.
    - (C4) The result's sizes are as described; element types are equal.
  }];
  let arguments = (ins DHLO_Tensor:$operand, DenseI64ArrayAttr:$axes,
                       DenseI64ArrayAttr:$block);
  let results = (outs DHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `axes` `=` $axes `block` `=` $block attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Cell_JoinOp : Cell_Op<"join", [Pure, Cell_MovesCells]> {
  let summary = "a tensor of its cells";
  let description = [{
    The inverse of `cell.split`: the result is the tensor whose cells the
    operand holds.

    ```mlir
    %y = cell.join %t axes = [0, 1] block = [1, 1]
        : (tensor<?x64xf32, #dhlo.dims<BS>>) -> tensor<?x?x64xf32, #dhlo.dims<B, S>>
    ```

    **Constraints**
    - (C1) `axes` are strictly ascending, in [0, rank of the result).
    - (C2) There is one block for each axis, of at least 1.
    - (C3) A size is a multiple of its block, where known.
    - (C4) The operand's sizes are those of the result's cells; element types are
      equal.
  }];
  let arguments = (ins DHLO_Tensor:$operand, DenseI64ArrayAttr:$axes,
                       DenseI64ArrayAttr:$block);
  let results = (outs DHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `axes` `=` $axes `block` `=` $block attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Routers
//===----------------------------------------------------------------------===//

def Cell_RouteOp : Cell_Op<"route", [NoMemoryEffect, DHLO_MayFail, IsolatedFromAbove,
    SingleBlock]> {
  let summary = "a router: paths for each cell";
  let description = [{
    Runs the region on the operands. The choices of its `cell.choose` become
    routes. With `capacity`, a path takes that many cells, those of the highest
    priority, or the first ones if the router gives no priorities; the others
    are dropped from it.

    Rows of a path are in the order of cells, or of descending priority if there
    are priorities; equal priorities keep the order of cells.

    `key` names the router in profiles.

    ```mlir
    %r = cell.route(%scores) capacity = <(5 * @N) ceildiv 32> key = "layers.3.mlp"
        : (tensor<?x8xf32, #dhlo.dims<N>>) -> !cell.routes<@N, 8, @N> {
    ^bb0(%s: tensor<?x8xf32, #dhlo.dims<N>>):
      %w, %id = dhlo.top_k %s axis = 1 largest : (tensor<?x8xf32, #dhlo.dims<N>>)
          -> (tensor<?x1xf32, #dhlo.dims<N>>, tensor<?x1xi64, #dhlo.dims<N>>)
      cell.choose %id weights(%w : tensor<?x1xf32, #dhlo.dims<N>>) : tensor<?x1xi64, #dhlo.dims<N>>
    }
    ```

    **Constraints**
    - (C1) The region's arguments have the operands' types.
    - (C2) The region ends in `cell.choose`.
    - (C3) Axis 0 of the choices has one element for each cell, axis 1 of a mask
      one for each path, and there are as many rows as choices, where known.
  }];
  let arguments = (ins Variadic<DHLO_Tensor>:$inputs,
                       OptionalAttr<DHLO_DimExprAttr>:$capacity,
                       OptionalAttr<StrAttr>:$key);
  let results = (outs Cell_Routes:$routes);
  let regions = (region SizedRegion<1>:$router);
  let assemblyFormat = [{
    `(` $inputs `)` (`capacity` `=` $capacity^)?
    (`key` `=` $key^)? `:` functional-type($inputs, $routes) $router attr-dict
  }];
  let hasRegionVerifier = 1;
}

def Cell_ChooseOp : Cell_Op<"choose", [Pure, Terminator, ReturnLike, HasParent<"RouteOp">,
    AttrSizedOperandSegments]> {
  let summary = "the choices of a router";
  let description = [{
    Ends a router. `choices` are ids of paths, k for each cell, where -1 is no
    path, or a mask with a boolean for each cell and path. An id out of range is
    a data error and no path. `weights` are those of the choices, one each; the
    default is 1. `priorities` are those of the cells.

    ```mlir
    cell.choose %ids : tensor<?x2xi64, #dhlo.dims<N>>
    cell.choose %mask weights(%scores : tensor<?x8xf32, #dhlo.dims<N>>) : tensor<?x8xi1, #dhlo.dims<N>>
    ```

    **Constraints**
    - (C1) `choices` and `weights` have rank 2 and the same sizes.
    - (C2) `priorities` have rank 1 and one element for each cell.
  }];
  let arguments = (ins DHLO_TensorOf<[I1, I32, I64]>:$choices,
                       Optional<DHLO_FloatTensor>:$weights,
                       Optional<DHLO_FloatTensor>:$priorities);
  let assemblyFormat = [{
    $choices (`weights` `(` $weights^ `:` type($weights) `)`)?
    (`priorities` `(` $priorities^ `:` type($priorities) `)`)? attr-dict `:` type($choices)
  }];
  let extraClassDeclaration = [{
    /// Whether the choices are a mask.
    bool isMask() {
      return getChoices().getType().getElementType().isInteger(1);
    }
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Routes
//===----------------------------------------------------------------------===//

def Cell_OffsetsOp : Cell_Op<"offsets", [Pure]> {
  let summary = "the first row of each path";
  let description = [{
    The rows of path p are `offsets[p]` up to `offsets[p + 1]`; the last offset is
    the number of rows.

    ```mlir
    %o = cell.offsets %routes : !cell.routes<@N, 8, @R> -> tensor<9xi64>
    ```

    **Constraints**
    - (C1) There is one more offset than there are paths.
  }];
  let arguments = (ins Cell_Routes:$routes);
  let results = (outs DHLO_TensorOf<[I64]>:$result);
  let assemblyFormat = "$routes attr-dict `:` qualified(type($routes)) `->` type($result)";
  let hasVerifier = 1;
}

def Cell_PathsOp : Cell_Op<"paths", [Pure, DeclareOpInterfaceMethods<DHLO_InfersSizes>]> {
  let summary = "the path of each row";
  let description = [{
    The path of each row; 0 for rows past the last one.

    ```mlir
    %p = cell.paths %routes : !cell.routes<@N, 8, @R> -> tensor<?xi64, #dhlo.dims<R>>
    ```

    **Constraints**
    - (C1) The result has as many elements as there are rows.
  }];
  let arguments = (ins Cell_Routes:$routes);
  let results = (outs DHLO_TensorOf<[I64]>:$result);
  let assemblyFormat = "$routes attr-dict `:` qualified(type($routes)) `->` type($result)";
  let hasVerifier = 1;
}

def Cell_DispatchOp : Cell_Op<"dispatch", [Pure, Cell_MovesCells, DeclareOpInterfaceMethods<DHLO_InfersSizes>]> {
  let summary = "gathers rows from cells";
  let description = [{
    Each row is its cell's part of the operand; those past the last one are
    zeros.

    ```mlir
    %rows = cell.dispatch %x, %routes : (tensor<?x64xf32, #dhlo.dims<N>>, !cell.routes<@N, 8, @R>)
        -> tensor<?x64xf32, #dhlo.dims<R>>
    ```

    **Constraints**
    - (C1) Axis 0 of the operand has as many elements as there are cells, where
      known.
    - (C2) Axis 0 of the result has as many elements as there are rows; the
      other axes are the operand's.
    - (C3) Element types are equal.
  }];
  let arguments = (ins DHLO_Tensor:$cells, Cell_Routes:$routes);
  let results = (outs DHLO_Tensor:$rows);
  let assemblyFormat = [{
    $cells `,` $routes attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Cell_CombineOp : Cell_Op<"combine", [Pure, Cell_MovesCells, DeclareOpInterfaceMethods<DHLO_InfersSizes>]> {
  let summary = "reduces the rows of cells";
  let description = [{
    Each cell is computed from its rows, in ascending order of paths:

    - `sum`: the sum of weight times row, a chain of fused multiply-adds from zero;
    - `last`: the row of the last path;
    - `max`: the maximum element of the rows, NaN if one is NaN.

    A cell without rows is that of `otherwise`, or zeros.

    ```mlir
    %y = cell.combine %rows, %routes sum : (tensor<?x64xf32, #dhlo.dims<R>>, !cell.routes<@N, 8, @R>)
        -> tensor<?x64xf32, #dhlo.dims<N>>
    %z = cell.combine %rows, %routes, %x last
        : (tensor<?x64xf32, #dhlo.dims<R>>, !cell.routes<@N, 8, @R>, tensor<?x64xf32, #dhlo.dims<N>>)
        -> tensor<?x64xf32, #dhlo.dims<N>>
    ```

    **Constraints**
    - (C1) Axis 0 of the operand has as many elements as there are rows, where
      known.
    - (C2) Axis 0 of the result has as many elements as there are cells; the
      other axes are the operand's.
    - (C3) `otherwise` has the sizes of the result.
    - (C4) Element types are equal, and floats for a sum.
  }];
  let arguments = (ins DHLO_NumberTensor:$rows, Cell_Routes:$routes,
                       Optional<DHLO_NumberTensor>:$otherwise,
                       Cell_CombineKindAttr:$kind);
  let results = (outs DHLO_NumberTensor:$cells);
  let assemblyFormat = [{
    $rows `,` $routes (`,` $otherwise^)? `` $kind attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Cell_SwitchOp : Cell_Op<"switch", [RecursiveMemoryEffects, SingleBlock,
    DeclareOpInterfaceMethods<DHLO_BindsDims, ["getRegionDims"]>]> {
  let summary = "different paths, each on its rows";
  let description = [{
    One region for each path. A region takes the path's rows of each operand and
    yields the same rows of each result; `counts` names their number in each
    region. Regions may use values and symbols of their parent. Results past the
    last row are zeros.

    ```mlir
    %y = cell.switch %routes counts [@K0, @K1] (%x)
        : (!cell.routes<@N, 2, @N>, tensor<?x64xf32, #dhlo.dims<N>>) -> tensor<?x64xf32, #dhlo.dims<N>> {
    ^bb0(%a: tensor<?x64xf32, #dhlo.dims<K0>>):
      %0 = dhlo.tanh %a : tensor<?x64xf32, #dhlo.dims<K0>>
      dhlo.yield %0 : tensor<?x64xf32, #dhlo.dims<K0>>
    }, {
    ^bb0(%a: tensor<?x64xf32, #dhlo.dims<K1>>):
      dhlo.yield %a : tensor<?x64xf32, #dhlo.dims<K1>>
    }
    ```

    **Constraints**
    - (C1) There are as many regions, and as many counts, as paths.
    - (C2) Operands and results have as many elements on axis 0 as there are rows,
      where known.
    - (C3) A region's arguments are the operands with the count on axis 0.
    - (C4) A region ends in `dhlo.yield`, with the results' types except for the
      count on axis 0.
  }];
  let arguments = (ins Cell_Routes:$routes, Variadic<DHLO_Tensor>:$inputs,
                       DHLO_DimSymbolArray:$counts);
  let results = (outs Variadic<DHLO_Tensor>:$results);
  let regions = (region VariadicRegion<SizedRegion<1>>:$paths);
  let assemblyFormat = [{
    $routes `counts` $counts `(` $inputs `)` `:`
    functional-type(operands, results) $paths attr-dict
  }];
  let hasRegionVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Speculation
//===----------------------------------------------------------------------===//

def Cell_SelectOp : Cell_Op<"select", [Pure, AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<DHLO_InfersSizes>]> {
  let summary = "rows of routes, from the rows of others";
  let description = [{
    Each row is that of the same cell and path in the first of the routes
    `from` that has one, the last one if it has several, and zeros if none has.
    Rows past the last one are zeros. Routes may be of the first cells alone: a
    guess that the runtime has switched off has none.

    So rows that were computed by a prediction and those that were computed
    later become the rows of the router, in its order:

    ```mlir
    %y = cell.select %routes from(%rest, %guess) rows(%redone, %shadow)
        : (!cell.routes<@N, 2, @N>, !cell.routes<@N, 2, @N>, !cell.routes<@N, 2, @N>,
           tensor<?x64xf32, #dhlo.dims<N>>, tensor<?x64xf32, #dhlo.dims<N>>) -> tensor<?x64xf32, #dhlo.dims<N>>
    ```

    **Constraints**
    - (C1) There is at least one tensor of rows, and one for each of the routes
      `from`.
    - (C2) All routes have the same number of paths. Those `from` are of the
      first cells of `routes`: of at most as many, where known.
    - (C3) Axis 0 of a tensor of rows has as many elements as its routes have
      rows, where known.
    - (C4) Axis 0 of the result has as many elements as `routes` has rows; the
      other axes, and the element type, are those of all tensors of rows.
  }];
  let arguments = (ins Cell_Routes:$routes, Variadic<Cell_Routes>:$from,
                       Variadic<DHLO_Tensor>:$rows);
  let results = (outs DHLO_Tensor:$result);
  let assemblyFormat = [{
    $routes `from` `(` $from `)` `rows` `(` $rows `)` attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Profiles
//===----------------------------------------------------------------------===//

def Cell_ProbeOp : Cell_Op<"probe", [MemoryEffects<[MemWrite]>]> {
  let summary = "pass routes to a recorder";
  let description = [{
    Passes routes to the recorder of the call, if there is one. The program
    cannot observe this: results are the same with and without a probe, and with
    and without a recorder. The pass `cell-insert-probes` puts a probe after
    each router.

    `key` names the router and is unique in a program; `label` and `cell` are
    the model's names for its paths and its cells. `fingerprint` is a hash of
    the producers of the router, without weights. `after` is the key of the
    previous router on the same cells.

    ```mlir
    cell.probe "layers.3.mlp" %routes {cell = "token", fingerprint = "82b1c0de5eedf00d"}
        : !cell.routes<@N, 8, @R>
    ```

    **Constraints**
    - (C1) The key is not empty.
  }];
  let arguments = (ins StrAttr:$key, Cell_Routes:$routes,
                       OptionalAttr<StrAttr>:$label, OptionalAttr<StrAttr>:$cell,
                       OptionalAttr<StrAttr>:$fingerprint,
                       OptionalAttr<StrAttr>:$after);
  let assemblyFormat = "$key $routes attr-dict `:` qualified(type($routes))";
  let hasVerifier = 1;
}

#endif // DYN_CELL_OPS
