//===- DistOps.td - Operations on meshes, shardings and exchanges ---------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIST_OPS
#define DYN_DIST_OPS

include "dyn/Dialect/DHLO/IR/DHLOBase.td"
include "dyn/Dialect/DHLO/IR/DHLOInterfaces.td"
include "dyn/Dialect/Dist/IR/DistBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Dist_Op<string mnemonic, list<Trait> traits = []>
    : Op<Dist_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Global programs
//===----------------------------------------------------------------------===//

def Dist_MeshOp : Dist_Op<"mesh", [Symbol]> {
  let summary = "declare the ranks and their axes";
  let description = [{
    Names the axes of a grid of ranks. Ranks are numbered in row-major order,
    from `first`.

    ```mlir
    dist.mesh @mesh ["data" = 2, "model" = 4]
    ```

    Several meshes are the *stages* of a pipeline, whose ranks follow one
    another. An operation is of the stage that the shardings of its operands
    name, the last one if they name several; a `dist.reshard` brings a value to
    a stage. An operation that reads no value of a stage, such as a weight, is
    of the stage that reads it, or of all that do.

    ```mlir
    dist.mesh @early ["a" = 2]
    dist.mesh @late ["a" = 1] first = 2
    ```

    **Constraints**
    - (C1) Axes have different names, which are not empty.
    - (C2) Sizes are at least 1, and there are at most 65536 ranks.
    - (C3) `first` is from 0 to 65536.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrArrayAttr:$names,
                       DenseI64ArrayAttr:$sizes,
                       DefaultValuedAttr<I64Attr, "0">:$first);
  let assemblyFormat = [{
    $sym_name custom<MeshAxes>($names, $sizes) (`first` `=` $first^)? attr-dict
  }];
  let extraClassDeclaration = [{
    /// The number of ranks.
    int64_t getRanks();
    /// The number of ranks along an axis; 0 if there is no such axis.
    int64_t getSize(::llvm::StringRef axis);
  }];
  let hasVerifier = 1;
}

def Dist_ReshardOp : Dist_Op<"reshard", [Pure, SameOperandsAndResultType,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "hold a tensor's elements on certain ranks";
  let description = [{
    The operand, of which each rank holds what the sharding says. Values without
    a `dist.reshard` get their sharding from what they are computed from.

    ```mlir
    %v = dist.reshard %w : tensor<64x32xf32> to <@mesh, [[], ["model"]]>
    ```

    **Constraints**
    - (C1) The sharding has an axis for each axis of the operand.
    - (C2) Its mesh exists and has the axes that it names.
  }];
  let arguments = (ins DHLO_Tensor:$operand, Dist_Sharding:$sharding);
  let results = (outs DHLO_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result) `to` $sharding";
}

//===----------------------------------------------------------------------===//
// Local programs
//===----------------------------------------------------------------------===//

def Dist_ExchangeStartOp : Dist_Op<"exchange_start", [MemoryEffects<[MemRead, MemWrite]>,
    DHLO_MayFail]> {
  let summary = "begin to exchange rows with other ranks";
  let description = [{
    Sends rows of the operand to each of the ranks `among`, in their order, and
    receives rows from each. `sends` and `receives` hold two numbers for each
    rank, the first row and the one after the last: of the operand, and of the
    result of the `dist.exchange_wait`. All collectives are exchanges: in an
    all-gather, each rank is sent all rows; in a broadcast, the ranks that are
    no root are sent none.

    A rank sends to itself, too. Ranges of `receives` do not overlap, and rows
    that are in none are zeros. A range that is not within its tensor is a data
    error and is read as the nearest legal one. All ranks `among` run their
    exchanges with each other in the same order; if one sends another number of
    rows, or other rows, than its peer receives, the call ends with an error that
    names both.

    ```mlir
    // Rank 0 of 2 gathers the halves of 7 rows.
    %s = dhlo.from_dims [0, 4, 0, 4] : tensor<4xi64>
    %r = dhlo.from_dims [0, 4, 4, 7] : tensor<4xi64>
    %t = dist.exchange_start %x among [0, 1] sends %s receives %r
        : (tensor<4x8xf32>, tensor<4xi64>, tensor<4xi64>) -> !dist.request
    %y = dist.exchange_wait %t : !dist.request -> tensor<7x8xf32>
    ```

    **Constraints**
    - (C1) `among` are different ranks, at least one. In a function with a
      `dist.part` they are less than its number of ranks, and its rank is one of
      them.
    - (C2) `sends` and `receives` have two elements for each of them.
    - (C3) The operand has at least one axis.
    - (C4) The result is used by one `dist.exchange_wait`, in the same block, and
      by nothing else.
  }];
  let arguments = (ins DHLO_Tensor:$rows, DenseI64ArrayAttr:$among,
                       DHLO_TensorOf<[I64]>:$sends, DHLO_TensorOf<[I64]>:$receives);
  let results = (outs Dist_Request:$request);
  let assemblyFormat = [{
    $rows `among` $among `sends` $sends `receives` $receives attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Dist_ExchangeWaitOp : Dist_Op<"exchange_wait", [MemoryEffects<[MemRead, MemWrite]>,
    DHLO_MayFail]> {
  let summary = "end an exchange";
  let description = [{
    Waits until the rank has sent and received all rows of an exchange. The
    result has as many rows as its type says; `receives` say where they go.
    Operations between start and wait run meanwhile.

    ```mlir
    %y = dist.exchange_wait %t : !dist.request -> tensor<7x8xf32>
    ```

    **Constraints**
    - (C1) The operand is the result of a `dist.exchange_start`.
    - (C2) Element type and axes after the first are those of its operand, where
      known.
  }];
  let arguments = (ins Dist_Request:$request);
  let results = (outs DHLO_Tensor:$result);
  let assemblyFormat = [{
    $request attr-dict `:` qualified(type($request)) `->` type($result)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Local programs over buffers
//===----------------------------------------------------------------------===//

// The operations that `dlhlo-plan-buffers` makes of those above. They end the
// function with the call's status if the runtime reports that it has failed.

def Dist_Buffer : Type<CPred<"::llvm::isa<::dyn::dlhlo::BufferType>($_self)">,
                       "buffer", "::dyn::dlhlo::BufferType">,
    BuildableType<"::dyn::dlhlo::BufferType::get($_builder.getContext())">;

def Dist_BufferStartOp : Dist_Op<"buffer_start", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "begin an exchange between buffers";
  let description = [{
    `dist.exchange_start` of the `row_count` rows of a buffer, of `row_bytes`
    each, into a buffer of `result_count` rows, which nothing else may touch
    before the `dist.buffer_wait`. A range that is out of its buffer is the data
    error of site `site` of the module, and numbers of rows that differ are that
    of the next one.

    ```mlir
    %t = dist.buffer_start %x[%n] to %y[%m] bytes %b among [0, 1] sends %s receives %r
        site = 4
    ```
  }];
  let arguments = (ins Dist_Buffer:$rows, Index:$row_count, Dist_Buffer:$result,
                       Index:$result_count, Index:$row_bytes,
                       DenseI64ArrayAttr:$among, Dist_Buffer:$sends,
                       Dist_Buffer:$receives, I64Attr:$site);
  let results = (outs Index:$request);
  let assemblyFormat = [{
    $rows `[` $row_count `]` `to` $result `[` $result_count `]` `bytes` $row_bytes
    `among` $among `sends` $sends `receives` $receives `site` `=` $site attr-dict
  }];
}

def Dist_BufferWaitOp : Dist_Op<"buffer_wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "end an exchange between buffers";
  let description = [{
    Returns when both buffers of an exchange may be used again.

    ```mlir
    dist.buffer_wait %t
    ```
  }];
  let arguments = (ins Index:$request);
  let assemblyFormat = "$request attr-dict";
}

#endif // DYN_DIST_OPS
