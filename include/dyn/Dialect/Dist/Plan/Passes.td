//===- Passes.td - The pass that plans entries for ranks ------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIST_PLAN_PASSES
#define DYN_DIST_PLAN_PASSES

include "mlir/Pass/PassBase.td"

def PlanPass : Pass<"dist-plan", "::mlir::ModuleOp"> {
  let summary = "Divide the layers of an entry among the ranks of a machine";
  let description = [{
    Searches for the fastest way to divide each layer of the entries (RFC 17),
    and states it by a `dist.reshard` of each value that is divided. The mesh of
    the program is used if its shardings name one, and its shardings stay as
    they are; otherwise the pass declares one, `@plan`. Results are on all ranks
    in full.

    Where it is faster if each path of a router is on one rank, the router gets
    a `dist.placement`, for `dist-exchange-routes`. One that is given is kept.
    Paths are placed by the time of their rows, equal ones without a
    `dhlo.load`, and such that their weights fit the memory of ranks.

    ```mlir
    func.func @main(%x: tensor<4096x64xf32>) -> tensor<4096x32xf32> attributes {dhlo.entry} {
      %y = dhlo.dot_general %x, %w ...
      return %y : tensor<4096x32xf32>
    }
    ```

    becomes

    ```mlir
    dist.mesh @plan ["outer" = 1, "inner" = 4]
    func.func @main(%x: tensor<4096x64xf32>)
        -> (tensor<4096x32xf32> {dist.sharding = #dist.sharding<@plan, [[], []]>}) attributes {dhlo.entry} {
      %0 = dhlo.dot_general %x, %w ...
      %y = dist.reshard %0 : tensor<4096x32xf32> to <@plan, [["inner"], []]>
      return %y : tensor<4096x32xf32>
    }
    ```

    A plan of several stages has a mesh for each, `@stage0`, `@stage1`, ..., and
    a `dist.reshard` of each value that a stage reads and does not compute. The
    entry gets the number of its `dist.micro_batches`. `stages` and
    `micro-batches` restrict the search.

    With `segments`, ranks may divide the sums of matmuls with weights, if these
    have a multiple of so many terms: other bits, which are the same for all
    plans. So all such matmuls get a `dist.sums`, whether ranks divide them or
    not, and on one rank, too.

    A remark tells the time that the plan should take, or that one rank is
    fastest.
  }];
  let options = [
    Option<"machine", "machine", "std::string", /*default=*/"",
           "The file of the machine">,
    ListOption<"at", "at", "std::string",
               "Sizes, NAME=VALUE, for which the plan is made; else likely ones">,
    Option<"maxStages", "stages", "int64_t", "0",
           "Stages, at most; as many as ranks if 0">,
    Option<"microBatches", "micro-batches", "int64_t", "0",
           "Blocks of the batch that go through the stages; to choose if 0">,
    Option<"segments", "segments", "int64_t", "0",
           "Segments of sums that ranks may divide, a power of two. With 0, sums "
           "are not divided">
  ];
  let statistics = [
    Statistic<"numDivided", "divided", "Values that are divided">,
    Statistic<"numBrought", "brought", "Values that stages read of others">,
    Statistic<"numSums", "sums", "Matmuls whose sums get segments">,
    Statistic<"numPlaced", "placed", "Routers whose paths get ranks">
  ];
  let dependentDialects = ["::dyn::dist::DistDialect"];
}

#endif // DYN_DIST_PLAN_PASSES
