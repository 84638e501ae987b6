//===- KernelPasses.td - Passes that make kernels and launches ------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DLHLO_KERNEL_PASSES
#define DYN_DLHLO_KERNEL_PASSES

include "mlir/Pass/PassBase.td"

def ShareNumbersPass : Pass<"dlhlo-share-numbers", "::mlir::ModuleOp"> {
  let summary = "Merge kernels of fusions that differ in numbers";
  let description = [{
    Splat constants are part of a fusion's code. If fusions are equal except for
    the values of such constants of floats, as layers of a quantised model are
    except for their scales, these constants become inputs, which hold a
    constant of the module: one kernel serves all layers. Numbers that are the
    same in all of them stay constants, and fusions that would get more than 16
    inputs are unchanged.

    Before:
    ```mlir
    %1 = dlhlo.fusion loop (%0) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%x: tensor<4xf32>):
      %2 = dhlo.constant dense<0.5> : tensor<4xf32>
      %3 = dhlo.mul %x, %2 : tensor<4xf32>
      dlhlo.yield %3 : tensor<4xf32>
    }
    // and the same with 0.25
    ```
    After, twice:
    ```mlir
    %c = dlhlo.get_constant @number : tensor<4xf32>
    %1 = dlhlo.fusion loop (%0, %c) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%x: tensor<4xf32>, %2: tensor<4xf32>):
      %3 = dhlo.mul %x, %2 : tensor<4xf32>
      dlhlo.yield %3 : tensor<4xf32>
    }
    ```
  }];
  let dependentDialects = ["::dyn::dlhlo::DLHLODialect"];
  let statistics = [
    Statistic<"numShared", "shared", "Constants that became inputs">
  ];
}

def FetchPathsPass : Pass<"dlhlo-fetch-paths", "::mlir::ModuleOp"> {
  let summary = "Announce the weights of paths when their rows are known";
  let description = [{
    After the fusion that computes the offsets of groups comes a `dlhlo.fetch`
    of what is read for each path, in the order in which it is read:

    - of constants that grouped GEMMs and convolutions of the same block read by
      these offsets, the part of the path;
    - constants of fusions that compute nothing without rows of the path: their
      results have a number of rows that a `dhlo.bind` with the attribute
      `dhlo.rows_of` binds.

    This is done for operations and routers with the attribute `dhlo.preload`
    (`RouteMarks.h`), or for all. Where the attribute of a router's `dhlo.probe` has
    a prediction, there is a `dlhlo.fetch predicted`, too: after the offsets of
    the router before, with what is read for the path that follows each of its
    paths, or at the beginning of the function. The attributes are removed.

    Only constants that are read in no other way are announced: a device has
    nothing but these parts in memory when its kernels run.

    Weights that are no constant as a whole, or whose offsets are computed by
    the fusion that reads them, are left, and so are predictions by values that
    are not known before; a remark says so.

    Before:
    ```mlir
    %w = dlhlo.get_constant @w : tensor<2x8x4xf32>
    %0 = dlhlo.fusion loop (%ids) : ... -> tensor<3xi64>
    %1 = dlhlo.fusion contraction (%x, %w, %0) : ... {
    ^bb0(%2: ..., %3: tensor<2x8x4xf32>, %4: tensor<3xi64>):
      %5 = dhlo.grouped_dot %2, %3, %4 {dhlo.preload} : ...
    ```
    After:
    ```mlir
    %w = dlhlo.get_constant @w : tensor<2x8x4xf32>
    %0 = dlhlo.fusion loop (%ids) : ... -> tensor<3xi64>
    dlhlo.fetch %0 [#dlhlo.range<@w, path = 0, offset = 0, bytes = 128>,
                    #dlhlo.range<@w, path = 1, offset = 128, bytes = 128>] : tensor<3xi64>
    %1 = dlhlo.fusion contraction (%x, %w, %0) : ...
    ```
  }];
  let dependentDialects = ["::dyn::dlhlo::DLHLODialect"];
  let options = [
    Option<"all", "all", "bool", /*default=*/"false",
           "For all operations on groups, with or without the attribute">
  ];
  let statistics = [
    Statistic<"numFetches", "fetches", "Operations that announce weights">,
    Statistic<"numConstants", "constants", "Constants with announced weights">
  ];
}

def OutlineKernelsPass : Pass<"dlhlo-outline-kernels", "::mlir::ModuleOp"> {
  let summary = "Make kernels of fusions";
  let description = [{
    The body of each fusion becomes a `dlhlo.kernel` and the fusion a
    `dlhlo.launch`. In the kernel, symbols are renamed d0, d1, ... in the order
    in which they appear, and declared with their facts. A symbol whose
    definition is over symbols of the kernel is defined there; the launch passes
    the values of the others. Where sizes are long, what they share is named and
    defined as well: written out, a size that n layers compute from the one
    before may have 2^n terms. Equal kernels are then merged.

    Before:
    ```mlir
    dhlo.dim @N in [1, 64]
    ...
    %0 = dlhlo.fusion loop (%x) : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<N>> {
    ^bb0(%1: tensor<?xf32, #dhlo.dims<N>>):
      %2 = dhlo.exp %1 : tensor<?xf32, #dhlo.dims<N>>
      dlhlo.yield %2 : tensor<?xf32, #dhlo.dims<N>>
    }
    ```
    After:
    ```mlir
    dlhlo.kernel @exp loop {
    ^bb0(%0: tensor<?xf32, #dhlo.dims<d0>>):
      dhlo.dim @d0 in [1, 64]
      %1 = dhlo.exp %0 : tensor<?xf32, #dhlo.dims<d0>>
      dlhlo.yield %1 : tensor<?xf32, #dhlo.dims<d0>>
    }
    ...
    %0 = dlhlo.launch @exp dims [@N] (%x)
        : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<N>>
    ```
  }];
  let dependentDialects = ["::dyn::dlhlo::DLHLODialect"];
  let statistics = [
    Statistic<"numKernels", "kernels", "Number of kernels made">,
    Statistic<"numMerged", "merged", "Number of kernels merged with an equal one">
  ];
}

def MergeKernelsPass : Pass<"dlhlo-merge-kernels", "::mlir::ModuleOp"> {
  let summary = "Merge kernels that differ in numbers";
  let description = [{
    If eight or more kernels are equal except for starts of slices, widths of
    pads and scalar integers, or 48 or more except for these and constant sizes,
    as those of a loop that was unrolled, one kernel serves all. The sizes and
    starts that differ are sizes that the launch passes, the integers inputs. A
    size that follows from another one in all of the kernels is defined by it.

    Contractions, convolutions, attention and operations with kernels of their
    own keep their numbers, since their code depends on them.

    Before, with starts 0 to 7:
    ```mlir
    dlhlo.kernel @slice loop {
    ^bb0(%x: tensor<?x8xf32, #dhlo.dims<d0>>):
      dhlo.dim @d0 in [0, ?]
      %0 = dhlo.slice %x starts = [0, 0] strides = [1, 1] : (tensor<?x8xf32, #dhlo.dims<d0>>) -> tensor<?x1xf32, #dhlo.dims<d0>>
      dlhlo.yield %0 : tensor<?x1xf32, #dhlo.dims<d0>>
    }
    ...
    %1 = dlhlo.launch @slice dims [@N] (%a) : (tensor<?x8xf32, #dhlo.dims<N>>) -> tensor<?x1xf32, #dhlo.dims<N>>
    %2 = dlhlo.launch @slice_1 dims [@N] (%a) : (tensor<?x8xf32, #dhlo.dims<N>>) -> tensor<?x1xf32, #dhlo.dims<N>>
    ```
    After:
    ```mlir
    dlhlo.kernel @slice loop {
    ^bb0(%x: tensor<?x8xf32, #dhlo.dims<d0>>):
      dhlo.dim @d0 in [0, ?]
      dhlo.dim @d1 in [0, 7]
      %0 = dhlo.slice %x starts = [0, @d1] strides = [1, 1] : (tensor<?x8xf32, #dhlo.dims<d0>>) -> tensor<?x1xf32, #dhlo.dims<d0>>
      dlhlo.yield %0 : tensor<?x1xf32, #dhlo.dims<d0>>
    }
    ...
    %1 = dlhlo.launch @slice dims [@N, 0] (%a) : (tensor<?x8xf32, #dhlo.dims<N>>) -> tensor<?x1xf32, #dhlo.dims<N>>
    %2 = dlhlo.launch @slice dims [@N, 1] (%a) : (tensor<?x8xf32, #dhlo.dims<N>>) -> tensor<?x1xf32, #dhlo.dims<N>>
    ```
  }];
  let dependentDialects = ["::dyn::dlhlo::DLHLODialect"];
  let statistics = [
    Statistic<"numMerged", "merged", "Kernels that became launches of another one">
  ];
}

def LaunchManyPass : Pass<"dlhlo-launch-many", "::mlir::ModuleOp"> {
  let summary = "Launch independent small kernels together";
  let description = [{
    Independent launches of one segment become a `dlhlo.launch_many`, whose work
    items are distributed over threads. A launch is moved up to the first one,
    in program order, with which it can run; so branches advance one step each
    in turn, a few branches at a time, and a result is read soon after it is
    computed.

    Only kernels that are too small to keep threads busy (`max-cost`) are
    launched together, with results that stay in a core's cache until they are
    read (`max-bytes`), at their sizes' estimates. A launch whose result is
    needed much later than that of the first one (by more than `max-lead`
    launches) is not moved: its result would only occupy memory. A launch that
    may raise a data error is not moved before another one that may, so that the
    first error stays the same.

    Where paths run by a guess (`cell-speculate`), the router and these paths are
    *chains* of launches that do not depend on each other. They become one
    `dlhlo.launch_many` with the attribute `dlhlo.chains`, the number of each
    launch's chain, if enough work is not in the longest chain: a thread runs a
    chain, unless its kernels have work for all threads. For a `device`, whose
    streams run chains, there is nothing but chains: a kernel fills a device, or
    takes as long as one that is as small.

    Before:
    ```mlir
    %0 = dlhlo.launch @exp dims [] (%x) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = dlhlo.launch @neg dims [] (%x) : (tensor<4xf32>) -> tensor<4xf32>
    ```
    After:
    ```mlir
    %0:2 = dlhlo.launch_many : tensor<4xf32>, tensor<4xf32> {
      %1 = dlhlo.launch @exp dims [] (%x) : (tensor<4xf32>) -> tensor<4xf32>
      %2 = dlhlo.launch @neg dims [] (%x) : (tensor<4xf32>) -> tensor<4xf32>
      dlhlo.yield %1, %2 : tensor<4xf32>, tensor<4xf32>
    }
    ```
  }];
  let dependentDialects = ["::dyn::dlhlo::DLHLODialect"];
  let options = [
    Option<"maxCost", "max-cost", "int64_t", /*default=*/"-1",
           "Most bytes, or flops that take as long, of the work of a kernel "
           "that is launched with others; 0 launches each by itself; by "
           "default the target's">,
    Option<"maxBytes", "max-bytes", "int64_t", /*default=*/"-1",
           "Most bytes of results of kernels that are launched together; by "
           "default half of the L2 cache">,
    Option<"maxLead", "max-lead", "int64_t", /*default=*/"8",
           "Launches that a kernel may run earlier than it is waited for">,
    Option<"device", "device", "bool", /*default=*/"false",
           "Launch for a device">,
    Option<"targetInfo", "target-info", "std::string", /*default=*/"\"\"",
           "File that overrides numbers of the target (TargetInfo.h)">
  ];
  let statistics = [
    Statistic<"numMerged", "merged", "Launches that became part of one">,
    Statistic<"numMade", "made", "Launches of several kernels">,
    Statistic<"numLeft", "left", "Launches of one kernel left">
  ];
}

def DeferSizesPass : Pass<"dlhlo-defer-sizes", "::mlir::ModuleOp"> {
  let summary = "Leave data-dependent sizes to kernels";
  let description = [{
    On a device, a `dhlo.bind` makes the host wait for a number. If only kernels
    need it, they can read it: the kernel takes the scalar as an additional
    operand and binds its dim to it, and the launch's dim becomes the upper
    bound of the size. In the entry the size is defined as that bound, so memory
    and blocks suffice, and the binding is removed.

    This requires a bound: the maximum or the `at_most` that is declared for the
    symbol. A binding is kept if its size is one of a value that leaves the
    entry, or that a branch or a loop passes on; if it is read as data by more
    than kernels, for which a kernel writes it; if an operation has a constraint
    on it that facts do not prove; if a size that depends on it has no bound; or
    if memory for the upper bound would be out of
    proportion: if two such sizes are multiplied, or if it is more than four
    times the largest value.

    A size that contradicts its declaration is a data error of the kernels that
    read it: one of them is in the block of the binding, or the binding is kept.
    A probe of such a number of cells gets the upper bound of cells, with the
    padding marked.

    Before:
    ```mlir
    dhlo.dim @N
    dhlo.dim @K in [0, ?] at_most @N
    func.func @main(%x: tensor<?xf32, #dhlo.dims<N>>) -> tensor<f32> attributes {dhlo.entry} {
      %i:2 = dlhlo.launch @find dims [@N] (%x) : ...
      dhlo.bind @K = %i#1 : tensor<i64>
      %k = dhlo.slice %i#0 starts = [0, 0] strides = [1, 1] : ...
      %s = dlhlo.launch @sum dims [@N, @K] (%x, %k) : ...
    ```
    After:
    ```mlir
    dhlo.dim @N
    dhlo.dim @K = @N
    func.func @main(%x: tensor<?xf32, #dhlo.dims<N>>) -> tensor<f32> attributes {dhlo.entry} {
      %i:2 = dlhlo.launch @find dims [@N] (%x) : ...
      %k = dhlo.slice %i#0 starts = [0, 0] strides = [1, 1] : ...
      %s = dlhlo.launch @sum_0 dims [@N, @K] (%x, %k, %i#1) : ...
    ```
  }];
  let dependentDialects = ["::dyn::dlhlo::DLHLODialect"];
  let statistics = [
    Statistic<"numDeferred", "deferred", "Sizes that kernels read">,
    Statistic<"numKept", "kept", "Sizes that the host waits for">,
    Statistic<"numKernels", "kernels", "Kernels that read sizes">
  ];
}

def FindGemmsPass : Pass<"dlhlo-find-gemms", "::mlir::ModuleOp"> {
  let summary = "Find kernels that a GEMM library may compute";
  let description = [{
    A kernel gets a `dlhlo.library_gemm` if it is one `dhlo.dot_general` of
    f32, f16 or bf16 whose operands are matrices without conversion of layout,
    with at most a bias for each column, an addend of the result's sizes and,
    last, max(x, 0) or GELU by tanh on its sums. The kernel is kept: it runs
    calls with less than `from` multiply-adds, and all calls on machines without
    such a library.

    Before:
    ```mlir
    dlhlo.kernel @dense contraction {
    ^bb0(%0: tensor<?x384xf32, #dhlo.dims<d0>>, %1: tensor<384x1536xf32>, %2: tensor<1536xf32>):
      dhlo.dim @d0 in [1, 32768]
      %3 = dhlo.dot_general %0, %1 batch = 0 lhs_contract = [1] rhs_contract = [0] : ...
      %4 = dhlo.broadcast %2 axes = [1] : ...
      %5 = dhlo.add %3, %4 : tensor<?x1536xf32, #dhlo.dims<d0>>
      dlhlo.yield %5 : tensor<?x1536xf32, #dhlo.dims<d0>>
    }
    ```
    After, beside it:
    ```mlir
    dlhlo.library_gemm @dense sizes [1, @d0, 1536, 384] left 0 right 1 bias 2 activation none from 1073741824
    ```
  }];
  let dependentDialects = ["::dyn::dlhlo::DLHLODialect"];
  let options = [
    Option<"from", "from", "int64_t", /*default=*/"1073741824",
           "Least multiply-adds of a call that is left to the library; 2^30 is "
           "1024 rows, columns and steps">
  ];
  let statistics = [
    Statistic<"numFound", "found", "Kernels that a library may compute">,
    Statistic<"numOthers", "others", "Other kernels of contractions">
  ];
}

#endif // DYN_DLHLO_KERNEL_PASSES
