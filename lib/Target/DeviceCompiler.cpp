//===- DeviceCompiler.cpp - Compiles kernels for devices ------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Target/DeviceCompiler.h"

#include "dyn/Codegen/Codegen.h"
#include "dyn/Conversion/NVVMToEmulation/NVVMToEmulation.h"
#include "dyn/Target/CodeKeys.h"
#include "dyn/Target/CudaToolkit.h"
#include "dyn/Target/PtxEmitter.h"
#include "dyn/artifact.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Threading.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace dyn;

std::optional<DeviceTargets> DeviceTargets::parse(StringRef text,
                                                  std::string &error) {
  DeviceTargets targets;
  bool hasCpu = false;
  for (StringRef word : llvm::split(text, ',')) {
    if (word == "cpu") {
      hasCpu = true;
    } else if (word == "emu") {
      targets.emulated = true;
    } else if (word.consume_front("cuda:") || !targets.chips.empty()) {
      if (!isChip(word)) {
        error = ("expected chips of " + getChipList() +
                 " behind 'cuda:', found '" + word + "'")
                    .str();
        return std::nullopt;
      }
      targets.chips.push_back(word.str());
    } else {
      error =
          ("expected cpu, cuda:CHIP,... or emu, found '" + word + "'").str();
      return std::nullopt;
    }
  }
  if (!hasCpu) {
    error = ("expected cpu among the targets, found '" + text + "'").str();
    return std::nullopt;
  }
  llvm::sort(targets.chips);
  targets.chips.erase(llvm::unique(targets.chips), targets.chips.end());
  return targets;
}

OwningOpRef<ModuleOp> dyn::lowerDeviceKernels(ModuleOp module,
                                              const EmitOptions &options,
                                              TimingScope &timing) {
  OwningOpRef<ModuleOp> container = ModuleOp::create(module.getLoc());
  OpBuilder builder(module.getContext());
  for (auto kernel : module.getOps<dlhlo::KernelOp>()) {
    builder.setInsertionPointToEnd(container->getBody());
    auto nested = ModuleOp::create(builder, kernel.getLoc());
    builder.setInsertionPointToEnd(nested.getBody());
    builder.clone(*kernel);
  }
  PassManager manager(module.getContext());
  if (failed(applyPassManagerCLOptions(manager)))
    return {};
  manager.enableTiming(timing);
  buildGpuKernelPipeline(manager.nest<ModuleOp>(), options.targetInfo);
  if (failed(manager.run(*container)))
    return {};
  return container;
}

/// Moves the functions of the host out of the lowered kernels, and describes
/// the kernels.
static void readKernels(ModuleOp module, ModuleOp lowered,
                        DeviceProgramDescription &program) {
  llvm::StringMap<dlhlo::LibraryGemmOp> gemms;
  for (auto gemm : module.getOps<dlhlo::LibraryGemmOp>())
    gemms[gemm.getKernel()] = gemm;
  for (auto [kernel, nested] : llvm::zip_equal(module.getOps<dlhlo::KernelOp>(),
                                               lowered.getOps<ModuleOp>())) {
    DeviceKernelDescription description;
    description.name = kernel.getSymName().str();
    description.kind = dlhlo::stringifyFusionKind(kernel.getKind()).str();
    Block &body = kernel.getBody().front();
    description.buffers =
        body.getNumArguments() + body.getTerminator()->getNumOperands();
    description.dims = llvm::range_size(kernel.getDims());
    for (auto device : nested.getOps<gpu::GPUModuleOp>())
      for (auto function : device.getOps<LLVM::LLVMFuncOp>())
        if (!function.isExternal())
          description.versions.push_back(function.getSymName().str());
    for (auto grid :
         llvm::make_early_inc_range(nested.getOps<LLVM::LLVMFuncOp>())) {
      description.grid = grid.getSymName().str();
      grid->moveBefore(module.getBody(), module.getBody()->end());
    }
    if (auto gemm = gemms.find(kernel.getSymName()); gemm != gemms.end())
      description.gemm = describeGemm(gemm->second, kernel);
    program.kernels.push_back(std::move(description));
  }
}

namespace {
/// The kernels of one module for the emulator.
struct EmulatedModule {
  OwningOpRef<ModuleOp> module;
  std::vector<EmulatedKernelDescription> kernels;
  ObjectCode object;
};
} // namespace

/// Code that runs on every machine that can run kernels of the emulator.
static constexpr Isa kEmulatedIsa = Isa::V3;

static LogicalResult compileEmulated(EmulatedModule &job,
                                     const EmitOptions &options,
                                     const std::optional<CodeKeys> &keys) {
  for (auto function : job.module->getOps<LLVM::LLVMFuncOp>()) {
    auto sites = function->getAttrOfType<ArrayAttr>("dyn.sites");
    if (!sites)
      continue;
    auto getBytes = [&](StringRef name) -> uint32_t {
      return function->getAttrOfType<IntegerAttr>(name).getInt();
    };
    EmulatedKernelDescription &kernel = job.kernels.emplace_back();
    kernel.name = function.getSymName().str();
    kernel.function = kernel.name + ".emulated";
    kernel.paramBytes = getBytes("dyn.param_bytes");
    kernel.sharedBytes = getBytes("dyn.shared_bytes");
    for (auto site : sites.getAsRange<ArrayAttr>())
      kernel.sites.emplace_back(cast<StringAttr>(site[0]).str(),
                                cast<StringAttr>(site[1]).str());
    function.setSymName(kernel.function);
  }
  CacheKey key = {};
  if (keys) {
    key = keys->getKey(*job.module, kEmulatedIsa);
    if (auto object = keys->getCache().lookup(key)) {
      job.object = std::move(*object);
      return success();
    }
  }
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> ir =
      translateToLLVMIR(*job.module, context, kEmulatedIsa, options);
  if (!ir)
    return failure();
  std::string error;
  // No test: LLVM fails on wrong input, and this comes from the conversion.
  if (!emitObject(*ir, kEmulatedIsa, options, job.object, error))
    return job.module->emitError("no code for the emulator: ") << error;
  if (keys)
    keys->getCache().insert(key, {job.object.data(), job.object.size()});
  return success();
}

static LogicalResult addEmulatedImage(ModuleOp lowered,
                                      const EmitOptions &options,
                                      DeviceProgramDescription &program,
                                      std::vector<ObjectCode> &objects,
                                      TimingScope &timing) {
  OwningOpRef<ModuleOp> container = lowered.clone();
  PassManager manager(lowered.getContext());
  if (failed(applyPassManagerCLOptions(manager)))
    return failure();
  manager.enableTiming(timing);
  manager.addNestedPass<ModuleOp>(createConvertNVVMToEmulationPass());
  if (failed(manager.run(*container)))
    return failure();
  std::vector<EmulatedModule> jobs;
  for (auto nested :
       llvm::make_early_inc_range(container->getOps<ModuleOp>())) {
    nested->remove();
    jobs.push_back({OwningOpRef<ModuleOp>(nested), {}, {}});
  }
  std::optional<CodeKeys> keys = CodeKeys::create(options);
  if (failed(failableParallelForEach(
          lowered.getContext(), jobs, [&](EmulatedModule &job) {
            return compileEmulated(job, options, keys);
          })))
    return failure();
  ImageDescription &image = program.images.emplace_back();
  image.kind = DYN_IMAGE_EMULATED;
  image.chips = "emulator";
  for (EmulatedModule &job : jobs) {
    llvm::append_range(image.kernels, std::move(job.kernels));
    objects.push_back(std::move(job.object));
  }
  return success();
}

static LogicalResult addFatbin(ModuleOp lowered, ArrayRef<std::string> chips,
                               DeviceProgramDescription &program) {
  std::vector<ChipCode> codes;
  for (const std::string &chip : chips) {
    FailureOr<std::string> ptx = emitPtx(lowered, chip);
    if (failed(ptx))
      return failure();
    codes.push_back({chip, std::move(*ptx)});
  }
  ImageDescription &image = program.images.emplace_back();
  image.kind = DYN_IMAGE_FATBIN;
  image.chips = llvm::join(chips, ", ");
  std::string error;
  if (!makeFatbin(codes, image.bytes, error))
    return lowered.emitError("no code for CUDA: ") << error;
  return success();
}

LogicalResult dyn::compileDeviceKernels(ModuleOp module,
                                        const DeviceTargets &targets,
                                        const EmitOptions &options,
                                        DeviceProgramDescription &program,
                                        std::vector<ObjectCode> &objects,
                                        TimingScope &timing) {
  TimingScope lowering = timing.nest("Kernels to NVVM");
  OwningOpRef<ModuleOp> lowered = lowerDeviceKernels(module, options, lowering);
  if (!lowered)
    return failure();
  readKernels(module, *lowered, program);
  lowering.stop();
  if (targets.emulated) {
    TimingScope emulation = timing.nest("Emulator");
    if (failed(
            addEmulatedImage(*lowered, options, program, objects, emulation)))
      return failure();
  }
  if (!targets.chips.empty()) {
    TimingScope cuda = timing.nest("CUDA");
    return addFatbin(*lowered, targets.chips, program);
  }
  return success();
}
