//===- Passes.td - Conversion of entries to LLVM --------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_CONVERSION_DLHLOTOLLVM_PASSES
#define DYN_CONVERSION_DLHLOTOLLVM_PASSES

include "mlir/Pass/PassBase.td"

def ConvertDLHLOToLLVMPass : Pass<"convert-dlhlo-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Lower entries over buffers to functions of the artifact";
  let description = [{
    The function over buffers of each `dlhlo.entry` becomes a function of the C
    type `dyn_entry_fn` (see artifact.h): inputs, sizes and constants are read
    from the frame, and the runtime is called through the frame's table of
    services. If a call fails, the function returns its status. Arrays that
    calls need are allocated once, at the function's start.

    Kernels, constants, declarations of sizes and entries are kept: the writer
    of artifacts reads them. The function refers to kernels and constants by
    index, which is their order in the module.

    Before:
    ```mlir
    func.func @dyn.entry.main(%x: !dlhlo.buffer, %N: index) {
      %y = dlhlo.output 0 sizes(%N)
      dlhlo.dispatch @exp dims(%N) buffers(%x, %y) site_base = 0
      return
    }
    ```
    After, in short:
    ```mlir
    llvm.func @dyn.entry.main(%frame: !llvm.ptr) -> i32 {
      ...
      %y = llvm.call %output(%call, %c0, %sizes) : !llvm.ptr, (!llvm.ptr, i32, !llvm.ptr) -> !llvm.ptr
      %isNull = llvm.icmp "eq" %y, %null : !llvm.ptr
      llvm.cond_br %isNull, ^exit(%c1 : i32), ^next
    ^next:
      ...
      %status = llvm.call %launch(%call, %kernel, %buffers, %dims, %c0_i64) : ...
    ```
  }];
  let options = [
    Option<"device", "device", "bool", /*default=*/"false",
           "Buffers lie in the memory of a device, so that elements are read and "
           "written by services of the runtime">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::cf::ControlFlowDialect"];
}

#endif // DYN_CONVERSION_DLHLOTOLLVM_PASSES
