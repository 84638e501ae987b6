//===- Passes.td - Passes inside cell -*- tablegen -*-===//
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

#endif // DYN_CELL_PASSES
