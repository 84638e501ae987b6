//===- MappedBlocks.h - Addresses with memory behind some of them ---------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_DEVICES_CUDA_MAPPEDBLOCKS_H
#define DYN_RUNTIME_DEVICES_CUDA_MAPPEDBLOCKS_H

#include "DeviceMemory.h"

#include <vector>

namespace dyn::rt {

/// A range of addresses of a device in blocks, some of which have memory.
/// Addresses stay, so that kernels need not know. Memory of a block that is
/// unmapped serves the next one.
///
/// The device must be current, except in open(), and kernels must not use a
/// block while it is mapped or unmapped. Not thread-safe.
class MappedBlocks {
public:
  ~MappedBlocks();
  MappedBlocks() = default;
  MappedBlocks(const MappedBlocks &) = delete;

  /// Reserves addresses for `bytes` bytes of device `number`, called `name`.
  /// `memory` outlives this object.
  dyn_status_t open(const Driver &driver, dyn_cuda_context_t context,
                    int number, const char *name, DeviceMemory &memory,
                    uint64_t bytes);

  uint64_t begin() const { return first; }
  uint64_t blockBytes() const { return size; }
  uint32_t blockCount() const { return uint32_t(handles.size()); }
  uint64_t address(uint32_t block) const { return first + block * size; }

  dyn_status_t map(uint32_t block);
  dyn_status_t unmap(uint32_t block);

private:
  const Driver *cuda = nullptr;
  dyn_cuda_context_t context = nullptr;
  DeviceMemory *memory = nullptr;
  dyn_cuda_memory_t kind = {};
  uint64_t first = 0, size = 0;
  std::vector<uint64_t> handles; ///< of each block, 0 without memory
  std::vector<uint64_t> unused;
};

} // namespace dyn::rt

#endif // DYN_RUNTIME_DEVICES_CUDA_MAPPEDBLOCKS_H
