//===- Passes.td - Passes of the dist dialect -----------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIST_PASSES
#define DYN_DIST_PASSES

include "dyn/Dialect/Dist/Transforms/RoutePasses.td"
include "mlir/Pass/PassBase.td"

def PropagatePass : Pass<"dist-propagate", "::mlir::ModuleOp"> {
  let summary = "Give each value of an entry a sharding";
  let description = [{
    Shardings of arguments and results of entries, and those that `dist.reshard`
    states, spread to the values between, in each stage (`dist.mesh`) by itself. An operation whose result is divided
    gets a `dist.reshard` as its only user, which says how: the operation then
    computes blocks of the result.

    How axes of operands follow those of the result is read from the indexing
    maps of operations and from the groups of reshapes, so there is no table of
    operations (`lib/Dialect/Dist/Transforms/Division.h`). An axis can be
    divided if an element needs, on each axis of an operand, the same index, or
    something that does not depend on the index. So rows and columns of a matmul
    can be divided, and the axis of its sums can not: it is gathered, which
    keeps the order of the sums and their bits.

    With `segments`, a contracted axis that both operands of a
    `dhlo.dot_general` have divided by the same mesh axes stays divided. The
    operation gets a `dist.sums`, which says how `dist-partition` adds. Mesh
    axes of one rank are treated like others then, so that the order of sums is
    that of more ranks. The size must be static and a multiple of the segments,
    else both operands are gathered and sums have the order that they have
    without the option. A `dist.sums` that is stated stays, with or without it.

    - *Stated*: an operation whose results only reshards read, or others that
      are computed as these state, computes exactly so. It comes first, so that
      shardings of operands do not change which weights a rank needs.
    - *Forwards*, in the order of the program: a result is divided as its
      operands are. Where two operands disagree, the first one decides, and a
      mesh axis divides the first of two axes that it could divide.
    - *Backwards*: a result all of whose users need a finer sharding has it, so
      that nothing is computed that is cut off at once.

    The last two repeat until nothing changes. An axis, once divided, stays as it is.
    With `--remarks-filter=dist-propagate`, a remark names each operand that is
    gathered, and why. Operations with
    regions, and those without a map, are computed by all ranks.

    ```mlir
    dist.mesh @mesh ["model" = 2]
    ...
      %v = dist.reshard %w : tensor<64x32xf32> to <@mesh, [[], ["model"]]>
      %y = dhlo.dot_general %x, %v ...
      %z = dhlo.tanh %y : tensor<8x32xf32>
    ```

    becomes

    ```mlir
      %v = dist.reshard %w : tensor<64x32xf32> to <@mesh, [[], ["model"]]>
      %0 = dhlo.dot_general %x, %v ...
      %y = dist.reshard %0 : tensor<8x32xf32> to <@mesh, [[], ["model"]]>
      %1 = dhlo.tanh %y : tensor<8x32xf32>
      %z = dist.reshard %1 : tensor<8x32xf32> to <@mesh, [[], ["model"]]>
    ```
  }];
  let options = [
    Option<"segments", "segments", "int64_t", "0",
           "Segments of sums that ranks divide, a power of two: the most ranks "
           "that can. With 0, sums are not divided">,
  ];
  let statistics = [
    Statistic<"numDivided", "divided", "Results that are divided">,
    Statistic<"numSums", "sums", "Contractions whose sums are divided">,
    Statistic<"numGathered", "gathered", "Operands that are gathered">,
  ];
}

def SplitBatchPass : Pass<"dist-split-batch", "::mlir::ModuleOp"> {
  let summary = "Make blocks of the batch, for the stages of a pipeline";
  let description = [{
    Copies the operations of a function with `dist.micro_batches = M` for each
    of M blocks of the batch, one block after another, so that stages compute
    different blocks at the same time. The batch is the first dynamic size of
    inputs that can be cut (`BatchAxes.h`). With s rows, blocks have `s ceildiv M`, the last ones may
    be shorter, or empty. A `dist.reshard` of a block gets a `dist.block`.

    ```mlir
    func.func @main(%x: tensor<?x64xf32, #dhlo.dims<N>>) -> tensor<?x64xf32, #dhlo.dims<N>>
        attributes {dhlo.entry, dist.micro_batches = 2 : i64} {
      %0 = dhlo.tanh %x : tensor<?x64xf32, #dhlo.dims<N>>
      return %0 : tensor<?x64xf32, #dhlo.dims<N>>
    }
    ```

    becomes

    ```mlir
      %a = dhlo.slice %x starts = [0, 0] ...
      %0 = dhlo.tanh %a : tensor<?x64xf32, #dhlo.dims<d>>
      %b = dhlo.slice %x starts = [min(@N, @N ceildiv 2), 0] ...
      %1 = dhlo.tanh %b : tensor<?x64xf32, #dhlo.dims<d_0>>
      %2 = dhlo.concat %0, %1 axis = 0 : ...
    ```

    Fails, with the operation, if one computes a row from several rows of the
    batch, or needs its size. Indices and masks that do are computed once, of
    the whole batch, as are values that do not depend on the batch. A router
    that keeps cells apart is copied with all that is computed of its rows.
  }];
  let statistics = [
    Statistic<"numBlocks", "blocks", "Blocks made">,
  ];
}

def PartitionPass : Pass<"dist-partition", "::mlir::ModuleOp"> {
  let summary = "Make an entry for each rank of a mesh";
  let description = [{
    Replaces each entry `@main` of a module with a mesh by the functions
    `@main_0`, `@main_1`, ... of its ranks, which have a `dist.part`. Operations
    whose only user is a `dist.reshard` compute the block that the rank holds of
    it, all others the whole result. Then no `dist.mesh` and no `dist.reshard`
    are left.

    - An axis of s elements that n ranks divide has blocks of `s ceildiv n`. The
      rank is known, so sizes are expressions without a rank, and the block of a
      weight is a constant of its own.
    - From whole to divided is a slice; from divided to whole is an exchange
      among the ranks that differ in that mesh axis, with a transpose before and
      after it where the axis is not the first, or a reshape if axes of size 1
      alone are before it.
    - A `dhlo.dot_general` with `dist.sums` becomes one for each segment that the
      rank holds, whose results are added in a tree. Then an exchange sends each
      rank its block of rows of the others' sums, which it adds as the upper
      part of the tree. The result stays divided in these blocks if it is asked
      for so, else it is gathered. An axis for which each rank has a row is
      chosen, if there is one. If the ranks do not divide the number of segments,
      operands are gathered, and all ranks add all segments.
    - Constants are not exchanged: where the whole is read, it is made again.
      Values that the compiler may round in another way than a kernel, such as
      exponentials of constants, are made of the whole and cut.
    - An argument with a `dist.sharding` is the rank's block, any other one is
      whole on all ranks; results likewise.

    ```mlir
    dist.mesh @mesh ["model" = 2]
    func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> attributes {dhlo.entry} {
      %0 = dhlo.tanh %x : tensor<8xf32>
      %1 = dist.reshard %0 : tensor<8xf32> to <@mesh, [["model"]]>
      return %1 : tensor<8xf32>
    }
    ```

    becomes

    ```mlir
    func.func @main_0(%x: tensor<8xf32>) -> tensor<8xf32>
        attributes {dhlo.entry, dist.part = #dist.part<"main", rank = 0, ranks = 2>} {
      %0 = dhlo.slice %x starts = [0] strides = [1] : (tensor<8xf32>) -> tensor<4xf32>
      %1 = dhlo.tanh %0 : tensor<4xf32>
      %s = dhlo.from_dims [0, 4, 0, 4] : tensor<4xi64>
      %r = dhlo.from_dims [0, 4, 4, 8] : tensor<4xi64>
      %2 = dist.exchange_start %1 among [0, 1] sends %s receives %r : ...
      %3 = dist.exchange_wait %2 : !dist.request -> tensor<8xf32>
      return %3 : tensor<8xf32>
    }
    func.func @main_1 ...
    ```

    - With several meshes, the stages of a pipeline, a rank computes the
      operations of its stage. Where one reads a value of another stage, ranks
      that hold blocks of it send the rows that others need: one axis moves in
      blocks, the rest is whole. Inputs and results are on all ranks. A rank
      begins to receive a block of the batch (`dist-split-batch`) when it has
      the one before it, and has sent a block before it sends the next, so that
      it computes meanwhile.

    Ranks of meshes follow one another. The size of an argument's divided axis must
    be static, or follow from axes that are not divided, since no rank sees it.
  }];
  let statistics = [
    Statistic<"numFunctions", "functions", "Functions made">,
    Statistic<"numExchanges", "exchanges", "Exchanges, of all ranks">,
  ];
}

def OverlapExchangesPass : Pass<"dist-overlap-exchanges", "::mlir::ModuleOp"> {
  let summary = "Run work that needs no exchange while exchanges run";
  let description = [{
    Orders the operations of each block with exchanges: an exchange begins as
    soon as its operands can be there, and ends before the first operation that
    needs it, or later. Between the two go matmuls and other operations with
    many operations for each element of their results (*work*), with what they
    need and what only reads their results.

    - Exchanges begin in the order of the program, which is that of all ranks.
      So ranks never wait for each other in a circle, whatever else each does in
      which order.
    - Where several exchanges could hide the same work, each takes as much as
      lasts until it should have ended, by the estimates of sizes and the rates
      of the machine. The last ones take what is left.
    - When another rank sends, none can tell. So work that the next exchange
      needs, or that reads what has been received where `max-open` are under
      way, goes before the end of the next one, whatever estimates say.
    - At most `max-open` exchanges run at a time, but for those that the program
      itself lets run longer, as between stages. Their operands and results
      stay alive until they end.
    - All other operations are written where they are first read, as fusions do
      not cross the beginning and the end of an exchange. Broadcasts are
      repeated on each side that reads them.

    ```mlir
    %t = dist.exchange_start %rows among [0, 1] ...
    %y = dist.exchange_wait %t : ...
    %z = dhlo.dot_general %x, %w ...
    %r = dhlo.add %y, %z ...
    ```

    becomes

    ```mlir
    %t = dist.exchange_start %rows among [0, 1] ...
    %z = dhlo.dot_general %x, %w ...
    %y = dist.exchange_wait %t : ...
    %r = dhlo.add %y, %z ...
    ```
  }];
  let options = [
    Option<"machine", "machine", "std::string", /*default=*/"",
           "The file of the machine that has the ranks; else they compute 50 "
           "billion operations and receive a gigabyte in a second">,
    Option<"maxOpen", "max-open", "int64_t", /*default=*/"4",
           "Exchanges that run at a time, at most">
  ];
  let statistics = [
    Statistic<"numOverlapped", "overlapped", "Exchanges with work beside them">,
    Statistic<"numExposed", "exposed", "Exchanges without">
  ];
}

#endif // DYN_DIST_PASSES
