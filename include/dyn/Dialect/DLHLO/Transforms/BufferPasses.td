//===- BufferPasses.td - Passes that assign memory ------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DLHLO_BUFFER_PASSES
#define DYN_DLHLO_BUFFER_PASSES

include "mlir/Pass/PassBase.td"

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
    Statistic<"numKernels", "kernels", "Kernels whose sizes were analysed">,
    Statistic<"numSegments", "segments", "Number of segments">,
    Statistic<"numValues", "values", "Number of values placed in arenas">,
    Statistic<"numSlots", "slots", "Number of slots in arenas">
  ];
}

#endif // DYN_DLHLO_BUFFER_PASSES
