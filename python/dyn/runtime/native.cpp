//===- native.cpp - The Python extension on the C interface ---------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Uses the runtime only through runtime.h. Inputs are borrowed from numpy or
// through DLPack, and copied if only DLPack describes their strides; outputs
// are allocated here, by the output callback, and owned by the arrays that are
// returned. Outputs on a device belong to the execution, which the arrays keep
// out of further calls. Calls release the interpreter's lock; each has its own
// execution.
//
//===----------------------------------------------------------------------===//

#include "classes.h"
#include "communicator.h"
#include "executions.h"
#include "tensors.h"

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

using namespace dyn::python;

namespace {

/// Classes of which objects are made here.
PyTypeObject *arrayType, *numpyArrayType;

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

using ArtifactHandle = Handle<dyn_artifact_t, dyn_artifact_release>;
using PoolHandle = Handle<dyn_pool_t, dyn_pool_release>;
using ContextHandle = Handle<dyn_context_t, dyn_context_release>;
using ProfileHandle = Handle<dyn_profile_t, dyn_profile_release>;
using ModelHandle = Handle<dyn_model_t, dyn_model_release>;

//===----------------------------------------------------------------------===//
// Artifact
//===----------------------------------------------------------------------===//

class Artifact {
public:
  explicit Artifact(PyObject *args);

  Ref path();
  Ref producer() { return toPython(info().producer); }
  Ref metadata() { return toPython(info().metadata); }
  Ref id() { return toPython(info().id); }
  Ref isa() { return toPython(dyn_isa_name(dyn_context_isa(context.get()))); }
  Ref threads() { return toPython(dyn_pool_threads(pool.get())); }
  Ref entries();
  Ref findEntry(PyObject *args);
  Ref inputs(PyObject *args);
  Ref outputs(PyObject *args);
  Ref dims(PyObject *args);

  Ref run(PyObject *args);
  Ref wait();

  // For artifacts that change.
  Ref addVariant(PyObject *args);
  Ref dropVariant(PyObject *args);
  Ref recompile(PyObject *args);
  Ref waitForCompiler();
  Ref report();

  Ref gemmLibrary();
  Ref exchangeLibrary();
  Ref writeGemms(PyObject *args);
  Ref stats();
  Ref resetStats();
  Ref startTrace();
  Ref stopTrace(PyObject *args);

private:
  Ref guesses() const;
  dyn_artifact_info_t info() const;
  dyn_entry_info_t entryInfo(uint32_t entry) const;
  template <typename Fn>
  Ref ports(uint32_t entry, uint32_t count, Fn describe) const;
  Input borrow(PyObject *object, uint32_t entry, uint32_t index) const;
  void makeModel(PyObject *compiler, const dyn_context_options_t &context,
                 dyn_model_options_t &options);
  Executions::Lent lend(uint32_t entry,
                        const std::vector<dyn_tensor_t> &inputs) const;

  ArtifactHandle artifact;
  PoolHandle pool;
  ContextHandle context;
  std::shared_ptr<Executions> executions;
  ModelHandle model; ///< null for an artifact that does not change
  bool keepsOutputs; ///< on the device
  bool hasStream;    ///< of the host's
  std::mutex mutex;  ///< guards the members below
  std::shared_ptr<dyn_trace_t> trace;
};

} // namespace

Artifact::Artifact(PyObject *args) {
  Arguments next(args, 19);
  const char *path = toBytes(next.next());
  auto threads = toInteger<uint32_t>(next.next());
  const char *isa = toText(next.next());
  bool profile = PyObject_IsTrue(next.next()) == 1;
  std::string device = toText(next.next());
  auto ordinal = toInteger<uint32_t>(next.next());
  keepsOutputs = PyObject_IsTrue(next.next()) == 1;
  auto stream = toInteger<uint64_t>(next.next());
  hasStream = stream != 0;

  dyn_artifact_t *loaded = nullptr;
  check(dyn_artifact_load(path, nullptr, &loaded));
  artifact.reset(loaded);

  dyn_pool_options_t poolOptions = {};
  poolOptions.struct_size = sizeof(poolOptions);
  poolOptions.threads = threads;
  dyn_pool_t *createdPool = nullptr;
  check(dyn_pool_create(&poolOptions, &createdPool));
  pool.reset(createdPool);

  dyn_context_options_t contextOptions = {};
  contextOptions.struct_size = sizeof(contextOptions);
  contextOptions.isa = isa;
  contextOptions.pool = createdPool;
  if (device != "cpu")
    contextOptions.device = DYN_DEVICE_CUDA;
  contextOptions.device_ordinal = int32_t(ordinal);
  if (device == "emu")
    contextOptions.device_library = "libdynemu.so";
  contextOptions.gemm_library = toBytes(next.next());
  contextOptions.gemm_table = toBytes(next.next());
  contextOptions.tune_gemms = toInteger<uint32_t>(next.next());
  contextOptions.memory_limit = toInteger<uint64_t>(next.next());
  dyn_driver_t driver = {};
  driver.struct_size = sizeof(driver);
  driver.stream = reinterpret_cast<void *>(stream);
  contextOptions.driver = &driver;
  Communicator::Shared communicator = toCommunicator(next.next());
  contextOptions.communicator = communicator.get();
  contextOptions.exchange_library = toBytes(next.next());
  dyn_context_t *createdContext = nullptr;
  // Ranks wait for each other.
  check(unlocked([&] {
    return dyn_context_create(loaded, &contextOptions, &createdContext);
  }));
  context.reset(createdContext);
  executions = std::make_shared<Executions>(createdContext, profile);
  PyObject *compiler = next.next();
  dyn_model_options_t modelOptions = {};
  modelOptions.profile = profile;
  modelOptions.drift_threshold = PyFloat_AsDouble(next.next());
  modelOptions.reoptimise = modelOptions.drift_threshold > 0;
  modelOptions.window_ms = toInteger<uint64_t>(next.next());
  if (PyObject_IsTrue(next.next()) == 1)
    modelOptions.mode = DYN_MODEL_AUTO;
  modelOptions.hot_ms = toInteger<uint64_t>(next.next());
  if (compiler != Py_None)
    makeModel(compiler, contextOptions, modelOptions);
}

/// The words of a list of bytes, which the list lends, and a null pointer.
static std::vector<const char *> toWords(PyObject *list) {
  std::vector<const char *> words;
  for (Py_ssize_t i = 0, count = PyList_Size(list); i < count; ++i)
    words.push_back(toBytes(PyList_GetItem(list, i)));
  words.push_back(nullptr);
  return words;
}

void Artifact::makeModel(PyObject *compiler,
                         const dyn_context_options_t &context,
                         dyn_model_options_t &options) {
  std::vector<const char *> words = toWords(compiler);
  options.struct_size = sizeof(options);
  options.context = &context;
  options.compiler = words.size() > 1 ? words.data() : nullptr;
  dyn_model_t *created = nullptr;
  check(dyn_model_create(artifact.get(), &options, &created));
  model.reset(created);
}

dyn_artifact_info_t Artifact::info() const {
  dyn_artifact_info_t info = {};
  info.struct_size = sizeof(info);
  check(dyn_artifact_info(artifact.get(), &info));
  return info;
}

dyn_entry_info_t Artifact::entryInfo(uint32_t entry) const {
  dyn_entry_info_t info = {};
  info.struct_size = sizeof(info);
  check(dyn_artifact_entry(artifact.get(), entry, &info));
  return info;
}

Ref Artifact::path() { return Ref::take(PyBytes_FromString(info().path)); }

Ref Artifact::entries() {
  Ref names = Ref::take(PyList_New(0));
  for (uint32_t i = 0; i < info().entry_count; ++i)
    append(names, toPython(entryInfo(i).name));
  return names;
}

Ref Artifact::findEntry(PyObject *args) {
  uint32_t entry = 0;
  check(dyn_context_find_entry(context.get(), toText(Arguments(args, 1).next()),
                               &entry));
  return toPython(entry);
}

template <typename Fn>
Ref Artifact::ports(uint32_t entry, uint32_t count, Fn describe) const {
  Ref ports = Ref::take(PyList_New(0));
  for (uint32_t i = 0; i < count; ++i) {
    dyn_port_info_t port = {};
    port.struct_size = sizeof(port);
    check(describe(artifact.get(), entry, i, &port));
    Ref extents = Ref::take(PyList_New(0)), sizes = Ref::take(PyList_New(0));
    for (uint32_t axis = 0; axis < port.rank; ++axis) {
      append(extents, toPython(port.extents[axis]));
      append(sizes, toPython(port.sizes[axis]));
    }
    append(ports, Ref::take(Py_BuildValue(
                      "(ssOOs)", port.name, dyn_dtype_name(port.dtype),
                      extents.get(), sizes.get(), port.text)));
  }
  return ports;
}

Ref Artifact::inputs(PyObject *args) {
  auto entry = toInteger<uint32_t>(Arguments(args, 1).next());
  return ports(entry, entryInfo(entry).input_count, dyn_artifact_input);
}

Ref Artifact::outputs(PyObject *args) {
  auto entry = toInteger<uint32_t>(Arguments(args, 1).next());
  return ports(entry, entryInfo(entry).output_count, dyn_artifact_output);
}

Ref Artifact::dims(PyObject *args) {
  auto entry = toInteger<uint32_t>(Arguments(args, 1).next());
  Ref dims = Ref::take(PyList_New(0));
  for (uint32_t i = 0; i < entryInfo(entry).dim_count; ++i) {
    dyn_dim_info_t dim = {};
    dim.struct_size = sizeof(dim);
    check(dyn_artifact_dim(artifact.get(), entry, i, &dim));
    append(dims, Ref::take(Py_BuildValue(
                     "(sLLLL)", dim.name, static_cast<long long>(dim.min),
                     static_cast<long long>(dim.max),
                     static_cast<long long>(dim.multiple_of),
                     static_cast<long long>(dim.likely))));
  }
  return dims;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Borrows or copies the memory of an input.
Input Artifact::borrow(PyObject *object, uint32_t entry, uint32_t index) const {
  dyn_port_info_t port = {};
  port.struct_size = sizeof(port);
  bool known =
      dyn_artifact_input(artifact.get(), entry, index, &port) == DYN_STATUS_OK;
  auto name = [&] {
    return "input '" + (known ? port.name : std::to_string(index)) + "'";
  };
  auto refuse = [&](const std::string &what) {
    raise(PyExc_TypeError, name() + ": expected " + what);
  };
  std::optional<Input> input;
  try {
    input = toInput(object, numpyArrayType, /*copies=*/true, /*isPlain=*/true);
  } catch (const PythonError &) {
    addNote(name() + ": the array cannot be read");
    throw;
  }
  if (!input) {
    Ref type = Ref::take(PyObject_GetAttrString(
        reinterpret_cast<PyObject *>(Py_TYPE(object)), "__name__"));
    refuse("a contiguous array of numpy or of anything with DLPack, got " +
           std::string(toText(type.get())));
  }
  if (known && port.dtype == DYN_BF16 && input->tensor.dtype == DYN_U16)
    input->tensor.dtype = DYN_BF16;
  std::optional<uint32_t> device = toDevice(input->deviceType);
  if (!device)
    refuse("memory of the CPU or of CUDA, got an array on device " +
           std::to_string(input->deviceType) + " of DLPack");
  input->tensor.device = *device;
  return std::move(*input);
}

/// An execution for a call.
Executions::Lent Artifact::lend(uint32_t entry,
                                const std::vector<dyn_tensor_t> &inputs) const {
  Executions::Lent lent;
  if (!model) {
    check(executions->lend(lent));
    return lent;
  }
  dyn_execution_t *taken = nullptr;
  check(dyn_model_take(model.get(), entry, inputs.data(),
                       uint32_t(inputs.size()), &taken));
  lent.reset(taken, [owner = model.get()](dyn_execution_t *back) {
    dyn_model_give(owner, back);
  });
  return lent;
}

/// run(entry, list of inputs, seed, nanoseconds, threads): a list of arrays.
Ref Artifact::run(PyObject *args) {
  Arguments next(args, 5);
  dyn_call_options_t options = {};
  options.struct_size = sizeof(options);
  options.entry = toInteger<uint32_t>(next.next());
  PyObject *given = next.next();
  options.seed = toInteger<uint64_t>(next.next());
  options.timeout_ns = toInteger<uint64_t>(next.next());
  options.max_threads = toInteger<uint32_t>(next.next());

  std::vector<Input> inputs;
  std::vector<dyn_tensor_t> tensors;
  for (Py_ssize_t i = 0, count = PyList_Size(given); i < count; ++i) {
    inputs.push_back(
        borrow(PyList_GetItem(given, i), options.entry, uint32_t(i)));
    tensors.push_back(inputs.back().tensor);
  }

  std::vector<dyn_tensor_t> results(entryInfo(options.entry).output_count);
  Outputs outputs(results.size());
  if (keepsOutputs) {
    options.output_device = DYN_DEVICE_CUDA;
    options.asynchronous = hasStream;
  } else {
    options.output = Outputs::allocate;
    options.output_user = &outputs;
  }
  std::shared_ptr<dyn_trace_t> recording;
  {
    std::lock_guard<std::mutex> lock(mutex);
    recording = trace;
  }
  options.trace = recording.get();

  Executions::Lent execution = lend(options.entry, tensors);
  check(unlocked([&] {
    return dyn_execution_run(execution.get(), &options, tensors.data(),
                             uint32_t(tensors.size()), results.data(),
                             uint32_t(results.size()));
  }));
  if (keepsOutputs)
    executions->endCall(execution);
  Ref arrays = Ref::take(PyList_New(0));
  for (size_t i = 0; i < results.size(); ++i) {
    // Outputs on a device keep the execution out of further calls.
    std::shared_ptr<void> owner = outputs.take(i);
    if (keepsOutputs)
      owner = execution;
    append(arrays,
           Boxed<Array>::make(arrayType, std::make_unique<Array>(
                                             results[i], std::move(owner))));
  }
  return arrays;
}

Ref Artifact::wait() {
  dyn_status_t first = DYN_STATUS_OK;
  std::string message;
  unlocked([&] {
    executions->forEach([&](dyn_execution_t *execution) {
      dyn_status_t status = dyn_execution_wait(execution);
      if (first == DYN_STATUS_OK && status != DYN_STATUS_OK) {
        first = status;
        message = dyn_last_error();
      }
    });
  });
  check(first, message.c_str());
  return toNone();
}

//===----------------------------------------------------------------------===//
// Variants
//===----------------------------------------------------------------------===//

Ref Artifact::addVariant(PyObject *args) {
  const char *path = toBytes(Arguments(args, 1).next());
  uint32_t number = 0;
  check(unlocked([&] { return dyn_model_add(model.get(), path, &number); }));
  return toPython(number);
}

Ref Artifact::dropVariant(PyObject *args) {
  auto number = toInteger<uint32_t>(Arguments(args, 1).next());
  check(unlocked([&] { return dyn_model_drop(model.get(), number); }));
  return toNone();
}

/// recompile(reason, path of a profile or None, list of sizes)
Ref Artifact::recompile(PyObject *args) {
  Arguments next(args, 3);
  const char *reason = toBytes(next.next()), *profile = toBytes(next.next());
  std::vector<const char *> dims = toWords(next.next());
  check(dyn_model_recompile(model.get(), reason, profile, dims.data(),
                            uint32_t(dims.size() - 1)));
  return toNone();
}

Ref Artifact::waitForCompiler() {
  check(unlocked([&] { return dyn_model_wait(model.get()); }));
  return toNone();
}

Ref Artifact::report() {
  const char *text = nullptr;
  check(dyn_model_report(model.get(), &text));
  return toPython(text);
}

//===----------------------------------------------------------------------===//
// Statistics and traces
//===----------------------------------------------------------------------===//

Ref Artifact::gemmLibrary() {
  dyn_gemm_info_t info = {};
  info.struct_size = sizeof(info);
  check(dyn_context_gemm_info(context.get(), &info));
  Ref result = Ref::take(PyDict_New());
  setItem(result, "name", info.library);
  setItem(result, "version", info.version);
  setItem(result, "reason", info.reason);
  setItem(result, "kernels", info.kernels);
  setItem(result, "table", info.table_size);
  setItem(result, "tuned", info.tuned);
  return result;
}

Ref Artifact::exchangeLibrary() {
  dyn_exchange_info_t info = {};
  info.struct_size = sizeof(info);
  check(dyn_context_exchange_info(context.get(), &info));
  Ref result = Ref::take(PyDict_New());
  setItem(result, "name", info.library);
  setItem(result, "version", info.version);
  setItem(result, "reason", info.reason);
  return result;
}

Ref Artifact::writeGemms(PyObject *args) {
  check(dyn_context_write_gemms(context.get(),
                                toBytes(Arguments(args, 1).next())));
  return toNone();
}

Ref Artifact::stats() {
  dyn_stats_t sum = {};
  std::vector<dyn_kernel_stats_t> kernels(
      dyn_context_kernel_count(context.get()));
  executions->forEach([&](dyn_execution_t *execution) {
    dyn_stats_t stats = {};
    stats.struct_size = sizeof(stats);
    check(dyn_execution_stats(execution, &stats));
    sum.calls += stats.calls;
    sum.failed_calls += stats.failed_calls;
    sum.launches += stats.launches;
    sum.parallel_launches += stats.parallel_launches;
    sum.time_ns += stats.time_ns;
    sum.kernel_time_ns += stats.kernel_time_ns;
    sum.flops += stats.flops;
    sum.bytes += stats.bytes;
    sum.allocations += stats.allocations;
    sum.arena_bytes += stats.arena_bytes;
    sum.arena_bytes_used += stats.arena_bytes_used;
    sum.scratch_bytes += stats.scratch_bytes;
    sum.copies_to_device += stats.copies_to_device;
    sum.copies_to_host += stats.copies_to_host;
    sum.device_waits += stats.device_waits;
    sum.library_launches += stats.library_launches;
    sum.library_misses += stats.library_misses;
    sum.streamed_launches += stats.streamed_launches;
    sum.staged_bytes += stats.staged_bytes;
    sum.direct_bytes += stats.direct_bytes;
    for (uint32_t i = 0; i < kernels.size(); ++i) {
      dyn_kernel_stats_t kernel = {};
      kernel.struct_size = sizeof(kernel);
      check(dyn_execution_kernel_stats(execution, i, &kernel));
      kernels[i].name = kernel.name;
      kernels[i].kind = kernel.kind;
      kernels[i].launches += kernel.launches;
      kernels[i].time_ns += kernel.time_ns;
      kernels[i].flops += kernel.flops;
      kernels[i].bytes += kernel.bytes;
    }
  });
  Ref result = Ref::take(PyDict_New());
  setItem(result, "calls", sum.calls);
  setItem(result, "failed_calls", sum.failed_calls);
  setItem(result, "launches", sum.launches);
  setItem(result, "parallel_launches", sum.parallel_launches);
  setItem(result, "time_ns", sum.time_ns);
  setItem(result, "kernel_time_ns", sum.kernel_time_ns);
  setItem(result, "flops", sum.flops);
  setItem(result, "bytes", sum.bytes);
  setItem(result, "allocations", sum.allocations);
  setItem(result, "arena_bytes", sum.arena_bytes);
  setItem(result, "arena_bytes_used", sum.arena_bytes_used);
  setItem(result, "scratch_bytes", sum.scratch_bytes);
  setItem(result, "copies_to_device", sum.copies_to_device);
  setItem(result, "copies_to_host", sum.copies_to_host);
  setItem(result, "device_waits", sum.device_waits);
  setItem(result, "library_launches", sum.library_launches);
  setItem(result, "library_misses", sum.library_misses);
  setItem(result, "streamed_launches", sum.streamed_launches);
  setItem(result, "staged_bytes", sum.staged_bytes);
  setItem(result, "direct_bytes", sum.direct_bytes);
  dyn_memory_stats_t memory = {};
  memory.struct_size = sizeof(memory);
  check(dyn_context_memory_stats(context.get(), &memory));
  setItem(result, "constant_bytes", memory.constant_bytes);
  setItem(result, "peak_constant_bytes", memory.peak_constant_bytes);
  setItem(result, "constant_bytes_read", memory.read_bytes);
  setItem(result, "constant_waits", memory.faults);
  Ref list = Ref::take(PyList_New(0));
  for (const dyn_kernel_stats_t &kernel : kernels) {
    if (!kernel.launches)
      continue;
    Ref entry = Ref::take(PyDict_New());
    setItem(entry, "name", kernel.name);
    setItem(entry, "kind", kernel.kind);
    setItem(entry, "launches", kernel.launches);
    setItem(entry, "time_ns", kernel.time_ns);
    setItem(entry, "flops", kernel.flops);
    setItem(entry, "bytes", kernel.bytes);
    append(list, entry);
  }
  setItem(result, "kernels", list);
  setItem(result, "guesses", guesses());
  return result;
}

/// The routers whose paths may run by a guess.
Ref Artifact::guesses() const {
  Ref list = Ref::take(PyList_New(0));
  dyn_guess_stats_t guess = {};
  guess.struct_size = sizeof(guess);
  for (uint32_t i = 0; !dyn_context_guess_stats(context.get(), i, &guess);
       ++i) {
    if (!guess.calls)
      continue;
    Ref entry = Ref::take(PyDict_New());
    setItem(entry, "router", guess.key);
    setItem(entry, "calls", guess.calls);
    setItem(entry, "guesses", guess.guesses);
    setItem(entry, "rows", guess.rows);
    setItem(entry, "right", guess.right);
    setItem(entry, "on", guess.is_on);
    append(list, entry);
  }
  return list;
}

Ref Artifact::resetStats() {
  executions->forEach([](dyn_execution_t *execution) {
    check(dyn_execution_reset_stats(execution));
  });
  return toNone();
}

Ref Artifact::startTrace() {
  dyn_trace_t *created = nullptr;
  check(dyn_trace_create(nullptr, &created));
  std::shared_ptr<dyn_trace_t> fresh(created, dyn_trace_release);
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!trace) {
      trace = std::move(fresh);
      return toNone();
    }
  }
  check(DYN_STATUS_BUSY, "another trace of the artifact records already: "
                         "expected its end first");
  return {};
}

Ref Artifact::stopTrace(PyObject *args) {
  const char *path = toBytes(Arguments(args, 1).next());
  std::shared_ptr<dyn_trace_t> finished;
  {
    std::lock_guard<std::mutex> lock(mutex);
    finished.swap(trace);
  }
  check(unlocked([&] { return dyn_trace_write(finished.get(), path); }));
  return toNone();
}

//===----------------------------------------------------------------------===//
// Profiles
//===----------------------------------------------------------------------===//

namespace {

class Profile {
public:
  explicit Profile(PyObject *args) {
    Arguments next(args, 3);
    dyn_profile_options_t options = {};
    options.struct_size = sizeof(options);
    options.path = toBytes(next.next());
    options.raw_path = toBytes(next.next());
    options.window_ms = toInteger<uint64_t>(next.next());
    dyn_profile_t *created = nullptr;
    check(dyn_profile_create(&options, &created));
    handle.reset(created);
  }
  Ref start() {
    check(dyn_profile_start(handle.get()));
    return toNone();
  }
  Ref stop() {
    check(unlocked([&] { return dyn_profile_stop(handle.get()); }));
    return toNone();
  }
  Ref write(PyObject *args) {
    const char *path = toBytes(Arguments(args, 1).next());
    check(unlocked([&] { return dyn_profile_write(handle.get(), path); }));
    return toNone();
  }
  Ref decisions() {
    return toPython(
        unlocked([&] { return dyn_profile_decisions(handle.get()); }));
  }
  Ref lost() { return toPython(dyn_profile_lost(handle.get())); }

private:
  ProfileHandle handle;
};

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

PyMethodDef artifactMethods[] = {
    method<Artifact, &Artifact::findEntry>("find_entry"),
    method<Artifact, &Artifact::inputs>("inputs"),
    method<Artifact, &Artifact::outputs>("outputs"),
    method<Artifact, &Artifact::dims>("dims"),
    method<Artifact, &Artifact::run>("run"),
    plainMethod<Artifact, &Artifact::wait>("wait"),
    method<Artifact, &Artifact::addVariant>("add_variant"),
    method<Artifact, &Artifact::dropVariant>("drop_variant"),
    method<Artifact, &Artifact::recompile>("recompile"),
    plainMethod<Artifact, &Artifact::waitForCompiler>("wait_for_compiler"),
    plainMethod<Artifact, &Artifact::report>("report"),
    plainMethod<Artifact, &Artifact::gemmLibrary>("gemm_library"),
    plainMethod<Artifact, &Artifact::exchangeLibrary>("exchange_library"),
    method<Artifact, &Artifact::writeGemms>("write_gemms"),
    plainMethod<Artifact, &Artifact::stats>("stats"),
    plainMethod<Artifact, &Artifact::resetStats>("reset_stats"),
    plainMethod<Artifact, &Artifact::startTrace>("start_trace"),
    method<Artifact, &Artifact::stopTrace>("stop_trace"),
    {nullptr, nullptr, 0, nullptr}};

PyGetSetDef artifactAttributes[] = {
    attribute<Artifact, &Artifact::path>("path"),
    attribute<Artifact, &Artifact::producer>("producer"),
    attribute<Artifact, &Artifact::metadata>("metadata"),
    attribute<Artifact, &Artifact::id>("id"),
    attribute<Artifact, &Artifact::isa>("isa"),
    attribute<Artifact, &Artifact::threads>("threads"),
    attribute<Artifact, &Artifact::entries>("entries"),
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMethodDef profileMethods[] = {
    plainMethod<Profile, &Profile::start>("start"),
    plainMethod<Profile, &Profile::stop>("stop"),
    method<Profile, &Profile::write>("write"),
    plainMethod<Profile, &Profile::decisions>("decisions"),
    plainMethod<Profile, &Profile::lost>("lost"),
    {nullptr, nullptr, 0, nullptr}};

PyGetSetDef profileAttributes[] = {
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                          "native",
                          "Loads and runs artifacts through libdynrt.",
                          -1,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr};

void add(const Ref &module, const char *name, const Ref &value) {
  expect(PyModule_AddObjectRef(module.get(), name, value.get()));
}

} // namespace

PyMODINIT_FUNC PyInit_native() {
  return guarded([] {
    Ref numpy = Ref::take(PyImport_ImportModule("numpy"));
    Ref array = Ref::take(PyObject_GetAttrString(numpy.get(), "ndarray"));
    arrayType = Array::makeType();
    if (!arrayType)
      throw PythonError();
    numpyArrayType = reinterpret_cast<PyTypeObject *>(array.release());

    Ref module = Ref::take(PyModule_Create(&definition));
    addCommunicators(module);
    add(module, "version", toPython(dyn_runtime_version()));
    add(module, "Artifact",
        makeClass<Artifact>("dyn.runtime.native.Artifact", artifactMethods,
                            artifactAttributes));
    add(module, "Profile",
        makeClass<Profile>("dyn.runtime.native.Profile", profileMethods,
                           profileAttributes));
    return module;
  });
}
