//===- MappedBlocks.cpp - Addresses with memory behind some of them -------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MappedBlocks.h"

using namespace dyn::rt;

dyn_status_t MappedBlocks::open(const Driver &driver, dyn_cuda_context_t opened,
                                int number, const char *name,
                                DeviceMemory &source, uint64_t bytes) {
  Driver::Current current(driver, opened);
  DYN_RETURN_IF_FAILED(current.check());
  int maps = 0;
  if (driver.deviceGetAttribute(&maps, DYN_CUDA_MAPS_MEMORY, number) !=
          DYN_CUDA_SUCCESS ||
      !maps)
    return fail(DYN_STATUS_UNSUPPORTED,
                "memory_limit: '%s' cannot map memory, which constants beyond "
                "the limit need",
                name);
  kind.type = DYN_CUDA_MEMORY_PINNED;
  kind.location = DYN_CUDA_LOCATION_DEVICE;
  kind.device = number;
  constexpr int least = 0;
  size_t granularity = 0;
  DYN_RETURN_IF_FAILED(
      driver.check(driver.getGranularity(&granularity, &kind, least),
                   "find the size of its pages"));
  uint64_t count = (bytes + granularity - 1) / granularity;
  handles.resize(count);
  unused.reserve(count);
  uint64_t reserved = 0;
  DYN_RETURN_IF_FAILED(
      driver.check(driver.memReserve(&reserved, count * granularity, 0, 0, 0),
                   "reserve addresses for constants"));
  cuda = &driver;
  context = opened;
  memory = &source;
  first = reserved;
  size = granularity;
  return DYN_STATUS_OK;
}

MappedBlocks::~MappedBlocks() {
  if (!cuda)
    return;
  Driver::Current current(*cuda, context);
  for (uint32_t block = 0; block < handles.size(); ++block)
    if (handles[block]) {
      cuda->memUnmap(address(block), size);
      memory->destroy(handles[block], size);
    }
  for (uint64_t handle : unused)
    memory->destroy(handle, size);
  cuda->memUnreserve(first, handles.size() * size);
}

dyn_status_t MappedBlocks::map(uint32_t block) {
  // It could not be unmapped before.
  if (handles[block])
    return DYN_STATUS_OK;
  if (unused.empty()) {
    uint64_t handle = memory->create(kind, size);
    if (!handle)
      return memory->explain(size, "a block of constants");
    unused.push_back(handle);
  }
  DYN_RETURN_IF_FAILED(
      cuda->check(cuda->memMap(address(block), size, 0, unused.back(), 0),
                  "map a block of constants"));
  dyn_cuda_access_t access = {kind.location, kind.device, DYN_CUDA_READ_WRITE};
  int result = cuda->memSetAccess(address(block), size, &access, 1);
  if (result != DYN_CUDA_SUCCESS) {
    cuda->memUnmap(address(block), size);
    return cuda->check(result, "access a block of constants");
  }
  handles[block] = unused.back();
  unused.pop_back();
  return DYN_STATUS_OK;
}

dyn_status_t MappedBlocks::unmap(uint32_t block) {
  if (!handles[block])
    return DYN_STATUS_OK;
  DYN_RETURN_IF_FAILED(cuda->check(cuda->memUnmap(address(block), size),
                                   "unmap a block of constants"));
  unused.push_back(handles[block]);
  handles[block] = 0;
  return DYN_STATUS_OK;
}
