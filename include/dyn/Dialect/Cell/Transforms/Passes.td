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
      routes the same cells: its cells are kept from values that this router's
      are kept from, too (`CellOrigins.h`).

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
  let summary = "Annotate routers with the facts of a profile";
  let description = [{
    Finds the router of each `cell.probe` in a profile (docs/Profiles.md) by its
    key, and sets two attributes of its `cell.route`: `dhlo.load`, and
    `cell.predictions`, what the router will choose by majority and after the
    router before, with the shares that were right (`RoutePrediction.h`). A
    router with a capacity is not predicted. A router of the profile with a
    different number of paths or fingerprint is rejected; transitions from
    another router before than the program has are ignored. A remark at each
    router reports the result, and warnings report routers of the profile that
    are not in the program, and damaged ones.

    The attributes are hints: results have the same bits with any profile, or
    none. They end with the routes: nothing below sees them.

    ```mlir
    %r = cell.route(%ids) : ... {
      cell.predictions = [#cell.prediction<majority, share = 512, paths = [0]>,
                          #cell.prediction<after of "layers.0", share = 900, paths = [1, 0]>],
      dhlo.load = #dhlo.load<rows = 812, shares = [512, 512]>}
    ```
  }];
  let options = [
    Option<"file", "file", "std::string", /*default=*/"", "The profile">
  ];
  let statistics = [
    Statistic<"numMatched", "matched", "Routers found in the profile">,
    Statistic<"numPredicted", "predicted", "Routers with a prediction">,
    Statistic<"numRefused", "refused", "Routers of the profile refused">
  ];
  let dependentDialects = ["::dyn::dhlo::DHLODialect"];
}

def ChooseRulesPass : Pass<"cell-choose-rules", "::mlir::ModuleOp"> {
  let summary = "Choose which routers are speculated and preloaded";
  let description = [{
    Decides for each router with a `cell.probe`:

    - *fuse*: its paths are one program with different weights, and become
      operations on all rows (`cell-stack-siblings`). This needs no profile, and
      is only reported here.
    - *speculate*: its paths run by a prediction beside the router, and again
      where it was wrong. The router gets the attributes `cell.speculate`, its
      prediction, and `cell.pays_from`, the share of right rows that it needs.
    - *preload*: weights of its paths are fetched by a prediction. The router
      gets the attribute `cell.preload`.
    - *leave*: none of these.

    Speculation must save time on `threads` threads, for the rows of a mean call
    of the profile (`RouteCost.h`): the larger one of the times of the router
    and of the predicted paths, the time of the rows that were predicted wrongly
    and what speculation itself costs are together less than the router and the
    paths after each other. On a `device` both share its multiprocessors, and a
    kernel takes as long as a launch at least, with or without rows. Weights are
    preloaded if those of the module exceed `memory-limit` and at least half of
    the rows are predicted.

    `rules` overrides, by commas: KEY=ACTION or KEY=ACTION:PREDICTION, where KEY
    is that of a probe, or `*` for all routers that no other rule names; ACTION
    is `fuse`, `speculate`, `preload` or `leave`, and a router may have several;
    PREDICTION is `majority`, `after` or `early`, with paths after colons:
    `majority:3`, `after:1:0` for the table. Without paths it is that of the
    profile, and without PREDICTION the best one. `fuse` forbids what it does
    not name, as `leave` does. Names and paths that do not exist are errors; a
    rule for `*` is ignored by routers that it cannot apply to.

    A remark at each router with a profile or a rule, or with a memory limit,
    reports the decision and its numbers. The module's attribute `cell.rules`
    has the same for --explain.

    ```mlir
    %r = cell.route(%x) : ... {cell.speculate = #cell.prediction<majority, share = 973, paths = [1]>}
    ```
  }];
  let options = [
    Option<"rules", "rules", "std::string", /*default=*/"", "Rules that override">,
    Option<"threads", "threads", "int64_t", /*default=*/"2",
           "Threads that a call has at least">,
    Option<"memoryLimit", "memory-limit", "int64_t", /*default=*/"0",
           "Bytes of memory for weights, 0 if all fit">,
    Option<"isInvariant", "invariant", "bool", /*default=*/"true",
           "Whether a row has the same bits in any batch, which speculation needs">,
    Option<"device", "device", "bool", /*default=*/"false",
           "Decide for a device">,
    Option<"targetInfo", "target-info", "std::string", /*default=*/"",
           "File that overrides numbers of the machine (TargetInfo.h)">
  ];
  let statistics = [
    Statistic<"numSpeculated", "speculated", "Routers that are speculated">,
    Statistic<"numPreloaded", "preloaded", "Routers whose weights are preloaded">,
    Statistic<"numLeft", "left", "Routers that are neither">
  ];
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

def SpeculatePass : Pass<"cell-speculate", "::mlir::ModuleOp"> {
  let summary = "Run paths by a prediction, before their router has chosen";
  let description = [{
    For a router with the attribute `cell.speculate` (`#cell.prediction`), the
    paths of each switch by its routes run twice: on the rows of the prediction,
    which need not wait for the router, and on those rows of the router that the
    prediction lacks. Each row is then taken from where it was computed.

    Results have the same bits, whether the prediction is right or wrong: each
    row of a path depends on its own cell alone, which is proven; otherwise the
    switch is left as it is. So are loops, which might not end, and switches
    whose operands are not dispatched from cells. A router with a capacity is
    not predicted, since which rows it drops depends on all cells. Nor is
    anything in a program that computes floats of less than 32 bits: kernels
    round them where they end, so that bits depend on what is fused. With
    `invariant=false`, which says that a row's bits depend on others, nothing is
    speculated. Remarks give the reasons.

    The runtime may switch the prediction of a router with a probe off
    (`dhlo.guess`): it is of all cells or of none. Its paths may fail on rows of
    others, since such a call runs again without it; others must not.

    ```mlir
    %r = cell.route(%x) : ... -> !cell.routes<@N, 2, @N> {...}
        {cell.speculate = #cell.prediction<majority, share = 1010, paths = [1]>}
    cell.probe "r" %r : ...
    %rows = cell.dispatch %x, %r : ...
    %y = cell.switch %r counts [@K0, @K1] (%rows) : ...
    ```

    becomes

    ```mlir
    dhlo.guess @G = "r" pays_from 512       // 0 or 1
    %guess = cell.route() : ...             // path 1 for each of @G * @N cells
    %guessed = cell.dispatch %x, %guess : ...
    %shadow = cell.switch %guess counts [@K2, @K3] (%guessed) : ...
    %r = cell.route(%x) : ...
    cell.probe "r" %r : ...
    %rest = cell.route(%x) : ...            // other choices of %r, else -1
    dhlo.guessed "r" (...)                  // offsets of %r, %guess, %rest
    %left = cell.dispatch %x, %rest : ...
    %redone = cell.switch %rest counts [@K0, @K1] (%left) : ...
    %y = cell.select %r from(%rest, %guess) rows(%redone, %shadow) : ...
    ```
  }];
  let options = [
    Option<"isInvariant", "invariant", "bool", /*default=*/"true",
           "Whether a row has the same bits in any batch">
  ];
  let statistics = [
    Statistic<"numSpeculated", "speculated", "Routers whose paths run by a prediction">,
    Statistic<"numDeclined", "declined", "Routers whose paths do not">
  ];
  let dependentDialects = ["::dyn::dhlo::DHLODialect"];
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
    one are set to zero unless all users of the results find rows by the same
    routes (`cell.combine`, `cell.select`). All rows are as many as there is
    room for, except for the rest of a guess (`dhlo.after_guess`): their number
    is bound, and a guess that was right leaves none. A switch whose paths
    differ is kept; a remark reports the operation and the reason. So is a
    switch of one path: all rows are one for each cell, and such a path is there
    for cells that do not take it.

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
