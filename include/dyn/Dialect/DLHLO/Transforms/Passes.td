//===- Passes.td - Passes of the dlhlo dialect ----------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// In the order in which they run.

#ifndef DYN_DLHLO_PASSES
#define DYN_DLHLO_PASSES

include "mlir/Pass/PassBase.td"

def HoistConstantsPass : Pass<"dlhlo-hoist-constants", "::mlir::ModuleOp"> {
  let summary = "Turn values that only depend on weights into constants";
  let description = [{
    Each maximal subgraph of an entry that only depends on weights and constants
    becomes the recipe of a `dlhlo.constant` and its value a
    `dlhlo.get_constant`; equal recipes become one constant. Splat constants are
    kept in the program: fusions inline them. A subgraph does not include
    operations whose value would be much larger than the values that it is
    computed from (a broadcast is left to the kernel that reads it).

    Before:
    ```mlir
    %0 = dhlo.weight #dhlo.weight<"m.onnx", offset = 64, length = 24, key = "w"> : tensor<3x2xf32>
    %1 = dhlo.transpose %0 permutation = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
    %2 = dhlo.add %x, %1 : tensor<2x3xf32>
    ```
    After:
    ```mlir
    dlhlo.constant @w : tensor<2x3xf32> {
      %0 = dhlo.weight #dhlo.weight<"m.onnx", offset = 64, length = 24, key = "w"> : tensor<3x2xf32>
      %1 = dhlo.transpose %0 permutation = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
      dlhlo.yield %1 : tensor<2x3xf32>
    }
    ...
    %1 = dlhlo.get_constant @w : tensor<2x3xf32>
    %2 = dhlo.add %x, %1 : tensor<2x3xf32>
    ```
  }];
  let dependentDialects = ["::dyn::dlhlo::DLHLODialect"];
  let statistics = [
    Statistic<"numConstants", "constants", "Number of constants made">,
    Statistic<"numMerged", "merged", "Number of recipes merged with an equal one">
  ];
}

def PackConstantsPass : Pass<"dlhlo-pack-constants", "::mlir::ModuleOp"> {
  let summary = "Pack constant operands of GEMMs into panels";
  let description = [{
    If the RHS of a `dhlo.dot_general`, or the filter of a channels-last
    `dhlo.convolution` without groups, is an f32 constant, its recipe permutes
    its axes to batch, K, N, and packs its elements into panels of 16 columns,
    which micro-kernels read in one stream. Unused constants are erased.

    Filters of 3 x 3 with many channels, at stride 1, are packed for Winograd's
    algorithm (`winograd4`), unless `winograd=false`: a convolution takes less
    than half the time, its weights five times the memory, and its error grows
    from some 5e-7 of the largest result to 2e-6. With channels first, filters
    of three rows and eight channels or more are packed for the same along the
    image height (`winograd4_lines`), with half of the multiply-adds.

    Before:
    ```mlir
    dlhlo.constant @w : tensor<1536x384xf32> { ... }
    ...
    %w = dlhlo.get_constant @w : tensor<1536x384xf32>
    %y = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [1]
        : (tensor<?x384xf32, #dhlo.dims<N>>, tensor<1536x384xf32>) -> tensor<?x1536xf32, #dhlo.dims<N>>
    ```
    After:
    ```mlir
    dlhlo.constant @w_0 : tensor<384x1536xf32, #dlhlo.packed<panels16, batch = 0, rows = 1>> {
      ...
      %1 = dhlo.transpose %0 permutation = [1, 0] : (tensor<1536x384xf32>) -> tensor<384x1536xf32>
      %2 = dlhlo.pack %1 : (tensor<384x1536xf32>) -> tensor<384x1536xf32, #dlhlo.packed<panels16, batch = 0, rows = 1>>
      dlhlo.yield %2 : tensor<384x1536xf32, #dlhlo.packed<panels16, batch = 0, rows = 1>>
    }
    ```
  }];
  let dependentDialects = ["::dyn::dlhlo::DLHLODialect"];
  let options = [
    Option<"winograd", "winograd", "bool", /*default=*/"true",
           "Pack filters for Winograd's algorithm where it saves time">,
    Option<"targetInfo", "target-info", "std::string", /*default=*/"\"\"",
           "File that overrides numbers of the target (TargetInfo.h)">
  ];
  let statistics = [
    Statistic<"numPacked", "packed", "Number of operands packed">
  ];
}

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

def PlanBuffersPass : Pass<"dlhlo-plan-buffers", "::mlir::ModuleOp"> {
  let summary = "Assign memory to every value";
  let description = [{
    Turns each entry into a function over buffers and sizes, with a `dlhlo.entry`
    for its signature.

    1. A block is split into segments: an operation that binds symbols, or has
       regions, ends one.
    2. Each segment starts with its shape program: `arith` on `index` computes
       the symbols that the segment is the first to need. A size that may be
       negative is checked, and so are the constraints of operations on sizes
       (two that are equal, a slice within its operand) that the analysis does
       not prove. Values that do not fit in an index are saturated to the
       maximum, which no memory has.
    3. The results of launches of a segment lie in one arena, each for as long
       as it is live; all segments of a block share it. Slots are reused for
       later values, if the analysis of sizes shows that they are large enough,
       else with the maximum of both sizes. A value that a later segment reads
       has its own arena, which is free again after the last operation that
       reads it. Values that the entry returns are written to the memory that
       the host provides.
    4. `dhlo.if` becomes `scf.if`, whose branches use the same arenas.
       `dhlo.while` becomes `scf.while`; its carried values are written to two
       arenas in turn.
    5. With red zones, an arena is poisoned initially; a value is unpoisoned, to
       the byte, before the operation that computes it, and poisoned after the
       last one that reads it. Slots are `red-zone` bytes apart.

    Before:
    ```mlir
    func.func @main(%x: tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<N>> attributes {dhlo.entry} {
      %0 = dlhlo.launch @exp dims [@N] (%x) : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<N>>
      return %0 : tensor<?xf32, #dhlo.dims<N>>
    }
    ```
    After:
    ```mlir
    dlhlo.entry @main calls "dyn.entry.main" : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<N>>
        inputs ["x"] outputs ["y"] dims [@N] arenas 0
    func.func @dyn.entry.main(%x: !dlhlo.buffer, %N: index) {
      %y = dlhlo.output 0 sizes(%N)
      dlhlo.dispatch @exp dims(%N) buffers(%x, %y) site_base = 0
      return
    }
    ```
  }];
  let dependentDialects = ["::dyn::dlhlo::DLHLODialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
  let options = [
    Option<"reuse", "reuse", "bool", /*default=*/"true",
           "Let values whose lifetimes do not overlap share memory">,
    Option<"redZone", "red-zone", "int64_t", /*default=*/"0",
           "Bytes between slots of an arena, a multiple of 64; with any, memory "
           "that holds no value is poisoned for AddressSanitizer">
  ];
  let statistics = [
    Statistic<"numSegments", "segments", "Number of segments">,
    Statistic<"numValues", "values", "Number of values placed in arenas">,
    Statistic<"numSlots", "slots", "Number of slots in arenas">
  ];
}

//===----------------------------------------------------------------------===//
// Boundaries of levels, and reports
//===----------------------------------------------------------------------===//

def VerifyFusionsPass : Pass<"dlhlo-verify-fusions", "::mlir::ModuleOp"> {
  let summary = "Check that every operation of an entry is in a fusion";
  let description = [{
    After `dlhlo-fuse`, an entry consists of fusions, constants, control flow,
    `dhlo.bind`, and views and sizes that the host provides. Anything else is
    reported.

    ```mlir
    %0 = dhlo.exp %x : tensor<4xf32>  // error: expected to be in a fusion or a constant
    ```
  }];
}

def VerifyKernelsPass : Pass<"dlhlo-verify-kernels", "::mlir::ModuleOp"> {
  let summary = "Check kernels and that entries only launch them";
  let description = [{
    After `dlhlo-outline-kernels`, no fusion remains, the types of a launch are
    those of its kernel up to the names of sizes, and a kernel declares each
    size that it uses.

    ```mlir
    %0 = dlhlo.fusion loop (%x) ...  // error: expected to be in a kernel
    ```
  }];
}

def VerifyBuffersPass : Pass<"dlhlo-verify-buffers", "::mlir::ModuleOp"> {
  let summary = "Check that no tensor remains in an entry";
  let description = [{
    After `dlhlo-plan-buffers`, each entry is a `dlhlo.entry` and a function over
    buffers and sizes.

    ```mlir
    func.func @main(%x: tensor<4xf32>) attributes {dhlo.entry}  // error: expected a dlhlo.entry
    ```
  }];
}

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

#endif // DYN_DLHLO_PASSES
