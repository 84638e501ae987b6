//===- Passes.td - Passes of the cell dialect -*- tablegen -*-===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_CELL_PASSES
#define DYN_CELL_PASSES

include "mlir/Pass/PassBase.td"

def InsertProbesPass : Pass<"cell-insert-probes", "::mlir::ModuleOp"> {
  let summary = "Give routers names and show their routes to recorders";
  let description = [{
    Puts a `cell.probe` behind each `cell.route` that has none. What names the
    router there stays the same from one compilation of a model to the next:

    - `key`: the router's own; else the name in its location, the path of its
      module in the source model; else its function and its number there. A name
      that is taken gets `#2`, `#3` ... in the order of the program.
    - `fingerprint`: a hash of the router and of all that its operands are
      computed from, without names of symbols, facts about sizes, locations and the
      values of weights. A model whose weights change keeps it; a change behind
      the router does not show in it.
    - `label`, `cell`: the router's `cell.label` and `cell.kind`.
    - `after`: the last router before that is always run before this one and
      has as many cells, as an expression.

    ```mlir
    %r = cell.route(%ids) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 8, @N> { ... }
    ```

    becomes

    ```mlir
    %r = cell.route(%ids) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 8, @N> { ... }
    cell.probe "main.0" %r {fingerprint = "..."} : !cell.routes<@N, 8, @N>
    ```
  }];
  let statistics = [
    Statistic<"numProbes", "probes", "Probes inserted">,
    Statistic<"numAfter", "after", "Routers with another before on their cells">
  ];
}

def ApplyProfilePass : Pass<"cell-apply-profile", "::mlir::ModuleOp"> {
  let summary = "Tell routers what a profile says of them";
  let description = [{
    Finds the router of each `cell.probe` in a profile (docs/Profiles.md) by its
    key, and gives its `cell.route` the attribute `dhlo.load`. A router of the
    profile that has another number of paths or another fingerprint is
    refused. A remark at each router says what became of it, and a warning names
    those of the profile that the program has not, and what is damaged.

    The attribute is a hint: results have the same bits with any profile, and
    with none.

    ```mlir
    %r = cell.route(%ids) : ... {dhlo.load = #dhlo.load<rows = 812, shares = [512, 512]>}
    ```
  }];
  let options = [
    Option<"file", "file", "std::string", /*default=*/"", "The profile">
  ];
  let statistics = [
    Statistic<"numMatched", "matched", "Routers found in the profile">,
    Statistic<"numRefused", "refused", "Routers of the profile refused">
  ];
  let dependentDialects = ["::dyn::dhlo::DHLODialect"];
}

def PrintCellFlow : Pass<"dyn-print-cell-flow", "::mlir::ModuleOp"> {
  let summary = "Print which operations keep cells apart";
  let description = [{
    Prints, for each function, what operations do with the cells of its inputs:
    whether they keep them apart, permute, gather or mix them, and along which
    axes the cells then lie (`CellFlow.h`). Cells are what the leading dynamic
    axes of an input count, tokens (b, s) or images b, up to two of them, or the
    axes that the attribute `cell.axes = array<i64: ...>` of an input names. Rows of
    routes are the cells that they were dispatched from; a combine by the same
    routes gives these cells back. What has mixed cells has none any more.

    The effect is that of all operations from the input on, which tells what a
    router sees: one that reads kept cells routes the same cells as another such
    router does.

    ```mlir
    func.func @f(%x: tensor<?x2xf32, #dhlo.dims<N>>) -> tensor<2x?xf32, #dhlo.dims<N>> {
      %0 = dhlo.tanh %x : tensor<?x2xf32, #dhlo.dims<N>>
      %1 = dhlo.transpose %0 permutation = [1, 0] : ...
    ```

    prints

    ```
    func @f
      cells of %arg0: [N] at [0]
      %0 = dhlo.tanh keeps %arg0 [0] -> [0]
      %1 = dhlo.transpose keeps %arg0 [0] -> [1]
    ```
  }];
}

def CancelRoutes : Pass<"cell-cancel-routes", "::mlir::ModuleOp"> {
  let summary = "Leave cells in the order of routes between equal routers";
  let description = [{
    Rows that are combined to cells and dispatched by the same routes again are
    the rows that they were, and so are those of operations in between that keep
    cells apart: they run on rows, in the order of routes. Cells that come in from
    elsewhere, such as those of a residual connection, are dispatched themselves.

    Only where a cell has one row at most and the combine gives it as it is (no
    weights), where nothing else reads what lies between, and where nobody sees
    the rows past the last: those of a dispatch are zeros.

    ```mlir
    %c = cell.combine %rows, %r last : ...
    %t = dhlo.tanh %c : tensor<?x4xf32, #dhlo.dims<N>>
    %d = cell.dispatch %t, %r : ...
    ```

    becomes

    ```mlir
    %d = dhlo.tanh %rows : tensor<?x4xf32, #dhlo.dims<R>>
    ```
  }];
  let statistics = [
    Statistic<"numCancelled", "cancelled", "Dispatches that met their combine">,
    Statistic<"numMoved", "moved", "Operations that now run on rows">
  ];
}

def StackSiblings : Pass<"cell-stack-siblings", "::mlir::ModuleOp"> {
  let summary = "turn a switch of like paths into operations on all rows at once";
  let description = [{
    Where the paths of a `cell.switch` are the same program but for values that
    come from no row (weights, biases, scales), the program runs once on the rows
    of all paths. What differs is stacked along a new first axis:

    - a factor of `dhlo.dot_general`, for a `dhlo.grouped_dot` by the offsets of the
      routes;
    - the filter of a `dhlo.convolution`, which then has offsets, unless it is one
      with groups of channels or a dilated input;
    - what is repeated along the rows (a bias), or scales a norm: each row gathers
      that of its path.

    Operations that compute each row by itself stay as they are. Rows past the
    last are made zeros unless combines by the same routes alone read the
    results. A switch whose paths differ stays one; a remark says at which
    operation and why.

    ```mlir
    %y = cell.switch %r counts [@K0, @K1] (%x)
        : (!cell.routes<@N, 2, @N>, tensor<?x8xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
    ^bb0(%a: tensor<?x8xf32, #dhlo.dims<K0>>):
      %0 = dhlo.dot_general %a, %w0 batch = 0 lhs_contract = [1] rhs_contract = [0]
          : (tensor<?x8xf32, #dhlo.dims<K0>>, tensor<8x4xf32>) -> tensor<?x4xf32, #dhlo.dims<K0>>
      dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K0>>
    }, {
    ^bb0(%a: tensor<?x8xf32, #dhlo.dims<K1>>):
      %0 = dhlo.dot_general %a, %w1 batch = 0 lhs_contract = [1] rhs_contract = [0]
          : (tensor<?x8xf32, #dhlo.dims<K1>>, tensor<8x4xf32>) -> tensor<?x4xf32, #dhlo.dims<K1>>
      dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K1>>
    }
    ```

    becomes, read by a combine,

    ```mlir
    %0 = dhlo.reshape %w0 : (tensor<8x4xf32>) -> tensor<1x8x4xf32>
    %1 = dhlo.reshape %w1 : (tensor<8x4xf32>) -> tensor<1x8x4xf32>
    %w = dhlo.concat %0, %1 axis = 0 : (tensor<1x8x4xf32>, tensor<1x8x4xf32>) -> tensor<2x8x4xf32>
    %o = cell.offsets %r : !cell.routes<@N, 2, @N> -> tensor<3xi64>
    %y = dhlo.grouped_dot %x, %w, %o
        : (tensor<?x8xf32, #dhlo.dims<N>>, tensor<2x8x4xf32>, tensor<3xi64>) -> tensor<?x4xf32, #dhlo.dims<N>>
    ```
  }];
  let statistics = [
    Statistic<"numStacked", "stacked", "Switches that became operations on all rows">,
    Statistic<"numLeft", "left", "Switches whose paths differ">
  ];
  let dependentDialects = ["::dyn::dhlo::DHLODialect"];
}

#endif // DYN_CELL_PASSES
