//===- Driver.cpp - Runs a compilation from a model to its outputs --------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Driver/Driver.h"

#include "Errors.h"

#include "dyn/Codegen/CPU/CodegenCPU.h"
#include "dyn/Codegen/CPU/SlowKernels.h"
#include "dyn/Dialect/Cell/Analysis/NarrowFloats.h"
#include "dyn/Dialect/DLHLO/Transforms/Explain.h"
#include "dyn/Dialect/Dist/Plan/PlanEntry.h"
#include "dyn/Driver/Describe.h"
#include "dyn/Driver/ExplainPage.h"
#include "dyn/Driver/ExplainText.h"
#include "dyn/Plan/Explain.h"
#include "dyn/RegisterAll.h"
#include "dyn/Support/TargetInfo.h"
#include "dyn/Target/KernelCompiler.h"
#include "dyn/Target/PtxEmitter.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Support/Timing.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace dyn;
using namespace mlir;

/// Writes text to the output file or the standard output.
static LogicalResult
writeText(const DriverOptions &options,
          llvm::function_ref<void(llvm::raw_ostream &)> print) {
  std::string message;
  std::unique_ptr<llvm::ToolOutputFile> file =
      openOutputFile(options.output.empty() ? "-" : options.output, &message);
  if (!file)
    return error(message);
  print(file->os());
  file->keep();
  return success();
}

/// Prints the numbers of the machine.
static LogicalResult printMachine(const DriverOptions &options) {
  TargetInfo info = TargetInfo::forIsa(*options.printTargetInfo);
  if (llvm::Error problem =
          info.overrideByFile(options.artifact.emit.targetInfo))
    return error(llvm::toString(std::move(problem)));
  return writeText(options,
                   [&](llvm::raw_ostream &os) { os << info.toJson() << '\n'; });
}

/// Asks code generation for the slow kernels of a module, with the widest
/// vectors among the instruction sets.
static LogicalResult findSlowKernels(const DriverOptions &options,
                                     ModuleOp module,
                                     llvm::StringMap<SlowKernel> &slow) {
  Isa isa = std::min(options.artifact.isas.back(), Isa::V4);
  CodegenOptions codegen = {TargetInfo::forIsa(isa)};
  if (failed(codegen.target.overrideByFile(options.artifact.emit.targetInfo,
                                           module)))
    return failure();
  for (auto kernel : module.getOps<dlhlo::KernelOp>())
    if (std::optional<SlowKernel> found = findSlowKernel(kernel, codegen))
      slow.try_emplace(kernel.getSymName(), std::move(*found));
  return success();
}

/// Explains a module at the level of buffers, that of a device if `isDevice`.
static LogicalResult explainModule(const DriverOptions &options,
                                   ModuleOp module, bool isDevice) {
  llvm::ArrayRef<Isa> isas = options.artifact.isas;
  dlhlo::ExplainOptions explainOptions;
  // The instruction sets that some kernel is compiled for.
  llvm::copy_if(isas, std::back_inserter(explainOptions.isas), [&](Isa isa) {
    return llvm::any_of(module.getOps<dlhlo::KernelOp>(), [&](auto kernel) {
      return hasVersion(kernel, isa, isas);
    });
  });
  for (const SizeValue &value : options.explainAt)
    explainOptions.at[value.name] = value.value;
  if (!isDevice &&
      failed(findSlowKernels(options, module, explainOptions.slow)))
    return failure();
  llvm::json::Value explanation = dlhlo::explain(module, explainOptions);
  auto print = [&](llvm::raw_ostream &os) {
    if (options.explain == ExplainFormat::Json)
      os << llvm::formatv("{0:2}", explanation) << '\n';
    else if (options.explain == ExplainFormat::Html)
      printExplanationPage(os, llvm::sys::path::filename(options.input),
                           explanation);
    else
      printExplanation(os, explanation);
  };
  if (options.isOutputExplanation())
    return writeText(options, print);
  print(llvm::outs());
  return success();
}

/// Writes plans of the entries of a module as it was imported.
static LogicalResult writePlans(const DriverOptions &options, ModuleOp imported,
                                TimingScope &lowering) {
  OwningOpRef<ModuleOp> module = imported.clone();
  LoweringOptions lowerOptions = options.lowering;
  lowerOptions.hasRanks = true;
  lowerOptions.partition = false;
  if (failed(lowerToLevel(*module, Level::Import, Level::Optimize, lowerOptions,
                          lowering)))
    return failure();
  llvm::Expected<plan::Machine> machine =
      plan::Machine::read(options.planMachine);
  if (!machine)
    return error(llvm::toString(machine.takeError()));
  dist::SizeMap sizes;
  for (const SizeValue &value : options.explainAt)
    sizes[value.name] = value.value;
  std::string text;
  llvm::raw_string_ostream os(text);
  for (auto entry : module->getOps<func::FuncOp>()) {
    if (!entry->hasAttr(dhlo::DHLODialect::kEntryAttr))
      continue;
    FailureOr<llvm::json::Value> plan =
        dist::explainPlan(entry, *machine, options.plan, sizes);
    if (failed(plan))
      return failure();
    if (options.explain == ExplainFormat::Json)
      os << llvm::formatv("{0:2}", *plan) << '\n';
    else if (options.explain == ExplainFormat::Html)
      plan::printPlanPage(os, *plan);
    else
      plan::printPlan(os, *plan);
  }
  if (!options.compilesPlan())
    return writeText(options, [&](llvm::raw_ostream &out) { out << text; });
  llvm::outs() << text;
  return success();
}

/// Writes an artifact, with compiled kernels from the cache and to it.
static LogicalResult writeArtifact(const DriverOptions &options,
                                   ModuleOp module, ModuleOp device,
                                   TimingScope &timing) {
  KernelCache cache(options.kernelCache);
  ArtifactOptions artifact = options.artifact;
  if (!options.kernelCache.folder.empty())
    artifact.emit.cache = &cache;
  if (failed(writeArtifact(module, device, options.output, artifact, timing)))
    return failure();
  cache.prune();
  std::string problem = cache.getProblem();
  if (options.kernelCache.isNamed && !problem.empty())
    warning("compiled kernels are not kept: cannot write to '" +
            options.kernelCache.folder + "': " + problem);
  return success();
}

/// Writes a module that is at the level of `options.emit`. `device` is the same
/// model lowered for devices, or null.
static LogicalResult writeOutput(const DriverOptions &options, ModuleOp module,
                                 ModuleOp device, TimingScope &timing) {
  const ArtifactOptions &artifact = options.artifact;
  switch (options.emit) {
  case Emit::Artifact:
    return writeArtifact(options, module, device, timing);
  case Emit::Code: {
    OwningOpRef<ModuleOp> code =
        lowerKernels(module, artifact.isas.front(), artifact.isas.front(),
                     artifact.emit, timing);
    if (!code)
      return failure();
    return writeText(options, [&](llvm::raw_ostream &os) { code->print(os); });
  }
  case Emit::Ptx: {
    OwningOpRef<ModuleOp> kernels =
        lowerDeviceKernels(module, artifact.emit, timing);
    if (!kernels)
      return failure();
    FailureOr<std::string> ptx = emitPtx(*kernels, options.chip);
    if (failed(ptx))
      return failure();
    return writeText(options, [&](llvm::raw_ostream &os) { os << *ptx; });
  }
  case Emit::LLVMIR: {
    ArtifactDescription description;
    llvm::LLVMContext llvmContext;
    if (failed(describeModule(module, artifact.isas, description)))
      return failure();
    std::unique_ptr<llvm::Module> ir =
        translateEntries({module}, description, llvmContext, artifact.emit);
    if (!ir)
      return failure();
    return writeText(options,
                     [&](llvm::raw_ostream &os) { ir->print(os, nullptr); });
  }
  default:
    return writeText(options, [&](llvm::raw_ostream &os) { module.print(os); });
  }
}

/// Refuses a program for fixed sizes beside one for all, among whose calls a
/// host chooses, if its results might have other bits.
static LogicalResult checkVariant(ModuleOp module,
                                  const DriverOptions &options) {
  if (options.dims.empty() || options.artifact.shareWeights.empty())
    return success();
  auto refuse = [](Operation *op, StringRef why) {
    return op->emitError("a variant for fixed sizes may have other bits: '")
           << op->getName() << "' " << why;
  };
  if (Operation *op = cell::findNarrowFloats(module))
    return refuse(op, "computes floats below 32 bits, which depend on what is "
                      "fused");
  Operation *fft = nullptr;
  module.walk([&](dhlo::FftOp op) {
    fft = op;
    return WalkResult::interrupt();
  });
  if (fft)
    return refuse(fft, "has a form that depends on whether its length is "
                       "known");
  return success();
}

static LogicalResult compile(const DriverOptions &options, MLIRContext &context,
                             TimingScope &timing) {
  TimingScope importing = timing.nest("Import");
  OwningOpRef<ModuleOp> module =
      loadModel(options.input, options.dims, context);
  importing.stop();
  if (!module || failed(checkSizeValues(*module, options.explainAt)) ||
      failed(checkVariant(*module, options)))
    return failure();

  TimingScope lowering = timing.nest("Lowering");
  Level level = getLevel(options.emit);
  Level reached = Level::Import;
  LoweringOptions lowerOptions = options.lowering;
  bool hasDevices = !options.artifact.devices.empty();
  // The artifact has both programs, the stages before it have one of them.
  OwningOpRef<ModuleOp> device;
  if (options.emit == Emit::Artifact && hasDevices)
    device = module->clone();
  else
    lowerOptions.device = options.emit == Emit::Ptx || hasDevices;
  bool explains = options.explain != ExplainFormat::None;
  if (!options.planMachine.empty()) {
    if ((explains || !options.compilesPlan()) &&
        failed(writePlans(options, *module, lowering)))
      return failure();
    if (!options.compilesPlan())
      return success();
    lowerOptions.machine = options.planMachine;
    lowerOptions.stages = options.plan.maxStages;
    lowerOptions.microBatches = options.plan.microBatches;
    lowerOptions.planSegments = options.plan.segments;
    for (const SizeValue &size : options.explainAt)
      lowerOptions.machineSizes.push_back(size.name + "=" +
                                          std::to_string(size.value));
  } else if (explains) {
    reached = Level::Buffers;
    if (failed(lowerToLevel(*module, Level::Import, reached, lowerOptions,
                            lowering)) ||
        failed(explainModule(options, *module, lowerOptions.device)))
      return failure();
    if (options.output.empty() || options.isOutputExplanation())
      return success();
  }
  if (failed(lowerToLevel(*module, reached, level, lowerOptions, lowering)))
    return failure();
  if (device) {
    TimingScope deviceLowering = lowering.nest("Device");
    lowerOptions.device = true;
    lowerOptions.redZones = false;
    if (failed(lowerToLevel(*device, Level::Import, level, lowerOptions,
                            deviceLowering)))
      return failure();
  }
  lowering.stop();
  return writeOutput(options, *module, device.get(), timing);
}

/// Prints remarks on decisions of passes whose names match.
static void printRemarks(const std::string &filter, MLIRContext &context) {
  // Each kind needs its own filter: one for all enables none.
  remark::RemarkCategories categories;
  categories.passed = categories.missed = filter;
  categories.analysis = categories.failed = filter;
  [[maybe_unused]] LogicalResult enabled = remark::enableOptimizationRemarks(
      context, /*streamer=*/nullptr,
      std::make_unique<remark::RemarkEmittingPolicyAll>(), categories,
      /*printAsEmitRemarks=*/true);
  assert(succeeded(enabled) && "a context has one engine of remarks");
}

LogicalResult dyn::runDriver(const DriverOptions &options) {
  if (options.printTargetInfo)
    return printMachine(options);
  if (options.describe) {
    std::string text, message;
    llvm::raw_string_ostream os(text);
    if (!describeArtifact(options.input, os, message))
      return error(message);
    return writeText(options, [&](llvm::raw_ostream &os) { os << text; });
  }

  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  // Users need the location in the model, not the operation's text.
  context.printOpOnDiagnostic(false);

  DefaultTimingManager timingManager;
  applyDefaultTimingManagerCLOptions(timingManager);
  TimingScope timing = timingManager.getRootScope();

  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler(sources, &context);
  if (!options.remarksFilter.empty())
    printRemarks(options.remarksFilter, context);
  return compile(options, context, timing);
}
