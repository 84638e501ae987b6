//===- Artifact.cpp - Writes artifacts
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Target/Artifact.h"

#include "dyn/Target/ConstantsFile.h"
#include "dyn/Target/KernelCompiler.h"
#include "dyn/Target/Linker.h"
#include "dyn/artifact.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"

using namespace mlir;
using namespace dyn;

std::unique_ptr<llvm::Module>
dyn::translateEntries(ArrayRef<ModuleOp> programs,
                      const ArtifactDescription &description,
                      llvm::LLVMContext &context, const EmitOptions &options) {
  // Only the functions are machine code; kernels, constants and declarations
  // have become the descriptor.
  ModuleOp first = programs.front();
  OwningOpRef<ModuleOp> code = ModuleOp::create(first.getLoc());
  OpBuilder builder(code->getContext());
  builder.setInsertionPointToEnd(code->getBody());
  for (ModuleOp program : programs)
    for (Operation &op : *program.getBody())
      if (op.getDialect() == code->getContext()->getLoadedDialect("llvm"))
        builder.clone(op);
  // Entries run on every machine that can run one of the kernels.
  std::unique_ptr<llvm::Module> ir =
      translateToLLVMIR(*code, context, Isa::V2, options);
  if (ir)
    emitDescriptor(*ir, description);
  return ir;
}

/// Gives entries of a device's program other names than those of the CPU's.
static void renameEntries(ModuleOp device) {
  for (auto entry : device.getOps<dlhlo::EntryOp>()) {
    auto function = device.lookupSymbol<LLVM::LLVMFuncOp>(entry.getFunction());
    std::string name = (entry.getFunction() + ".device").str();
    function.setSymName(name);
    entry.setFunction(name);
  }
}

/// Describes and compiles the program of a device.
static LogicalResult compileProgram(ModuleOp device,
                                    const ArtifactOptions &options,
                                    ArtifactDescription &description,
                                    std::vector<ObjectCode> &objects,
                                    TimingScope &timing) {
  renameEntries(device);
  return failure(
      failed(describeProgram(device, DYN_DEVICE_CUDA, description)) ||
      failed(compileDeviceKernels(device, options.devices, options.emit,
                                  description.programs.back(), objects,
                                  timing)));
}

LogicalResult dyn::writeArtifact(ModuleOp module, ModuleOp device,
                                 StringRef path, const ArtifactOptions &options,
                                 TimingScope &timing) {
  ArtifactDescription description;
  if (failed(describeModule(
          module, options.isas, description,
          options.emit.sanitizeAddress ? DYN_CONSTANT_ALIGNMENT : 0)))
    return failure();

  FailureOr<std::vector<ObjectCode>> objects =
      compileKernels(module, options.isas, options.emit, timing);
  if (failed(objects))
    return failure();
  SmallVector<ModuleOp> programs = {module};
  if (device) {
    if (failed(compileProgram(device, options, description, *objects, timing)))
      return failure();
    programs.push_back(device);
  }
  if (description.constantsBytes > options.sidecarLimit)
    description.sidecar = (llvm::sys::path::filename(path) + ".weights").str();

  std::string error;
  {
    TimingScope entries = timing.nest("Entries");
    llvm::LLVMContext context;
    std::unique_ptr<llvm::Module> ir =
        translateEntries(programs, description, context, options.emit);
    if (!ir)
      return failure();
    // No test: LLVM fails on wrong input, and this comes from the conversion.
    if (!emitObject(*ir, Isa::V2, options.emit, objects->emplace_back(), error))
      return module.emitError("no machine code for the entries: ") << error;
  }

  // Everything is written beside its place and renamed at the end, the image
  // last, so that no reader sees a part of an artifact. Of a sidecar and an
  // image, whoever reads between the two renames finds different ids.
  std::string suffix =
      ".tmp" + std::to_string(llvm::sys::Process::getProcessId());
  std::string image = path.str() + suffix, sidecar;
  std::string sidecarPath = path.str() + ".weights";
  // Nor is one left behind by an interrupt.
  llvm::sys::RemoveFileOnSignal(image);
  auto cleanUp = llvm::make_scope_exit([&] {
    for (const std::string &file : {image, sidecar}) {
      if (file.empty())
        continue;
      llvm::sys::fs::remove(file);
      llvm::sys::DontRemoveFileOnSignal(file);
    }
  });
  {
    TimingScope linking = timing.nest("Link");
    if (!linkSharedObject(*objects, DYN_ARTIFACT_SYMBOL, image,
                          options.emit.sanitizeAddress, error))
      return module.emitError(error);
  }
  TimingScope constants = timing.nest("Constants");
  std::string target = image;
  if (!description.sidecar.empty())
    target = sidecar = sidecarPath + suffix;
  if (!sidecar.empty())
    llvm::sys::RemoveFileOnSignal(sidecar);
  if (failed(appendConstants(module, device, description, options.weightsFolder,
                             image, target)))
    return failure();
  auto rename = [&](StringRef from, StringRef to) -> LogicalResult {
    if (std::error_code code = llvm::sys::fs::rename(from, to))
      return module.emitError("cannot write ") << to << ": " << code.message();
    return success();
  };
  if (!sidecar.empty() && failed(rename(sidecar, sidecarPath)))
    return failure();
  return rename(image, path);
}
