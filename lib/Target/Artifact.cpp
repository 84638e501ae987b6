//===- Artifact.cpp - Writes artifacts ------------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Target/Artifact.h"

#include "dyn/Target/ConstantsFile.h"
#include "dyn/Target/KernelCompiler.h"
#include "dyn/Target/Linker.h"
#include "dyn/Target/SharedWeights.h"
#include "dyn/artifact.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"

using namespace mlir;
using namespace dyn;

/// Instructions above which entries are not optimised. They are simplified
/// already and executed once a call, but the time of LLVM's passes, above all
/// of register allocation, grows faster than a function.
static constexpr unsigned kLongEntries = 8192;

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

/// Renames entries of a device's program, and the arrays that they read, to
/// differ from those of the CPU's: all are functions of one module.
static LogicalResult renameEntries(ModuleOp device) {
  for (auto entry : device.getOps<dlhlo::EntryOp>()) {
    auto function = device.lookupSymbol<LLVM::LLVMFuncOp>(entry.getFunction());
    std::string name = (entry.getFunction() + ".device").str();
    function.setSymName(name);
    entry.setFunction(name);
  }
  for (auto array : device.getOps<LLVM::GlobalOp>()) {
    auto name =
        StringAttr::get(device.getContext(), array.getSymName() + ".device");
    if (failed(SymbolTable::replaceAllSymbolUses(array, name, device)))
      return failure();
    array.setSymNameAttr(name);
  }
  return success();
}

/// Describes and compiles the program of a device.
static LogicalResult
compileProgram(ModuleOp device, const ArtifactOptions &options,
               const SharedWeights *shared, ArtifactDescription &description,
               std::vector<ObjectCode> &objects, TimingScope &timing) {
  return failure(
      failed(renameEntries(device)) ||
      failed(describeProgram(device, DYN_DEVICE_CUDA, description, shared)) ||
      failed(compileDeviceKernels(device, options.devices, options.emit,
                                  description.programs.back(), objects,
                                  timing)));
}

/// Renames an image, and its sidecar if there is one, to their final names. The
/// sidecar is renamed first, beside the one of the image that is replaced: at
/// no time is there an image without its sidecar, even if this process is
/// killed. Then the obsolete sidecar is removed; a reader that has read the old
/// image and not yet its sidecar finds none.
static LogicalResult replaceArtifact(ModuleOp module, StringRef path,
                                     StringRef image, StringRef sidecar,
                                     const Identity &id) {
  auto rename = [&](StringRef from, const Twine &to) -> LogicalResult {
    if (std::error_code code = llvm::sys::fs::rename(from, to))
      return module.emitError("cannot write ") << to << ": " << code.message();
    return success();
  };
  std::optional<Identity> old = readId(path);
  std::string target = getSidecarName(path, id);
  if (!sidecar.empty() && failed(rename(sidecar, target)))
    return failure();
  if (failed(rename(image, path))) {
    if (!sidecar.empty() && old != id)
      llvm::sys::fs::remove(target);
    return failure();
  }
  if (old && *old != id)
    llvm::sys::fs::remove(getSidecarName(path, *old));
  return success();
}

/// Whether a path is that of a device or pipe, such as /dev/null: bytes are
/// written to it, and no other file may replace it.
static bool isDeviceFile(StringRef path) {
  llvm::sys::fs::file_status status;
  if (llvm::sys::fs::status(path, status))
    return false;
  return !llvm::is_contained({llvm::sys::fs::file_type::regular_file,
                              llvm::sys::fs::file_type::directory_file},
                             status.type());
}

/// Writes the bytes of an image to a device or pipe.
static LogicalResult copyArtifact(ModuleOp module, StringRef path,
                                  StringRef image) {
  auto bytes = llvm::MemoryBuffer::getFile(image, /*IsText=*/false,
                                           /*RequiresNullTerminator=*/false);
  std::error_code code = bytes.getError();
  if (!code) {
    llvm::raw_fd_ostream stream(path, code, llvm::sys::fs::CD_OpenExisting);
    if (!code) {
      stream << (*bytes)->getBuffer();
      stream.flush();
      code = stream.error();
      stream.clear_error();
    }
  }
  if (code)
    return module.emitError("cannot write ") << path << ": " << code.message();
  return success();
}

/// Opens the constants that the options name. They must not be replaced by the
/// artifact at `path` that needs them.
static LogicalResult openSharedWeights(ModuleOp module, StringRef path,
                                       const ArtifactOptions &options,
                                       std::unique_ptr<SharedWeights> &shared) {
  if (options.shareWeights.empty())
    return success();
  std::string error;
  shared = SharedWeights::open(options.shareWeights, error);
  if (!shared)
    return module.emitError(error);
  for (const std::string &file : {options.shareWeights, shared->getPath()})
    if (path == file || llvm::sys::fs::equivalent(path, file))
      return module.emitError("expected another file than ")
             << file << ", whose constants the artifact shares";
  return success();
}

LogicalResult dyn::writeArtifact(ModuleOp module, ModuleOp device,
                                 StringRef path, const ArtifactOptions &options,
                                 TimingScope &timing) {
  std::unique_ptr<SharedWeights> shared;
  if (failed(openSharedWeights(module, path, options, shared)))
    return failure();
  ArtifactDescription description;
  if (failed(describeModule(
          module, options.isas, description,
          options.emit.sanitizeAddress ? DYN_CONSTANT_ALIGNMENT : 0,
          shared.get())))
    return failure();

  FailureOr<std::vector<ObjectCode>> objects =
      compileKernels(module, options.isas, options.emit, timing);
  if (failed(objects))
    return failure();
  SmallVector<ModuleOp> programs = {module};
  if (device) {
    if (failed(compileProgram(device, options, shared.get(), description,
                              *objects, timing)))
      return failure();
    programs.push_back(device);
  }
  bool isDevice = isDeviceFile(path);
  // There is no folder for another file beside a device.
  bool hasSidecar =
      description.constantsBytes > options.sidecarLimit && !isDevice && !shared;
  if (hasSidecar) {
    description.sidecar = getSidecarName(llvm::sys::path::filename(path));
    description.weightsBytes = description.constantsBytes;
  }

  std::string error;
  {
    TimingScope entries = timing.nest("Entries");
    llvm::LLVMContext context;
    std::unique_ptr<llvm::Module> ir =
        translateEntries(programs, description, context, options.emit);
    if (!ir)
      return failure();
    EmitOptions emit = options.emit;
    if (ir->getInstructionCount() > kLongEntries)
      emit.optLevel = 0;
    // No test: LLVM fails on wrong input, and this comes from the conversion.
    if (!emitObject(*ir, Isa::V2, emit, objects->emplace_back(), error))
      return module.emitError("no machine code for the entries: ") << error;
  }

  // Everything is written to temporary names beside the final ones and renamed
  // at the end, the image last, so that no reader sees a part of an artifact.
  std::string suffix =
      ".tmp" + std::to_string(llvm::sys::Process::getProcessId());
  std::string image = path.str() + suffix, sidecar;
  if (isDevice) {
    SmallString<64> temporary;
    if (std::error_code code =
            llvm::sys::fs::createTemporaryFile("dyn-artifact", "so", temporary))
      return module.emitError("cannot write a temporary file: ")
             << code.message();
    image = temporary.str();
  }
  // An interrupt does not leave one behind either.
  llvm::sys::RemoveFileOnSignal(image);
  llvm::scope_exit cleanUp([&] {
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
  if (hasSidecar)
    target = sidecar = path.str() + ".weights" + suffix;
  if (!sidecar.empty())
    llvm::sys::RemoveFileOnSignal(sidecar);
  FailureOr<Identity> id = appendConstants(
      module, device, description, shared.get(), options.weightsFolder,
      llvm::sys::path::filename(path), image, target);
  if (failed(id))
    return failure();
  return isDevice ? copyArtifact(module, path, image)
                  : replaceArtifact(module, path, image, sidecar, *id);
}
