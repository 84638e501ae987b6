//===- Execution.cpp - Calls and the memory they keep ---------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Execution.h"

#include "Clock.h"
#include "FloatMode.h"
#include "HostCall.h"
#include "Options.h"
#include "Ranks.h"

using namespace dyn::rt;

class dyn_execution::Use {
public:
  explicit Use(dyn_execution &execution)
      : execution(execution),
        taken(!execution.busy.exchange(true, std::memory_order_acquire)) {}
  ~Use() {
    if (taken)
      execution.busy.store(false, std::memory_order_release);
  }
  dyn_status_t check() const {
    if (!taken)
      return fail(DYN_STATUS_BUSY,
                  "the execution is in a call: expected one execution per "
                  "concurrent call");
    return DYN_STATUS_OK;
  }

private:
  dyn_execution &execution;
  bool taken;
};

namespace {
/// The turn of a call to exchange rows with other ranks, which expect the calls
/// of all in one order.
class Turn {
public:
  explicit Turn(dyn_communicator *communicator)
      : communicator(communicator),
        isTaken(communicator && communicator->isIdle.exchange(false)) {}
  ~Turn() {
    if (isTaken)
      communicator->isIdle = true;
  }
  dyn_status_t check() const {
    if (communicator && !isTaken)
      return fail(DYN_STATUS_BUSY,
                  "the communicator is in another call: expected one call at a "
                  "time, in the same order on all ranks");
    return DYN_STATUS_OK;
  }

private:
  dyn_communicator *communicator;
  bool isTaken;
};
} // namespace

/// Addresses are reused, numbers are not.
uint64_t dyn_execution::nextNumber() {
  static std::atomic<uint64_t> next{0};
  return next++;
}

dyn_status_t dyn_execution::initialize(dyn_context &context,
                                       const dyn_execution_options_t &options) {
  owner = Ref<dyn_context>::share(&context);
  profile = options.profile != 0;
  size_t arenas = 0, outputs = 0, inputs = 0, dims = 0;
  for (const Signature &signature : context.entries()) {
    const dyn_entry_t &entry = signature.desc();
    arenas = std::max<size_t>(arenas, entry.arena_count);
    outputs = std::max<size_t>(outputs, entry.output_count);
    inputs = std::max<size_t>(inputs, entry.input_count);
    dims = std::max<size_t>(dims, entry.dim_count);
  }
  space.arenaUse.resize(arenas);
  space.outputs.resize(outputs);
  space.inputs.resize(inputs);
  space.dims.resize(dims);
  space.kernels.resize(context.kernelCount());
  space.cursors.reset(new Cursor[dyn_pool_threads(context.pool())]);
  if (const DeviceProgram *program = context.device())
    DYN_RETURN_IF_FAILED(
        program->openSpace(context.memory(), context.stream(), space.device));
  space.memory.resize(arenas, outputs,
                      space.device ? space.device->memory() : context.memory());
  const dyn_descriptor_t &artifact = context.artifact().desc();
  if (artifact.router_count)
    recorder = routeProfiles.open(artifact);
  return DYN_STATUS_OK;
}

void dyn_execution::lend(CallMemory memory) {
  memory.resize(space.arenaUse.size(), space.outputs.size(), owner->memory());
  space.memory = std::move(memory);
}

dyn_status_t dyn_execution::run(const dyn_call_options_t &options,
                                const dyn_tensor_t *inputs, uint32_t inputCount,
                                dyn_tensor_t *outputs, uint32_t outputCount) {
  Use use(*this);
  DYN_RETURN_IF_FAILED(use.check());
  uint64_t begin = now();
  dyn_status_t status =
      runLocked(options, inputs, inputCount, outputs, outputCount);
  uint64_t end = now();
  ++calls;
  failedCalls += status != DYN_STATUS_OK;
  time += end - begin;
  if (options.trace && options.entry < owner->entries().size())
    trace->add({owner->entries()[options.entry].desc().name, "call", begin, end,
                lane, 0, -1, 0, 0});
  return status;
}

dyn_status_t dyn_execution::runLocked(const dyn_call_options_t &options,
                                      const dyn_tensor_t *inputs,
                                      uint32_t inputCount,
                                      dyn_tensor_t *outputs,
                                      uint32_t outputCount) {
  attachTrace(options.trace);
  const std::vector<Signature> &entries = owner->entries();
  if (options.entry >= entries.size())
    return fail(DYN_STATUS_INVALID_ARGUMENT,
                "entry %u does not exist: the artifact has %zu", options.entry,
                entries.size());
  const Signature &signature = entries[options.entry];
  const dyn_entry_t &entry = signature.desc();
  if (outputCount != entry.output_count || (outputCount && !outputs))
    return fail(DYN_STATUS_INVALID_ARGUMENT,
                "entry '%s' has %u outputs: expected an array of as many, got "
                "%u",
                entry.name, entry.output_count, outputs ? outputCount : 0);
  DYN_RETURN_IF_FAILED(checkWhereOutputsGo(options));
  DYN_RETURN_IF_FAILED(checkPart(entry, owner->communicator()));
  Turn turn(entry.ranks ? owner->communicator() : nullptr);
  DYN_RETURN_IF_FAILED(turn.check());
  DYN_RETURN_IF_FAILED(signature.bind(inputs, inputCount, owner->deviceId(),
                                      space.dims.data(), space.inputs.data()));
  for (Output &output : space.outputs)
    output.address = output.data = nullptr;
  std::fill(space.arenaUse.begin(), space.arenaUse.end(), 0);

  if (space.device) {
    DYN_RETURN_IF_FAILED(space.device->run(*this, signature, options, inputs));
  } else {
    DYN_RETURN_IF_FAILED(runOnHost(signature, options));
  }
  int32_t ordinal =
      options.output_device == DYN_DEVICE_CPU ? 0 : owner->deviceId().ordinal;
  for (uint32_t i = 0; i < entry.output_count; ++i)
    outputs[i] = {space.outputs[i].data,  space.outputs[i].shape,
                  entry.outputs[i].dtype, entry.outputs[i].rank,
                  options.output_device,  ordinal};
  return DYN_STATUS_OK;
}

dyn_status_t dyn_execution::runOnHost(const Signature &signature,
                                      const dyn_call_options_t &options) {
  Attempt attempt;
  while (true) {
    HostCall call(*owner, space, signature, options);
    call.threadLimit = dyn_pool_threads(owner->pool());
    if (options.max_threads)
      call.threadLimit = std::min(call.threadLimit, options.max_threads);
    dyn_status_t status = runCall(call, attempt);
    if (!attempt.isAgain)
      return status;
  }
}

dyn_status_t
dyn_execution::checkWhereOutputsGo(const dyn_call_options_t &options) const {
  if (options.output_device != DYN_DEVICE_CPU &&
      options.output_device != uint32_t(owner->deviceId().device))
    return fail(DYN_STATUS_INVALID_ARGUMENT,
                "output_device: expected DYN_DEVICE_CPU%s%s, got %u",
                space.device ? " or " : "",
                space.device ? findDeviceKind(owner->deviceId().device)->name
                             : "",
                options.output_device);
  if (options.asynchronous && options.output_device == DYN_DEVICE_CPU)
    return fail(DYN_STATUS_INVALID_ARGUMENT,
                "asynchronous: expected outputs on a device, not in the host's "
                "memory");
  return DYN_STATUS_OK;
}

dyn_status_t dyn_execution::wait() {
  return space.device ? space.device->wait(owner->sites(), space.allocations)
                      : DYN_STATUS_OK;
}

dyn_status_t dyn_execution::runCall(dyn_call &call, Attempt &attempt) {
  call.deadline = attempt.deadline;
  // Exchanges cannot run again.
  call.mayGuess = attempt.mayGuess && !call.signature.desc().ranks;
  if (uint64_t limit = call.deadline ? 0 : call.options.timeout_ns) {
    uint64_t begin = now();
    call.deadline = limit < UINT64_MAX - begin ? begin + limit : UINT64_MAX;
  }
  call.profile = profile;
  call.lane = lane;
  if (recorder && recordingProfile.load(std::memory_order_relaxed))
    call.recorded.begin(*recorder);
  FloatMode floatMode;
  dyn_status_t status = call.run();
  if (status == DYN_STATUS_OK)
    call.recorded.succeed();
  attempt = {false, status == DYN_STATUS_DATA_ERROR && call.hasGuessed,
             call.deadline};
  for (Output &output : space.outputs)
    if (attempt.isAgain)
      output.address = nullptr;
  return status;
}

void dyn_execution::attachTrace(dyn_trace *wanted) {
  if (!wanted || wanted == trace.get())
    return;
  lane = wanted->attach(owner->artifact(), number);
  trace = Ref<dyn_trace>::share(wanted);
}

dyn_stats_t dyn_execution::stats() const {
  dyn_stats_t stats = {};
  stats.calls = calls;
  stats.failed_calls = failedCalls;
  stats.time_ns = time;
  for (const KernelSums &sums : space.kernels) {
    stats.launches += sums.launches;
    stats.kernel_time_ns += sums.time;
    stats.flops += sums.flops;
    stats.bytes += sums.bytes;
  }
  stats.parallel_launches = space.parallelLaunches;
  stats.streamed_launches = space.streamedLaunches;
  stats.allocations = space.allocations;
  for (const Buffer &arena : space.memory.arenas)
    stats.arena_bytes += arena.bytes();
  for (int64_t used : space.arenaUse)
    stats.arena_bytes_used += uint64_t(used);
  stats.scratch_bytes = space.memory.scratch.bytes();
  for (const Buffer &output : space.memory.outputs)
    stats.output_bytes += output.bytes();
  if (space.device)
    space.device->addStats(stats);
  return stats;
}

dyn_status_t dyn_execution::kernelStats(uint32_t kernel,
                                        dyn_kernel_stats_t &out) const {
  if (kernel >= space.kernels.size())
    return fail(DYN_STATUS_INVALID_ARGUMENT,
                "kernel %u does not exist: the artifact has %zu", kernel,
                space.kernels.size());
  KernelName desc = owner->kernelName(kernel);
  const KernelSums &sums = space.kernels[kernel];
  out = {};
  out.name = desc.name;
  out.kind = desc.kind;
  out.launches = sums.launches;
  out.time_ns = sums.time;
  out.flops = sums.flops;
  out.bytes = sums.bytes;
  return DYN_STATUS_OK;
}

void dyn_execution::resetStats() {
  calls = failedCalls = time = 0;
  space.parallelLaunches = space.streamedLaunches = space.allocations = 0;
  if (space.device)
    space.device->resetStats();
  std::fill(space.kernels.begin(), space.kernels.end(), KernelSums());
}

//===----------------------------------------------------------------------===//
// ABI
//===----------------------------------------------------------------------===//

dyn_status_t dyn_execution_create(dyn_context_t *context,
                                  const dyn_execution_options_t *options,
                                  dyn_execution_t **out_execution) {
  return guarded([&]() -> dyn_status_t {
    if (!out_execution)
      return fail(DYN_STATUS_INVALID_ARGUMENT, "out_execution is null");
    *out_execution = nullptr;
    if (!context)
      return fail(DYN_STATUS_INVALID_ARGUMENT, "context is null");
    dyn_execution_options_t given;
    DYN_RETURN_IF_FAILED(
        readOptions(options, "dyn_execution_options_t", given));
    auto execution = Ref<dyn_execution_t>::adopt(new dyn_execution_t());
    DYN_RETURN_IF_FAILED(execution->initialize(*context, given));
    *out_execution = execution.take();
    return DYN_STATUS_OK;
  });
}

void dyn_execution_retain(dyn_execution_t *execution) {
  if (execution)
    execution->retain();
}
void dyn_execution_release(dyn_execution_t *execution) {
  if (execution)
    execution->release();
}
dyn_context_t *dyn_execution_context(const dyn_execution_t *execution) {
  return execution ? &execution->context() : nullptr;
}

dyn_status_t dyn_execution_run(dyn_execution_t *execution,
                               const dyn_call_options_t *options,
                               const dyn_tensor_t *inputs, uint32_t input_count,
                               dyn_tensor_t *outputs, uint32_t output_count) {
  return guarded([&]() -> dyn_status_t {
    if (!execution)
      return fail(DYN_STATUS_INVALID_ARGUMENT, "execution is null");
    dyn_call_options_t given;
    DYN_RETURN_IF_FAILED(readOptions(options, "dyn_call_options_t", given));
    return execution->run(given, inputs, input_count, outputs, output_count);
  });
}

/// Calls `body` while no call runs.
template <typename Fn>
static dyn_status_t withIdle(dyn_execution_t *execution, Fn &&body) {
  if (!execution)
    return fail(DYN_STATUS_INVALID_ARGUMENT, "execution is null");
  dyn_execution_t::Use use(*execution);
  DYN_RETURN_IF_FAILED(use.check());
  return body();
}

dyn_status_t dyn_execution_wait(dyn_execution_t *execution) {
  return guarded([&]() -> dyn_status_t {
    return withIdle(execution, [&] { return execution->wait(); });
  });
}

dyn_status_t dyn_execution_stats(dyn_execution_t *execution,
                                 dyn_stats_t *out_stats) {
  return withIdle(execution, [&] {
    return fillInfo(execution->stats(), "dyn_stats_t", out_stats);
  });
}

dyn_status_t dyn_execution_kernel_stats(dyn_execution_t *execution,
                                        uint32_t kernel,
                                        dyn_kernel_stats_t *out_stats) {
  return withIdle(execution, [&]() -> dyn_status_t {
    dyn_kernel_stats_t stats;
    DYN_RETURN_IF_FAILED(execution->kernelStats(kernel, stats));
    return fillInfo(stats, "dyn_kernel_stats_t", out_stats);
  });
}

dyn_status_t dyn_execution_reset_stats(dyn_execution_t *execution) {
  return withIdle(execution, [&]() -> dyn_status_t {
    execution->resetStats();
    return DYN_STATUS_OK;
  });
}
