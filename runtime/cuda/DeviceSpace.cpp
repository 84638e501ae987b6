//===- DeviceSpace.cpp - What an execution on a device keeps --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceSpace.h"

using namespace dyn::rt;

dyn_status_t DeviceSpace::open(const DeviceProgram &program,
                               const MemorySource &source, void *givenStream,
                               std::unique_ptr<DeviceSpace> &out) {
  auto stream = static_cast<dyn_cuda_stream_t>(givenStream);
  if (!givenStream) {
    DeviceProgram::Current current(program);
    const Driver &cuda = program.driver();
    DYN_RETURN_IF_FAILED(
        cuda.check(cuda.streamCreate(&stream, DYN_CUDA_STREAM_NON_BLOCKING),
                   "make a stream"));
  }
  out = std::make_unique<DeviceSpace>(program, source, stream, !givenStream);
  return DYN_STATUS_OK;
}

DeviceSpace::DeviceSpace(const DeviceProgram &program,
                         const MemorySource &shared, dyn_cuda_stream_t stream,
                         bool ownsStream)
    : program(program), stream(stream), ownsStream(ownsStream),
      streamMemory(shared, program.driver(), stream),
      source(streamMemory.source()), parameters(program.mostWords()) {
  block.setSource(source);
  workspace.setSource(source);
  toDevice.setSource(program.pinned());
  toHost.setSource(program.pinned());
}

DeviceSpace::~DeviceSpace() {
  if (!ownsStream)
    return;
  DeviceProgram::Current current(program);
  program.driver().streamDestroy(stream);
}
