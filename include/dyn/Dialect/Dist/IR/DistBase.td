//===- DistBase.td - The dist dialect, its attributes and types -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIST_BASE
#define DYN_DIST_BASE

include "dyn/Dialect/DHLO/IR/DHLOAttrs.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"

def Dist_Dialect : Dialect {
  let name = "dist";
  let cppNamespace = "::dyn::dist";
  let summary = "meshes, shardings and exchanges of ranks";
  let description = [{
    `dist` describes how one model runs on several ranks (RFC 17). It has two
    levels.

    In a *global* program, values have all their elements. `dist.mesh` names the
    ranks, and shardings say which elements of a value a rank holds: as the
    attribute `dist.sharding` of arguments and results of an entry, and in
    `dist.reshard`. They never change a result.

    ```mlir
    dist.mesh @mesh ["model" = 2]
    func.func @main(%x: tensor<?x64xf32, #dhlo.dims<N>>, %w: tensor<64x32xf32>)
        -> tensor<?x32xf32, #dhlo.dims<N>> attributes {dhlo.entry} {
      %v = dist.reshard %w : tensor<64x32xf32> to <@mesh, [[], ["model"]]>
      %y = dhlo.dot_general %x, %v batch = 0 lhs_contract = [1] rhs_contract = [0]
          : (tensor<?x64xf32, #dhlo.dims<N>>, tensor<64x32xf32>) -> tensor<?x32xf32, #dhlo.dims<N>>
      return %y : tensor<?x32xf32, #dhlo.dims<N>>
    }
    ```

    The pass `dist-partition` makes a *local* program of it: a function for each
    rank, with `dist.part`, whose values are what this rank holds, and in which
    all that ranks tell each other is a `dist.exchange_start` and a
    `dist.exchange_wait`. The rank of a function is known, so its slices of
    weights are constants of its own, and sizes are expressions without a rank.
    Kernels of all functions are shared where they are equal.

    `dist.placement` of a router has the rank that holds each of its paths,
    counted from the first one of its stage. It never changes a result.

    `dist.sums` of a `dhlo.dot_general` says how ranks divide its sums, if that
    was asked for: it does change the order in which they are added.

    `dist.micro_batches` of a function is the number of blocks of the batch that
    go through the stages of a pipeline one after another. `dist-split-batch`
    makes them, and gives a `dist.reshard` of a block its number as
    `dist.block`. Neither changes a result.

    **Constraints** of these attributes
    - (C1) `dist.sharding` is a sharding, on an argument or a result of a
      function that is a tensor, with an axis for each of its axes; its mesh and
      the axes of it exist.
    - (C2) `dist.part` is a part, on a function or a `dlhlo.entry`.
    - (C3) `dist.placement` is an array of ranks, which are at least 0.
    - (C4) `dist.sums` is a `sums`, on a `dhlo.dot_general` that has such a pair
      of axes, of a static size that is a multiple of the segments; its mesh and
      the axes of it exist.
    - (C5) `dist.micro_batches` is an i64 of at least 1, on a function.
    - (C6) `dist.block` is an i64 of at least 0, on a `dist.reshard`.
  }];
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::dyn::dhlo::DHLODialect"];
  let extraClassDeclaration = [{
    /// The sharding of an argument or a result of an entry.
    static constexpr llvm::StringLiteral kShardingAttr = "dist.sharding";
    /// The rank that runs a function of a local program.
    static constexpr llvm::StringLiteral kPartAttr = "dist.part";
    /// The rank of each path of a router.
    static constexpr llvm::StringLiteral kPlacementAttr = "dist.placement";
    /// How ranks divide the sums of a contraction.
    static constexpr llvm::StringLiteral kSumsAttr = "dist.sums";
    /// The number of blocks of a function's batch.
    static constexpr llvm::StringLiteral kMicroBatchesAttr = "dist.micro_batches";
    /// The block of the batch that a reshard is of.
    static constexpr llvm::StringLiteral kBlockAttr = "dist.block";
  }];
}

def Dist_Sharding : AttrDef<Dist_Dialect, "Sharding"> {
  let mnemonic = "sharding";
  let summary = "the elements of a tensor that each rank of a mesh holds";
  let description = [{
    For each axis of a tensor, the mesh axes that divide it, major to minor. An
    axis of s elements that is divided among n ranks has blocks of
    `s ceildiv n`; the last blocks may be shorter, or empty. An axis without
    mesh axes is on all ranks in full, and so are all along mesh axes that no
    axis names.

    ```mlir
    #dist.sharding<@mesh, [["data"], []]>
    #dist.sharding<@mesh, [["data", "model"]]>
    ```

    **Constraints**
    - (C1) A mesh axis divides at most one axis.
  }];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$mesh,
                        ArrayRefParameter<"::mlir::ArrayAttr">:$axes);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Dist_Sums : AttrDef<Dist_Dialect, "Sums"> {
  let mnemonic = "sums";
  let summary = "the order of sums whose axis ranks divide";
  let description = [{
    The pair `pair` of contracted axes is cut into equal segments. Each has a sum
    of its own, with the result's element type, and these are added in a balanced
    binary tree: of four segments, (s0 + s1) + (s2 + s3). The order is the same
    with any number of ranks along `axes`, which hold adjacent segments if their
    number divides that of segments, and all segments if not.

    ```mlir
    #dist.sums<@mesh, pair = 0, axes = ["model"], segments = 8>
    ```

    **Constraints**
    - (C1) The number of segments is a power of two.
    - (C2) The axes are different names.
  }];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$mesh, "int64_t":$pair,
                        "::mlir::ArrayAttr":$axes, "int64_t":$segments);
  let assemblyFormat = [{
    `<` $mesh `,` `pair` `=` $pair `,` `axes` `=` $axes `,` `segments` `=` $segments `>`
  }];
  let genVerifyDecl = 1;
}

def Dist_Part : AttrDef<Dist_Dialect, "Part"> {
  let mnemonic = "part";
  let summary = "the rank that runs a function";
  let description = [{
    The function is what rank `rank` of `ranks` runs of the entry `entry`.
    `stage` are the ranks of its stage, if there are several stages.

    ```mlir
    #dist.part<"main", rank = 0, ranks = 8>
    #dist.part<"main", rank = 5, ranks = 8, stage = [4, 5, 6, 7]>
    ```

    **Constraints**
    - (C1) 0 <= rank < ranks.
    - (C2) The name of the entry is not empty.
    - (C3) The ranks of the stage ascend below `ranks`, and `rank` is one of
      them.
  }];
  let parameters = (ins "::mlir::StringAttr":$entry, "int64_t":$rank, "int64_t":$ranks,
                        OptionalArrayRefParameter<"int64_t">:$stage);
  let assemblyFormat = [{
    `<` $entry `,` `rank` `=` $rank `,` `ranks` `=` $ranks
    (`,` `stage` `=` `[` $stage^ `]`)? `>`
  }];
  let genVerifyDecl = 1;
}

def Dist_Request : TypeDef<Dist_Dialect, "Request"> {
  let mnemonic = "request";
  let summary = "an exchange that has begun";
  let description = [{
    The result of a `dist.exchange_start`, for the one `dist.exchange_wait` that
    ends the exchange.
  }];
}

#endif // DYN_DIST_BASE
