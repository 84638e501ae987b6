//===- EmulatedKernel.h - A kernel compiled for the emulator --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TEST_UNIT_EMULATION_EMULATEDKERNEL_H
#define DYN_TEST_UNIT_EMULATION_EMULATEDKERNEL_H

#include "Emulator.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"

namespace dyn {

/// A `dlhlo.kernel` that was lowered like GPU code, but to host code.
class EmulatedKernel {
public:
  /// Compiles the one kernel in `text`, named "k". `plant` may change the code
  /// of its threads, in scf, arith, vector, llvm and nvvm.
  explicit EmulatedKernel(
      llvm::StringRef text,
      llvm::function_ref<void(mlir::ModuleOp)> plant = nullptr);

  struct Grid {
    int64_t version, blocks, flops, bytes;
  };
  /// The result of the kernel's grid function.
  Grid getGrid(llvm::ArrayRef<int64_t> dims);
  /// Launches on buffers of the device, operands first. False if a fault
  /// stopped it. `error` is the error word.
  bool run(emu::Device &device, llvm::ArrayRef<void *> buffers,
           llvm::ArrayRef<int64_t> dims, uint64_t *error = nullptr);
  /// The same with a version that the test selects.
  bool launch(llvm::StringRef version, int64_t blocks, emu::Device &device,
              llvm::ArrayRef<void *> buffers, llvm::ArrayRef<int64_t> dims,
              uint64_t *error = nullptr);
  /// The name of the version that a call selects.
  llvm::StringRef getVersion(llvm::ArrayRef<int64_t> dims) {
    return versions.at(getGrid(dims).version)->name;
  }

private:
  struct Version {
    dyn_emu_kernel_t kernel;
    std::string name;
    std::vector<std::string> texts;
    std::vector<dyn_emu_site_t> sites;
  };
  std::unique_ptr<llvm::orc::LLJIT> jit;
  std::vector<std::unique_ptr<Version>> versions;
};

} // namespace dyn

#endif // DYN_TEST_UNIT_EMULATION_EMULATEDKERNEL_H
