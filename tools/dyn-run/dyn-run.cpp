//===- dyn-run.cpp - Runs artifacts, and models in the interpreter --------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compare.h"
#include "Inputs.h"
#include "Npy.h"
#include "Ranks.h"

#include "dyn/Support/ToolOptions.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/WithColor.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

using namespace dyn::run;
namespace cl = llvm::cl;

namespace {
struct CommandLine {
  cl::OptionCategory category{"dyn-run options"};
  cl::opt<std::string> model{cl::Positional, cl::Required,
                             cl::desc("<model.so | model.mlir | model.onnx>"),
                             cl::cat(category)};
  cl::list<std::string> input{
      "input",
      cl::desc("An input: NAME=FILE.npy, NAME=random:1x3x97x211 or "
               "NAME=random:1x16:LO:HI. Random floats are normal, or "
               "uniform in [LO, HI); integers are in [LO, HI), [0, 2) "
               "by default. May be repeated"),
      cl::value_desc("name=value"), cl::cat(category)};
  cl::list<std::string> inputs{
      "inputs",
      cl::desc("Inputs by name. --input replaces single ones. May be repeated: "
               "each file is a call, with its own --output and --check"),
      cl::value_desc("file.npz"), cl::cat(category)};
  cl::list<std::string> output{"output", cl::desc("Where to write the outputs"),
                               cl::value_desc("file.npz"), cl::cat(category)};
  cl::list<std::string> check{
      "check",
      cl::desc("Compare the outputs with those in a file; exit 1 unless all "
               "are close: |a - b| <= tolerance * (|b| + max|b|). Integers "
               "must be equal"),
      cl::value_desc("file.npz"), cl::cat(category)};
  cl::opt<double> tolerance{"tolerance", cl::desc("Tolerance of --check"),
                            cl::init(1e-4), cl::cat(category)};
  cl::opt<bool> reference{
      "reference",
      cl::desc("Evaluate a .mlir or .onnx model with the interpreter, which "
               "has no devices, threads, timeouts, statistics or recordings"),
      cl::cat(category)};
  cl::opt<std::string> entry{
      "entry", cl::desc("The function to run; by default the first"),
      cl::value_desc("name"), cl::cat(category)};
  cl::opt<unsigned> repeat{"repeat", cl::desc("Number of calls; prints times"),
                           cl::value_desc("n"), cl::init(1), cl::cat(category)};
  cl::opt<unsigned> threads{
      "threads", cl::desc("Threads; by default one per physical core"),
      cl::value_desc("n"), cl::init(0), cl::cat(category)};
  cl::opt<uint64_t> seed{
      "seed", cl::desc("Seed of random inputs and of the model's randomness"),
      cl::value_desc("n"), cl::init(0), cl::cat(category)};
  cl::opt<std::string> isa{"isa",
                           cl::desc("Instruction set: v2, v3, v4, v4-vnni, "
                                    "v4-bf16 or v4-amx; by default the best"),
                           cl::value_desc("name"), cl::cat(category)};
  cl::opt<std::string> device{
      "device",
      cl::desc("Where to run: cpu (default), cuda, or emu, an emulator of a "
               "GPU that checks every access (docs/GPU.md). The first rank of "
               "a machine runs on its first device, and so on"),
      cl::value_desc("name"), cl::init("cpu"), cl::cat(category)};
  cl::opt<std::string> gemmLibrary{
      "gemm-library",
      cl::desc("Library that large GEMMs of a device are left to, in "
               "artifacts of dyn-compile --cuda-library: by default the first "
               "cuBLASLt that is found, or the emulator's; 'none' for none"),
      cl::value_desc("library"), cl::cat(category)};
  cl::opt<std::string> exchangeLibrary{
      "exchange-library",
      cl::desc("Library that moves rows between the devices of ranks: by "
               "default libnccl.so.2, or the emulator's; 'none' moves them "
               "through the host (docs/Ranks.md)"),
      cl::value_desc("name"), cl::cat(category)};
  cl::opt<std::string> gemmTable{
      "gemm-table",
      cl::desc("Algorithms that GEMMs were tuned to; with --tune-gemms "
               "the file is made or extended"),
      cl::value_desc("file"), cl::cat(category)};
  cl::opt<unsigned> tuneGemms{
      "tune-gemms",
      cl::desc("Try this many of the library's algorithms for each GEMM, "
               "and take the fastest"),
      cl::value_desc("n"), cl::init(0), cl::cat(category)};
  cl::opt<uint64_t> streamFrom{
      "stream-from",
      cl::desc("Use non-temporal stores in launches that read and write at "
               "least so many bytes (default: three quarters of the last-level "
               "cache)"),
      cl::value_desc("bytes"), cl::init(0), cl::cat(category)};
  cl::opt<double> timeout{"timeout-ms",
                          cl::desc("Cancel a call after this time"),
                          cl::value_desc("ms"), cl::init(0), cl::cat(category)};
  cl::opt<std::string> stats{
      "stats",
      cl::ValueOptional,
      cl::init("none"),
      cl::desc("Print times, launches, memory and a table of kernels beside "
               "what this machine can do at most; with --stats=json as JSON, "
               "and everything else goes to the standard error"),
      cl::value_desc("json"),
      cl::cat(category)};
  cl::opt<std::string> trace{
      "trace",
      cl::desc("Write a recording for chrome://tracing or ui.perfetto.dev"),
      cl::value_desc("file.json"), cl::cat(category)};
  cl::opt<std::string> profileOut{
      "profile-out",
      cl::desc("Write which paths the model's routers sent cells through, for "
               "dyn-compile --profile and dyn-profile"),
      cl::value_desc("file.json"), cl::cat(category)};
  cl::opt<std::string> profileRaw{
      "profile-raw",
      cl::desc("Write every decision of the model's routers, one by one"),
      cl::value_desc("file.jsonl"), cl::cat(category)};
  cl::opt<uint64_t> profileWindow{
      "profile-window-ms",
      cl::desc("The shortest windows in time of --profile-out (default 1000)"),
      cl::value_desc("ms"), cl::init(0), cl::cat(category)};
  cl::opt<std::string> source{
      "source",
      cl::desc("The model that the artifact was compiled from, for "
               "--reoptimise, --auto and --report"),
      cl::value_desc("model.onnx"), cl::cat(category)};
  cl::opt<bool> reoptimise{
      "reoptimise",
      cl::desc("Compile again, beside the calls, when routes drift from the "
               "profile that was compiled for (docs/Profiles.md)"),
      cl::cat(category)};
  cl::opt<bool> automatic{
      "auto",
      cl::desc("Compile static variants of hot sizes, beside the calls, and "
               "keep those that are faster (docs/Runtime.md)"),
      cl::cat(category)};
  cl::opt<uint64_t> window{
      "window-ms",
      cl::desc("Interval of decisions of --reoptimise and --auto (default "
               "10000)"),
      cl::value_desc("ms"), cl::init(0), cl::cat(category)};
  cl::opt<unsigned> ranks{
      "ranks",
      cl::desc(
          "Run an artifact of so many ranks, each in a thread. In names of "
          "files, %r is the number of the rank"),
      cl::value_desc("n"), cl::init(0), cl::cat(category)};
  cl::opt<std::string> communicator{
      "communicator",
      cl::desc("How ranks exchange data: threads of --ranks, or, in each of "
               "the processes that a launcher has started, sockets or mpi "
               "(docs/Ranks.md)"),
      cl::value_desc("name"), cl::cat(category)};
  cl::opt<std::string> report{
      "report",
      cl::desc("Write the variants that were made, the decisions and their "
               "reasons"),
      cl::value_desc("file.json"), cl::cat(category)};
};
} // namespace

static bool isGiven(const cl::Option &option) {
  return option.getNumOccurrences() > 0;
}

static llvm::Error refuse(const cl::Option &option, const llvm::Twine &what) {
  return llvm::createStringError("--" + option.ArgStr + ": expected " + what);
}

/// Options that only compiled models have, beside --reference.
static llvm::Error checkReference(const CommandLine &options) {
  const cl::Option *compiled[] = {
      &options.isa,          &options.gemmLibrary,    &options.gemmTable,
      &options.tuneGemms,    &options.streamFrom,     &options.threads,
      &options.timeout,      &options.stats,          &options.trace,
      &options.profileRaw,   &options.source,         &options.ranks,
      &options.communicator, &options.exchangeLibrary};
  for (const cl::Option *option : compiled)
    if (isGiven(*option))
      return refuse(*option, "a compiled model, not --reference");
  if (options.device != "cpu")
    return refuse(options.device, "a compiled model, not --reference");
  return llvm::Error::success();
}

static llvm::Error checkRanks(const CommandLine &options) {
  llvm::StringRef name = options.communicator;
  if (isGiven(options.ranks) && options.ranks == 0)
    return refuse(options.ranks, "at least 1");
  if (isGiven(options.communicator) && name != "threads" && name != "sockets" &&
      name != "mpi")
    return refuse(options.communicator,
                  "threads, sockets or mpi, found '" + name + "'");
  bool isProcess = name == "sockets" || name == "mpi";
  if (isProcess && isGiven(options.ranks))
    return refuse(options.ranks,
                  "none: the launcher of the processes says how many");
  if (name == "threads" && !isGiven(options.ranks))
    return refuse(options.communicator, "--ranks beside it");
  const cl::Option *single[] = {&options.source, &options.trace,
                                &options.profileOut, &options.profileRaw,
                                &options.stats};
  for (const cl::Option *option : single)
    if (isGiven(*option) && (isProcess || isGiven(options.ranks)))
      return refuse(*option, "one process without other ranks");
  return llvm::Error::success();
}

/// Values without a meaning, and options that would have no effect beside the
/// others, are errors.
static llvm::Error checkOptions(const CommandLine &options) {
  if (options.stats != "none" && options.stats != "" && options.stats != "json")
    return refuse(options.stats,
                  "'json' or nothing, found '" + options.stats + "'");
  if (options.device != "cpu" && options.device != "cuda" &&
      options.device != "emu")
    return refuse(options.device,
                  "cpu, cuda or emu, found '" + options.device + "'");
  // Also not a number; 300 years fit the runtime's nanoseconds.
  if (!(options.timeout >= 0 && options.timeout <= 1e13))
    return refuse(options.timeout, "milliseconds from 0 to 1e13");
  if (!(options.tolerance >= 0))
    return refuse(options.tolerance, "at least 0");
  if (isGiven(options.tolerance) && options.check.empty())
    return refuse(options.tolerance, "--check beside it");
  if (isGiven(options.profileWindow) && options.profileOut.empty())
    return refuse(options.profileWindow, "--profile-out beside it");
  for (const cl::Option *option :
       {static_cast<const cl::Option *>(&options.reoptimise),
        static_cast<const cl::Option *>(&options.automatic),
        static_cast<const cl::Option *>(&options.window),
        static_cast<const cl::Option *>(&options.report)})
    if (isGiven(*option) && options.source.empty())
      return refuse(*option, "--source beside it");
  if (isGiven(options.source) && options.device != "cpu")
    return refuse(options.source, "the device cpu");
  // They are of one execution, and calls of a model take several.
  if (isGiven(options.source) && options.stats != "none")
    return refuse(options.stats, "no --source beside it");
  if (llvm::Error error = checkRanks(options))
    return error;
  return options.reference ? checkReference(options) : llvm::Error::success();
}

/// The type of an output and its first elements.
static void print(const NamedTensor &output, llvm::raw_ostream &os) {
  const Tensor &tensor = output.tensor;
  const int64_t shown = std::min<int64_t>(tensor.numElements(), 6);
  os << output.name << ": " << tensor.type() << " =";
  for (int64_t i = 0; i < shown; ++i)
    os << ' ' << llvm::format("%.7g", tensor.value(i));
  os << (shown < tensor.numElements() ? " ...\n" : "\n");
}

static llvm::Expected<std::unique_ptr<Program>>
loadProgram(const CommandLine &options, const Rank &rank) {
  RunOptions run;
  run.communicator = rank.communicator;
  run.entry = options.entry;
  run.isa = options.isa;
  if (options.device != "cpu")
    run.device = options.device;
  run.deviceOrdinal = rank.device;
  run.gemmLibrary = options.gemmLibrary;
  run.gemmTable = options.gemmTable;
  run.exchangeLibrary = options.exchangeLibrary;
  run.tuneGemms = options.tuneGemms;
  run.streamFrom = options.streamFrom;
  run.threads = options.threads;
  // Ranks in threads share the processors.
  if (!run.threads && options.ranks)
    run.threads =
        std::max(1u, std::thread::hardware_concurrency() / options.ranks);
  run.seed = options.seed;
  run.timeoutNanoseconds = uint64_t(options.timeout * 1e6);
  run.profile = options.stats != "none";
  run.traceFile = options.trace;
  run.profileFile = options.profileOut;
  run.rawProfileFile = options.profileRaw;
  run.profileWindowMs = options.profileWindow;
  run.source = options.source;
  run.reoptimise = options.reoptimise;
  run.automatic = options.automatic;
  run.windowMs = options.window;
  run.reportFile = options.report;
  llvm::StringRef path = options.model;
  bool source = path.ends_with(".mlir") || path.ends_with(".mlirbc") ||
                path.ends_with(".onnx");
  if (options.reference)
    return loadReference(path, run);
  if (source)
    return llvm::createStringError(
        "'" + path +
        "' is not compiled: compile it with dyn-compile, or give "
        "--reference to interpret it");
  return loadArtifact(path, run);
}

namespace {
/// The files of a call; empty names for absent ones.
struct CallFiles {
  std::string inputs, output, check;
};
} // namespace

/// A call for each file of inputs; one call if there is no such file.
static llvm::Expected<std::vector<CallFiles>>
getCalls(const CommandLine &options, const Rank &rank) {
  std::vector<CallFiles> calls(std::max<size_t>(1, options.inputs.size()));
  auto assign = [&](const cl::list<std::string> &files,
                    std::string CallFiles::*field) -> llvm::Error {
    if (!files.empty() && files.size() != calls.size())
      return llvm::createStringError(
          "--" + files.ArgStr + ": expected a file for each of " +
          llvm::Twine(calls.size()) + " calls, found " +
          llvm::Twine(files.size()));
    for (auto [call, file] : llvm::zip(calls, files))
      call.*field = rank.fileOf(file);
    return llvm::Error::success();
  };
  if (llvm::Error error = assign(options.inputs, &CallFiles::inputs))
    return error;
  if (llvm::Error error = assign(options.output, &CallFiles::output))
    return error;
  if (llvm::Error error = assign(options.check, &CallFiles::check))
    return error;
  return calls;
}

namespace {
/// State that calls share.
struct Progress {
  bool isCold = true;
  std::string different; ///< the first file that outputs are not close to
};
} // namespace

/// Runs the program as often as requested and prints the times of repeated
/// calls. Results are those of the last call.
static llvm::Expected<std::vector<NamedTensor>>
runAll(Program &program, llvm::ArrayRef<Tensor> inputs,
       const CommandLine &options, Progress &progress, llvm::raw_ostream &os) {
  std::vector<NamedTensor> outputs;
  std::vector<double> times;
  unsigned calls = std::max(1u, options.repeat.getValue());
  for (unsigned i = 0; i < calls; ++i) {
    // Statistics are of warm calls, after the first one.
    if (i == 1 && std::exchange(progress.isCold, false))
      program.resetStats();
    auto begin = std::chrono::steady_clock::now();
    auto results = program.run(inputs);
    std::chrono::duration<double, std::milli> took =
        std::chrono::steady_clock::now() - begin;
    if (!results)
      return results.takeError();
    outputs = std::move(*results);
    times.push_back(took.count());
  }
  if (calls > 1) {
    double first = times.front();
    times.erase(times.begin());
    std::sort(times.begin(), times.end());
    os << "first call: " << llvm::format("%.3f ms", first) << ", then median "
       << llvm::format("%.3f ms", times[times.size() / 2]) << ", least "
       << llvm::format("%.3f ms", times.front()) << " of " << times.size()
       << "\n";
  }
  return outputs;
}

/// Runs on the inputs of one call, and writes, checks or prints the outputs.
static llvm::Error runCall(Program &program, const CallFiles &files,
                           const CommandLine &options, Progress &progress,
                           llvm::raw_ostream &os) {
  auto inputs =
      makeInputs(program.inputs(), options.input, files.inputs, options.seed);
  if (!inputs)
    return inputs.takeError();
  auto outputs = runAll(program, *inputs, options, progress, os);
  if (!outputs)
    return outputs.takeError();
  if (!files.output.empty())
    if (llvm::Error error = writeNpz(files.output, *outputs))
      return error;
  if (files.check.empty()) {
    if (files.output.empty())
      for (const NamedTensor &output : *outputs)
        print(output, os);
    return llvm::Error::success();
  }
  auto expected = readNpz(files.check);
  if (!expected)
    return expected.takeError();
  if (!compare(*outputs, *expected, options.tolerance, os) &&
      progress.different.empty())
    progress.different = files.check;
  return llvm::Error::success();
}

static llvm::Error runRank(const CommandLine &options, const Rank &rank) {
  bool isJson = options.stats == "json";
  llvm::raw_ostream &os = *rank.os;
  auto program = loadProgram(options, rank);
  if (!program)
    return program.takeError();
  auto calls = getCalls(options, rank);
  if (!calls)
    return calls.takeError();
  Progress progress;
  for (const CallFiles &files : *calls)
    if (llvm::Error error = runCall(**program, files, options, progress, os))
      return calls->size() > 1
                 ? llvm::createFileError(files.inputs, std::move(error))
                 : std::move(error);
  if (options.stats != "none")
    if (std::optional<RunStats> stats = (*program)->getStats()) {
      MachineRates machine;
      if (stats->device.empty())
        machine = measureMachine(stats->threads);
      if (isJson)
        llvm::outs() << llvm::formatv("{0:2}", toJson(*stats, machine)) << '\n';
      else
        printStats(*stats, machine, os);
    }
  if (llvm::Error error = (*program)->finish())
    return error;
  if (!progress.different.empty())
    return llvm::createStringError("outputs are not close to '" +
                                   progress.different + "'");
  return llvm::Error::success();
}

static llvm::Error runTool(const CommandLine &options) {
  if (llvm::Error error = checkOptions(options))
    return error;
  auto body = [&](const Rank &rank) { return runRank(options, rank); };
  if (options.ranks)
    return runOnThreads(options.ranks, body);
  if (isGiven(options.communicator))
    return runAsProcess(options.communicator, body);
  return body(
      {nullptr, options.stats == "json" ? &llvm::errs() : &llvm::outs()});
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  dyn::dropLibraryOptions();
  CommandLine options;
  cl::ParseCommandLineOptions(argc, argv,
                              "dyn-run: runs a compiled model, or evaluates "
                              "one with the interpreter\n");
  if (llvm::Error error = runTool(options)) {
    llvm::outs().flush();
    llvm::WithColor::error(llvm::errs(), "dyn-run")
        << llvm::toString(std::move(error)) << '\n';
    return 1;
  }
  return 0;
}
