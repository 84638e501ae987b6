//===- Passes.td - Converts GPU code to host code -------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_CONVERSION_NVVMTOEMULATION_PASSES
#define DYN_CONVERSION_NVVMTOEMULATION_PASSES

include "mlir/Pass/PassBase.td"

def ConvertNVVMToEmulationPass : Pass<"convert-nvvm-to-emulation", "::mlir::ModuleOp"> {
  let summary = "Lower the code of a GPU's threads to code of the host";
  let description = [{
    Replaces each `gpu.module`, whose functions are in the LLVM and NVVM
    dialects, by its functions as a `dyn_emu_fn` of emulated.h each, whose
    attributes are the other fields of a `dyn_emu_kernel_t`. Other code is
    unchanged: an operation that uses the device or other threads becomes a call
    of the emulator, a special register a field of `dyn_emu_thread_t`, a shared
    variable an offset into the block's shared memory, and before each access of
    memory the emulator is notified.

    ```mlir
    gpu.module @k {
      llvm.func @k(%params: !llvm.ptr {llvm.byval = ...}) attributes {nvvm.kernel} {
        %0 = nvvm.read.ptx.sreg.tid.x : i32
        nvvm.barrier
        ...
    ```

    becomes

    ```mlir
    llvm.func @k(%params: !llvm.ptr, %thread: !llvm.ptr) {
      %0 = llvm.load of %thread->tid[0]
      llvm.call %thread->ops->barrier(%thread, %site, 0, 0)
      ...
    ```

    There is a table entry for each NVVM operation that schedules emit; others
    are rejected with a diagnostic.
  }];
  let statistics = [
    Statistic<"numKernels", "kernels", "Functions of devices converted">,
    Statistic<"numSites", "sites", "Operations that call the emulator">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // DYN_CONVERSION_NVVMTOEMULATION_PASSES
