//===- CudaApi.cpp - The emulator as a CUDA driver ------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libdynemu.so: the functions of the CUDA driver that the runtime calls, on
// emulated devices. Work is done at once, unless a stream waits for another
// rank (NcclApi.cpp). Faults are reported where a host would see them, when it
// waits for the stream. A fault does not end the device, so the next call may
// continue.
//
// DYN_EMU_DEVICES in the environment is the number of devices, by default one,
// and DYN_EMU_MEMORY the bytes of each. DYN_EMU_GRANULARITY is the size of
// blocks that are mapped, by default 2 MiB. Kernels of one cannot access memory
// of another; copies may go from any to any. With DYN_EMU_LOSE=n the device of
// the process's n-th launch is lost, as when its memory fails: every later call
// reports so.
//
//===----------------------------------------------------------------------===//

#include "DriverState.h"

#include <cstring>

using namespace dyn::emu;

#define DYN_EMU_API extern "C" __attribute__((visibility("default")))
#define DYN_CUDA_FUNCTION(member, symbol, parameters)                          \
  DYN_EMU_API int symbol parameters;
#include "dyn/cuda_driver.def"
DYN_EMU_API const int dyn_emulator_version = 1;
/// For tests: the bytes of the current device that are mapped, and their
/// maximum since this was called last.
DYN_EMU_API void dyn_emu_count_mapped(size_t *now, size_t *most);

Emulated::Emulated() {
  Limits limits;
  limits.memoryBytes = getNumber("DYN_EMU_MEMORY", uint64_t(16) << 30);
  auto count = uint32_t(getNumber("DYN_EMU_DEVICES", 1));
  for (uint32_t number = 0; number < count || !number; ++number)
    devices.push_back(std::make_unique<EmulatedDevice>(limits, number));
  for (const auto &each : devices)
    each->device.findOwner = [this](const void *address) {
      return &ownerOf(address);
    };
}

std::vector<EmulatedDevice *> &Emulated::contexts() {
  static thread_local std::vector<EmulatedDevice *> pushed;
  return pushed;
}

void Emulated::advance() {
  for (bool hasRun = true; hasRun;) {
    hasRun = false;
    for (const auto &device : devices)
      for (auto &[handle, stream] : device->streams)
        while (!stream.work.empty() && (!stream.work.front().isReady ||
                                        stream.work.front().isReady())) {
          Work next = std::move(stream.work.front());
          stream.work.pop_front();
          next.run();
          hasRun = true;
        }
  }
  changed.notify_all();
}

void Emulated::endTransfers(Stream &stream) {
  for (Device::TransferId id : stream.transfers)
    stream.device->device.endTransfer(id);
  stream.transfers.clear();
}

Emulated &dyn::emu::emulated() {
  static auto *state = new Emulated();
  return *state;
}

namespace {
/// Runs the implementation of a driver function, unless the device is lost.
template <typename Fn> int onDevice(Fn &&body) {
  return dyn::emu::onDevice(DYN_CUDA_ECC_UNCORRECTABLE, body);
}

const dyn_emu_image_t *getImage(dyn_cuda_module_t module) {
  return reinterpret_cast<const dyn_emu_image_t *>(module);
}

template <typename Handle> Handle makeHandle(const void *object) {
  return reinterpret_cast<Handle>(const_cast<void *>(object));
}

template <typename Fn> int onStream(dyn_cuda_stream_t stream, Fn &&body) {
  return dyn::emu::onStream(DYN_CUDA_ECC_UNCORRECTABLE, stream, body);
}

/// The report of this thread's last failed wait, lent by cuGetErrorString.
thread_local std::string lastReport;
} // namespace

//===----------------------------------------------------------------------===//
// Devices, modules and streams
//===----------------------------------------------------------------------===//

int cuInit(unsigned) { return DYN_CUDA_SUCCESS; }

int cuGetErrorString(int result, const char **text) {
  switch (result) {
  case DYN_CUDA_LAUNCH_FAILED:
    *text = lastReport.c_str();
    return DYN_CUDA_SUCCESS;
  case DYN_CUDA_OUT_OF_MEMORY:
    *text = "out of memory";
    return DYN_CUDA_SUCCESS;
  case DYN_CUDA_ECC_UNCORRECTABLE:
    *text = "the device is lost, its memory has failed";
    return DYN_CUDA_SUCCESS;
  case DYN_CUDA_INVALID_IMAGE:
    *text = "the image is not the emulator's";
    return DYN_CUDA_SUCCESS;
  }
  *text = "invalid value";
  return DYN_CUDA_SUCCESS;
}

int cuDeviceGetCount(int *count) {
  *count = int(emulated().devices.size());
  return DYN_CUDA_SUCCESS;
}

int cuDeviceGet(int *device, int ordinal) {
  *device = ordinal;
  bool exists = ordinal >= 0 && size_t(ordinal) < emulated().devices.size();
  return exists ? DYN_CUDA_SUCCESS : DYN_CUDA_INVALID_DEVICE;
}

int cuDeviceGetName(char *name, int bytes, int) {
  std::strncpy(name, "emulator", size_t(bytes));
  return DYN_CUDA_SUCCESS;
}

int cuDeviceGetAttribute(int *value, int attribute, int) {
  *value = attribute == DYN_CUDA_CAPABILITY_MAJOR ? 8
           : attribute == DYN_CUDA_MAPS_MEMORY    ? 1
                                                  : 0;
  return DYN_CUDA_SUCCESS;
}

int cuDevicePrimaryCtxRetain(dyn_cuda_context_t *context, int device) {
  *context =
      makeHandle<dyn_cuda_context_t>(emulated().devices[size_t(device)].get());
  return DYN_CUDA_SUCCESS;
}

int cuDevicePrimaryCtxRelease_v2(int) { return DYN_CUDA_SUCCESS; }

int cuCtxPushCurrent_v2(dyn_cuda_context_t context) {
  Emulated::contexts().push_back(reinterpret_cast<EmulatedDevice *>(context));
  return DYN_CUDA_SUCCESS;
}

int cuCtxPopCurrent_v2(dyn_cuda_context_t *context) {
  std::vector<EmulatedDevice *> &pushed = Emulated::contexts();
  if (pushed.empty())
    return DYN_CUDA_INVALID_CONTEXT;
  *context = makeHandle<dyn_cuda_context_t>(pushed.back());
  pushed.pop_back();
  return DYN_CUDA_SUCCESS;
}

int cuModuleLoadData(dyn_cuda_module_t *module, const void *image) {
  if (std::memcmp(image, DYN_EMU_MAGIC, sizeof(DYN_EMU_MAGIC)) != 0)
    return DYN_CUDA_INVALID_IMAGE;
  *module = makeHandle<dyn_cuda_module_t>(image);
  return DYN_CUDA_SUCCESS;
}

int cuModuleUnload(dyn_cuda_module_t) { return DYN_CUDA_SUCCESS; }

int cuModuleGetFunction(dyn_cuda_function_t *function, dyn_cuda_module_t module,
                        const char *name) {
  const dyn_emu_image_t &image = *getImage(module);
  for (uint64_t i = 0; i < image.kernel_count; ++i)
    if (!std::strcmp(image.kernels[i].name, name)) {
      *function = makeHandle<dyn_cuda_function_t>(&image.kernels[i]);
      return DYN_CUDA_SUCCESS;
    }
  return DYN_CUDA_NOT_FOUND;
}

int cuStreamCreate(dyn_cuda_stream_t *stream, unsigned) {
  *stream = makeHandle<dyn_cuda_stream_t>(new char());
  Emulated &state = emulated();
  std::lock_guard<std::mutex> lock(state.mutex);
  state.streams[*stream] = &state.current();
  return DYN_CUDA_SUCCESS;
}

int cuStreamDestroy_v2(dyn_cuda_stream_t stream) {
  Emulated &state = emulated();
  std::lock_guard<std::mutex> lock(state.mutex);
  Emulated::endTransfers(state.find(stream));
  // Nobody can wait for it any more.
  state.forget(Emulated::getPoint(state.find(stream)));
  state.deviceOf(stream).streams.erase(stream);
  state.streams.erase(stream);
  delete reinterpret_cast<char *>(stream);
  return DYN_CUDA_SUCCESS;
}

int cuStreamSynchronize(dyn_cuda_stream_t handle) {
  Emulated &state = emulated();
  std::unique_lock<std::mutex> lock(state.mutex);
  Stream &stream = state.find(handle);
  state.changed.wait(lock, [&] { return stream.work.empty(); });
  if (stream.device->isLost)
    return DYN_CUDA_ECC_UNCORRECTABLE;
  Emulated::endTransfers(stream);
  state.forget(Emulated::getPoint(stream));
  std::vector<Report> reports;
  reports.swap(stream.reports);
  if (reports.empty())
    return DYN_CUDA_SUCCESS;
  lastReport.clear();
  for (const Report &report : reports)
    lastReport += (lastReport.empty() ? "" : "; ") + report.describe();
  return DYN_CUDA_LAUNCH_FAILED;
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

namespace {
/// A point of a stream. An event refers to the last one that it recorded.
struct Point {
  bool isReached = false;
  EmulatedDevice *device = nullptr;
  dyn_cuda_stream_t stream = nullptr;
  std::vector<Device::TransferId> transfers; ///< before it on the stream
  StreamClock clock;

  /// The faults of work before the point, for those who wait for it.
  std::vector<Report> takeReports() {
    std::vector<Report> taken;
    if (!device)
      return taken;
    auto found = device->streams.find(stream);
    if (found != device->streams.end())
      taken.swap(found->second.reports);
    return taken;
  }
  /// Accesses from now on are ordered after the point.
  void endTransfers() {
    for (Device::TransferId id : transfers)
      device->device.endTransfer(id);
  }
};
using Event = std::shared_ptr<Point>;

Event &getEvent(dyn_cuda_event_t event) {
  return *reinterpret_cast<Event *>(event);
}
} // namespace

int cuEventCreate(dyn_cuda_event_t *event, unsigned) {
  auto *made = new Event(std::make_shared<Point>());
  (*made)->isReached = true;
  *event = makeHandle<dyn_cuda_event_t>(made);
  return DYN_CUDA_SUCCESS;
}

int cuEventDestroy_v2(dyn_cuda_event_t event) {
  delete &getEvent(event);
  return DYN_CUDA_SUCCESS;
}

int cuEventRecord(dyn_cuda_event_t event, dyn_cuda_stream_t handle) {
  return onDevice([&](Emulated &state) -> int {
    Stream &stream = state.find(handle);
    auto point = std::make_shared<Point>();
    point->device = stream.device;
    point->stream = handle;
    getEvent(event) = point;
    state.enqueue(stream, {nullptr, [point, &stream] {
                             point->isReached = true;
                             point->transfers = stream.transfers;
                             point->clock = Emulated::getPoint(stream);
                           }});
    return DYN_CUDA_SUCCESS;
  });
}

int cuStreamWaitEvent(dyn_cuda_stream_t handle, dyn_cuda_event_t event,
                      unsigned) {
  return onDevice([&](Emulated &state) -> int {
    Event point = getEvent(event);
    Stream &stream = state.find(handle);
    auto isReady = [point] { return point->isReached; };
    state.enqueue(stream, {isReady, [point, &stream] {
                             point->endTransfers();
                             join(stream.known, point->clock);
                             for (Report &report : point->takeReports())
                               stream.reports.push_back(std::move(report));
                           }});
    return DYN_CUDA_SUCCESS;
  });
}

int cuEventSynchronize(dyn_cuda_event_t event) {
  Emulated &state = emulated();
  std::unique_lock<std::mutex> lock(state.mutex);
  Event point = getEvent(event);
  state.changed.wait(lock, [&] { return point->isReached; });
  point->endTransfers();
  state.forget(point->clock);
  return DYN_CUDA_SUCCESS;
}

int cuEventQuery(dyn_cuda_event_t event) {
  return onDevice([&](Emulated &state) -> int {
    Point &point = *getEvent(event);
    if (!point.isReached)
      return DYN_CUDA_NOT_READY;
    point.endTransfers();
    state.forget(point.clock);
    return DYN_CUDA_SUCCESS;
  });
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

int cuMemAlloc_v2(uint64_t *address, size_t bytes) {
  return onDevice([&](Emulated &state) -> int {
    *address =
        reinterpret_cast<uint64_t>(state.current().device.allocate(bytes));
    return *address ? DYN_CUDA_SUCCESS : DYN_CUDA_OUT_OF_MEMORY;
  });
}

int cuMemFree_v2(uint64_t address) {
  return onDevice([&](Emulated &state) -> int {
    state.ownerOf(address).release(reinterpret_cast<void *>(address));
    return DYN_CUDA_SUCCESS;
  });
}

namespace {
/// Runs the body with the current device, and with an address.
template <typename Fn> int onAddress(uint64_t address, Fn &&body) {
  return onDevice([&](Emulated &state) -> int {
    bool isDone =
        body(state.current().device, reinterpret_cast<void *>(address));
    return isDone ? DYN_CUDA_SUCCESS : DYN_CUDA_INVALID_VALUE;
  });
}
} // namespace

int cuMemGetAllocationGranularity(size_t *bytes, const dyn_cuda_memory_t *,
                                  int) {
  *bytes = Emulated::getNumber("DYN_EMU_GRANULARITY", uint64_t(2) << 20);
  return DYN_CUDA_SUCCESS;
}

int cuMemAddressReserve(uint64_t *address, size_t bytes, size_t, uint64_t,
                        uint64_t) {
  return onDevice([&](Emulated &state) -> int {
    *address =
        reinterpret_cast<uint64_t>(state.current().device.reserve(bytes));
    return *address ? DYN_CUDA_SUCCESS : DYN_CUDA_OUT_OF_MEMORY;
  });
}

int cuMemAddressFree(uint64_t address, size_t) {
  return onAddress(
      address, [](Device &device, void *at) { return device.unreserve(at); });
}

int cuMemCreate(uint64_t *handle, size_t bytes, const dyn_cuda_memory_t *,
                uint64_t) {
  return onDevice([&](Emulated &state) -> int {
    *handle = state.current().device.create(bytes);
    return *handle ? DYN_CUDA_SUCCESS : DYN_CUDA_OUT_OF_MEMORY;
  });
}

int cuMemRelease(uint64_t handle) {
  return onAddress(
      handle, [&](Device &device, void *) { return device.destroy(handle); });
}

int cuMemMap(uint64_t address, size_t bytes, size_t offset, uint64_t handle,
             uint64_t) {
  return onAddress(address, [&](Device &device, void *at) {
    return offset == 0 && device.map(at, bytes, handle);
  });
}

int cuMemUnmap(uint64_t address, size_t bytes) {
  return onAddress(address, [&](Device &device, void *at) {
    return device.unmap(at, bytes);
  });
}

int cuMemSetAccess(uint64_t address, size_t bytes,
                   const dyn_cuda_access_t *access, size_t count) {
  return onAddress(address, [&](Device &device, void *at) {
    return count == 1 && access->access == DYN_CUDA_READ_WRITE &&
           device.permitAccess(at, bytes);
  });
}

void dyn_emu_count_mapped(size_t *now, size_t *most) {
  (void)onDevice([&](Emulated &state) -> int {
    Device &device = state.current().device;
    *now = device.getMapped();
    *most = device.getMostMapped();
    device.resetMostMapped();
    return DYN_CUDA_SUCCESS;
  });
}

int cuMemHostAlloc(void **memory, size_t bytes, unsigned) {
  // Pages, as those that a device can access.
  *memory = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  if (!*memory)
    return DYN_CUDA_OUT_OF_MEMORY;
  Emulated &state = emulated();
  std::lock_guard<std::mutex> lock(state.mutex);
  state.pinned[*memory] = bytes;
  return DYN_CUDA_SUCCESS;
}

int cuMemFreeHost(void *memory) {
  {
    Emulated &state = emulated();
    std::lock_guard<std::mutex> lock(state.mutex);
    state.pinned.erase(memory);
  }
  std::free(memory);
  return DYN_CUDA_SUCCESS;
}

namespace {
int asResult(bool isInside) {
  return isInside ? DYN_CUDA_SUCCESS : DYN_CUDA_INVALID_VALUE;
}

/// Whether a copy reads memory of the host when it runs, not when it is queued.
bool isPinned(const void *address) {
  Emulated &state = emulated();
  std::lock_guard<std::mutex> lock(state.mutex);
  auto after = state.pinned.upper_bound(address);
  if (after == state.pinned.begin())
    return false;
  auto [begin, bytes] = *std::prev(after);
  return address < static_cast<const char *>(begin) + bytes;
}
} // namespace

int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes) {
  return onDevice([&](Emulated &state) -> int {
    return asResult(
        state.ownerOf(to).write(reinterpret_cast<void *>(to), from, bytes));
  });
}

int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes,
                         dyn_cuda_stream_t stream) {
  std::shared_ptr<std::string> copy;
  if (!isPinned(from)) {
    copy =
        std::make_shared<std::string>(static_cast<const char *>(from), bytes);
    from = copy->data();
  }
  return onStream(stream, [=](Emulated &state, EmulatedDevice &device) {
    (void)copy;
    return asResult(state.ownerOf(to).write(reinterpret_cast<void *>(to), from,
                                            bytes, device.device));
  });
}

int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes,
                         dyn_cuda_stream_t stream) {
  return onStream(stream, [=](Emulated &state, EmulatedDevice &device) {
    return asResult(state.ownerOf(from).read(
        to, reinterpret_cast<const void *>(from), bytes, device.device));
  });
}

int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes,
                         dyn_cuda_stream_t stream) {
  return onStream(stream, [=](Emulated &state, EmulatedDevice &) {
    return asResult(state.ownerOf(to).copy(
        reinterpret_cast<void *>(to), state.ownerOf(from),
        reinterpret_cast<const void *>(from), bytes));
  });
}

int cuMemsetD8Async(uint64_t to, unsigned char value, size_t bytes,
                    dyn_cuda_stream_t stream) {
  return onStream(stream, [=](Emulated &state, EmulatedDevice &device) {
    return asResult(state.ownerOf(to).write(
        reinterpret_cast<void *>(to), std::string(bytes, char(value)).data(),
        bytes, device.device));
  });
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

int cuLaunchKernel(dyn_cuda_function_t function, unsigned blocks, unsigned y,
                   unsigned z, unsigned threads, unsigned threadsY,
                   unsigned threadsZ, unsigned, dyn_cuda_stream_t stream,
                   void **, void **extra) {
  if (y != 1 || z != 1 || threadsY != 1 || threadsZ != 1 || !extra ||
      extra[0] != DYN_CUDA_LAUNCH_BUFFER ||
      extra[2] != DYN_CUDA_LAUNCH_BUFFER_SIZE ||
      extra[4] != DYN_CUDA_LAUNCH_END)
    return DYN_CUDA_INVALID_VALUE;
  const auto &kernel = *reinterpret_cast<const dyn_emu_kernel_t *>(function);
  if (*static_cast<size_t *>(extra[3]) != kernel.param_bytes)
    return DYN_CUDA_INVALID_VALUE;
  auto *begin = static_cast<const char *>(extra[1]);
  auto params =
      std::make_shared<std::vector<uint64_t>>((kernel.param_bytes + 7) / 8);
  std::memcpy(params->data(), begin, kernel.param_bytes);
  return onStream(
      stream, [=, &kernel](Emulated &state, EmulatedDevice &device) -> int {
        if (state.countLaunch(device))
          device.device.launch(kernel, blocks, threads, params->data());
        return DYN_CUDA_SUCCESS;
      });
}
