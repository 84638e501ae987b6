//===- Passes.td - Lowers routes to tensors -------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_CONVERSION_CELLTODHLO_PASSES
#define DYN_CONVERSION_CELLTODHLO_PASSES

include "mlir/Pass/PassBase.td"

def ConvertCellToDHLOPass : Pass<"convert-cell-to-dhlo", "::mlir::ModuleOp"> {
  let summary = "Lower cells, routers and routes to tensors";
  let description = [{
    Routes become the tensors of a counting sort, `dhlo.group`. Dispatch is a
    gather by its order, combine a gather by its positions and a contraction
    with the weights. A switch binds the number of rows of each path, and runs
    its regions on slices of the rows, one after another. No operation of `cell`
    remains.

    Rows past the last one are set to zero only if a router can drop a choice:
    not after a `dhlo.top_k` or `dhlo.arg_reduce` over the paths without
    capacity. And only if they may be read: not if all users are operations by
    the offsets of the same routes, combines, and operations that compute rows
    independently.

    ```mlir
    %rows = cell.dispatch %x, %routes
        : (tensor<?x64xf32, #dhlo.dims<N>>, !cell.routes<@N, 8, @N>) -> tensor<?x64xf32, #dhlo.dims<N>>
    ```

    becomes, for a router of one path for each cell,

    ```mlir
    %offsets, %order, %seats = dhlo.group %ids
        : (tensor<?x1xi64, #dhlo.dims<N>>) -> (tensor<9xi64>, tensor<?xi64, #dhlo.dims<N>>, tensor<?x1xi64, #dhlo.dims<N>>)
    %rows = dhlo.gather %x, %order axis = 0 batch = 0
        : (tensor<?x64xf32, #dhlo.dims<N>>, tensor<?xi64, #dhlo.dims<N>>) -> tensor<?x64xf32, #dhlo.dims<N>>
    ```
  }];
  let statistics = [
    Statistic<"numRouters", "routers", "Routers lowered">,
    Statistic<"numSwitches", "switches", "Switches lowered">,
    Statistic<"numDropping", "dropping", "Routers that may drop a choice">
  ];
  let dependentDialects = ["::dyn::dhlo::DHLODialect"];
}

#endif // DYN_CONVERSION_CELLTODHLO_PASSES
