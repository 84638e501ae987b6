//===- Call.cpp - The services that compiled code calls ------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Call.h"

#include "Clock.h"
#include "RedZones.h"
#include "Types.h"

#include <cstring>

using namespace dyn::rt;

//===----------------------------------------------------------------------===//
// The function table
//===----------------------------------------------------------------------===//

static void *serveReserve(dyn_call_t *call, uint32_t arena, int64_t bytes) {
  return call->reserve(arena, bytes);
}
static void *serveOutput(dyn_call_t *call, uint32_t index,
                         const int64_t *sizes) {
  return call->output(index, sizes);
}
static int32_t serveLaunch(dyn_call_t *call, uint32_t kernel,
                           void *const *buffers, const int64_t *dims,
                           uint64_t siteBase) {
  return call->launch(kernel, buffers, dims, siteBase);
}
static int32_t serveLaunchMany(dyn_call_t *call, uint32_t count,
                               const dyn_launch_t *launches) {
  return call->launchMany(count, launches);
}
static int32_t serveFail(dyn_call_t *call, uint64_t site, int64_t value) {
  return call->failAt(site, value);
}
static int32_t serveCheck(dyn_call_t *call) { return call->check(); }
static int32_t serveProbe(dyn_call_t *call, uint32_t router,
                          const int64_t *offsets, const int64_t *places,
                          const int64_t *order, int64_t cells,
                          int64_t choices) {
  if (!call->recorded)
    return DYN_STATUS_OK;
  return call->probe(router, offsets, places, order, cells, choices);
}

static const dyn_services_t services = {
    sizeof(dyn_services_t),
    0,
    serveReserve,
    serveOutput,
    serveLaunch,
    serveFail,
    serveCheck,
    serveProbe,
    serveLaunchMany,
};

dyn_status_t dyn_call::run() {
  const dyn_entry_t &entry = signature.desc();
  dyn_frame_t frame = {&services, this, space.inputs.data(), space.dims.data(),
                       context.artifact().constants().pointers()};
  int32_t returned = entry.fn(&frame);
  if (status != DYN_STATUS_OK)
    return status;
  if (returned != DYN_STATUS_OK)
    return fail(DYN_STATUS_INTERNAL,
                "entry '%s' returned status %d without a reason", entry.name,
                int(returned));
  DYN_RETURN_IF_FAILED(check());
  for (uint32_t i = 0; i < entry.output_count; ++i)
    if (!space.outputs[i].data)
      return fail(DYN_STATUS_INTERNAL,
                  "entry '%s' left output '%s' without "
                  "memory",
                  entry.name, entry.outputs[i].name);
  return DYN_STATUS_OK;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void *dyn_call::reserve(uint32_t arena, int64_t bytes) noexcept {
  if (status != DYN_STATUS_OK)
    return nullptr;
  const dyn_entry_t &entry = signature.desc();
  if (arena >= entry.arena_count || bytes < 0) {
    failWith(fail(DYN_STATUS_INTERNAL,
                  "entry '%s' asked for %lld bytes of arena %u of %u",
                  entry.name, (long long)bytes, arena, entry.arena_count));
    return nullptr;
  }
  Buffer &buffer = space.arenas[arena];
  if (dyn_status_t failure = buffer.reserve(bytes, space.allocations)) {
    failWith(failure);
    return nullptr;
  }
  if (bytes > space.arenaUse[arena])
    space.arenaUse[arena] = bytes;
  return buffer.data();
}

void *dyn_call::output(uint32_t index, const int64_t *sizes) noexcept {
  if (status != DYN_STATUS_OK)
    return nullptr;
  const dyn_entry_t &entry = signature.desc();
  if (index >= entry.output_count || space.outputs[index].data) {
    failWith(fail(DYN_STATUS_INTERNAL,
                  "entry '%s' asked for output %u of %u out of turn",
                  entry.name, index, entry.output_count));
    return nullptr;
  }
  const dyn_port_t &port = entry.outputs[index];
  Output &out = space.outputs[index];
  for (uint32_t axis = 0; axis < port.rank; ++axis) {
    int64_t expected = port.sizes[axis].extent;
    if (sizes[axis] < 0 || (expected >= 0 && sizes[axis] != expected)) {
      failWith(fail(DYN_STATUS_INTERNAL,
                    "output '%s', axis %u: expected %s, got %lld", port.name,
                    axis, port.sizes[axis].text, (long long)sizes[axis]));
      return nullptr;
    }
    out.shape[axis] = sizes[axis];
  }
  std::optional<int64_t> bytes = tensorBytes(port.dtype, port.rank, out.shape);
  if (!bytes) {
    failWith(fail(DYN_STATUS_OUT_OF_MEMORY,
                  "output '%s': the number of bytes does not fit in 63 bits",
                  port.name));
    return nullptr;
  }
  if (options.output) {
    out.data =
        options.output(options.output_user, index, dyn_dtype_t(port.dtype),
                       port.rank, out.shape, uint64_t(*bytes));
    if (!out.data)
      failWith(fail(DYN_STATUS_OUT_OF_MEMORY,
                    "output '%s': the host gave no memory for %lld bytes",
                    port.name, (long long)*bytes));
    return out.data;
  }
  if (dyn_status_t failure =
          out.memory.reserve(*bytes + redzones::size(), space.allocations)) {
    failWith(failure);
    return nullptr;
  }
  redzones::limit(out.memory.data(), uint64_t(*bytes), out.memory.bytes());
  return out.data = out.memory.data();
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

dyn_status_t dyn_call::checkInterrupt() {
  if (options.cancel && __atomic_load_n(options.cancel, __ATOMIC_RELAXED))
    return failWith(fail(DYN_STATUS_CANCELLED, "the call was cancelled"));
  if (deadline && now() >= deadline)
    return failWith(fail(DYN_STATUS_DEADLINE_EXCEEDED,
                         "the call took longer than its limit of %.3f ms",
                         double(options.timeout_ns) / 1e6));
  return DYN_STATUS_OK;
}

dyn_status_t dyn_call::launch(uint32_t index, void *const *buffers,
                              const int64_t *dims, uint64_t siteBase) noexcept {
  if (status != DYN_STATUS_OK)
    return status;
  if (options.cancel || deadline)
    DYN_RETURN_IF_FAILED(checkInterrupt());
  Launch launch;
  DYN_RETURN_IF_FAILED(prepare({index, 0, buffers, dims, siteBase}, launch));
  return run(launch);
}

dyn_status_t dyn_call::launchMany(uint32_t count,
                                  const dyn_launch_t *wanted) noexcept {
  if (status != DYN_STATUS_OK)
    return status;
  if (options.cancel || deadline)
    DYN_RETURN_IF_FAILED(checkInterrupt());
  if (count > DYN_MAX_LAUNCHES)
    return failWith(fail(DYN_STATUS_INTERNAL,
                         "%u kernels are launched together, more than %d",
                         count, DYN_MAX_LAUNCHES));
  if (threadLimit == 1) {
    for (uint32_t i = 0; i < count; ++i)
      DYN_RETURN_IF_FAILED(launch(wanted[i].kernel, wanted[i].buffers,
                                  wanted[i].dims, wanted[i].site_base));
    return DYN_STATUS_OK;
  }
  Launch launches[DYN_MAX_LAUNCHES];
  Together together(profile || options.trace);
  for (uint32_t i = 0; i < count; ++i) {
    DYN_RETURN_IF_FAILED(prepare(wanted[i], launches[i]));
    if (launches[i].geometry.items > 0)
      together.add(launches[i]);
  }
  uint32_t threads = together.usefulThreads(threadLimit);
  if (threads > 1)
    return runTogether(together, threads);
  for (uint32_t i = 0; i < count; ++i)
    DYN_RETURN_IF_FAILED(run(launches[i]));
  return DYN_STATUS_OK;
}

dyn_status_t dyn_call::prepare(const dyn_launch_t &wanted, Launch &launch) {
  if (wanted.kernel >= context.kernels().size())
    return failWith(
        fail(DYN_STATUS_INTERNAL, "kernel %u does not exist", wanted.kernel));
  const KernelCode &code = context.kernels()[wanted.kernel];
  launch.index = wanted.kernel;
  launch.geometry = {0, 1, 0, 0, 0};
  code.geometry(wanted.dims, &launch.geometry);
  launch.body = code.body;
  launch.buffers = wanted.buffers;
  launch.dims = wanted.dims;
  launch.worker = {
      nullptr, &errorWord, wanted.site_base, options.seed, {-1, -1}};
  launch.trace = options.trace;
  launch.kernel = &context.artifact().desc().kernels[wanted.kernel];
  launch.lane = lane;
  KernelSums &sums = space.kernels[wanted.kernel];
  ++sums.launches;
  sums.flops += uint64_t(launch.geometry.flops);
  sums.bytes += uint64_t(launch.geometry.bytes);
  if (launch.geometry.items > 0 &&
      (launch.geometry.grain < 1 || launch.geometry.scratch_bytes < 0))
    return failWith(fail(DYN_STATUS_INTERNAL,
                         "kernel '%s' has grain %lld and %lld bytes of scratch",
                         launch.kernel->name, (long long)launch.geometry.grain,
                         (long long)launch.geometry.scratch_bytes));
  return DYN_STATUS_OK;
}

dyn_status_t dyn_call::run(Launch &launch) {
  if (launch.geometry.items <= 0)
    return DYN_STATUS_OK;
  if (!profile && !options.trace)
    return runLaunch(launch);

  uint64_t begin = now();
  dyn_status_t result = runLaunch(launch);
  uint64_t end = now();
  space.kernels[launch.index].time += end - begin;
  if (options.trace)
    options.trace->add({launch.kernel->name, launch.kernel->kind, begin, end,
                        lane, 0, launch.geometry.items, launch.geometry.flops,
                        launch.geometry.bytes});
  return result;
}

dyn_status_t dyn_call::reserveScratch(int64_t bytes, uint32_t threads,
                                      int64_t &stride) {
  // Whole lines of 64 bytes, and two more, so that threads do not meet in
  // the pair of lines that the processor fetches together.
  std::optional<int64_t> padded = checkedAdd(bytes, 63 + 128);
  std::optional<int64_t> all =
      padded ? checkedMul(*padded & ~int64_t(63), threads) : std::nullopt;
  if (!all)
    all = INT64_MAX; // refused by reserve, with the message
  if (dyn_status_t failure = space.scratch.reserve(*all, space.allocations))
    return failWith(failure);
  stride = *padded & ~int64_t(63);
  for (uint32_t i = 0; redzones::size() && i < threads; ++i)
    redzones::limit(static_cast<char *>(space.scratch.data()) + i * stride,
                    uint64_t(bytes), uint64_t(stride));
  return DYN_STATUS_OK;
}

bool dyn_call::isWorthWaking(double grains) {
  // To wake a thread takes as long as it then saves with so many grains. Nobody
  // knows what will follow in this call, but who wakes threads when they have
  // missed as much never pays more than twice what knowing it would cost.
  constexpr double worth = 16;
  if (!context.pool()->atRest())
    return true;
  missed += grains;
  if (missed < worth)
    return false;
  missed = 0;
  return true;
}

dyn_status_t dyn_call::runLaunch(Launch &launch) {
  const dyn_geometry_t &geometry = launch.geometry;
  launch.threads = Launch::usefulThreads(geometry, threadLimit);
  if (geometry.scratch_bytes) {
    DYN_RETURN_IF_FAILED(reserveScratch(geometry.scratch_bytes, launch.threads,
                                        launch.scratchStride));
    launch.worker.scratch = space.scratch.data();
  }
  if (launch.threads == 1) {
    launch.runSerial();
    return DYN_STATUS_OK;
  }
  ++space.parallelLaunches;
  launch.cursors = space.cursors.get();
  double grains = double(geometry.items) / double(geometry.grain);
  launch.runParallel(*context.pool(), isWorthWaking(grains));
  return DYN_STATUS_OK;
}

dyn_status_t dyn_call::runTogether(Together &together, uint32_t threads) {
  int64_t stride = 0;
  if (together.getScratchBytes())
    DYN_RETURN_IF_FAILED(
        reserveScratch(together.getScratchBytes(), threads, stride));
  ++space.parallelLaunches;
  bool measured = profile || options.trace;
  uint64_t begin = measured ? now() : 0;
  together.run(*context.pool(), threads, space.scratch.data(), stride,
               space.cursors.get(), isWorthWaking(together.getGrains()));
  if (!measured)
    return DYN_STATUS_OK;
  // Kernels share the time of the launch as they did that of its threads.
  uint64_t end = now(), busy = 1;
  for (const Share &share : together)
    busy += share.time;
  for (const Share &share : together)
    space.kernels[share.launch->index].time +=
        uint64_t(double(end - begin) * double(share.time) / double(busy));
  dyn_geometry_t sum = together.getSum();
  if (options.trace)
    options.trace->add({"together", "launch", begin, end, lane, 0, sum.items,
                        sum.flops, sum.bytes});
  return DYN_STATUS_OK;
}

//===----------------------------------------------------------------------===//
// Probes
//===----------------------------------------------------------------------===//

dyn_status_t dyn_call::probe(uint32_t router, const int64_t *offsets,
                             const int64_t *places, const int64_t *order,
                             int64_t cells, int64_t choices) noexcept {
  const dyn_descriptor_t &root = context.artifact().desc();
  if (router >= root.router_count || cells < 0 || choices < 0)
    return failWith(fail(DYN_STATUS_INTERNAL,
                         "compiled code shows %lld cells with %lld choices of "
                         "router %u of %u",
                         (long long)cells, (long long)choices, router,
                         root.router_count));
  recorded.add(router, root.routers[router].paths, offsets, places, order,
               cells, choices);
  return DYN_STATUS_OK;
}

//===----------------------------------------------------------------------===//
// Data errors
//===----------------------------------------------------------------------===//

static const char *describe(uint32_t kind) {
  switch (kind) {
  case DYN_SITE_INDEX:
    return "index out of range";
  case DYN_SITE_DIVISION:
    return "integer division by zero";
  case DYN_SITE_SIZE:
    return "size negative or outside its declared range";
  case DYN_SITE_CONVERSION:
    return "float outside the range of the integer type";
  case DYN_SITE_SHIFT:
    return "shift amount not less than the width of the type";
  case DYN_SITE_SIZE_MISMATCH:
    return "sizes that must agree differ";
  }
  return "error in the data";
}

dyn_status_t dyn_call::reportSite(uint64_t index, const int64_t *value) {
  const dyn_descriptor_t &root = context.artifact().desc();
  if (index >= root.site_count)
    return failWith(fail(DYN_STATUS_INTERNAL,
                         "compiled code reports an error at site %llu of %u",
                         (unsigned long long)index, root.site_count));
  const dyn_site_t &site = root.sites[index];
  char suffix[32] = "";
  if (value)
    std::snprintf(suffix, sizeof(suffix), ": got %lld", (long long)*value);
  return failWith(fail(DYN_STATUS_DATA_ERROR, "%s at '%s': %s%s", site.op,
                       site.location, describe(site.kind), suffix));
}

dyn_status_t dyn_call::failAt(uint64_t site, int64_t value) noexcept {
  if (status != DYN_STATUS_OK)
    return status;
  // An error that a kernel met before is first in program order.
  DYN_RETURN_IF_FAILED(check());
  return reportSite(site, &value);
}

dyn_status_t dyn_call::check() noexcept {
  if (status != DYN_STATUS_OK)
    return status;
  uint64_t word = __atomic_load_n(&errorWord, __ATOMIC_RELAXED);
  if (word != UINT64_MAX)
    return reportSite(word, nullptr);
  return DYN_STATUS_OK;
}
