//===- StreamMemory.h - Stream-ordered memory -----------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_DEVICES_CUDA_STREAMMEMORY_H
#define DYN_RUNTIME_DEVICES_CUDA_STREAMMEMORY_H

#include "BlockList.h"
#include "Buffer.h"
#include "Driver.h"

namespace dyn::rt {

/// Device memory as seen by one stream. Queued kernels may still use a block
/// when it is freed: work that is queued later on the same stream may reuse it
/// at once, others only when the stream has been waited for.
class StreamMemory {
public:
  /// The caller keeps the ownership of `memory` and `stream`.
  StreamMemory(const MemorySource &memory, const Driver &driver,
               const dyn_cuda_stream_t &stream)
      : memory(memory), cuda(driver), stream(stream) {}
  ~StreamMemory() { settle(); }
  StreamMemory(const StreamMemory &) = delete;

  /// Called when all queued work has run.
  void settle();
  /// For buffers that the work on the stream uses.
  MemorySource source();

private:
  void *allocate(uint64_t bytes, uint64_t alignment);

  const MemorySource &memory;
  const Driver &cuda;
  const dyn_cuda_stream_t &stream;
  BlockList blocks; ///< queued work may use the free ones
};

} // namespace dyn::rt

#endif // DYN_RUNTIME_DEVICES_CUDA_STREAMMEMORY_H
