//===- CudaSpace.h - The memory of an execution on a device ---------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_DEVICES_CUDA_CUDASPACE_H
#define DYN_RUNTIME_DEVICES_CUDA_CUDASPACE_H

#include "CudaProgram.h"
#include "DirectCarrier.h"
#include "SideStream.h"
#include "StreamMemory.h"

namespace dyn::rt {

/// Routes of the running call that a profile records, in transfer to the host.
struct ProbedRoutes {
  Buffer copy; ///< offsets, seats and order, one after the other
  uint32_t router;
  int64_t cells, choices;
  bool hasOrder;
};

/// The guess of a router in the running call.
struct GuessedRows {
  bool isMade = false;   ///< paths run by a guess
  bool isCopied = false; ///< numbers of rows are being copied
  bool isGain = false;   ///< paths have run beside the router
};

/// The state that an execution on a device keeps from call to call in addition
/// to its Workspace. Data that is transferred between host and device lies in
/// one block, so that it takes one copy to the device and one back:
///
///   [ inputs | head: the error word | outputs ]
///     to the device --------------->
///             back <--------------------------
///
/// The error word of asynchronous calls lies elsewhere, as it outlives them.
struct CudaSpace final : DeviceSpace {
  /// Allocates device memory from `source`. Works on `givenStream`, or on a
  /// stream of its own if that is null.
  static dyn_status_t open(const CudaProgram &program,
                           const MemorySource &source, void *givenStream,
                           std::unique_ptr<DeviceSpace> &out);
  CudaSpace(const CudaProgram &program, const MemorySource &source,
            dyn_cuda_stream_t stream);
  ~CudaSpace() override;

  /// For work that is queued on the stream.
  const MemorySource &memory() const override { return source; }
  dyn_status_t run(dyn_execution &execution, const Signature &signature,
                   const dyn_call_options_t &options,
                   const dyn_tensor_t *inputs) override;
  dyn_status_t wait(const Sites &sites, uint64_t &allocations) override;
  void addStats(dyn_stats_t &stats) const override;
  void resetStats() override;

  /// Waits for all work queued on the stream.
  dyn_status_t synchronize();
  /// The same, but returns a CUresult, and leaves the message of a failure.
  /// That of an exchange is a failure beside it.
  int drain();
  /// Called before an asynchronous call.
  dyn_status_t beginAsynchronous(uint64_t &allocations);

  const CudaProgram &program;
  dyn_cuda_stream_t stream;
  bool ownsStream = false;
  SideStream side; ///< for paths beside their router
  StreamMemory streamMemory;
  MemorySource source;
  Buffer block;
  Buffer toDevice;       ///< the begin of the block, in pinned host memory
  Buffer toHost;         ///< the block's end, likewise
  Buffer workspace;      ///< of the GEMM library
  Buffer errors;         ///< the error word of asynchronous calls
  bool isStaged = false; ///< queued work reads toDevice
  bool isQueued = false; ///< work of the running call was not waited for
  bool hasAsynchronous = false; ///< calls since the last wait()
  int64_t outputBytes = 0;      ///< of the outputs of the last call
  /// The begin of the gap before each output, -1 where it was never written.
  std::vector<int64_t> gaps;
  std::vector<ProbedRoutes> probed;
  std::vector<GuessedRows> guessed; ///< of each router
  Buffer guessedCopy; ///< rows of each router, its guess and the rest
  std::vector<uint64_t> parameters;
  uint64_t copiesToDevice = 0, copiesToHost = 0, waits = 0;
  uint64_t libraryLaunches = 0, libraryMisses = 0;
  uint64_t stagedBytes = 0, directBytes = 0;
  // Of exchanges with other ranks:
  StagingArea staging;
  Movements movements;
  dyn_status_t movementFailure = DYN_STATUS_OK; ///< of the last drain
  std::string movementText;
};

} // namespace dyn::rt

#endif // DYN_RUNTIME_DEVICES_CUDA_CUDASPACE_H
