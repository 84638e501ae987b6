//===- Options.cpp - Options of the compilation driver --------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Driver/Options.h"

#include "Errors.h"

#include "dyn/Support/TargetInfo.h"
#include "dyn/Support/ToolOptions.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Regex.h"

using namespace dyn;
using namespace mlir;
namespace cl = llvm::cl;

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

namespace {
/// A value of --emit.
struct Stage {
  Emit emit;
  /// The level that a module has when this is written.
  Level level;
  llvm::StringLiteral name;
  llvm::StringLiteral description;
};
} // namespace

static constexpr Stage kStages[] = {
    {Emit::Import, Level::Import, "import", "dhlo as imported"},
    {Emit::Optimize, Level::Optimize, "dhlo", "dhlo after its passes"},
    {Emit::Fusions, Level::Fusions, "fusions", "fusions and constants"},
    {Emit::Kernels, Level::Kernels, "kernels", "kernels and launches"},
    {Emit::Buffers, Level::Buffers, "buffers", "buffers and the shape program"},
    {Emit::Entries, Level::Entries, "entries", "entries in the LLVM dialect"},
    {Emit::Code, Level::Entries, "code",
     "kernels in the LLVM dialect, for the first of --isa"},
    {Emit::Ptx, Level::Entries, "ptx", "kernels in PTX, for --chip"},
    {Emit::LLVMIR, Level::Entries, "llvm-ir",
     "LLVM IR of entries and descriptor"},
    {Emit::Artifact, Level::Entries, "artifact", "a shared object (default)"}};

Level dyn::getLevel(Emit emit) {
  return llvm::find_if(kStages,
                       [&](const Stage &stage) { return stage.emit == emit; })
      ->level;
}

//===----------------------------------------------------------------------===//
// The command line
//===----------------------------------------------------------------------===//

namespace {
/// The modifier of an option whose values are the stages.
struct StageValues {
  template <typename Option> void apply(Option &option) const {
    for (const Stage &stage : kStages)
      option.getParser().addLiteralOption(stage.name, stage.emit,
                                          stage.description);
  }
};

/// Which GEMMs are left to cuBLASLt.
enum class CudaLibrary { Never, Large, Always };

/// Contracted axes that ranks divide are gathered, or their sums reduced.
enum class TensorParallel { Gather, Reduce };

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
cl::opt<Emit> emit("emit",
                   cl::desc("What to write. Options of later stages have no "
                            "effect:"),
                   cl::init(Emit::Artifact), StageValues(), cl::cat(category));
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
cl::opt<std::string> chip(
    "chip",
    cl::desc(
        "The GPU of --emit=ptx (default: the first of --target, or sm_80)"),
    cl::value_desc("sm_80"), cl::cat(category));
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
cl::opt<bool> preload(
    "preload",
    cl::desc("Announce to the runtime which paths have rows as soon as routers "
             "have run, so that it fetches their weights (default true) where "
             "weights exceed the limit of memory; without a limit it costs "
             "nothing"),
    cl::init(true), cl::cat(category));
cl::opt<std::string> profile(
    "profile",
    cl::desc(
        "Profile of routes, as --profile-out of dyn-run writes it: how much "
        "each path of a router has to do (docs/Profiles.md). Results have "
        "the same bits with any profile"),
    cl::value_desc("file"), cl::cat(category));
cl::opt<std::string> routeRules(
    "route-rules",
    cl::desc("What to do at routers, instead of what their profiles and costs "
             "say, by commas: KEY=speculate, preload, fuse or leave, * for all "
             "others, and a prediction after a colon: "
             "layers.0.mlp=speculate:majority:3,*=leave (docs/Profiles.md)"),
    cl::value_desc("rules"), cl::cat(category));
cl::opt<int64_t> callThreads(
    "call-threads",
    cl::desc("Threads that calls are expected to have (default 2): with more "
             "than one, paths may run beside their router. Results are the "
             "same with any number"),
    cl::init(2), cl::cat(category));
cl::opt<int64_t> memoryLimit(
    "memory-limit",
    cl::desc("Bytes of memory for weights: if there are more, those of paths "
             "are fetched by predictions of routes (default 0: all fit)"),
    cl::init(0), cl::value_desc("bytes"), cl::cat(category));
cl::opt<std::string> targetInfo(
    "target-info",
    cl::desc("File that overrides numbers of the machine, such as sizes of "
             "caches, in the form of --print-target-info "
             "(docs/Architecture.md)"),
    cl::value_desc("file"), cl::cat(category));
cl::opt<std::string> printTargetInfo(
    "print-target-info", cl::ValueOptional, cl::init("none"),
    cl::desc("Print the numbers of the machine that code is generated for, for "
             "an instruction set (default v4), after --target-info, to -o"),
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
                                "input, in words, to -o"),
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
cl::opt<std::string> planMachine(
    "plan",
    cl::desc("Plan the model for the ranks and links of a machine "
             "(include/dyn/Plan/Machine.h, RFC 17). With -o model.so, divide "
             "each layer by the plan; else, or with --explain, print it: "
             "stages, how each layer is divided, and the time of a simulation"),
    cl::value_desc("machine.json"), cl::cat(category));
cl::opt<int64_t> planMicroBatches(
    "plan-micro-batches",
    cl::desc("Parts of the rows that go through the stages of --plan (default: "
             "1, or 4 for each stage at least)"),
    cl::init(0), cl::cat(category));
cl::opt<int64_t> planStages(
    "plan-stages",
    cl::desc("Stages of --plan, at most (default: one for each rank)"),
    cl::init(0), cl::cat(category));
cl::opt<bool> planSums(
    "plan-divide-sums",
    cl::desc("Let --plan divide sums of matmuls. All are computed in segments "
             "then: other bits, which are the same for all plans "
             "(docs/Ranks.md)"),
    cl::init(false), cl::cat(category));
cl::opt<TensorParallel> tensorParallel(
    "tensor-parallel",
    cl::desc("What to do where ranks divide the axis that a matmul sums "
             "(docs/Ranks.md)"),
    cl::init(TensorParallel::Gather),
    cl::values(
        clEnumValN(TensorParallel::Gather, "gather",
                   "gather it: bits are those of one rank (default)"),
        clEnumValN(TensorParallel::Reduce, "reduce",
                   "add the sums of segments in a tree: other bits, which are "
                   "the same with any number of ranks")),
    cl::cat(category));
cl::opt<int64_t> tensorParallelSegments(
    "tensor-parallel-segments",
    cl::desc("Segments of --tensor-parallel=reduce and --plan-divide-sums, a "
             "power of two: the most ranks that can divide a sum (default 8)"),
    cl::init(8), cl::cat(category));
cl::opt<std::string> remarksFilter(
    "remarks-filter",
    cl::desc("Print remarks on the decisions of passes whose names match, such "
             "as dlhlo-fuse"),
    cl::value_desc("regex"), cl::cat(category));
cl::opt<uint64_t> sidecarLimit(
    "sidecar-limit",
    cl::desc("Bytes of constants from which they go to a file beside the "
             "artifact (default 256 MiB)"),
    cl::init(256ull << 20), cl::cat(category));
cl::opt<std::string> shareWeights(
    "share-weights",
    cl::desc("Artifact of the same model, whose constants this one uses from "
             "its file: both lie in one folder (docs/Runtime.md)"),
    cl::value_desc("artifact"), cl::cat(category));
cl::opt<std::string> kernelCache(
    "kernel-cache",
    cl::desc("Folder of compiled kernels, which models share, or 'off'. By "
             "default DYN_KERNEL_CACHE of the environment, else kernels in its "
             "DYN_CACHE, else dyn/kernels in XDG_CACHE_HOME or ~/.cache "
             "(docs/GettingStarted.md)"),
    cl::value_desc("folder"), cl::cat(category));
cl::opt<uint64_t> kernelCacheBytes(
    "kernel-cache-bytes",
    cl::desc("Bytes of that folder, above which kernels that were not used for "
             "longest are removed, or 0 for no bound (default 1 GiB, which is "
             "checked every 20 minutes)"),
    cl::init(KernelCacheOptions().maxBytes), cl::cat(category));
cl::opt<int> optLevel("O", cl::Prefix, cl::init(2),
                      cl::desc("LLVM's optimisation level, 0 to 3 (default 2)"),
                      cl::cat(category));
} // namespace

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// The extension of a file that holds only the explanation.
static llvm::StringRef getExplanationEnding(ExplainFormat format) {
  switch (format) {
  case ExplainFormat::Html:
    return ".html";
  case ExplainFormat::Json:
    return ".json";
  default:
    return ".txt";
  }
}

/// Whether a path names an explanation of any format.
static bool isExplanation(llvm::StringRef path) {
  ExplainFormat formats[] = {ExplainFormat::Html, ExplainFormat::Json,
                             ExplainFormat::Text};
  return llvm::any_of(formats, [&](ExplainFormat format) {
    return path.ends_with(getExplanationEnding(format));
  });
}

bool DriverOptions::isOutputExplanation() const {
  return explain != ExplainFormat::None &&
         llvm::StringRef(output).ends_with(getExplanationEnding(explain));
}

bool DriverOptions::compilesPlan() const {
  return !planMachine.empty() && !output.empty() && output != "-" &&
         !isExplanation(output);
}

static LogicalResult parseExplainOptions(DriverOptions &options) {
  auto format = llvm::StringSwitch<std::optional<ExplainFormat>>(explain)
                    .Case("none", ExplainFormat::None)
                    .Case("", ExplainFormat::Text)
                    .Case("json", ExplainFormat::Json)
                    .Case("html", ExplainFormat::Html)
                    .Default(std::nullopt);
  if (!format)
    return error("--explain: expected 'json', 'html' or nothing, found '" +
                 explain + "'");
  options.explain = *format;
  bool explains = options.explain != ExplainFormat::None;
  if (explains && options.emit != Emit::Artifact)
    return error("--explain: expected no --emit beside it");
  if (explains && !options.isOutputExplanation() &&
      isExplanation(options.output))
    return error("--explain: expected -o to name an artifact or a file that "
                 "ends in " +
                 getExplanationEnding(options.explain) + ", found '" +
                 options.output + "'");
  if (!explains && planMachine.empty() && !explainAt.empty())
    return error("--explain-at: expected --explain or --plan beside it");
  for (const std::string &text : explainAt) {
    std::string message;
    std::optional<SizeValue> value = SizeValue::parse(text, message);
    if (!value)
      return error("--explain-at: " + message);
    if (llvm::any_of(options.explainAt, [&](const SizeValue &other) {
          return other.name == value->name;
        }))
      return error("--explain-at: expected one value of '" + value->name +
                   "', found several");
    options.explainAt.push_back(std::move(*value));
  }
  return success();
}

static LogicalResult parsePlanOptions(DriverOptions &options) {
  for (const cl::Option *option : {static_cast<cl::Option *>(&planMicroBatches),
                                   static_cast<cl::Option *>(&planStages),
                                   static_cast<cl::Option *>(&planSums)})
    if (planMachine.empty() && option->getNumOccurrences())
      return error("--" + option->ArgStr + ": expected --plan beside it");
  if (planMicroBatches < 0 || planStages < 0)
    return error("--plan: expected numbers of stages and micro-batches of at "
                 "least 0");
  if (!planMachine.empty() && options.emit != Emit::Artifact)
    return error("--plan: expected no --emit beside it");
  options.planMachine = planMachine;
  options.plan.microBatches = planMicroBatches;
  options.plan.maxStages = planStages;
  options.plan.segments = planSums ? int64_t(tensorParallelSegments) : 0;
  return success();
}

static LogicalResult checkTensorParallel() {
  bool reduces = tensorParallel == TensorParallel::Reduce || planSums;
  if (!reduces && tensorParallelSegments.getNumOccurrences())
    return error("--tensor-parallel-segments: expected "
                 "--tensor-parallel=reduce or --plan-divide-sums beside it");
  if (tensorParallelSegments < 1 ||
      !llvm::isPowerOf2_64(tensorParallelSegments))
    return error("--tensor-parallel-segments: expected a power of two, found " +
                 llvm::Twine(tensorParallelSegments));
  return success();
}

/// Checks that `mode`, with which nothing is compiled, is given without options
/// that say how to compile, but for -o and `allowed`.
static LogicalResult checkAlone(const cl::Option &mode,
                                const cl::Option *allowed = nullptr) {
  for (const auto &entry : cl::getRegisteredOptions()) {
    const cl::Option *option = entry.second;
    if (option == &mode || option == &output || option == allowed ||
        !option->getNumOccurrences() ||
        !llvm::is_contained(option->Categories, &category))
      continue;
    return error((option->ArgStr.size() == 1 ? "-" : "--") + option->ArgStr +
                 ": expected no --" + mode.ArgStr + " beside it");
  }
  return success();
}

/// Invalid names of the output are reported before any work.
static LogicalResult checkOutput(const DriverOptions &options) {
  llvm::StringRef path = options.output;
  if (options.emit == Emit::Artifact && options.planMachine.empty() &&
      (path == "-" || (path.empty() && options.explain == ExplainFormat::None)))
    return error("expected a file name for the artifact: -o model.so");
  llvm::StringRef folder = llvm::sys::path::parent_path(path);
  if (!folder.empty() && !llvm::sys::fs::is_directory(folder))
    return error("-o: there is no folder '" + folder + "'");
  if (llvm::sys::fs::is_directory(path))
    return error("-o: expected a file, found the folder '" + path + "'");
  return success();
}

static LogicalResult parseDims(DriverOptions &options) {
  for (const std::string &text : dims) {
    std::string message;
    std::optional<DimOption> option = DimOption::parse(text, message);
    if (!option)
      return error("--dim: " + message);
    options.dims.push_back(std::move(*option));
  }
  return success();
}

static LogicalResult parsePrintTargetInfo(DriverOptions &options) {
  if (failed(checkAlone(printTargetInfo, &targetInfo)))
    return failure();
  if (input.getNumOccurrences())
    return error("--print-target-info: expected no model, found '" + input +
                 "'");
  llvm::StringRef name = "v4";
  if (!printTargetInfo.empty())
    name = printTargetInfo;
  options.printTargetInfo = parseIsa(name);
  if (!options.printTargetInfo)
    return error("--print-target-info: expected " + kIsaList + ", found '" +
                 name + "'");
  return success();
}

static LogicalResult parseTargets(DriverOptions &options) {
  ArtifactOptions &artifact = options.artifact;
  if (!isas.empty())
    artifact.isas.clear();
  for (const std::string &name : isas) {
    std::optional<Isa> isa = parseIsa(name);
    if (!isa)
      return error("--isa: expected " + kIsaList + ", found '" + name + "'");
    artifact.isas.push_back(*isa);
  }
  llvm::sort(artifact.isas);
  artifact.isas.erase(llvm::unique(artifact.isas), artifact.isas.end());
  std::string message;
  std::optional<DeviceTargets> devices = DeviceTargets::parse(target, message);
  if (!devices)
    return error("--target: " + message);
  artifact.devices = std::move(*devices);
  if (chip.getNumOccurrences() && options.emit != Emit::Ptx)
    return error("--chip: expected --emit=ptx beside it");
  if (!chip.empty())
    options.chip = chip;
  else if (!artifact.devices.chips.empty())
    options.chip = artifact.devices.chips.front();
  if (cudaLibrary != CudaLibrary::Never && artifact.devices.empty() &&
      options.emit != Emit::Ptx)
    return error("--cuda-library: expected cuda or emu among the targets, "
                 "found '" +
                 target + "'");
  for (Isa isa : artifact.isas)
    if (llvm::Error problem =
            TargetInfo::forIsa(isa).overrideByFile(targetInfo))
      return error(llvm::toString(std::move(problem)));
  if (!sanitize.empty() && sanitize != "address")
    return error("--sanitize: expected 'address', found '" + sanitize + "'");
  if (optLevel < 0 || optLevel > 3)
    return error("-O: expected 0 to 3, found " + llvm::Twine(optLevel));
  if (callThreads < 1)
    return error("--call-threads: expected at least 1, found " +
                 llvm::Twine(callThreads));
  if (memoryLimit < 0)
    return error("--memory-limit: expected at least 0, found " +
                 llvm::Twine(memoryLimit));
  std::string reason;
  if (!remarksFilter.empty() && !llvm::Regex(remarksFilter).isValid(reason))
    return error("--remarks-filter: expected a regular expression, found '" +
                 remarksFilter + "': " + reason);
  options.remarksFilter = remarksFilter;
  artifact.emit.optLevel = optLevel;
  artifact.emit.sanitizeAddress = sanitize == "address";
  artifact.sidecarLimit = sidecarLimit;
  artifact.shareWeights = shareWeights;
  artifact.weightsFolder = llvm::sys::path::parent_path(options.input).str();
  return success();
}

/// Whether options show passes at work, of which kernels from a cache need
/// none.
static bool showsPasses() {
  return llvm::any_of(cl::getRegisteredOptions(), [](const auto &named) {
    StringRef name = named.first;
    return named.second->getNumOccurrences() &&
           (name.starts_with("mlir-print-ir-") ||
            name.starts_with("mlir-pass-"));
  });
}

/// The folder of kernels if the user names none. "" if there is no home.
static std::string getDefaultKernelCache() {
  auto inFolder = [](const char *variable,
                     const Twine &name) -> std::optional<std::string> {
    std::optional<std::string> folder = llvm::sys::Process::GetEnv(variable);
    if (!folder || folder->empty())
      return std::nullopt;
    llvm::SmallString<128> path(*folder);
    llvm::sys::path::append(path, name);
    return path.str().str();
  };
  if (auto path = inFolder("DYN_CACHE", "kernels"))
    return *path;
  // Its specification has a relative one ignored.
  if (auto path = inFolder("XDG_CACHE_HOME", "dyn/kernels");
      path && llvm::sys::path::is_absolute(*path))
    return *path;
  return inFolder("HOME", ".cache/dyn/kernels").value_or("");
}

static KernelCacheOptions getKernelCacheOptions() {
  KernelCacheOptions options;
  options.maxBytes = kernelCacheBytes;
  // A bound that is given is kept by each compilation.
  if (kernelCacheBytes.getNumOccurrences())
    options.pruneInterval = std::chrono::seconds(0);
  std::string named = kernelCache;
  if (named.empty())
    named = llvm::sys::Process::GetEnv("DYN_KERNEL_CACHE").value_or("");
  options.isNamed = !named.empty();
  if (named != "off" && !showsPasses())
    options.folder = options.isNamed ? named : getDefaultKernelCache();
  return options;
}

static LoweringOptions getLoweringOptions() {
  LoweringOptions lowering;
  lowering.redZones = sanitize == "address";
  lowering.winograd = winograd;
  lowering.together = together;
  lowering.targetInfo = targetInfo;
  lowering.preload = preload;
  lowering.profile = profile;
  lowering.routeRules = routeRules;
  lowering.threads = callThreads;
  lowering.memoryLimit = memoryLimit;
  lowering.unpad = unpad;
  if (tensorParallel == TensorParallel::Reduce)
    lowering.tensorParallel = tensorParallelSegments;
  if (cudaLibrary != CudaLibrary::Never)
    lowering.libraryFrom =
        cudaLibrary == CudaLibrary::Large ? int64_t(1) << 30 : 1;
  return lowering;
}

LogicalResult dyn::parseCommandLine(int argc, char **argv,
                                    DriverOptions &options) {
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

  options.input = input;
  options.output = output;
  options.emit = emit;
  options.describe = describe;
  options.artifact.emit.targetInfo = targetInfo;
  if (printTargetInfo != "none")
    return parsePrintTargetInfo(options);
  if (describe)
    return checkAlone(describe);
  if (failed(parseExplainOptions(options)) ||
      failed(parsePlanOptions(options)) || failed(parseDims(options)) ||
      failed(parseTargets(options)) || failed(checkTensorParallel()) ||
      failed(checkOutput(options)))
    return failure();
  options.lowering = getLoweringOptions();
  options.kernelCache = getKernelCacheOptions();
  return success();
}
