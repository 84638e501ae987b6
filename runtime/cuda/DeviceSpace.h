//===- DeviceSpace.h - What an execution on a device keeps ----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_CUDA_DEVICESPACE_H
#define DYN_RUNTIME_CUDA_DEVICESPACE_H

#include "DeviceProgram.h"

namespace dyn::rt {

/// What an execution on a device keeps from call to call beside its Workspace.
struct DeviceSpace {
  /// Works on `givenStream`, or on a stream of its own if that is null.
  static dyn_status_t open(const DeviceProgram &program, void *givenStream,
                           size_t outputs, std::unique_ptr<DeviceSpace> &out);
  ~DeviceSpace();

  const DeviceProgram *program = nullptr;
  dyn_cuda_stream_t stream = nullptr;
  bool ownsStream = false;
  /// The error word of the call, then inputs, as they are copied: in memory of
  /// the host, and on the device.
  Buffer staging, inputs;
  std::vector<Buffer> outputs; ///< copies of outputs for the host
  std::vector<uint64_t> parameters;
  uint64_t copiesToDevice = 0, copiesToHost = 0, waits = 0;
};

} // namespace dyn::rt

#endif // DYN_RUNTIME_CUDA_DEVICESPACE_H
