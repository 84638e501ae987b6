//===- DeviceCall.cpp - A call on a device --------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceCall.h"

#include "Clock.h"
#include "Types.h"

#include <climits>
#include <cstring>

using namespace dyn::rt;

/// The head of what is copied to the device, and back to see errors.
static constexpr int64_t kErrorBytes = sizeof(uint64_t);
/// Inputs begin at multiples of it; more than DYN_DEVICE_ALIGNMENT, so that a
/// warp's access touches no more lines than it has to.
static constexpr int64_t kInputAlignment = 256;

static uint64_t address(const void *pointer) {
  return reinterpret_cast<uint64_t>(pointer);
}

DeviceCall::~DeviceCall() {
  // What is queued reads and writes memory that the next call reuses.
  if (isQueued)
    cuda.streamSynchronize(space.device->stream);
}

//===----------------------------------------------------------------------===//
// Inputs and outputs
//===----------------------------------------------------------------------===//

dyn_status_t DeviceCall::begin() {
  DeviceSpace &device = *space.device;
  int64_t bytes = kInputAlignment;
  uint32_t count = signature.desc().input_count;
  auto getBytes = [&](uint32_t input) {
    // Fits: the tensor lies in memory.
    return *tensorBytes(inputs[input].dtype, inputs[input].rank,
                        inputs[input].shape);
  };
  auto roundUp = [](int64_t value) {
    return (value + kInputAlignment - 1) / kInputAlignment * kInputAlignment;
  };
  for (uint32_t i = 0; i < count; ++i)
    if (isOnHost(i))
      bytes += roundUp(getBytes(i));
    else if (address(inputs[i].data) % DYN_DEVICE_ALIGNMENT)
      return failWith(fail(DYN_STATUS_INVALID_ARGUMENT,
                           "input '%s': expected memory of the device that "
                           "begins at a multiple of %d",
                           signature.desc().inputs[i].name,
                           DYN_DEVICE_ALIGNMENT));
  DYN_RETURN_IF_FAILED(
      failWith(device.staging.reserve(bytes, space.allocations)));
  DYN_RETURN_IF_FAILED(
      failWith(device.inputs.reserve(bytes, space.allocations)));
  auto *from = static_cast<char *>(device.staging.data());
  auto *to = static_cast<char *>(device.inputs.data());
  uint64_t none = UINT64_MAX;
  std::memcpy(from, &none, sizeof(none));
  int64_t offset = kInputAlignment;
  for (uint32_t i = 0; i < count; ++i) {
    if (!isOnHost(i))
      continue;
    if (int64_t size = getBytes(i))
      std::memcpy(from + offset, inputs[i].data, size_t(size));
    space.inputs[i] = to + offset;
    offset += roundUp(getBytes(i));
  }
  // Gaps between inputs are copied, too, but of no meaning.
  isQueued = true;
  ++device.copiesToDevice;
  return failWith(cuda.check(
      cuda.copyToDeviceAsync(address(to), from, size_t(offset), device.stream),
      "copy inputs to the device"));
}

void *DeviceCall::allocateOutput(uint32_t index) {
  Output &out = space.outputs[index];
  if (options.output_device == DYN_DEVICE_CUDA)
    return out.data = findOutputMemory(index, out.memory);
  if (dyn_status_t failure = out.memory.reserve(out.bytes, space.allocations)) {
    failWith(failure);
    return nullptr;
  }
  return out.memory.data();
}

dyn_status_t DeviceCall::end() {
  if (options.output_device != DYN_DEVICE_CUDA)
    for (uint32_t i = 0; i < signature.desc().output_count; ++i) {
      Output &out = space.outputs[i];
      out.data = findOutputMemory(i, space.device->outputs[i]);
      if (!out.data)
        return status;
      if (out.bytes)
        DYN_RETURN_IF_FAILED(queueToHost(out.data, out.place, out.bytes));
    }
  return wait();
}

//===----------------------------------------------------------------------===//
// Values that the host needs
//===----------------------------------------------------------------------===//

dyn_status_t DeviceCall::queueToHost(void *to, const void *from,
                                     int64_t bytes) {
  isQueued = true;
  ++space.device->copiesToHost;
  return failWith(
      cuda.check(cuda.copyToHostAsync(to, address(from), size_t(bytes),
                                      space.device->stream),
                 "copy from the device"));
}

dyn_status_t DeviceCall::wait() {
  DeviceSpace &device = *space.device;
  bool canFail = program.desc().site_count != 0;
  auto *word = static_cast<uint64_t *>(device.staging.data());
  if (canFail)
    DYN_RETURN_IF_FAILED(queueToHost(word, device.inputs.data(), kErrorBytes));
  isQueued = false;
  ++device.waits;
  DYN_RETURN_IF_FAILED(failWith(
      cuda.check(cuda.streamSynchronize(device.stream), "run the model")));
  return canFail && *word != UINT64_MAX ? reportSite(*word, nullptr)
                                        : DYN_STATUS_OK;
}

dyn_status_t DeviceCall::read(void *to, const void *from,
                              int64_t bytes) noexcept {
  if (status != DYN_STATUS_OK)
    return status;
  DYN_RETURN_IF_FAILED(queueToHost(to, from, bytes));
  return wait();
}

dyn_status_t DeviceCall::write(void *to, const void *from,
                               int64_t bytes) noexcept {
  if (status != DYN_STATUS_OK)
    return status;
  isQueued = true;
  ++space.device->copiesToDevice;
  // The driver has taken so few bytes out of pageable memory when it returns.
  return failWith(
      cuda.check(cuda.copyToDeviceAsync(address(to), from, size_t(bytes),
                                        space.device->stream),
                 "copy a size to the device"));
}

dyn_status_t DeviceCall::probe(uint32_t router, const int64_t *offsets,
                               const int64_t *places, const int64_t *order,
                               int64_t cells, int64_t choices) noexcept {
  const dyn_descriptor_t &root = context.artifact().desc();
  if (status != DYN_STATUS_OK || router >= root.router_count)
    return dyn_call::probe(router, offsets, places, order, cells, choices);
  return guarded([&]() -> dyn_status_t {
    std::vector<int64_t> copies[3];
    const int64_t *sources[] = {offsets, places, order};
    size_t counts[] = {size_t(root.routers[router].paths) + 1,
                       size_t(cells * choices), size_t(cells)};
    for (int i = 0; i < 3; ++i) {
      if (!sources[i])
        continue;
      copies[i].resize(counts[i]);
      if (counts[i])
        DYN_RETURN_IF_FAILED(
            queueToHost(copies[i].data(), sources[i], int64_t(counts[i] * 8)));
    }
    DYN_RETURN_IF_FAILED(wait());
    return dyn_call::probe(router, copies[0].data(), copies[1].data(),
                           order ? copies[2].data() : nullptr, cells, choices);
  });
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

dyn_status_t DeviceCall::launchMany(uint32_t count,
                                    const dyn_launch_t *wanted) noexcept {
  for (uint32_t i = 0; i < count; ++i)
    DYN_RETURN_IF_FAILED(launch(wanted[i]));
  return DYN_STATUS_OK;
}

dyn_status_t DeviceCall::launch(const dyn_launch_t &wanted) noexcept {
  if (status != DYN_STATUS_OK)
    return status;
  if (options.cancel || deadline)
    DYN_RETURN_IF_FAILED(checkInterrupt());
  if (wanted.kernel >= program.desc().kernel_count)
    return failWith(
        fail(DYN_STATUS_INTERNAL, "kernel %u does not exist", wanted.kernel));
  const dyn_device_kernel_t &kernel = program.desc().kernels[wanted.kernel];
  dyn_grid_t grid = {};
  kernel.grid(wanted.dims, &grid);
  KernelSums &sums = space.kernels[wanted.kernel];
  ++sums.launches;
  sums.flops += uint64_t(grid.flops);
  sums.bytes += uint64_t(grid.bytes);
  if (grid.blocks <= 0)
    return DYN_STATUS_OK;
  if (grid.blocks > INT_MAX || grid.version < 0 ||
      grid.version >= int64_t(kernel.version_count))
    return failWith(fail(DYN_STATUS_UNSUPPORTED,
                         "kernel '%s' needs %lld blocks: expected at most %d",
                         kernel.name, (long long)grid.blocks, INT_MAX));
  if (!profile && !options.trace)
    return queueLaunch(wanted, grid);

  // What was queued before is not the kernel's.
  DYN_RETURN_IF_FAILED(wait());
  uint64_t begin = now();
  DYN_RETURN_IF_FAILED(queueLaunch(wanted, grid));
  DYN_RETURN_IF_FAILED(wait());
  uint64_t end = now();
  sums.time += end - begin;
  if (options.trace)
    options.trace->add({kernel.name, kernel.kind, begin, end, lane, 0,
                        grid.blocks, grid.flops, grid.bytes});
  return DYN_STATUS_OK;
}

dyn_status_t DeviceCall::queueLaunch(const dyn_launch_t &wanted,
                                     const dyn_grid_t &grid) {
  const dyn_device_kernel_t &kernel = program.desc().kernels[wanted.kernel];
  uint64_t *words = space.device->parameters.data();
  size_t count = 0;
  for (uint32_t i = 0; i < kernel.buffer_count; ++i)
    words[count++] = address(wanted.buffers[i]);
  for (uint32_t i = 0; i < kernel.dim_count; ++i)
    words[count++] = uint64_t(wanted.dims[i]);
  // A dyn_worker_t up to its seed.
  words[count++] = 0;
  words[count++] = address(space.device->inputs.data());
  words[count++] = wanted.site_base;
  words[count++] = options.seed;
  size_t bytes = count * sizeof(uint64_t);
  void *extra[] = {DYN_CUDA_LAUNCH_BUFFER, words, DYN_CUDA_LAUNCH_BUFFER_SIZE,
                   &bytes, DYN_CUDA_LAUNCH_END};
  isQueued = true;
  dyn_cuda_function_t function = program.functions(wanted.kernel)[grid.version];
  return failWith(cuda.check(cuda.launch(function, unsigned(grid.blocks), 1, 1,
                                         DYN_DEVICE_THREADS, 1, 1, 0,
                                         space.device->stream, nullptr, extra),
                             kernel.name));
}
