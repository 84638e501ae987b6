//===- DeviceSpace.h - What an execution on a device keeps ----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_CUDA_DEVICESPACE_H
#define DYN_RUNTIME_CUDA_DEVICESPACE_H

#include "DeviceProgram.h"
#include "Sites.h"
#include "StreamMemory.h"

namespace dyn::rt {

/// Routes of the running call that a profile wants, on their way to the host.
struct ProbedRoutes {
  Buffer copy; ///< offsets, places and order, one behind the other
  uint32_t router;
  int64_t cells, choices;
  bool hasOrder;
};

/// What an execution on a device keeps from call to call beside its Workspace.
/// What passes between the host and the device lies in one block, so that it
/// takes one copy to the device and one back:
///
///   [ inputs | head: the word of errors | outputs ]
///     to the device ------------------>
///             back <-----------------------------
///
/// The word of asynchronous calls lies elsewhere, as it outlives them.
struct DeviceSpace {
  /// Takes memory of the device from `source`. Works on `givenStream`, or on a
  /// stream of its own if that is null.
  static dyn_status_t open(const DeviceProgram &program,
                           const MemorySource &source, void *givenStream,
                           std::unique_ptr<DeviceSpace> &out);
  DeviceSpace(const DeviceProgram &program, const MemorySource &source,
              dyn_cuda_stream_t stream);
  ~DeviceSpace();

  /// Memory of the device for what is queued on the stream.
  const MemorySource &memory() const { return source; }

  /// Waits for all that is queued on the stream.
  dyn_status_t synchronize();
  /// The same, but returns a CUresult, and leaves the message of a failure.
  int drain();
  /// Comes before an asynchronous call.
  dyn_status_t beginAsynchronous(uint64_t &allocations);
  /// Waits for asynchronous calls, and reports the error that they have met.
  dyn_status_t wait(const Sites &sites, uint64_t &allocations);

  const DeviceProgram &program;
  dyn_cuda_stream_t stream;
  bool ownsStream = false;
  StreamMemory streamMemory;
  MemorySource source;
  Buffer block;
  Buffer toDevice;       ///< the block's begin, in pinned memory of the host
  Buffer toHost;         ///< the block's end, likewise
  Buffer workspace;      ///< of the library of products
  Buffer errors;         ///< the word of asynchronous calls
  bool isStaged = false; ///< what is queued reads toDevice
  bool hasAsynchronous = false; ///< calls since the last wait()
  int64_t outputBytes = 0;      ///< of the outputs of the last call
  /// Where the gap begins before each output, -1 where it was never written.
  std::vector<int64_t> gaps;
  std::vector<ProbedRoutes> probed;
  std::vector<uint64_t> parameters;
  uint64_t copiesToDevice = 0, copiesToHost = 0, waits = 0;
  uint64_t libraryLaunches = 0, libraryMisses = 0;
};

} // namespace dyn::rt

#endif // DYN_RUNTIME_CUDA_DEVICESPACE_H
