//===- ExplainPasses.td - Passes that report ------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DLHLO_EXPLAIN_PASSES
#define DYN_DLHLO_EXPLAIN_PASSES

include "mlir/Pass/PassBase.td"

def ExplainPass : Pass<"dlhlo-explain", "::mlir::ModuleOp"> {
  let summary = "Print how a model was compiled, as JSON";
  let description = [{
    Prints kernels, why their operations are together, the facts that they rely
    on, launches, their cost and the memory of each segment as formulas, and
    constants. See Explain.h for the members.

    ```json
    {"kernels": [ {"name": "exp", "kind": "loop", "launches": 1, ...} ], ...}
    ```
  }];
  let dependentDialects = ["::dyn::dhlo::DHLODialect"];
}

#endif // DYN_DLHLO_EXPLAIN_PASSES
