//===- Artifact.h - Writes artifacts --------------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TARGET_ARTIFACT_H
#define DYN_TARGET_ARTIFACT_H

#include "dyn/Target/Descriptor.h"
#include "dyn/Target/DeviceCompiler.h"

namespace dyn {

/// Options of an artifact.
struct ArtifactOptions {
  /// Instruction sets in ascending order; at least one. v4-bf16 must be
  /// requested: processors with AMX are slower with it.
  llvm::SmallVector<Isa> isas = {Isa::V3, Isa::V4, Isa::V4Vnni, Isa::V4Amx};
  EmitOptions emit;
  DeviceTargets devices;
  /// Larger constants go to a file beside the artifact.
  uint64_t sidecarLimit = 256ull << 20;
  /// An artifact of the same model, beside which this one will lie and whose
  /// constants it uses; "" for none. Others are appended to the image.
  std::string shareWeights;
  /// The folder that relative names of weight files refer to.
  std::string weightsFolder;
};

/// Compiles and writes an artifact from a module after `convert-dlhlo-to-llvm`:
/// kernels, entries, descriptor, constants. `device` is the same model lowered
/// for devices, or null for none; it is changed. The file appears under its
/// name when it is complete, or not at all. Emits a diagnostic on failure.
llvm::LogicalResult writeArtifact(mlir::ModuleOp module, mlir::ModuleOp device,
                                  llvm::StringRef path,
                                  const ArtifactOptions &options,
                                  mlir::TimingScope &timing);

/// The entries of programs and the descriptor in LLVM IR. Null after emitting a
/// diagnostic.
std::unique_ptr<llvm::Module>
translateEntries(llvm::ArrayRef<mlir::ModuleOp> programs,
                 const ArtifactDescription &description,
                 llvm::LLVMContext &context, const EmitOptions &options);

} // namespace dyn

#endif // DYN_TARGET_ARTIFACT_H
