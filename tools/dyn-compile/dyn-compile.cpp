//===- dyn-compile.cpp - Compiles a model to an artifact ------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Codegen/CPU/CodegenCPU.h"
#include "dyn/Dialect/DLHLO/Transforms/Explain.h"
#include "dyn/Driver/Describe.h"
#include "dyn/Driver/ExplainPage.h"
#include "dyn/Driver/ExplainText.h"
#include "dyn/Pipelines/Compiler.h"
#include "dyn/RegisterAll.h"
#include "dyn/Support/TargetInfo.h"
#include "dyn/Support/ToolOptions.h"
#include "dyn/Target/DeviceCompiler.h"
#include "dyn/Target/KernelCompiler.h"
#include "dyn/Target/PtxEmitter.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Support/Timing.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace dyn;
using namespace mlir;
namespace cl = llvm::cl;

namespace {

/// The output of the tool.
enum class Emit {
  Import,
  Optimize,
  Fusions,
  Kernels,
  Buffers,
  Entries,
  Code,
  Ptx,
  LLVMIR,
  Artifact
};

/// Which GEMMs are left to cuBLASLt.
enum class CudaLibrary { Never, Large, Always };

cl::OptionCategory category("dyn-compile options");

cl::opt<std::string> input(cl::Positional, cl::desc("<model.onnx or .mlir>"),
                           cl::init("-"), cl::cat(category));
cl::opt<std::string> output("o", cl::desc("Output file"),
                            cl::value_desc("file"), cl::cat(category));
cl::list<std::string>
    dims("dim",
         cl::desc("Range of a symbolic size: NAME=1..64, NAME=1.., or "
                  "NAME=8 to fix it"),
         cl::value_desc("NAME=FACTS"), cl::cat(category));
cl::list<std::string>
    isas("isa",
         cl::desc("Instruction sets to compile for: v2, v3, v4, v4-vnni, "
                  "v4-bf16, v4-amx (default v3,v4,v4-vnni,v4-amx)"),
         cl::CommaSeparated, cl::value_desc("list"), cl::cat(category));
cl::opt<Emit> emit(
    "emit", cl::desc("What to write:"), cl::init(Emit::Artifact),
    cl::values(
        clEnumValN(Emit::Import, "import", "dhlo as imported"),
        clEnumValN(Emit::Optimize, "dhlo", "dhlo after its passes"),
        clEnumValN(Emit::Fusions, "fusions", "fusions and constants"),
        clEnumValN(Emit::Kernels, "kernels", "kernels and launches"),
        clEnumValN(Emit::Buffers, "buffers", "buffers and the shape program"),
        clEnumValN(Emit::Entries, "entries", "entries in the LLVM dialect"),
        clEnumValN(Emit::Code, "code",
                   "kernels in the LLVM dialect, for the first of --isa"),
        clEnumValN(Emit::Ptx, "ptx", "kernels in PTX, for --chip"),
        clEnumValN(Emit::LLVMIR, "llvm-ir",
                   "LLVM IR of entries and descriptor"),
        clEnumValN(Emit::Artifact, "artifact", "a shared object (default)")),
    cl::cat(category));
cl::opt<std::string> target(
    "target",
    cl::desc("Devices to compile for, by commas: cpu (always), cuda:CHIP,... "
             "(sm_80, sm_90a), emu for the emulator of a GPU (default cpu). "
             "With --emit of a level before the artifact, the program of the "
             "device is written (docs/GPU.md)"),
    cl::value_desc("list"), cl::init("cpu"), cl::cat(category));
cl::opt<CudaLibrary> cudaLibrary(
    "cuda-library",
    cl::desc("Which dense GEMMs of f32, f16 and bf16 of a GPU are left to "
             "cuBLASLt, where the runtime finds it: it sums in other orders at "
             "other numbers of rows (docs/GPU.md)"),
    cl::init(CudaLibrary::Never),
    cl::values(clEnumValN(CudaLibrary::Never, "never",
                          "none: a row's bits depend on the row (default)"),
               clEnumValN(CudaLibrary::Large, "large",
                          "from 2^30 multiply-adds on"),
               clEnumValN(CudaLibrary::Always, "always", "all")),
    cl::cat(category));
cl::opt<std::string> chip("chip", cl::desc("The GPU of --emit=ptx"),
                          cl::value_desc("sm_80"), cl::init("sm_80"),
                          cl::cat(category));
cl::opt<std::string> sanitize("sanitize",
                              cl::desc("Instrument kernels; the one value is "
                                       "'address'"),
                              cl::value_desc("sanitizer"), cl::cat(category));
cl::opt<bool> winograd(
    "winograd",
    cl::desc("Compute convolutions of 3 x 3 by Winograd's algorithm where it "
             "saves time (default true): less than half the time, five times "
             "the weights, errors of 2e-6 instead of 5e-7"),
    cl::init(true), cl::cat(category));
cl::opt<bool> together(
    "together",
    cl::desc("Launch small kernels of branches together (default true): more "
             "work for threads to share, and the same results"),
    cl::init(true), cl::cat(category));
cl::opt<std::string> profile(
    "profile",
    cl::desc(
        "Profile of routes, as --profile-out of dyn-run writes it: how much "
        "each path of a router has to do (docs/Profiles.md). Results have "
        "the same bits with any profile"),
    cl::value_desc("file"), cl::cat(category));
cl::opt<std::string> targetInfo(
    "target-info",
    cl::desc("File that overrides numbers of the machine, such as sizes of "
             "caches, in the form of --print-target-info "
             "(docs/Architecture.md)"),
    cl::value_desc("file"), cl::cat(category));
cl::opt<std::string> printTargetInfo(
    "print-target-info", cl::ValueOptional, cl::init("none"),
    cl::desc("Print the numbers of the machine that code is generated for, for "
             "an instruction set (default v4), after --target-info"),
    cl::value_desc("isa"), cl::cat(category));
cl::opt<std::string> unpad(
    "unpad",
    cl::desc(
        "Name of an input, a mask [batch, sequence]: rows of outputs where "
        "it is zero become zeros and are not computed. Padding that cannot "
        "reach an output is removed without it"),
    cl::value_desc("MASK"), cl::cat(category));
cl::opt<bool> describe("describe",
                       cl::desc("Print the signature of the artifact given as "
                                "input, in words"),
                       cl::cat(category));
cl::opt<std::string> explain(
    "explain", cl::ValueOptional, cl::init("none"),
    cl::desc("Print kernels and why they are what they are, sizes, and cost "
             "and memory as formulas: in words, as JSON with --explain=json, "
             "as a page for a browser with --explain=html. With -o "
             "FILE.html, FILE.json or FILE.txt it goes to the file; with "
             "another -o the artifact is written as well, else nothing is"),
    cl::value_desc("json|html"), cl::cat(category));
cl::list<std::string>
    explainAt("explain-at",
              cl::desc("A value of a size at which --explain evaluates its "
                       "formulas: NAME=8; by default its likely value"),
              cl::CommaSeparated, cl::value_desc("NAME=VALUE"),
              cl::cat(category));
cl::opt<uint64_t> sidecarLimit(
    "sidecar-limit",
    cl::desc("Bytes of constants from which they go to a file beside the "
             "artifact (default 256 MiB)"),
    cl::init(256ull << 20), cl::cat(category));
cl::opt<int> optLevel("O", cl::Prefix, cl::init(2),
                      cl::desc("LLVM's optimisation level, 0 to 3 (default 2)"),
                      cl::cat(category));

LogicalResult error(const llvm::Twine &message) {
  llvm::errs() << "dyn-compile: error: " << message << '\n';
  return failure();
}

/// The extension of a file that holds only the explanation.
llvm::StringRef getExplanationEnding() {
  return explain == "html" ? ".html" : explain == "json" ? ".json" : ".txt";
}

/// Whether -o names the file of the explanation rather than an artifact.
bool isOutputExplanation() {
  return explain != "none" &&
         llvm::StringRef(output).ends_with(getExplanationEnding());
}

LogicalResult parseExplainOptions(std::vector<SizeValue> &at) {
  if (explain != "none" && explain != "" && explain != "json" &&
      explain != "html")
    return error("--explain: expected 'json', 'html' or nothing, found '" +
                 explain + "'");
  if (explain != "none" && emit != Emit::Artifact)
    return error("--explain: expected no --emit beside it");
  for (llvm::StringRef ending : {".html", ".json", ".txt"})
    if (explain != "none" && !isOutputExplanation() &&
        llvm::StringRef(output).ends_with(ending))
      return error("--explain: expected -o to name an artifact or a file that "
                   "ends in " +
                   getExplanationEnding() + ", found '" + output + "'");
  if (explain == "none" && !explainAt.empty())
    return error("--explain-at: expected --explain beside it");
  for (const std::string &text : explainAt) {
    std::string message;
    std::optional<SizeValue> value = SizeValue::parse(text, message);
    if (!value)
      return error("--explain-at: " + message);
    at.push_back(std::move(*value));
  }
  return success();
}

/// Invalid names of the output are reported before any work.
LogicalResult checkOutput() {
  if (emit == Emit::Artifact &&
      (output == "-" || (output.empty() && explain == "none")))
    return error("expected a file name for the artifact: -o model.so");
  llvm::StringRef path = output.getValue();
  llvm::StringRef folder = llvm::sys::path::parent_path(path);
  if (!folder.empty() && !llvm::sys::fs::is_directory(folder))
    return error("-o: there is no folder '" + folder + "'");
  if (llvm::sys::fs::is_directory(path))
    return error("-o: expected a file, found the folder '" + path + "'");
  return success();
}

LogicalResult parseOptions(std::vector<DimOption> &dimOptions,
                           ArtifactOptions &options) {
  for (const std::string &text : dims) {
    std::string message;
    std::optional<DimOption> option = DimOption::parse(text, message);
    if (!option)
      return error("--dim: " + message);
    dimOptions.push_back(std::move(*option));
  }
  if (!isas.empty())
    options.isas.clear();
  for (const std::string &name : isas) {
    std::optional<Isa> isa = parseIsa(name);
    if (!isa)
      return error("--isa: expected " + kIsaList + ", found '" + name + "'");
    options.isas.push_back(*isa);
  }
  llvm::sort(options.isas);
  options.isas.erase(llvm::unique(options.isas), options.isas.end());
  std::string message;
  std::optional<DeviceTargets> devices = DeviceTargets::parse(target, message);
  if (!devices)
    return error("--target: " + message);
  options.devices = std::move(*devices);
  if (cudaLibrary != CudaLibrary::Never && options.devices.empty() &&
      emit != Emit::Ptx)
    return error("--cuda-library: expected cuda or emu among the targets, "
                 "found '" +
                 target + "'");
  for (Isa isa : options.isas)
    if (llvm::Error problem =
            TargetInfo::forIsa(isa).overrideByFile(targetInfo))
      return error(llvm::toString(std::move(problem)));
  options.emit.targetInfo = targetInfo;
  if (!sanitize.empty() && sanitize != "address")
    return error("--sanitize: expected 'address', found '" + sanitize + "'");
  if (optLevel < 0 || optLevel > 3)
    return error("-O: expected 0 to 3, found " + llvm::Twine(optLevel));
  options.emit.optLevel = optLevel;
  options.emit.sanitizeAddress = sanitize == "address";
  options.sidecarLimit = sidecarLimit;
  options.weightsFolder = llvm::sys::path::parent_path(input).str();
  return checkOutput();
}

/// Writes text to the output file or the standard output.
LogicalResult write(llvm::function_ref<void(llvm::raw_ostream &)> print) {
  std::string message;
  std::unique_ptr<llvm::ToolOutputFile> file =
      openOutputFile(output.empty() ? "-" : output.getValue(), &message);
  if (!file)
    return error(message);
  print(file->os());
  file->keep();
  return success();
}

/// Explains a module at the level of buffers.
LogicalResult explainModule(ModuleOp module, llvm::ArrayRef<SizeValue> at,
                            llvm::ArrayRef<Isa> isas) {
  dlhlo::ExplainOptions options;
  // The instruction sets that some kernel is compiled for.
  llvm::copy_if(isas, std::back_inserter(options.isas), [&](Isa isa) {
    return llvm::any_of(module.getOps<dlhlo::KernelOp>(), [&](auto kernel) {
      return hasVersion(kernel, isa, isas);
    });
  });
  for (const SizeValue &value : at)
    options.at[value.name] = value.value;
  llvm::json::Value explanation = dlhlo::explain(module, options);
  auto print = [&](llvm::raw_ostream &os) {
    if (explain == "json")
      os << llvm::formatv("{0:2}", explanation) << '\n';
    else if (explain == "html")
      printExplanationPage(os, llvm::sys::path::filename(input), explanation);
    else
      printExplanation(os, explanation);
  };
  if (isOutputExplanation())
    return write(print);
  print(llvm::outs());
  return success();
}

/// Prints the numbers of the machine.
LogicalResult printMachine() {
  llvm::StringRef name = "v4";
  if (!printTargetInfo.empty())
    name = printTargetInfo;
  std::optional<Isa> isa = parseIsa(name);
  if (!isa)
    return error("--print-target-info: expected " + kIsaList + ", found '" +
                 name + "'");
  TargetInfo info = TargetInfo::forIsa(*isa);
  if (llvm::Error problem = info.overrideByFile(targetInfo))
    return error(llvm::toString(std::move(problem)));
  return write([&](llvm::raw_ostream &os) { os << info.toJson() << '\n'; });
}

LogicalResult compile(MLIRContext &context, TimingScope &timing) {
  std::vector<DimOption> dimOptions;
  std::vector<SizeValue> explainValues;
  ArtifactOptions options;
  if (failed(parseExplainOptions(explainValues)) ||
      failed(parseOptions(dimOptions, options)))
    return failure();

  TimingScope importing = timing.nest("Import");
  OwningOpRef<ModuleOp> module = loadModel(input, dimOptions, context);
  importing.stop();
  if (!module || failed(checkSizeValues(*module, explainValues)))
    return failure();

  TimingScope lowering = timing.nest("Lowering");
  Level level = std::min(static_cast<Level>(emit.getValue()), Level::Entries);
  Level reached = Level::Import;
  LoweringOptions lowerOptions;
  lowerOptions.redZones = options.emit.sanitizeAddress;
  lowerOptions.winograd = winograd;
  lowerOptions.together = together;
  lowerOptions.targetInfo = targetInfo;
  lowerOptions.profile = profile;
  lowerOptions.unpad = unpad;
  if (cudaLibrary != CudaLibrary::Never)
    lowerOptions.libraryFrom =
        cudaLibrary == CudaLibrary::Large ? int64_t(1) << 30 : 1;
  // The artifact has both programs, the stages before it have one of them.
  OwningOpRef<ModuleOp> device;
  if (emit == Emit::Artifact && !options.devices.empty())
    device = module->clone();
  else
    lowerOptions.device = emit == Emit::Ptx || !options.devices.empty();
  if (explain != "none") {
    reached = Level::Buffers;
    if (failed(lowerToLevel(*module, Level::Import, reached, lowerOptions,
                            lowering)) ||
        failed(explainModule(*module, explainValues, options.isas)))
      return failure();
    if (output.empty() || isOutputExplanation())
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

  switch (emit) {
  case Emit::Artifact: {
    // A copy: lld resets every command line option of the process.
    std::string path = output;
    return writeArtifact(*module, device.get(), path, options, timing);
  }
  case Emit::Code: {
    OwningOpRef<ModuleOp> code =
        lowerKernels(*module, options.isas.front(), options.isas.front(),
                     options.emit, timing);
    if (!code)
      return failure();
    return write([&](llvm::raw_ostream &os) { code->print(os); });
  }
  case Emit::Ptx: {
    OwningOpRef<ModuleOp> kernels =
        lowerDeviceKernels(*module, options.emit, timing);
    if (!kernels)
      return failure();
    FailureOr<std::string> ptx = emitPtx(*kernels, chip);
    if (failed(ptx))
      return failure();
    return write([&](llvm::raw_ostream &os) { os << *ptx; });
  }
  case Emit::LLVMIR: {
    ArtifactDescription description;
    llvm::LLVMContext llvmContext;
    if (failed(describeModule(*module, options.isas, description)))
      return failure();
    std::unique_ptr<llvm::Module> ir =
        translateEntries({*module}, description, llvmContext, options.emit);
    if (!ir)
      return failure();
    return write([&](llvm::raw_ostream &os) { ir->print(os, nullptr); });
  }
  default:
    return write([&](llvm::raw_ostream &os) { module->print(os); });
  }
}

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  dropLibraryOptions(&category);
  registerAsmPrinterCLOptions();
  registerMLIRContextCLOptions();
  registerPassManagerCLOptions();
  registerDefaultTimingManagerCLOptions();
  cl::HideUnrelatedOptions(category);
  cl::getRegisteredOptions()["mlir-timing"]->setHiddenFlag(cl::NotHidden);
  cl::ParseCommandLineOptions(
      argc, argv,
      "Compiles a model once for every shape.\n\n"
      "  dyn-compile model.onnx -o model.so --dim batch=1..64\n"
      "  dyn-compile --describe model.so\n");

  if (printTargetInfo != "none")
    return succeeded(printMachine()) ? 0 : 1;
  if (describe) {
    std::string message;
    if (describeArtifact(input, llvm::outs(), message))
      return 0;
    llvm::errs() << "dyn-compile: error: " << message << '\n';
    return 1;
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
  return succeeded(compile(context, timing)) ? 0 : 1;
}
