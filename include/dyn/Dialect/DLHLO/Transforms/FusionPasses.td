//===- FusionPasses.td - Passes that form fusions -------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DLHLO_FUSION_PASSES
#define DYN_DLHLO_FUSION_PASSES

include "mlir/Pass/PassBase.td"

def FusePass : Pass<"dlhlo-fuse", "::mlir::ModuleOp"> {
  let summary = "Cluster operations into fusions";
  let description = [{
    Puts each `dhlo` operation of an entry, and of its regions, into a
    `dlhlo.fusion` of a suitable kind. A value that an entry returns and that no
    fusion of the entry computes (an input, a constant, the result of a branch,
    a second return of the same value) is copied by its own fusion, so that each
    output has one writer.

    Not in fusions are constants and `dlhlo.get_constant`, control flow,
    `dhlo.bind`, and operations that need no kernel: `dhlo.reshape` is another
    view of the same bytes, as is a slice of the first rows, and
    `dhlo.from_dims` is written by the host. `dhlo.nonzero` becomes a kernel
    that finds indices and their number, a `dhlo.bind` of the number and a slice
    of the first rows. Contractions of floats with a packed constant compute
    their rows where they would copy them, from operands that are concatenated,
    added or gathered from tables. Attention reads heads that are adjacent
    within rows, [B, S, H, D], and writes this layout: transposes from and to it
    are fused. With `device` it fuses all operations that only move elements of
    its operands (slices, repetition, concatenation), and cheap producers of its
    queries.

    Producers are fused where that costs less than a kernel of their own, which
    stores what this one loads: costs are instructions for each vector of
    elements, of the target's numbers. A remark for each such decision has both
    costs (`--remarks-filter=dlhlo-fuse`).

    Before:
    ```mlir
    %0 = dhlo.exp %x : tensor<?xf32, #dhlo.dims<N>>
    ```
    After:
    ```mlir
    %0 = dlhlo.fusion loop (%x) : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<N>> {
    ^bb0(%1: tensor<?xf32, #dhlo.dims<N>>):
      %2 = dhlo.exp %1 : tensor<?xf32, #dhlo.dims<N>>
      dlhlo.yield %2 : tensor<?xf32, #dhlo.dims<N>>
    }
    ```
  }];
  let dependentDialects = ["::dyn::dlhlo::DLHLODialect"];
  let options = [
    Option<"device", "device", "bool", /*default=*/"false",
           "Form fusions for a GPU">,
    Option<"targetInfo", "target-info", "std::string", /*default=*/"\"\"",
           "File that overrides numbers of the target (TargetInfo.h)">
  ];
  let statistics = [
    Statistic<"numFusions", "fusions", "Number of fusions made">,
    Statistic<"numCopies", "copies", "Number of outputs that are copies">
  ];
}

#endif // DYN_DLHLO_FUSION_PASSES
