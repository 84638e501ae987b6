//===- CellBase.td - The cell dialect and its type ------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_CELL_BASE
#define DYN_CELL_BASE

include "dyn/Dialect/Cell/IR/CellEnums.td"
include "dyn/Dialect/DHLO/IR/DHLOAttrs.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Cell_Dialect : Dialect {
  let name = "cell";
  let cppNamespace = "::dyn::cell";
  let summary = "cells, routers and routes";
  let description = [{
    `cell` describes how a model routes its data through its parts: mixtures of
    experts, early exits, networks of branches.

    ```
      PyTorch, ONNX ...  ->  dhlo and cell  ->  dhlo
    ```

    A *cell* is the unit that is routed: a token, an image, a patch. Cells lie
    on axis 0 of a tensor (`cell.split`, `cell.join`). A *router* (`cell.route`)
    chooses *paths* for each cell. Its *routes* hold a *row* for each path of
    each cell, ordered by path:

    ```mlir
    dhlo.dim @N
    dhlo.dim @R = 2 * @N
    func.func @two_of_eight(%x: tensor<?x64xf32, #dhlo.dims<N>>, %gate: tensor<64x8xf32>,
                            %experts: tensor<8x64x64xf32>) -> tensor<?x64xf32, #dhlo.dims<N>> {
      %routes = cell.route(%x, %gate) : (tensor<?x64xf32, #dhlo.dims<N>>, tensor<64x8xf32>)
          -> !cell.routes<@N, 8, @R> {
      ^bb0(%cells: tensor<?x64xf32, #dhlo.dims<N>>, %g: tensor<64x8xf32>):
        %scores = dhlo.dot_general %cells, %g batch = 0 lhs_contract = [1] rhs_contract = [0]
            : (tensor<?x64xf32, #dhlo.dims<N>>, tensor<64x8xf32>) -> tensor<?x8xf32, #dhlo.dims<N>>
        %p = dhlo.softmax %scores axis = 1 : tensor<?x8xf32, #dhlo.dims<N>>
        %w, %ids = dhlo.top_k %p axis = 1 largest : (tensor<?x8xf32, #dhlo.dims<N>>)
            -> (tensor<?x2xf32, #dhlo.dims<N>>, tensor<?x2xi64, #dhlo.dims<N>>)
        cell.choose %ids weights(%w : tensor<?x2xf32, #dhlo.dims<N>>) : tensor<?x2xi64, #dhlo.dims<N>>
      }
      %rows = cell.dispatch %x, %routes : (tensor<?x64xf32, #dhlo.dims<N>>, !cell.routes<@N, 8, @R>)
          -> tensor<?x64xf32, #dhlo.dims<R>>
      %offsets = cell.offsets %routes : !cell.routes<@N, 8, @R> -> tensor<9xi64>
      %y = dhlo.grouped_dot %rows, %experts, %offsets
          : (tensor<?x64xf32, #dhlo.dims<R>>, tensor<8x64x64xf32>, tensor<9xi64>) -> tensor<?x64xf32, #dhlo.dims<R>>
      %out = cell.combine %y, %routes sum : (tensor<?x64xf32, #dhlo.dims<R>>, !cell.routes<@N, 8, @R>)
          -> tensor<?x64xf32, #dhlo.dims<N>>
      return %out : tensor<?x64xf32, #dhlo.dims<N>>
    }
    ```

    Structurally equal paths are operations on all rows with stacked weights, as
    here; other paths are regions of a `cell.switch`. RFC 8 has the reasons.

    The string attributes `cell.label` and `cell.kind` of a router are the
    model's names for its paths and its cells. Profiles show them
    (docs/Profiles.md). `cell.speculate` and `cell.preload` hold the prediction
    by which paths of a router run, or have their weights fetched, before it has
    chosen (`#cell.prediction`). `cell.pays_from` is the share of right rows, in
    1024ths, from which the former pays; 512 without it.

    **Constraints** of these attributes
    - (C1) They are predictions, on a `cell.route`.
    - (C2) A predicted path is one of the router's.
    - (C3) `cell.pays_from` is an integer from 0 to 1024, on a `cell.route`.
  }];
  let hasOperationAttrVerify = 1;
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::dyn::dhlo::DHLODialect"];
  let extraClassDeclaration = [{
    /// String attributes of a `cell.route`: the model's names for its paths and
    /// for its cells ("token", "image"). Profiles show them.
    static constexpr llvm::StringLiteral kLabelAttr = "cell.label";
    static constexpr llvm::StringLiteral kKindAttr = "cell.kind";
    /// The prediction of a `cell.route`, a `#cell.prediction`, by which its
    /// paths run before it has chosen, or by which their weights are fetched.
    static constexpr llvm::StringLiteral kSpeculateAttr = "cell.speculate";
    static constexpr llvm::StringLiteral kPreloadAttr = "cell.preload";
    /// The share of right rows from which speculation pays, in 1024ths.
    static constexpr llvm::StringLiteral kPaysFromAttr = "cell.pays_from";
  }];
}

//===----------------------------------------------------------------------===//
// Routes
//===----------------------------------------------------------------------===//

def Cell_Routes : TypeDef<Cell_Dialect, "Routes"> {
  let mnemonic = "routes";
  let summary = "the relation of cells and paths";
  let description = [{
    The choices of a router: N cells, P paths, and at most R rows.

    ```mlir
    !cell.routes<@N, 8, 2 * @N>
    ```

    The rows of path 0 come first, then those of path 1, and so on: a stable
    counting sort of the choices, which are numbered `cell * k + slot` for k
    choices of each cell. R follows from k and is known before the router runs;
    there are fewer rows if choices are dropped. In a tensor of rows, those past
    the last one are zeros.

    **Constraints**
    - (C1) There is at least one path.
  }];
  let parameters = (ins "::dyn::dhlo::DimExprAttr":$cells, "int64_t":$paths,
                        "::dyn::dhlo::DimExprAttr":$rows);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Cell_CombineKindAttr : EnumAttr<Cell_Dialect, Cell_CombineKind, "combine_kind"> {
  let assemblyFormat = "$value";
}

//===----------------------------------------------------------------------===//
// Predictions
//===----------------------------------------------------------------------===//

def Cell_PredictionKindAttr : EnumAttr<Cell_Dialect, Cell_PredictionKind, "prediction_kind"> {
  let assemblyFormat = "$value";
}

def Cell_Prediction : AttrDef<Cell_Dialect, "Prediction"> {
  let mnemonic = "prediction";
  let summary = "what a router will choose, as far as it is known before";
  let description = [{
    The choices of a router, predicted without running it:

    - `majority`: `paths` are the choices of every cell;
    - `after`: a cell that the router with the key `after` sent to path p will
      take path `paths[p]`;
    - `early`: the router itself, run on the cells as an earlier operation has
      them.

    `share` is the expected share of the rows for which the prediction is right,
    in 1024ths. A prediction never changes a result.

    ```mlir
    #cell.prediction<majority, share = 1010, paths = [3]>
    #cell.prediction<after of "layers.0.mlp", share = 900, paths = [1, 0]>
    #cell.prediction<early, share = 1024>
    ```

    **Constraints**
    - (C1) `share` is from 0 to 1024.
    - (C2) There are paths unless the prediction is early; there is a router
      before if and only if it is `after`.
  }];
  let parameters = (ins EnumParameter<Cell_PredictionKind>:$kind,
                        OptionalParameter<"::mlir::StringAttr">:$after,
                        OptionalArrayRefParameter<"int64_t">:$paths,
                        "int64_t":$share);
  let assemblyFormat = [{
    `<` $kind (`of` $after^)? `,` `share` `=` $share (`,` `paths` `=` `[` $paths^ `]`)? `>`
  }];
  let genVerifyDecl = 1;
}

#endif // DYN_CELL_BASE
