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

def OutlineKernelsPass : Pass<"dlhlo-outline-kernels", "::mlir::ModuleOp"> {
  let summary = "Make kernels of fusions";
  let description = [{
    The body of each fusion becomes a `dlhlo.kernel` and the fusion a
    `dlhlo.launch`. In the kernel, symbols are renamed d0, d1, ... in the order
    in which they appear, and declared with their facts. A symbol whose
    definition is over symbols of the kernel is defined there; the launch passes
    the values of the others. Equal kernels are then merged.

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
    entry, or that a branch or a loop passes on, or is read as data; if an
    operation has a constraint on it that facts do not prove; if a size that
    depends on it has no bound; or if memory for the upper bound would be out of
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
