//===- CudaCall.cpp - A call on a device ----------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaCall.h"

#include "Clock.h"
#include "SizeExpression.h"
#include "Types.h"

#include <algorithm>
#include <climits>
#include <cstring>
#include <utility>

using namespace dyn::rt;

/// Bytes of the error word, and of the head, between inputs and outputs.
static constexpr int64_t kWordBytes = sizeof(uint64_t);
static constexpr int64_t kHeadBytes = 256;
/// Alignment of inputs and outputs; more than DYN_DEVICE_ALIGNMENT, so that a
/// warp's access touches no more cache lines than necessary.
static constexpr int64_t kAlignment = 256;

static uint64_t address(const void *pointer) {
  return reinterpret_cast<uint64_t>(pointer);
}
static int64_t roundUp(int64_t value) {
  return (value + kAlignment - 1) / kAlignment * kAlignment;
}
static char *at(const Buffer &buffer, int64_t offset) {
  return static_cast<char *>(buffer.data()) + offset;
}

CudaCall::~CudaCall() {
  // Queued work reads and writes memory that the next call reuses.
  if (device.isQueued)
    device.drain();
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

int64_t CudaCall::getInputBytes(uint32_t input) const {
  // Cannot overflow: the tensor lies in memory.
  return *tensorBytes(inputs[input].dtype, inputs[input].rank,
                      inputs[input].shape);
}

/// Bytes of all outputs whose sizes follow from those of the inputs.
static int64_t getKnownBytes(const dyn_entry_t &entry, const int64_t *dims) {
  int64_t sum = 0;
  for (uint32_t i = 0; i < entry.output_count; ++i) {
    const dyn_port_t &port = entry.outputs[i];
    int64_t shape[DYN_MAX_RANK];
    bool isKnown = true;
    for (uint32_t axis = 0; axis < port.rank; ++axis) {
      std::optional<int64_t> size = evaluate(port.sizes[axis], dims);
      isKnown &= size.has_value();
      shape[axis] = size.value_or(0);
    }
    std::optional<int64_t> bytes = tensorBytes(port.dtype, port.rank, shape);
    // An output that is too large is refused when the entry requests it.
    if (isKnown && bytes && *bytes < INT64_MAX / 2 - sum)
      sum += roundUp(*bytes);
  }
  return sum;
}

dyn_status_t CudaCall::begin() {
  DYN_RETURN_IF_FAILED(failWith(current.check()));
  if (DeviceResidency *residency = program.residency())
    reads.emplace(*residency);
  device.guessed.assign(context.artifact().desc().router_count, {});
  const dyn_entry_t &entry = signature.desc();
  head = 0;
  for (uint32_t i = 0; i < entry.input_count; ++i)
    if (isOnHost(i))
      head += roundUp(getInputBytes(i));
    else if (address(inputs[i].data) % DYN_DEVICE_ALIGNMENT)
      return failWith(fail(DYN_STATUS_INVALID_ARGUMENT,
                           "input '%s': expected memory of the device that "
                           "begins at a multiple of %d",
                           entry.inputs[i].name, DYN_DEVICE_ALIGNMENT));
  outputsEnd = head + kHeadBytes;
  int64_t outputs = 0;
  if (bringsOutputs())
    outputs =
        std::max(getKnownBytes(entry, space.dims.data()), device.outputBytes);
  uint64_t allocations = space.allocations;
  DYN_RETURN_IF_FAILED(
      failWith(device.block.reserve(outputsEnd + outputs, space.allocations)));
  if (space.allocations != allocations)
    device.gaps.assign(space.outputs.size(), -1);
  if (options.asynchronous)
    DYN_RETURN_IF_FAILED(failWith(device.beginAsynchronous(space.allocations)));
  return copyInputs();
}

dyn_status_t CudaCall::copyInputs() {
  bool hasWord = canFail() && !options.asynchronous;
  if (head == 0 && !hasWord)
    return DYN_STATUS_OK;
  if (device.isStaged) {
    ++device.waits;
    DYN_RETURN_IF_FAILED(synchronize());
  }
  DYN_RETURN_IF_FAILED(
      failWith(device.toDevice.reserve(head + kHeadBytes, space.allocations)));
  int64_t offset = 0;
  for (uint32_t i = 0; i < signature.desc().input_count; ++i) {
    if (!isOnHost(i))
      continue;
    int64_t bytes = getInputBytes(i);
    if (bytes)
      std::memcpy(at(device.toDevice, offset), inputs[i].data, size_t(bytes));
    space.inputs[i] = at(device.block, offset);
    offset += roundUp(bytes);
  }
  uint64_t none = UINT64_MAX;
  std::memcpy(at(device.toDevice, head), &none, sizeof(none));
  device.isStaged = true;
  // Gaps between inputs are copied, too, but have no meaning.
  return queueToDevice(device.block.data(), device.toDevice.data(),
                       head + kHeadBytes, "copy inputs to the device");
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

void *CudaCall::allocateOutput(uint32_t index) {
  Output &out = space.outputs[index];
  Buffer &memory = space.memory.outputs[index];
  if (!bringsOutputs()) {
    // A call that runs again has it already.
    if (!out.data)
      out.data = findOutputMemory(index, memory);
    return out.data;
  }
  int64_t begin = roundUp(outputsEnd);
  out.offset = -1;
  if (out.bytes > int64_t(device.block.bytes()) - begin) {
    // The block grows before the next call, which then needs one copy again.
    if (dyn_status_t failure = memory.reserve(out.bytes, space.allocations)) {
      failWith(failure);
      return nullptr;
    }
    return memory.data();
  }
  out.offset = begin;
  // The gap is copied, too, so it has to be initialised.
  if (begin > outputsEnd && device.gaps[index] != outputsEnd) {
    device.gaps[index] = outputsEnd;
    if (failWith(cuda.check(
            cuda.memsetAsync(address(at(device.block, outputsEnd)), 0,
                             size_t(begin - outputsEnd), device.stream),
            "fill memory of the device")))
      return nullptr;
  }
  outputsEnd = begin + out.bytes;
  return at(device.block, begin);
}

dyn_status_t CudaCall::end() {
  if (!options.asynchronous)
    return bringOutputs();
  device.isQueued = false;
  // Recorded routes are still being copied to memory that is reused.
  if (!numProbed)
    return DYN_STATUS_OK;
  DYN_RETURN_IF_FAILED(waitForWord());
  return recordProbed();
}

dyn_status_t CudaCall::bringOutputs() {
  uint32_t count = bringsOutputs() ? signature.desc().output_count : 0;
  // Outputs that did not fit in the block are counted after its end.
  int64_t total = outputsEnd - head;
  for (uint32_t i = 0; i < count; ++i)
    if (space.outputs[i].offset < 0)
      total = roundUp(total) + space.outputs[i].bytes;
  if (count)
    device.outputBytes = roundUp(total) - kHeadBytes;
  DYN_RETURN_IF_FAILED(
      failWith(device.toHost.reserve(total, space.allocations)));

  int64_t first = canFail() ? head : head + kHeadBytes;
  if (outputsEnd > first && (count || canFail()))
    DYN_RETURN_IF_FAILED(queueToHost(at(device.toHost, first - head),
                                     at(device.block, first),
                                     outputsEnd - first));
  int64_t offset = outputsEnd - head;
  for (uint32_t i = 0; i < count; ++i) {
    Output &out = space.outputs[i];
    if (out.offset >= 0) {
      out.data = at(device.toHost, out.offset - head);
      continue;
    }
    offset = roundUp(offset);
    out.data = at(device.toHost, offset);
    offset += out.bytes;
    if (out.bytes)
      DYN_RETURN_IF_FAILED(queueToHost(out.data, out.address, out.bytes));
  }
  ++device.waits;
  DYN_RETURN_IF_FAILED(synchronize());
  DYN_RETURN_IF_FAILED(checkErrorWord());
  DYN_RETURN_IF_FAILED(recordProbed());
  return options.output ? giveOutputs(count) : DYN_STATUS_OK;
}

/// Copies outputs to the memory that the host provides.
dyn_status_t CudaCall::giveOutputs(uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    Output &out = space.outputs[i];
    const void *from = out.data;
    out.data = findOutputMemory(i, space.memory.outputs[i]);
    if (!out.data)
      return status;
    if (out.bytes)
      std::memcpy(out.data, from, size_t(out.bytes));
  }
  return DYN_STATUS_OK;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

dyn_status_t CudaCall::queueToDevice(void *to, const void *from, int64_t bytes,
                                     const char *what) {
  device.isQueued = true;
  offsetsAt = nullptr;
  ++device.copiesToDevice;
  return failWith(cuda.check(
      cuda.copyToDeviceAsync(address(to), from, size_t(bytes), device.stream),
      what));
}

dyn_status_t CudaCall::queueToHost(void *to, const void *from, int64_t bytes) {
  device.isQueued = true;
  ++device.copiesToHost;
  return queueReading(&from, 1, "a copy to the host", device.stream, [&] {
    return failWith(cuda.check(
        cuda.copyToHostAsync(to, address(from), size_t(bytes), device.stream),
        "copy from the device"));
  });
}

dyn_status_t CudaCall::synchronize() {
  DYN_RETURN_IF_FAILED(failWith(device.synchronize()));
  countGuesses();
  return DYN_STATUS_OK;
}

dyn_status_t CudaCall::checkErrorWord() {
  if (!canFail())
    return DYN_STATUS_OK;
  uint64_t word;
  std::memcpy(&word, device.toHost.data(), sizeof(word));
  return failWith(context.sites().reportWord(word));
}

void *CudaCall::errorWord() const {
  return options.asynchronous ? device.errors.data() : at(device.block, head);
}

dyn_status_t CudaCall::waitForWord() {
  if (canFail()) {
    DYN_RETURN_IF_FAILED(
        failWith(device.toHost.reserve(kHeadBytes, space.allocations)));
    DYN_RETURN_IF_FAILED(
        queueToHost(device.toHost.data(), errorWord(), kWordBytes));
  }
  ++device.waits;
  DYN_RETURN_IF_FAILED(synchronize());
  return checkErrorWord();
}

dyn_status_t CudaCall::read(void *to, const void *from,
                            int64_t bytes) noexcept {
  if (status != DYN_STATUS_OK)
    return status;
  DYN_RETURN_IF_FAILED(
      failWith(device.toHost.reserve(kHeadBytes + bytes, space.allocations)));
  char *value = at(device.toHost, kHeadBytes);
  DYN_RETURN_IF_FAILED(queueToHost(value, from, bytes));
  DYN_RETURN_IF_FAILED(waitForWord());
  std::memcpy(to, value, size_t(bytes));
  return DYN_STATUS_OK;
}

dyn_status_t CudaCall::write(void *to, const void *from,
                             int64_t bytes) noexcept {
  if (status != DYN_STATUS_OK)
    return status;
  // The driver has read so few bytes of pageable memory when it returns.
  return queueToDevice(to, from, bytes, "copy a size to the device");
}

//===----------------------------------------------------------------------===//
// Constants beyond a limit of memory
//===----------------------------------------------------------------------===//

template <typename Fn>
dyn_status_t CudaCall::queueReading(const void *const *buffers, uint32_t count,
                                    const char *reader,
                                    dyn_cuda_stream_t stream, Fn &&queue) {
  if (!reads)
    return queue();
  DYN_RETURN_IF_FAILED(
      failWith(guarded([&] { return reads->begin(buffers, count, reader); })));
  dyn_status_t result = queue();
  reads->end(stream);
  return result;
}

dyn_status_t CudaCall::fetch(const int64_t *from, uint32_t count,
                             const dyn_range_t *ranges, bool isSure) noexcept {
  if (status != DYN_STATUS_OK || !reads)
    return status;
  return failWith(guarded([&]() -> dyn_status_t {
    if (from && from != offsetsAt) {
      uint32_t paths = 0;
      for (uint32_t i = 0; i < count; ++i)
        paths = std::max(paths, ranges[i].path + 1);
      offsets.resize(size_t(paths) + 1);
      DYN_RETURN_IF_FAILED(read(offsets.data(), from,
                                int64_t(offsets.size() * sizeof(int64_t))));
      offsetsAt = from;
    }
    reads->announce(from ? offsets.data() : nullptr, count, ranges, isSure);
    return DYN_STATUS_OK;
  }));
}

//===----------------------------------------------------------------------===//
// Exchanges
//===----------------------------------------------------------------------===//

// The wait for the ranges also shows errors of kernels before other ranks get
// their results.
dyn_status_t CudaCall::beginExchange(const RowExchange &wanted,
                                     const ExchangeTerms &terms,
                                     int64_t &number) {
  offsetsAt = nullptr;
  int64_t bytes = int64_t(2 * sizeof(int64_t)) * wanted.count;
  DYN_RETURN_IF_FAILED(
      device.toHost.reserve(kHeadBytes + 2 * bytes, space.allocations));
  char *ranges = at(device.toHost, kHeadBytes);
  DYN_RETURN_IF_FAILED(queueToHost(ranges, wanted.sends, bytes));
  DYN_RETURN_IF_FAILED(queueToHost(ranges + bytes, wanted.receives, bytes));
  DYN_RETURN_IF_FAILED(waitForWord());
  // The memory is used again while the exchange begins.
  std::vector<int64_t> copy(4 * size_t(wanted.count));
  std::memcpy(copy.data(), ranges, 2 * size_t(bytes));
  RowExchange found = wanted;
  found.sends = copy.data();
  found.receives = copy.data() + 2 * size_t(wanted.count);
  if (reads && program.residency()->find(wanted.rows))
    return fail(DYN_STATUS_UNSUPPORTED,
                "an exchange sends rows of a constant, which a context with "
                "memory_limit does not keep in memory of the device");
  if (!program.ranks().isConnected()) {
    StagedCarrier carrier(device, space.allocations);
    return exchanges.begin(found, carrier, terms, context.sites(), number);
  }
  DirectCarrier carrier(device, space.allocations, program.ranks());
  // An asynchronous call may outlive its options.
  ExchangeTerms own = terms;
  if (options.asynchronous)
    own.cancel = nullptr;
  return exchanges.begin(found, carrier, own, context.sites(), number);
}

//===----------------------------------------------------------------------===//
// Probes
//===----------------------------------------------------------------------===//

// Routes are copied when the entry shows them, as later kernels may reuse their
// memory, and counted when the call has ended.
dyn_status_t CudaCall::probe(uint32_t router, const int64_t *offsets,
                             const int64_t *seats, const int64_t *order,
                             int64_t cells, int64_t choices) noexcept {
  const dyn_descriptor_t &root = context.artifact().desc();
  if (status != DYN_STATUS_OK || router >= root.router_count || cells < 0 ||
      choices < 0)
    return dyn_call::probe(router, offsets, seats, order, cells, choices);
  const int64_t *sources[] = {offsets, seats, order};
  int64_t bytes[] = {8 * (int64_t(root.routers[router].paths) + 1),
                     8 * cells * choices, order ? 8 * cells : 0};
  ProbedRoutes *routes = addProbed(bytes[0] + bytes[1] + bytes[2]);
  if (!routes) {
    recorded->countLost();
    return DYN_STATUS_OK;
  }
  routes->router = router;
  routes->cells = cells;
  routes->choices = choices;
  routes->hasOrder = order;
  int64_t offset = 0;
  for (int i = 0; i < 3; ++i) {
    if (bytes[i])
      DYN_RETURN_IF_FAILED(
          queueToHost(at(routes->copy, offset), sources[i], bytes[i]));
    offset += bytes[i];
  }
  return DYN_STATUS_OK;
}

ProbedRoutes *CudaCall::addProbed(int64_t bytes) noexcept {
  std::vector<ProbedRoutes> &probed = device.probed;
  try {
    if (numProbed == probed.size()) {
      probed.emplace_back();
      probed.back().copy.setSource(program.pinned());
    }
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
  ProbedRoutes &routes = probed[numProbed];
  if (routes.copy.reserve(bytes, space.allocations) != DYN_STATUS_OK)
    return nullptr;
  ++numProbed;
  return &routes;
}

dyn_status_t CudaCall::recordProbed() {
  const dyn_descriptor_t &root = context.artifact().desc();
  for (size_t i = 0; i < numProbed; ++i) {
    const ProbedRoutes &routes = device.probed[i];
    auto *offsets = static_cast<const int64_t *>(routes.copy.data());
    const int64_t *seats = offsets + root.routers[routes.router].paths + 1;
    const int64_t *order = seats + routes.cells * routes.choices;
    DYN_RETURN_IF_FAILED(dyn_call::probe(routes.router, offsets, seats,
                                         routes.hasOrder ? order : nullptr,
                                         routes.cells, routes.choices));
  }
  return DYN_STATUS_OK;
}

//===----------------------------------------------------------------------===//
// Guesses
//===----------------------------------------------------------------------===//

dyn_status_t CudaCall::beginGuess(uint32_t router) {
  size_t routers = device.guessed.size();
  DYN_RETURN_IF_FAILED(device.guessedCopy.reserve(
      int64_t(3 * sizeof(int64_t) * routers), space.allocations));
  device.guessed[router].isMade = true;
  return DYN_STATUS_OK;
}

dyn_status_t CudaCall::guessed(uint32_t router, const int64_t *routes,
                               const int64_t *guess,
                               const int64_t *rest) noexcept {
  if (status != DYN_STATUS_OK || checkRouter(router))
    return status;
  bool isGain = std::exchange(ranBeside, false);
  GuessedRows &rows = device.guessed[router];
  if (!rows.isMade)
    return DYN_STATUS_OK;
  int64_t last = context.artifact().desc().routers[router].paths;
  int64_t at = int64_t(3 * sizeof(int64_t)) * router;
  for (const int64_t *offsets : {routes, guess, rest}) {
    DYN_RETURN_IF_FAILED(queueToHost(::at(device.guessedCopy, at),
                                     offsets + last, sizeof(int64_t)));
    at += int64_t(sizeof(int64_t));
  }
  rows.isCopied = true;
  rows.isGain = isGain;
  return DYN_STATUS_OK;
}

void CudaCall::countGuesses() {
  for (size_t router = 0; router < device.guessed.size(); ++router) {
    GuessedRows &rows = device.guessed[router];
    if (!std::exchange(rows.isCopied, false))
      continue;
    auto *counts =
        static_cast<const int64_t *>(device.guessedCopy.data()) + 3 * router;
    auto all = uint64_t(counts[0]), made = uint64_t(counts[1]);
    context.guesses()[router].count(
        std::max(all, made), rows.isGain ? all - uint64_t(counts[2]) : 0);
  }
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

dyn_status_t CudaCall::launch(const dyn_launch_t &wanted) noexcept {
  if (status != DYN_STATUS_OK)
    return status;
  if (options.cancel || deadline)
    DYN_RETURN_IF_FAILED(checkInterrupt());
  dyn_grid_t grid = {};
  DYN_RETURN_IF_FAILED(prepare(wanted, grid));
  return run(wanted, grid);
}

dyn_status_t CudaCall::launchMany(uint32_t count,
                                  const dyn_launch_t *wanted) noexcept {
  if (status != DYN_STATUS_OK)
    return status;
  if (options.cancel || deadline)
    DYN_RETURN_IF_FAILED(checkInterrupt());
  if (count > DYN_MAX_LAUNCHES)
    return failWith(fail(DYN_STATUS_INTERNAL,
                         "%u kernels are launched together, more than %d",
                         count, DYN_MAX_LAUNCHES));
  dyn_grid_t grids[DYN_MAX_LAUNCHES] = {};
  for (uint32_t i = 0; i < count; ++i)
    DYN_RETURN_IF_FAILED(prepare(wanted[i], grids[i]));
  if (uint32_t main = findMainChain(count, wanted, grids))
    return runBeside(count, wanted, grids, main);
  for (uint32_t i = 0; i < count; ++i)
    DYN_RETURN_IF_FAILED(run(wanted[i], grids[i]));
  return DYN_STATUS_OK;
}

dyn_status_t CudaCall::runBeside(uint32_t count, const dyn_launch_t *wanted,
                                 const dyn_grid_t *grids, uint32_t main) {
  if (isMeasured())
    DYN_RETURN_IF_FAILED(synchronize());
  uint64_t begin = isMeasured() ? now() : 0;
  DYN_RETURN_IF_FAILED(failWith(device.side.begin(device.stream)));
  for (uint32_t i = 0; i < count && status == DYN_STATUS_OK; ++i)
    if (grids[i].blocks > 0)
      (void)queue(wanted[i], grids[i],
                  wanted[i].chain == main ? device.stream
                                          : device.side.stream());
  // Also after a failure: the next call uses the memory.
  dyn_status_t ended = device.side.end(device.stream);
  DYN_RETURN_IF_FAILED(status);
  DYN_RETURN_IF_FAILED(failWith(ended));
  ++space.parallelLaunches;
  ranBeside = true;
  if (!isMeasured())
    return DYN_STATUS_OK;

  // Nobody knows how long each took: all have the same part of the time.
  DYN_RETURN_IF_FAILED(synchronize());
  uint64_t end = now();
  dyn_grid_t sum = {};
  for (uint32_t i = 0; i < count; ++i) {
    space.kernels[wanted[i].kernel].time += (end - begin) / count;
    sum.blocks += grids[i].blocks;
    sum.flops += grids[i].flops;
    sum.bytes += grids[i].bytes;
  }
  if (options.trace)
    options.trace->add({"chains", "launch", begin, end, lane, 0, sum.blocks,
                        sum.flops, sum.bytes});
  return DYN_STATUS_OK;
}

uint32_t CudaCall::findMainChain(uint32_t count, const dyn_launch_t *wanted,
                                 const dyn_grid_t *grids) const {
  // The number of kernels says most of a chain's time: small ones take as long
  // as a launch.
  uint32_t lengths[DYN_MAX_LAUNCHES + 1] = {};
  uint32_t all = 0, longest = 0;
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t chain = wanted[i].chain;
    // The GEMM library works on the call's stream.
    if (!chain || chain > DYN_MAX_LAUNCHES ||
        program.desc().kernels[wanted[i].kernel].gemm)
      return 0;
    if (grids[i].blocks <= 0)
      continue;
    ++all;
    if (++lengths[chain] > lengths[longest])
      longest = chain;
  }
  return lengths[longest] == all ? 0 : longest;
}

dyn_status_t CudaCall::prepare(const dyn_launch_t &wanted, dyn_grid_t &grid) {
  if (wanted.kernel >= program.desc().kernel_count)
    return failWith(
        fail(DYN_STATUS_INTERNAL, "kernel %u does not exist", wanted.kernel));
  const dyn_device_kernel_t &kernel = program.desc().kernels[wanted.kernel];
  kernel.grid(wanted.dims, &grid);
  KernelSums &sums = space.kernels[wanted.kernel];
  ++sums.launches;
  sums.flops += uint64_t(grid.flops);
  sums.bytes += uint64_t(grid.bytes);
  if (grid.blocks > INT_MAX ||
      (grid.blocks > 0 &&
       (grid.version < 0 || grid.version >= int64_t(kernel.version_count))))
    return failWith(fail(DYN_STATUS_UNSUPPORTED,
                         "kernel '%s' needs %lld blocks: expected at most %d",
                         kernel.name, (long long)grid.blocks, INT_MAX));
  return DYN_STATUS_OK;
}

dyn_status_t CudaCall::run(const dyn_launch_t &wanted, const dyn_grid_t &grid) {
  if (grid.blocks <= 0)
    return DYN_STATUS_OK;
  if (!isMeasured())
    return queue(wanted, grid, device.stream);

  // The time of work that was queued before is not the kernel's.
  DYN_RETURN_IF_FAILED(synchronize());
  uint64_t begin = now();
  DYN_RETURN_IF_FAILED(queue(wanted, grid, device.stream));
  DYN_RETURN_IF_FAILED(synchronize());
  uint64_t end = now();
  space.kernels[wanted.kernel].time += end - begin;
  const dyn_device_kernel_t &kernel = program.desc().kernels[wanted.kernel];
  if (options.trace)
    options.trace->add({kernel.name, kernel.kind, begin, end, lane, 0,
                        grid.blocks, grid.flops, grid.bytes});
  return DYN_STATUS_OK;
}

dyn_status_t CudaCall::queue(const dyn_launch_t &wanted, const dyn_grid_t &grid,
                             dyn_cuda_stream_t stream) {
  const dyn_device_kernel_t &kernel = program.desc().kernels[wanted.kernel];
  offsetsAt = nullptr;
  return queueReading(
      wanted.buffers, kernel.buffer_count, kernel.name, stream,
      [&]() -> dyn_status_t {
        bool isDone = false;
        if (kernel.gemm)
          DYN_RETURN_IF_FAILED(
              failWith(guarded([&] { return queueGemm(wanted, isDone); })));
        return isDone ? DYN_STATUS_OK : queueLaunch(wanted, grid, stream);
      });
}

dyn_status_t CudaCall::queueGemm(const dyn_launch_t &wanted, bool &isDone) {
  const dyn_device_kernel_t &kernel = program.desc().kernels[wanted.kernel];
  std::optional<GemmKey> problem = Gemms::getProblem(*kernel.gemm, wanted.dims);
  if (!problem)
    return DYN_STATUS_OK;
  device.isQueued = true;
  DYN_RETURN_IF_FAILED(program.gemms().run(*kernel.gemm, *problem,
                                           wanted.buffers, kernel.name, device,
                                           space.allocations, isDone));
  ++(isDone ? device.libraryLaunches : device.libraryMisses);
  return DYN_STATUS_OK;
}

dyn_status_t CudaCall::queueLaunch(const dyn_launch_t &wanted,
                                   const dyn_grid_t &grid,
                                   dyn_cuda_stream_t stream) {
  const dyn_device_kernel_t &kernel = program.desc().kernels[wanted.kernel];
  uint64_t *words = device.parameters.data();
  size_t count = 0;
  for (uint32_t i = 0; i < kernel.buffer_count; ++i)
    words[count++] = address(wanted.buffers[i]);
  for (uint32_t i = 0; i < kernel.dim_count; ++i)
    words[count++] = uint64_t(wanted.dims[i]);
  // A dyn_worker_t up to its seed.
  words[count++] = 0;
  words[count++] = address(errorWord());
  words[count++] = wanted.site_base;
  words[count++] = options.seed;
  size_t bytes = count * sizeof(uint64_t);
  void *extra[] = {DYN_CUDA_LAUNCH_BUFFER, words, DYN_CUDA_LAUNCH_BUFFER_SIZE,
                   &bytes, DYN_CUDA_LAUNCH_END};
  device.isQueued = true;
  dyn_cuda_function_t function = program.functions(wanted.kernel)[grid.version];
  return failWith(cuda.check(cuda.launch(function, unsigned(grid.blocks), 1, 1,
                                         DYN_DEVICE_THREADS, 1, 1, 0, stream,
                                         nullptr, extra),
                             kernel.name));
}
