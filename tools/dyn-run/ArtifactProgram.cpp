//===- ArtifactProgram.cpp - Runs an artifact with the runtime ------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <cstring>

using namespace dyn::run;

Program::~Program() = default;

/// The last failure of the runtime in this thread, as an error.
static llvm::Error runtimeError() {
  return llvm::createStringError(llvm::StringRef(dyn_last_error()));
}

namespace {
template <typename T, void (*Release)(T *)> struct Releaser {
  void operator()(T *object) const { Release(object); }
};
template <typename T, void (*Release)(T *)>
using Handle = std::unique_ptr<T, Releaser<T, Release>>;

class ArtifactProgram final : public Program {
public:
  explicit ArtifactProgram(const RunOptions &options) : options(options) {}

  llvm::Error load(const std::string &path);

  llvm::ArrayRef<PortDescription> inputs() const override { return inputPorts; }
  llvm::Expected<std::vector<NamedTensor>>
  run(llvm::ArrayRef<Tensor> inputs) override;
  void resetStats() override { dyn_execution_reset_stats(execution.get()); }
  std::optional<RunStats> getStats() const override;
  llvm::Error finish() override;

private:
  llvm::Error checkRanks();
  llvm::Error createContext();
  llvm::Error describePorts();
  llvm::Error startProfile();
  llvm::Error createModel(const dyn_context_options_t &contextOptions);
  llvm::Error writeReport();

  RunOptions options;
  uint32_t entry = 0;
  Handle<dyn_artifact_t, dyn_artifact_release> artifact;
  Handle<dyn_context_t, dyn_context_release> context;
  Handle<dyn_execution_t, dyn_execution_release> execution;
  Handle<dyn_model_t, dyn_model_release> model; ///< with a source
  Handle<dyn_trace_t, dyn_trace_release> trace;
  Handle<dyn_profile_t, dyn_profile_release> profile;
  uint32_t threads = 1;
  std::vector<PortDescription> inputPorts, outputPorts;
};
} // namespace

llvm::Error ArtifactProgram::load(const std::string &path) {
  dyn_artifact_t *loaded = nullptr;
  if (dyn_artifact_load(path.c_str(), nullptr, &loaded))
    return runtimeError();
  artifact.reset(loaded);
  if (llvm::Error error = checkRanks())
    return error;
  if (llvm::Error error = createContext())
    return error;
  const char *name = options.entry.empty() ? nullptr : options.entry.c_str();
  if (dyn_context_find_entry(context.get(), name, &entry))
    return runtimeError();
  if (llvm::Error error = startProfile())
    return error;
  return describePorts();
}

/// Without other ranks, no entry can run that is a part of several: neither the
/// one that is named, as a whole or a part, nor the first one.
llvm::Error ArtifactProgram::checkRanks() {
  if (options.communicator)
    return llvm::Error::success();
  dyn_entry_info_t info = {};
  info.struct_size = sizeof(info);
  for (uint32_t i = 0; !dyn_artifact_entry(artifact.get(), i, &info); ++i) {
    auto isMeant = [&] {
      return options.entry.empty()
                 ? i == 0
                 : options.entry == info.part_of || options.entry == info.name;
    };
    if (info.ranks && isMeant())
      return llvm::createStringError(
          "'%s' is for %u ranks: expected --ranks=%u, or --communicator in "
          "each process of a launcher",
          info.part_of, info.ranks, info.ranks);
  }
  return llvm::Error::success();
}

llvm::Error ArtifactProgram::startProfile() {
  if (options.profileFile.empty() && options.rawProfileFile.empty())
    return llvm::Error::success();
  dyn_profile_options_t profileOptions = {};
  profileOptions.struct_size = sizeof(profileOptions);
  profileOptions.window_ms = options.profileWindowMs;
  profileOptions.path = options.profileFile.c_str();
  profileOptions.raw_path = options.rawProfileFile.c_str();
  dyn_profile_t *created = nullptr;
  if (dyn_profile_create(&profileOptions, &created))
    return runtimeError();
  profile.reset(created);
  if (dyn_profile_start(created))
    return runtimeError();
  return llvm::Error::success();
}

llvm::Error ArtifactProgram::createContext() {
  dyn_pool_options_t poolOptions = {};
  poolOptions.struct_size = sizeof(poolOptions);
  poolOptions.threads = options.threads;
  dyn_pool_t *pool = nullptr;
  if (dyn_pool_create(&poolOptions, &pool))
    return runtimeError();
  threads = dyn_pool_threads(pool);

  dyn_context_options_t contextOptions = {};
  contextOptions.struct_size = sizeof(contextOptions);
  contextOptions.isa = options.isa.empty() ? nullptr : options.isa.c_str();
  contextOptions.pool = pool;
  contextOptions.communicator = options.communicator;
  if (!options.device.empty())
    contextOptions.device = DYN_DEVICE_CUDA;
  contextOptions.device_ordinal = options.deviceOrdinal;
  if (options.device == "emu")
    contextOptions.device_library = "libdynemu.so";
  if (!options.gemmLibrary.empty())
    contextOptions.gemm_library = options.gemmLibrary.c_str();
  if (!options.exchangeLibrary.empty())
    contextOptions.exchange_library = options.exchangeLibrary.c_str();
  contextOptions.tune_gemms = options.tuneGemms;
  contextOptions.stream_from = options.streamFrom;
  // Tuning creates or extends the file.
  if (!options.gemmTable.empty() &&
      (!options.tuneGemms || llvm::sys::fs::exists(options.gemmTable)))
    contextOptions.gemm_table = options.gemmTable.c_str();
  dyn_context_t *createdContext = nullptr;
  dyn_status_t status =
      dyn_context_create(artifact.get(), &contextOptions, &createdContext);
  dyn_pool_release(pool);
  if (status)
    return runtimeError();
  context.reset(createdContext);

  dyn_execution_options_t executionOptions = {};
  executionOptions.struct_size = sizeof(executionOptions);
  executionOptions.profile = options.profile;
  dyn_execution_t *createdExecution = nullptr;
  if (dyn_execution_create(createdContext, &executionOptions,
                           &createdExecution))
    return runtimeError();
  execution.reset(createdExecution);

  if (!options.source.empty())
    if (llvm::Error error = createModel(contextOptions))
      return error;
  if (options.traceFile.empty())
    return llvm::Error::success();
  dyn_trace_t *createdTrace = nullptr;
  if (dyn_trace_create(nullptr, &createdTrace))
    return runtimeError();
  trace.reset(createdTrace);
  return llvm::Error::success();
}

llvm::Error
ArtifactProgram::createModel(const dyn_context_options_t &contextOptions) {
  std::string self =
      llvm::sys::fs::getMainExecutable(nullptr, (void *)&loadArtifact);
  auto compiler = llvm::sys::findProgramByName(
      "dyn-compile", {llvm::sys::path::parent_path(self)});
  const char *words[] = {compiler ? compiler->c_str() : "dyn-compile",
                         options.source.c_str(), nullptr};
  dyn_model_options_t modelOptions = {};
  modelOptions.struct_size = sizeof(modelOptions);
  modelOptions.context = &contextOptions;
  modelOptions.compiler = words;
  modelOptions.reoptimise = options.reoptimise;
  modelOptions.mode = options.automatic ? DYN_MODEL_AUTO : DYN_MODEL_MANUAL;
  modelOptions.window_ms = options.windowMs;
  dyn_model_t *created = nullptr;
  if (dyn_model_create(artifact.get(), &modelOptions, &created))
    return runtimeError();
  model.reset(created);
  return llvm::Error::success();
}

llvm::Error ArtifactProgram::writeReport() {
  const char *text = nullptr;
  if (dyn_model_report(model.get(), &text))
    return runtimeError();
  std::error_code code;
  llvm::raw_fd_ostream os(options.reportFile, code);
  os << text << '\n';
  os.close();
  if (!code)
    code = os.error();
  os.clear_error();
  return code ? llvm::createFileError(options.reportFile, code)
              : llvm::Error::success();
}

llvm::Error ArtifactProgram::describePorts() {
  dyn_entry_info_t info = {};
  info.struct_size = sizeof(info);
  if (dyn_artifact_entry(artifact.get(), entry, &info))
    return runtimeError();
  auto describe = [&](uint32_t count, auto function,
                      std::vector<PortDescription> &ports) -> llvm::Error {
    for (uint32_t i = 0; i < count; ++i) {
      dyn_port_info_t port = {};
      port.struct_size = sizeof(port);
      if (function(artifact.get(), entry, i, &port))
        return runtimeError();
      ports.push_back({port.name, port.dtype, port.text});
    }
    return llvm::Error::success();
  };
  if (llvm::Error error =
          describe(info.input_count, dyn_artifact_input, inputPorts))
    return error;
  return describe(info.output_count, dyn_artifact_output, outputPorts);
}

llvm::Expected<std::vector<NamedTensor>>
ArtifactProgram::run(llvm::ArrayRef<Tensor> values) {
  std::vector<dyn_tensor_t> inputs;
  for (const Tensor &value : values)
    inputs.push_back({const_cast<char *>(value.data()), value.shape().data(),
                      uint32_t(value.dtype()), uint32_t(value.shape().size()),
                      DYN_DEVICE_CPU, 0});
  std::vector<dyn_tensor_t> outputs(outputPorts.size());
  dyn_call_options_t call = {};
  call.struct_size = sizeof(call);
  call.entry = entry;
  call.seed = options.seed;
  call.timeout_ns = options.timeoutNanoseconds;
  call.trace = trace.get();
  dyn_execution_t *taken = execution.get();
  if (model && dyn_model_take(model.get(), entry, inputs.data(),
                              uint32_t(inputs.size()), &taken))
    return runtimeError();
  // The execution lends the outputs until then.
  llvm::scope_exit give([&] {
    if (model)
      dyn_model_give(model.get(), taken);
  });
  if (dyn_execution_run(taken, &call, inputs.data(), uint32_t(inputs.size()),
                        outputs.data(), uint32_t(outputs.size())))
    return runtimeError();
  std::vector<NamedTensor> results;
  for (auto [port, output] : llvm::zip(outputPorts, outputs)) {
    Tensor tensor(dyn_dtype_t(output.dtype),
                  llvm::ArrayRef<int64_t>(output.shape, output.rank));
    std::memcpy(tensor.data(), output.data,
                size_t(tensor.numElements()) * dyn_dtype_size(port.dtype));
    results.push_back({port.name, std::move(tensor)});
  }
  return results;
}

llvm::Error ArtifactProgram::finish() {
  if (trace && dyn_trace_write(trace.get(), options.traceFile.c_str()))
    return runtimeError();
  if (!options.reportFile.empty())
    if (llvm::Error error = writeReport())
      return error;
  if (profile && dyn_profile_stop(profile.get()))
    return runtimeError();
  if (options.tuneGemms && !options.gemmTable.empty() &&
      dyn_context_write_gemms(context.get(), options.gemmTable.c_str()))
    return runtimeError();
  return llvm::Error::success();
}

std::optional<RunStats> ArtifactProgram::getStats() const {
  RunStats stats;
  stats.sums.struct_size = sizeof(stats.sums);
  if (dyn_execution_stats(execution.get(), &stats.sums) || !stats.sums.calls)
    return std::nullopt;
  stats.isa = dyn_isa_name(dyn_context_isa(context.get()));
  stats.device = options.device;
  stats.memory.struct_size = sizeof(stats.memory);
  if (dyn_context_memory_stats(context.get(), &stats.memory))
    return std::nullopt;
  stats.gemms.struct_size = sizeof(stats.gemms);
  if (dyn_context_gemm_info(context.get(), &stats.gemms))
    return std::nullopt;
  stats.threads = threads;
  dyn_guess_stats_t guess = {};
  guess.struct_size = sizeof(guess);
  for (uint32_t i = 0; !dyn_context_guess_stats(context.get(), i, &guess); ++i)
    if (guess.calls)
      stats.guesses.push_back(guess);
  dyn_kernel_stats_t kernel = {};
  kernel.struct_size = sizeof(kernel);
  for (uint32_t i = 0; i < dyn_context_kernel_count(context.get()); ++i)
    if (!dyn_execution_kernel_stats(execution.get(), i, &kernel) &&
        kernel.launches)
      stats.kernels.push_back(kernel);
  llvm::sort(stats.kernels, [](const auto &a, const auto &b) {
    return a.time_ns > b.time_ns;
  });
  return stats;
}

llvm::Expected<std::unique_ptr<Program>>
dyn::run::loadArtifact(llvm::StringRef path, const RunOptions &options) {
  auto program = std::make_unique<ArtifactProgram>(options);
  if (llvm::Error error = program->load(path.str()))
    return std::move(error);
  return program;
}
