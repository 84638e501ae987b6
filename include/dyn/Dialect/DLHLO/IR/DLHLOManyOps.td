//===- DLHLOManyOps.td - Kernels launched together ------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Branches of a network are independent chains of small kernels. One launch of
// several kernels distributes the work items of all of them over threads; the
// kernels themselves are unchanged.

#ifndef DYN_DLHLO_MANY_OPS
#define DYN_DLHLO_MANY_OPS

include "dyn/Dialect/DLHLO/IR/DLHLOOpBase.td"

def DLHLO_LaunchManyOp : DLHLO_Op<"launch_many", [SingleBlock, NoRegionArguments,
    RecursiveMemoryEffects]> {
  let summary = "run independent kernels together";
  let description = [{
    Runs the launches of the body, in any order or at the same time. Each has
    the same meaning as outside.

    ```mlir
    %y:2 = dlhlo.launch_many : tensor<4xf32>, tensor<8xf32> {
      %0 = dlhlo.launch @exp dims [] (%a) : (tensor<4xf32>) -> tensor<4xf32>
      %1 = dlhlo.launch @neg dims [] (%b) : (tensor<8xf32>) -> tensor<8xf32>
      dlhlo.yield %0, %1 : tensor<4xf32>, tensor<8xf32>
    }
    ```

    **Constraints**
    - (C1) The body holds 2 to 64 launches and nothing else; in chains, views of
      their results as well.
    - (C2) No launch takes a result of another, unless both are of one chain.
    - (C3) The yielded values are the launches' results, in order, of the results'
      types.
    - (C4) The attribute `dlhlo.chains`, if there is one (`Chains.h`), has a number
      from 1 on for each launch.
  }];
  let results = (outs Variadic<DHLO_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "(`:` type($results)^)? attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
}

def DLHLO_DispatchManyOp : DLHLO_Op<"dispatch_many", [SingleBlock,
    NoTerminator, NoRegionArguments, RecursiveMemoryEffects]> {
  let summary = "run kernels on buffers at the same time";
  let description = [{
    Runs all work items of the kernels of the body, in any order. No kernel
    writes memory that another one reads or writes, which the planning of memory
    ensures.

    ```mlir
    dlhlo.dispatch_many {
      dlhlo.dispatch @exp dims () buffers (%a, %y) site_base = 0
      dlhlo.dispatch @neg dims () buffers (%b, %z) site_base = 0
    }
    ```

    **Constraints**
    - (C1) The body holds 2 to 64 dispatches and nothing else.
    - (C2) As (C4) of `dlhlo.launch_many`: dispatches of a chain run in order.
  }];
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
}

#endif // DYN_DLHLO_MANY_OPS
