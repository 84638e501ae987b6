//===- Passes.td - Passes of the cell dialect -----------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_CELL_PASSES
#define DYN_CELL_PASSES

include "mlir/Pass/PassBase.td"

def InsertProbesPass : Pass<"cell-insert-probes", "::mlir::ModuleOp"> {
  let summary = "Name routers and pass their routes to recorders";
  let description = [{
    Puts a `cell.probe` after each `cell.route` that has none. Its attributes
    stay the same from one compilation of a model to the next:

    - `key`: the router's own; else the name in its location, the path of its
      module in the source model; else its function and its number there. A name
      that is used already gets `#2`, `#3` ... in program order.
    - `fingerprint`: a hash of the router and of everything that its operands
      are computed from, without names of symbols, facts about sizes, locations
      and the values of weights. It does not change if the model's weights do,
      or if consumers of the router do.
    - `label`, `cell`: the router's `cell.label` and `cell.kind`.
    - `after`: the last previous router that is always run before this one and
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
  let summary = "Annotate routers with the loads of a profile";
  let description = [{
    Finds the router of each `cell.probe` in a profile (docs/Profiles.md) by its
    key, and sets the attribute `dhlo.load` of its `cell.route`. A router of the
    profile with a different number of paths or fingerprint is rejected. A
    remark at each router reports the result, and warnings report routers of the
    profile that are not in the program, and damaged ones.

    The attribute is a hint: results have the same bits with any profile, or
    none.

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

def PrintCellFlowPass : Pass<"dyn-print-cell-flow", "::mlir::ModuleOp"> {
  let summary = "Print which operations keep cells apart";
  let description = [{
    Prints, for each function, the effect of operations on the cells of its
    inputs: whether they keep them apart, permute, gather or mix them, and along
    which axes the cells then lie (`CellFlow.h`). Cells are numbered by the
    leading dynamic axes of an input, tokens (b, s) or images b, up to two of
    them, or the axes in the attribute `cell.axes = array<i64: ...>` of an
    input. Rows of routes are the cells that they were dispatched from; a
    combine by the same routes restores these cells. A value of mixed cells has
    no cells any more.

    The effect is that of all operations from the input on, which shows what a
    router reads: routers that read kept cells route the same cells.

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

def CancelRoutesPass : Pass<"cell-cancel-routes", "::mlir::ModuleOp"> {
  let summary = "Keep cells in the order of routes between equal routers";
  let description = [{
    Rows that are combined to cells and dispatched by the same routes again are
    unchanged, and if operations in between keep cells apart, these can run on
    rows, in the order of routes. Other cells that such operations read, such as
    those of a residual connection, are dispatched themselves.

    Requires that a cell has at most one row and the combine does not change it
    (no weights), that values in between have no other users, and that the rows
    past the last one, which a dispatch sets to zero, are never read.

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

def StackSiblingsPass : Pass<"cell-stack-siblings", "::mlir::ModuleOp"> {
  let summary = "Turn a switch of equal paths into operations on all rows";
  let description = [{
    If the paths of a `cell.switch` are the same program except for values that
    depend on no row (weights, biases, scales), the program runs once on the
    rows of all paths. Values that differ are stacked along a new first axis:

    - an operand of `dhlo.dot_general`, for a `dhlo.grouped_dot` by the offsets
      of the routes;
    - the filter of a `dhlo.convolution`, for a `dhlo.grouped_convolution`,
      unless it has groups of channels or a dilated input;
    - a value that is repeated along the rows (a bias), or scales a norm: each
      row gathers that of its path.

    Operations that compute rows independently are unchanged. Rows past the last
    one are set to zero unless all users of the results are combines by the same
    routes. A switch whose paths differ is kept; a remark reports the operation
    and the reason.

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
