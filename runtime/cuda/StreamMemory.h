//===- StreamMemory.h - Memory in the order of a stream -------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_CUDA_STREAMMEMORY_H
#define DYN_RUNTIME_CUDA_STREAMMEMORY_H

#include "BlockList.h"
#include "Buffer.h"
#include "Driver.h"

namespace dyn::rt {

/// The device's memory as one stream has it. Kernels that are queued may still
/// use a block when it is given back: what is queued later on the same stream
/// may have it at once, others not before the stream has been waited for.
class StreamMemory {
public:
  /// `memory` and `stream` stay the caller's.
  StreamMemory(const MemorySource &memory, const Driver &driver,
               const dyn_cuda_stream_t &stream)
      : memory(memory), cuda(driver), stream(stream) {}
  ~StreamMemory() { settle(); }
  StreamMemory(const StreamMemory &) = delete;

  /// All that was queued has run.
  void settle();
  /// For buffers that the stream's work uses.
  MemorySource source();

private:
  void *allocate(uint64_t bytes, uint64_t alignment);

  const MemorySource &memory;
  const Driver &cuda;
  const dyn_cuda_stream_t &stream;
  BlockList blocks; ///< what is queued may use those that are free
};

} // namespace dyn::rt

#endif // DYN_RUNTIME_CUDA_STREAMMEMORY_H
