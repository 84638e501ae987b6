//===- HostCall.cpp - A call on the CPU -----------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostCall.h"

#include "Clock.h"
#include "RedZones.h"
#include "Types.h"

#include <algorithm>
#include <utility>

using namespace dyn::rt;

void *HostCall::allocateOutput(uint32_t index) {
  Output &out = space.outputs[index];
  // A call that runs again has it already.
  if (!out.data)
    out.data = findOutputMemory(index, space.memory.outputs[index]);
  return out.data;
}

dyn_status_t HostCall::read(void *, const void *, int64_t) noexcept {
  return failWith(
      fail(DYN_STATUS_INTERNAL, "code of the CPU reads from a device"));
}

dyn_status_t HostCall::write(void *, const void *, int64_t) noexcept {
  return failWith(
      fail(DYN_STATUS_INTERNAL, "code of the CPU writes to a device"));
}

dyn_status_t HostCall::begin() {
  if (Residency *wanted = context.residency()) {
    DYN_RETURN_IF_FAILED(wanted->beginCall());
    residency = wanted;
  }
  return DYN_STATUS_OK;
}

HostCall::~HostCall() {
  if (residency)
    residency->endCall();
}

dyn_status_t HostCall::fetch(const int64_t *offsets, uint32_t count,
                             const dyn_range_t *ranges, bool isSure) noexcept {
  if (residency)
    residency->announce(offsets, count, ranges, isSure);
  return DYN_STATUS_OK;
}

dyn_status_t HostCall::guessed(uint32_t router, const int64_t *routes,
                               const int64_t *guess,
                               const int64_t *rest) noexcept {
  if (status != DYN_STATUS_OK || checkRouter(router))
    return status;
  bool isGain = std::exchange(ranBeside, false);
  uint32_t paths = context.artifact().desc().routers[router].paths;
  uint64_t rows = uint64_t(routes[paths]), made = uint64_t(guess[paths]);
  // A right row that was computed before or after the router gained nothing.
  if (made)
    context.guesses()[router].count(std::max(rows, made),
                                    isGain ? rows - uint64_t(rest[paths]) : 0);
  return DYN_STATUS_OK;
}

dyn_status_t HostCall::check() noexcept {
  if (status != DYN_STATUS_OK)
    return status;
  if (residency)
    if (dyn_status_t failure = residency->check())
      return failWith(failure);
  return failWith(context.sites().reportWord(errorSite()));
}

dyn_status_t HostCall::launch(const dyn_launch_t &wanted) noexcept {
  if (status != DYN_STATUS_OK)
    return status;
  if (options.cancel || deadline)
    DYN_RETURN_IF_FAILED(checkInterrupt());
  Launch launch;
  DYN_RETURN_IF_FAILED(prepare(wanted, launch));
  return run(launch);
}

dyn_status_t HostCall::launchMany(uint32_t count,
                                  const dyn_launch_t *wanted) noexcept {
  if (status != DYN_STATUS_OK)
    return status;
  if (options.cancel || deadline)
    DYN_RETURN_IF_FAILED(checkInterrupt());
  if (count > DYN_MAX_LAUNCHES)
    return failWith(fail(DYN_STATUS_INTERNAL,
                         "%u kernels are launched together, more than %d",
                         count, DYN_MAX_LAUNCHES));
  bool inChains = count && wanted[0].chain;
  // Beside a limit of memory, the constants of a chain's kernels are read one
  // after the other.
  if (threadLimit == 1 || (inChains && residency)) {
    for (uint32_t i = 0; i < count; ++i)
      DYN_RETURN_IF_FAILED(launch(wanted[i]));
    return DYN_STATUS_OK;
  }
  bool measured = profile || options.trace;
  if (inChains) {
    Chains chains(measured, threadLimit, hasGuessed);
    DYN_RETURN_IF_FAILED(launchMany(count, wanted, chains, "chains"));
    ranBeside |= chains.haveRun();
    return DYN_STATUS_OK;
  }
  Together together(measured, space.cursors.get());
  return launchMany(count, wanted, together, "together");
}

template <typename Launches>
dyn_status_t HostCall::launchMany(uint32_t count, const dyn_launch_t *wanted,
                                  Launches &many, const char *name) {
  Launch launches[DYN_MAX_LAUNCHES];
  for (uint32_t i = 0; i < count; ++i) {
    DYN_RETURN_IF_FAILED(prepare(wanted[i], launches[i]));
    if (launches[i].geometry.items > 0)
      many.add(launches[i]);
  }
  uint32_t threads = many.usefulThreads(threadLimit);
  if (threads > 1)
    return runMany(many, threads, name);
  for (uint32_t i = 0; i < count; ++i)
    DYN_RETURN_IF_FAILED(run(launches[i]));
  return DYN_STATUS_OK;
}

dyn_status_t HostCall::prepare(const dyn_launch_t &wanted, Launch &launch) {
  if (wanted.kernel >= context.kernels().size())
    return failWith(
        fail(DYN_STATUS_INTERNAL, "kernel %u does not exist", wanted.kernel));
  const KernelCode &code = context.kernels()[wanted.kernel];
  launch.index = wanted.kernel;
  launch.chain = wanted.chain;
  launch.geometry = {0, 1, 0, 0, 0, 0, 0, 0};
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
  DYN_RETURN_IF_FAILED(checkGeometry(launch));
  launch.streamFrom(context.streamFrom());
  space.streamedLaunches += launch.piece != 0;
  return DYN_STATUS_OK;
}

dyn_status_t HostCall::checkGeometry(const Launch &launch) {
  const dyn_geometry_t &geometry = launch.geometry;
  if (geometry.items <= 0)
    return DYN_STATUS_OK;
  if (geometry.grain < 1 || geometry.scratch_bytes < 0)
    return failWith(fail(DYN_STATUS_INTERNAL,
                         "kernel '%s' has grain %lld and %lld bytes of scratch",
                         launch.kernel->name, (long long)geometry.grain,
                         (long long)geometry.scratch_bytes));
  if (!launch.hasPossibleResults())
    return failWith(
        fail(DYN_STATUS_INTERNAL,
             "kernel '%s' has %lld items of %lld bytes in %lld results of %lld",
             launch.kernel->name, (long long)geometry.items,
             (long long)geometry.item_bytes, (long long)geometry.results,
             (long long)geometry.result_bytes));
  return DYN_STATUS_OK;
}

dyn_status_t HostCall::run(Launch &launch) {
  if (launch.geometry.items <= 0)
    return DYN_STATUS_OK;
  exchanges.moveAlone();
  if (!residency)
    return measureLaunch(launch);
  beginReading(launch);
  dyn_status_t result = measureLaunch(launch);
  endReading(launch);
  return result;
}

void HostCall::beginReading(const Launch &launch) {
  residency->beginLaunch(launch.buffers, launch.kernel->buffer_count,
                         uint64_t(launch.geometry.bytes));
}

void HostCall::endReading(const Launch &launch) {
  residency->endLaunch(launch.buffers, launch.kernel->buffer_count);
}

dyn_status_t HostCall::measureLaunch(Launch &launch) {
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

dyn_status_t HostCall::reserveScratch(int64_t bytes, uint32_t threads,
                                      int64_t &stride) {
  // Full cache lines of 64 bytes, and two more, so that threads do not share
  // the pair of lines that the processor prefetches together.
  std::optional<int64_t> padded = checkedAdd(bytes, 63 + 128);
  std::optional<int64_t> all =
      padded ? checkedMul(*padded & ~int64_t(63), threads) : std::nullopt;
  if (!all)
    all = INT64_MAX; // refused by reserve, with the message
  if (dyn_status_t failure =
          space.memory.scratch.reserve(*all, space.allocations))
    return failWith(failure);
  stride = *padded & ~int64_t(63);
  for (uint32_t i = 0; redzones::size() && i < threads; ++i)
    redzones::limit(static_cast<char *>(space.memory.scratch.data()) +
                        i * stride,
                    uint64_t(bytes), uint64_t(stride));
  return DYN_STATUS_OK;
}

bool HostCall::isWorthWaking(double grains) {
  // The rest of the call is unknown, but waking threads once they have missed
  // as much as that takes never costs more than twice the optimum.
  if (!context.pool()->atRest())
    return true;
  missed += grains;
  if (missed < Launch::worthWaking)
    return false;
  missed = 0;
  return true;
}

dyn_status_t HostCall::runLaunch(Launch &launch) {
  const dyn_geometry_t &geometry = launch.geometry;
  launch.threads = Launch::usefulThreads(geometry, threadLimit);
  if (int64_t bytes = launch.getScratchBytes()) {
    DYN_RETURN_IF_FAILED(
        reserveScratch(bytes, launch.threads, launch.scratchStride));
    launch.worker.scratch = space.memory.scratch.data();
  }
  if (launch.threads == 1) {
    launch.runSerial(residency
                         ? residency->getFirstItem(launch.buffers,
                                                   launch.kernel->buffer_count,
                                                   geometry.items)
                         : 0);
    return DYN_STATUS_OK;
  }
  ++space.parallelLaunches;
  launch.cursors = space.cursors.get();
  double grains = double(geometry.items) / double(geometry.grain);
  launch.runParallel(*context.pool(), isWorthWaking(grains));
  return DYN_STATUS_OK;
}

template <typename Launches>
dyn_status_t HostCall::runMany(Launches &many, uint32_t threads,
                               const char *name) {
  exchanges.moveAlone();
  int64_t stride = 0;
  if (many.getScratchBytes())
    DYN_RETURN_IF_FAILED(
        reserveScratch(many.getScratchBytes(), threads, stride));
  ++space.parallelLaunches;
  for (const auto &part : many)
    if (residency)
      beginReading(*part.launch);
  bool measured = profile || options.trace;
  uint64_t begin = measured ? now() : 0;
  many.run(*context.pool(), threads, space.memory.scratch.data(), stride,
           isWorthWaking(many.getGrains()));
  for (const auto &part : many)
    if (residency)
      endReading(*part.launch);
  if (!measured)
    return DYN_STATUS_OK;
  // The launch's time is divided among kernels like that of its threads.
  uint64_t end = now(), busy = 1;
  for (const auto &part : many)
    busy += part.time;
  for (const auto &part : many)
    space.kernels[part.launch->index].time +=
        uint64_t(double(end - begin) * double(part.time) / double(busy));
  dyn_geometry_t sum = many.getSum();
  if (options.trace)
    options.trace->add(
        {name, "launch", begin, end, lane, 0, sum.items, sum.flops, sum.bytes});
  return DYN_STATUS_OK;
}
