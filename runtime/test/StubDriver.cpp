//===- StubDriver.cpp - A CUDA driver that does nothing -------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Has two devices that take no time, so that the runtime's cost on the host can
// be measured, and fails on request: after dyn_stub_fail("cuMemAlloc_v2", 2)
// that function returns 2, until the next such call. Device memory is host
// memory. dyn_stub_depth() returns the number of contexts on the stacks of all
// threads.
//
//===----------------------------------------------------------------------===//

#include "dyn/cuda_driver.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>

#define DYN_STUB_API extern "C" __attribute__((visibility("default")))
#define DYN_CUDA_FUNCTION(member, symbol, parameters)                          \
  DYN_STUB_API int symbol parameters;
#include "dyn/cuda_driver.def"

namespace {
std::string failing;
int failure = DYN_CUDA_SUCCESS;
std::atomic<int> depth{0};
/// Contexts, modules, streams and blocks of memory that were not given back.
std::atomic<int> held{0};

int result(const char *function) {
  return failure != DYN_CUDA_SUCCESS && failing == function ? failure
                                                            : DYN_CUDA_SUCCESS;
}

char object; ///< for handles
/// Sets the handle even if it fails: CUDA does not say what is in it then.
template <typename Handle> int make(Handle *handle, const char *function) {
  *handle = reinterpret_cast<Handle>(&object);
  return result(function);
}
template <typename Handle> int hold(Handle *handle, const char *function) {
  int made = make(handle, function);
  held += made == DYN_CUDA_SUCCESS;
  return made;
}
int giveBack(const char *function) {
  --held;
  return result(function);
}
} // namespace

DYN_STUB_API void dyn_stub_fail(const char *function, int returned) {
  failing = function;
  failure = returned;
}

DYN_STUB_API int dyn_stub_depth() { return depth; }

DYN_STUB_API int dyn_stub_held() { return held; }

int cuInit(unsigned) { return result(__func__); }
int cuGetErrorString(int, const char **text) {
  *text = "as the test wants";
  return DYN_CUDA_SUCCESS;
}
int cuDeviceGetCount(int *count) {
  *count = 2;
  return result(__func__);
}
int cuDeviceGet(int *device, int ordinal) {
  *device = ordinal;
  return result(__func__);
}
int cuDeviceGetName(char *name, int bytes, int) {
  std::strncpy(name, "stub", size_t(bytes));
  return result(__func__);
}
int cuDeviceGetAttribute(int *value, int attribute, int) {
  *value = attribute == DYN_CUDA_CAPABILITY_MAJOR ? 7 : 5;
  return result(__func__);
}
int cuDevicePrimaryCtxRetain(dyn_cuda_context_t *context, int) {
  return hold(context, __func__);
}
int cuDevicePrimaryCtxRelease_v2(int) { return giveBack(__func__); }
int cuCtxPushCurrent_v2(dyn_cuda_context_t) {
  if (int refused = result(__func__))
    return refused;
  ++depth;
  return DYN_CUDA_SUCCESS;
}
int cuCtxPopCurrent_v2(dyn_cuda_context_t *context) {
  --depth;
  return make(context, __func__);
}
int cuModuleLoadData(dyn_cuda_module_t *module, const void *) {
  return hold(module, __func__);
}
int cuModuleUnload(dyn_cuda_module_t) { return giveBack(__func__); }
int cuModuleGetFunction(dyn_cuda_function_t *function, dyn_cuda_module_t,
                        const char *) {
  return make(function, __func__);
}
int cuMemAlloc_v2(uint64_t *address, size_t bytes) {
  if (int refused = result(__func__))
    return refused;
  *address = reinterpret_cast<uint64_t>(std::aligned_alloc(256, bytes));
  held += *address != 0;
  return *address ? DYN_CUDA_SUCCESS : DYN_CUDA_OUT_OF_MEMORY;
}
int cuMemFree_v2(uint64_t address) {
  std::free(reinterpret_cast<void *>(address));
  return giveBack(__func__);
}
/// Addresses are memory, which is all mapped.
int cuMemGetAllocationGranularity(size_t *bytes, const dyn_cuda_memory_t *,
                                  int) {
  *bytes = 65536;
  return result(__func__);
}
int cuMemAddressReserve(uint64_t *address, size_t bytes, size_t, uint64_t,
                        uint64_t) {
  if (int refused = result(__func__))
    return refused;
  *address = reinterpret_cast<uint64_t>(std::aligned_alloc(65536, bytes));
  ++held;
  return DYN_CUDA_SUCCESS;
}
int cuMemAddressFree(uint64_t address, size_t) {
  std::free(reinterpret_cast<void *>(address));
  return giveBack(__func__);
}
int cuMemCreate(uint64_t *handle, size_t, const dyn_cuda_memory_t *, uint64_t) {
  *handle = 1;
  held += result(__func__) == DYN_CUDA_SUCCESS;
  return result(__func__);
}
int cuMemRelease(uint64_t) { return giveBack(__func__); }
int cuMemMap(uint64_t, size_t, size_t, uint64_t, uint64_t) {
  held += result(__func__) == DYN_CUDA_SUCCESS;
  return result(__func__);
}
int cuMemUnmap(uint64_t, size_t) {
  if (int refused = result(__func__))
    return refused;
  return giveBack(__func__);
}
int cuMemSetAccess(uint64_t, size_t, const dyn_cuda_access_t *, size_t) {
  return result(__func__);
}
int cuMemHostAlloc(void **memory, size_t bytes, unsigned) {
  if (int refused = result(__func__))
    return refused;
  *memory = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  held += *memory != nullptr;
  return *memory ? DYN_CUDA_SUCCESS : DYN_CUDA_OUT_OF_MEMORY;
}
int cuMemFreeHost(void *memory) {
  std::free(memory);
  return giveBack(__func__);
}
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes) {
  std::memcpy(reinterpret_cast<void *>(to), from, bytes);
  return result(__func__);
}
int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes,
                         dyn_cuda_stream_t) {
  std::memcpy(reinterpret_cast<void *>(to), from, bytes);
  return result(__func__);
}
int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes,
                         dyn_cuda_stream_t) {
  std::memcpy(to, reinterpret_cast<void *>(from), bytes);
  return result(__func__);
}
int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes,
                         dyn_cuda_stream_t) {
  std::memcpy(reinterpret_cast<void *>(to), reinterpret_cast<void *>(from),
              bytes);
  return result(__func__);
}
int cuMemsetD8Async(uint64_t to, unsigned char value, size_t bytes,
                    dyn_cuda_stream_t) {
  std::memset(reinterpret_cast<void *>(to), value, bytes);
  return result(__func__);
}
int cuStreamCreate(dyn_cuda_stream_t *stream, unsigned) {
  return hold(stream, __func__);
}
int cuStreamDestroy_v2(dyn_cuda_stream_t) { return giveBack(__func__); }
int cuStreamSynchronize(dyn_cuda_stream_t) { return result(__func__); }
int cuStreamWaitEvent(dyn_cuda_stream_t, dyn_cuda_event_t, unsigned) {
  return result(__func__);
}
int cuEventCreate(dyn_cuda_event_t *event, unsigned) {
  return hold(event, __func__);
}
int cuEventDestroy_v2(dyn_cuda_event_t) { return giveBack(__func__); }
int cuEventRecord(dyn_cuda_event_t, dyn_cuda_stream_t) {
  return result(__func__);
}
int cuEventSynchronize(dyn_cuda_event_t) { return result(__func__); }
int cuEventQuery(dyn_cuda_event_t) { return result(__func__); }
int cuLaunchKernel(dyn_cuda_function_t, unsigned, unsigned, unsigned, unsigned,
                   unsigned, unsigned, unsigned, dyn_cuda_stream_t, void **,
                   void **) {
  return result(__func__);
}
