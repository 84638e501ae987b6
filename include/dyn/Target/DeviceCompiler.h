//===- DeviceCompiler.h - Compiles kernels for devices --------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TARGET_DEVICECOMPILER_H
#define DYN_TARGET_DEVICECOMPILER_H

#include "dyn/Target/Descriptor.h"
#include "dyn/Target/ObjectEmitter.h"

#include "mlir/IR/OwningOpRef.h"
#include "mlir/Support/Timing.h"

namespace dyn {

/// The targets that an artifact has code for in addition to the CPU.
struct DeviceTargets {
  llvm::SmallVector<std::string> chips; ///< of CUDA, ascending: "sm_80"
  bool emulated = false;

  bool empty() const { return chips.empty() && !emulated; }
  /// Parses "cpu,cuda:sm_80,sm_90a,emu": the CPU, chips of CUDA, the emulator.
  /// Nothing with a message if the text is invalid.
  static std::optional<DeviceTargets> parse(llvm::StringRef text,
                                            std::string &error);
};

/// One nested module for each `dlhlo.kernel` of `module`, a program lowered for
/// a device: `k.grid`, which computes its launch, and a `gpu.module` in the
/// NVVM dialect. Null after a diagnostic.
mlir::OwningOpRef<mlir::ModuleOp> lowerDeviceKernels(mlir::ModuleOp module,
                                                     const EmitOptions &options,
                                                     mlir::TimingScope &timing);

/// Compiles each `dlhlo.kernel` of `module`, a program lowered for a device.
/// Kernels and images are added to `program`, code of the emulator to
/// `objects`; the functions that compute grids are added to `module`, in the
/// LLVM dialect, beside its entries. Emits a diagnostic on failure.
llvm::LogicalResult compileDeviceKernels(mlir::ModuleOp module,
                                         const DeviceTargets &targets,
                                         const EmitOptions &options,
                                         DeviceProgramDescription &program,
                                         std::vector<ObjectCode> &objects,
                                         mlir::TimingScope &timing);

} // namespace dyn

#endif // DYN_TARGET_DEVICECOMPILER_H
