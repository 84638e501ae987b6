//===- RoutePasses.td - Passes for the routes of ranks --------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIST_ROUTE_PASSES
#define DYN_DIST_ROUTE_PASSES

include "mlir/Pass/PassBase.td"

def PlaceRoutesPass : Pass<"dist-place-routes", "::mlir::ModuleOp"> {
  let summary = "Choose the rank of each path";
  let description = [{
    Gives each router of an entry that has none a `dist.placement` on the ranks
    of the mesh (`Placement.h`): heavy paths with light ones, by the time that
    `RouteCost` expects for their rows, and paths where their rows are at home,
    by bytes over `link-rate`. Rows are those of `dhlo.load`, equal without one,
    or of `homes`: the profile of each rank, whose probes saw the rank's own
    cells. Weights of all paths on a rank fit `memory`, if possible; a warning
    says by how much they do not.

    A remark at each router has the time of the busiest rank over the mean and
    the rows that change rank, and both for paths that are placed in turn. A
    placement never changes a result.

    ```mlir
    %r = cell.route(%ids) : ... {dist.placement = array<i64: 0, 1, 1, 0>}
    ```
  }];
  let options = [
    ListOption<"homes", "homes", "std::string", "Profiles of the ranks, in order">,
    Option<"memory", "memory", "int64_t", /*default=*/"0",
           "Bytes of weights that a rank can hold, 0 if all fit">,
    Option<"linkRate", "link-rate", "int64_t", /*default=*/"1000",
           "Megabytes that a rank sends in a second">,
    Option<"threads", "threads", "int64_t", /*default=*/"1", "Threads of a rank">,
    Option<"targetInfo", "target-info", "std::string", /*default=*/"",
           "File that overrides numbers of the machine (TargetInfo.h)">
  ];
  let statistics = [
    Statistic<"numPlaced", "placed", "Routers with a placement">
  ];
}

def ExchangeRoutesPass : Pass<"dist-exchange-routes", "::mlir::ModuleOp"> {
  let summary = "Run each path on the rank that holds it";
  let description = [{
    In the functions of a local program, whose values all ranks hold, each path
    of a router with a `dist.placement` runs on its rank alone, and its weights
    are there alone. Operations between a `cell.dispatch` and a `cell.combine`
    stay as they are, on the rows of the rank's paths; rows go there and back by
    exchanges. Results have the bits of one rank: a path has the rows that it
    has on one rank, in the same order, and a combine adds the rows of a cell in
    the order of the router's paths, wherever they were computed.

    - *Divided*: each rank routes its block of the cells, by what it has of the
      router's inputs, if these keep cells apart. Ranks tell each other how
      many rows each path gets, 8 bytes for each, then send exactly these, to
      each rank as one range. Results return by the same ranges, are combined
      at home, and gathered from all ranks.
    - *Everywhere*: a router with a capacity or priorities chooses for all cells
      on all ranks. No rows are sent to paths; results go to all ranks.

    Where cells were gathered from all ranks only to be routed, or results only
    to be divided again, the gather is dropped.

    Rows of routes are sorted by path; where the paths of a rank are no range,
    rows are sorted by rank before they leave, and back when they return.

    ```mlir
    %r = cell.route(%x) : ... -> !cell.routes<@N, 4, @N> { ... } {dist.placement = array<i64: 0, 0, 1, 1>}
    %rows = cell.dispatch %x, %r : ...
    %y = dhlo.grouped_dot %rows, %w, %offsets : (..., tensor<4x8x8xf32>, tensor<5xi64>) -> ...
    %z = cell.combine %y, %r sum : ...
    ```

    becomes, on rank 0 of 2, with the ranges that are computed from offsets left
    out:

    ```mlir
    %own = dhlo.slice %x starts = [0, 0] ...                   // this rank's cells
    %home = cell.route(%ids) : ... -> !cell.routes<@N0, 4, @N0> { ... }
    %sent = cell.dispatch %own, %home : ...
    %t = dist.exchange_start %sent among [0, 1] sends %s receives %e : ...
    %came = dist.exchange_wait %t : ...
    %here = cell.route(%paths) : ... -> !cell.routes<@N, 2, @N> { ... }
    %rows = cell.dispatch %came, %here : ...
    %y = dhlo.grouped_dot %rows, %w01, %offsets : (..., tensor<2x8x8xf32>, tensor<3xi64>) -> ...
    ...
    ```

    A global program is partitioned first (`dist-propagate`, `dist-partition`) if
    one of its routers has a placement.

    A router whose rows other operations read, or that is in a region, stays on
    all ranks, and a remark has the reason.
  }];
  let statistics = [
    Statistic<"numDivided", "divided", "Routers with cells of each rank">,
    Statistic<"numEverywhere", "everywhere", "Routers with all cells on all ranks">,
    Statistic<"numLeft", "left", "Routers that stay on all ranks">,
    Statistic<"numDropped", "dropped", "Gathers that no rank needs, of all ranks">
  ];
  let dependentDialects = ["::dyn::cell::CellDialect", "::dyn::dhlo::DHLODialect",
                           "::dyn::dist::DistDialect"];
}

#endif // DYN_DIST_ROUTE_PASSES
