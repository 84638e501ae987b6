//===- native.cpp - The Python extension on the C interface --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sees the runtime through runtime.h alone. Inputs are borrowed through DLPack
// or the buffer protocol; outputs are allocated here, by the output callback,
// and owned by the numpy arrays that are returned. Outputs on a device are the
// execution's, which the arrays keep from its next call. Calls release the
// interpreter's lock; each has an execution of its own.
//
//===----------------------------------------------------------------------===//

#include "executions.h"
#include "interpreter.h"
#include "tensors.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace nb = nanobind;
using namespace dyn::python;

namespace {

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

template <typename T, void (*Release)(T *)> struct Releaser {
  void operator()(T *object) const { Release(object); }
};
template <typename T, void (*Release)(T *)>
using Handle = std::unique_ptr<T, Releaser<T, Release>>;
using ArtifactHandle = Handle<dyn_artifact_t, dyn_artifact_release>;
using PoolHandle = Handle<dyn_pool_t, dyn_pool_release>;
using ContextHandle = Handle<dyn_context_t, dyn_context_release>;
using TraceHandle = Handle<dyn_trace_t, dyn_trace_release>;
using ProfileHandle = Handle<dyn_profile_t, dyn_profile_release>;

//===----------------------------------------------------------------------===//
// Artifact
//===----------------------------------------------------------------------===//

class Artifact {
public:
  Artifact(const nb::bytes &path, uint32_t threads,
           const std::optional<std::string> &isa, bool profile,
           const std::string &device, bool keepsOutputs, uint64_t stream,
           const std::optional<nb::bytes> &productLibrary,
           const std::optional<nb::bytes> &productTable, uint32_t tuneProducts);

  nb::bytes path() const { return nb::bytes(info().path); }
  std::string producer() const { return info().producer; }
  std::string metadata() const { return info().metadata; }
  std::string id() const { return info().id; }
  std::string isa() const {
    return dyn_isa_name(dyn_context_isa(context.get()));
  }
  uint32_t threads() const { return dyn_pool_threads(pool.get()); }
  std::vector<std::string> entries() const;
  uint32_t findEntry(const std::string &name) const;

  using Port = std::tuple<std::string, std::string, std::vector<int64_t>,
                          std::vector<std::string>, std::string>;
  using Dim = std::tuple<std::string, int64_t, int64_t, int64_t, int64_t>;
  std::vector<Port> inputs(uint32_t entry) const {
    return ports(entry, entryInfo(entry).input_count, dyn_artifact_input);
  }
  std::vector<Port> outputs(uint32_t entry) const {
    return ports(entry, entryInfo(entry).output_count, dyn_artifact_output);
  }
  nb::list dims(uint32_t entry) const;

  nb::list run(uint32_t entry, const nb::list &inputs, uint64_t seed,
               uint64_t timeout, uint32_t maxThreads);
  void wait();

  nb::dict productLibrary() const;
  void writeProducts(const nb::bytes &path) const;
  nb::dict stats();
  void resetStats();
  void startTrace();
  void stopTrace(const nb::bytes &path);

private:
  dyn_artifact_info_t info() const;
  dyn_entry_info_t entryInfo(uint32_t entry) const;
  template <typename Fn>
  std::vector<Port> ports(uint32_t entry, uint32_t count, Fn describe) const;
  dyn_tensor_t borrow(const nb::handle &object, uint32_t entry, uint32_t index,
                      std::vector<Input> &arrays) const;

  ArtifactHandle artifact;
  PoolHandle pool;
  ContextHandle context;
  std::shared_ptr<Executions> executions;
  bool keepsOutputs; ///< on the device
  bool hasStream;    ///< of the host's
  std::mutex mutex;  ///< guards what follows
  std::shared_ptr<dyn_trace_t> trace;
};

} // namespace

Artifact::Artifact(const nb::bytes &path, uint32_t threads,
                   const std::optional<std::string> &isa, bool profile,
                   const std::string &device, bool keepsOutputs,
                   uint64_t stream,
                   const std::optional<nb::bytes> &productLibrary,
                   const std::optional<nb::bytes> &productTable,
                   uint32_t tuneProducts)
    : keepsOutputs(keepsOutputs), hasStream(stream != 0) {
  dyn_artifact_t *loaded = nullptr;
  check(dyn_artifact_load(path.c_str(), nullptr, &loaded));
  artifact.reset(loaded);

  dyn_pool_options_t poolOptions = {};
  poolOptions.struct_size = sizeof(poolOptions);
  poolOptions.threads = threads;
  dyn_pool_t *createdPool = nullptr;
  check(dyn_pool_create(&poolOptions, &createdPool));
  pool.reset(createdPool);

  dyn_context_options_t contextOptions = {};
  contextOptions.struct_size = sizeof(contextOptions);
  contextOptions.isa = isa ? isa->c_str() : nullptr;
  contextOptions.pool = createdPool;
  if (device != "cpu")
    contextOptions.device = DYN_DEVICE_CUDA;
  if (device == "emu")
    contextOptions.device_library = "libdynemu.so";
  contextOptions.product_library =
      productLibrary ? productLibrary->c_str() : nullptr;
  contextOptions.product_table = productTable ? productTable->c_str() : nullptr;
  contextOptions.tune_products = tuneProducts;
  dyn_driver_t driver = {};
  driver.struct_size = sizeof(driver);
  driver.stream = reinterpret_cast<void *>(stream);
  contextOptions.driver = &driver;
  dyn_context_t *createdContext = nullptr;
  check(dyn_context_create(loaded, &contextOptions, &createdContext));
  context.reset(createdContext);
  executions = std::make_shared<Executions>(createdContext, profile);
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

std::vector<std::string> Artifact::entries() const {
  std::vector<std::string> names;
  for (uint32_t i = 0; i < info().entry_count; ++i)
    names.push_back(entryInfo(i).name);
  return names;
}

uint32_t Artifact::findEntry(const std::string &name) const {
  uint32_t entry = 0;
  check(dyn_artifact_find_entry(artifact.get(), name.c_str(), &entry));
  return entry;
}

template <typename Fn>
std::vector<Artifact::Port> Artifact::ports(uint32_t entry, uint32_t count,
                                            Fn describe) const {
  std::vector<Port> ports;
  for (uint32_t i = 0; i < count; ++i) {
    dyn_port_info_t port = {};
    port.struct_size = sizeof(port);
    check(describe(artifact.get(), entry, i, &port));
    ports.emplace_back(
        port.name, dyn_dtype_name(port.dtype),
        std::vector<int64_t>(port.extents, port.extents + port.rank),
        std::vector<std::string>(port.sizes, port.sizes + port.rank),
        port.text);
  }
  return ports;
}

nb::list Artifact::dims(uint32_t entry) const {
  nb::list dims;
  for (uint32_t i = 0; i < entryInfo(entry).dim_count; ++i) {
    dyn_dim_info_t dim = {};
    dim.struct_size = sizeof(dim);
    check(dyn_artifact_dim(artifact.get(), entry, i, &dim));
    dims.append(nb::make_tuple(dim.name, dim.min, dim.max, dim.multiple_of,
                               dim.likely));
  }
  return dims;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Borrows the memory of a numpy array or of anything with DLPack. `arrays`
/// keeps it for the call.
dyn_tensor_t Artifact::borrow(const nb::handle &object, uint32_t entry,
                              uint32_t index,
                              std::vector<Input> &arrays) const {
  dyn_port_info_t port = {};
  port.struct_size = sizeof(port);
  bool known =
      dyn_artifact_input(artifact.get(), entry, index, &port) == DYN_STATUS_OK;
  auto refuse = [&](const std::string &what) {
    std::string name = known ? port.name : std::to_string(index);
    std::string message = "input '" + name + "': expected " + what;
    return nb::type_error(message.c_str());
  };
  Input array;
  if (!nb::try_cast(object, array, /*convert=*/false))
    throw refuse("a contiguous array of numpy or of anything with DLPack, "
                 "got " +
                 std::string(nb::type_name(object.type()).c_str()));
  uint32_t dtype = toDtype(array.dtype());
  if (known && port.dtype == DYN_BF16 && dtype == DYN_U16)
    dtype = DYN_BF16;
  std::optional<uint32_t> device = toDevice(array.device_type());
  if (!device)
    throw refuse("memory of the CPU or of CUDA, got an array on device " +
                 std::to_string(array.device_type()) + " of DLPack");
  arrays.push_back(array);
  static_assert(sizeof(*array.shape_ptr()) == sizeof(int64_t),
                "shapes are borrowed as they are");
  return {const_cast<void *>(array.data()),
          reinterpret_cast<const int64_t *>(arrays.back().shape_ptr()),
          dtype,
          uint32_t(array.ndim()),
          *device,
          array.device_id()};
}

nb::list Artifact::run(uint32_t entry, const nb::list &inputs, uint64_t seed,
                       uint64_t timeout, uint32_t maxThreads) {
  std::vector<Input> arrays;
  arrays.reserve(inputs.size());
  std::vector<dyn_tensor_t> tensors;
  for (nb::handle object : inputs)
    tensors.push_back(borrow(object, entry, uint32_t(tensors.size()), arrays));

  std::vector<dyn_tensor_t> results(entryInfo(entry).output_count);
  Outputs outputs(results.size());
  dyn_call_options_t options = {};
  options.struct_size = sizeof(options);
  options.entry = entry;
  options.seed = seed;
  options.timeout_ns = timeout;
  options.max_threads = maxThreads;
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

  Executions::Lent execution;
  check(executions->lend(execution));
  check(unlocked([&] {
    return dyn_execution_run(execution.get(), &options, tensors.data(),
                             uint32_t(tensors.size()), results.data(),
                             uint32_t(results.size()));
  }));
  if (keepsOutputs)
    executions->endCall(execution);
  nb::list arraysOut;
  for (size_t i = 0; i < results.size(); ++i)
    arraysOut.append(keepsOutputs ? keep(execution, results[i])
                                  : outputs.take(i, results[i]));
  return arraysOut;
}

void Artifact::wait() {
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
}

//===----------------------------------------------------------------------===//
// Statistics and traces
//===----------------------------------------------------------------------===//

nb::dict Artifact::productLibrary() const {
  dyn_product_info_t info = {};
  info.struct_size = sizeof(info);
  check(dyn_context_product_info(context.get(), &info));
  nb::dict result;
  result["name"] = toText(info.library);
  result["version"] = info.version;
  result["reason"] = toText(info.reason);
  result["kernels"] = info.kernels;
  result["table"] = info.table_size;
  result["tuned"] = info.tuned;
  return result;
}

void Artifact::writeProducts(const nb::bytes &path) const {
  check(dyn_context_write_products(context.get(), path.c_str()));
}

nb::dict Artifact::stats() {
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
  nb::dict result;
  result["calls"] = sum.calls;
  result["failed_calls"] = sum.failed_calls;
  result["launches"] = sum.launches;
  result["parallel_launches"] = sum.parallel_launches;
  result["time_ns"] = sum.time_ns;
  result["kernel_time_ns"] = sum.kernel_time_ns;
  result["flops"] = sum.flops;
  result["bytes"] = sum.bytes;
  result["allocations"] = sum.allocations;
  result["arena_bytes"] = sum.arena_bytes;
  result["arena_bytes_used"] = sum.arena_bytes_used;
  result["scratch_bytes"] = sum.scratch_bytes;
  result["copies_to_device"] = sum.copies_to_device;
  result["copies_to_host"] = sum.copies_to_host;
  result["device_waits"] = sum.device_waits;
  result["library_launches"] = sum.library_launches;
  result["library_misses"] = sum.library_misses;
  result["streamed_launches"] = sum.streamed_launches;
  nb::list list;
  for (const dyn_kernel_stats_t &kernel : kernels) {
    if (!kernel.launches)
      continue;
    nb::dict entry;
    entry["name"] = kernel.name;
    entry["kind"] = kernel.kind;
    entry["launches"] = kernel.launches;
    entry["time_ns"] = kernel.time_ns;
    entry["flops"] = kernel.flops;
    entry["bytes"] = kernel.bytes;
    list.append(entry);
  }
  result["kernels"] = list;
  return result;
}

void Artifact::resetStats() {
  executions->forEach([](dyn_execution_t *execution) {
    check(dyn_execution_reset_stats(execution));
  });
}

void Artifact::startTrace() {
  dyn_trace_t *created = nullptr;
  check(dyn_trace_create(nullptr, &created));
  std::shared_ptr<dyn_trace_t> fresh(created, dyn_trace_release);
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!trace) {
      trace = std::move(fresh);
      return;
    }
  }
  check(DYN_STATUS_BUSY, "another trace of the artifact records already: "
                         "expected its end first");
}

void Artifact::stopTrace(const nb::bytes &path) {
  std::shared_ptr<dyn_trace_t> finished;
  {
    std::lock_guard<std::mutex> lock(mutex);
    finished.swap(trace);
  }
  check(
      unlocked([&] { return dyn_trace_write(finished.get(), path.c_str()); }));
}

//===----------------------------------------------------------------------===//
// Profiles
//===----------------------------------------------------------------------===//

namespace {

class Profile {
public:
  Profile(const nb::bytes &path, const nb::bytes &raw, uint64_t windowMs) {
    dyn_profile_options_t options = {};
    options.struct_size = sizeof(options);
    options.window_ms = windowMs;
    options.path = path.c_str();
    options.raw_path = raw.c_str();
    dyn_profile_t *created = nullptr;
    check(dyn_profile_create(&options, &created));
    handle.reset(created);
  }
  void start() { check(dyn_profile_start(handle.get())); }
  void stop() {
    check(unlocked([&] { return dyn_profile_stop(handle.get()); }));
  }
  void write(const nb::bytes &path) {
    check(unlocked(
        [&] { return dyn_profile_write(handle.get(), path.c_str()); }));
  }
  uint64_t decisions() {
    return unlocked([&] { return dyn_profile_decisions(handle.get()); });
  }
  uint64_t lost() const { return dyn_profile_lost(handle.get()); }

private:
  ProfileHandle handle;
};

} // namespace

NB_MODULE(native, module) {
  module.doc() = "Loads and runs artifacts through libdynrt.";
  // Threads may be in calls when the interpreter ends, which is no leak.
  nb::set_leak_warnings(false);
  module.attr("version") = dyn_runtime_version();
  nb::class_<Artifact>(module, "Artifact")
      .def(nb::init<const nb::bytes &, uint32_t,
                    const std::optional<std::string> &, bool,
                    const std::string &, bool, uint64_t,
                    const std::optional<nb::bytes> &,
                    const std::optional<nb::bytes> &, uint32_t>(),
           nb::arg("path"), nb::arg("threads"), nb::arg("isa").none(),
           nb::arg("profile"), nb::arg("device"), nb::arg("keeps_outputs"),
           nb::arg("stream"), nb::arg("product_library").none(),
           nb::arg("product_table").none(), nb::arg("tune_products"))
      .def_prop_ro("path", &Artifact::path)
      .def_prop_ro("producer", &Artifact::producer)
      .def_prop_ro("metadata", &Artifact::metadata)
      .def_prop_ro("id", &Artifact::id)
      .def_prop_ro("isa", &Artifact::isa)
      .def_prop_ro("threads", &Artifact::threads)
      .def_prop_ro("entries", &Artifact::entries)
      .def("find_entry", &Artifact::findEntry)
      .def("inputs", &Artifact::inputs)
      .def("outputs", &Artifact::outputs)
      .def("dims", &Artifact::dims)
      .def("run", &Artifact::run)
      .def("wait", &Artifact::wait)
      .def("product_library", &Artifact::productLibrary)
      .def("write_products", &Artifact::writeProducts)
      .def("stats", &Artifact::stats)
      .def("reset_stats", &Artifact::resetStats)
      .def("start_trace", &Artifact::startTrace)
      .def("stop_trace", &Artifact::stopTrace);
  nb::class_<Profile>(module, "Profile")
      .def(nb::init<const nb::bytes &, const nb::bytes &, uint64_t>(),
           nb::arg("path"), nb::arg("raw"), nb::arg("window_ms"))
      .def("start", &Profile::start)
      .def("stop", &Profile::stop)
      .def("write", &Profile::write)
      .def("decisions", &Profile::decisions)
      .def("lost", &Profile::lost);
}
