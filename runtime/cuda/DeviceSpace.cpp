//===- DeviceSpace.cpp - What an execution on a device keeps --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceSpace.h"

using namespace dyn::rt;

dyn_status_t DeviceSpace::open(const DeviceProgram &program, void *givenStream,
                               size_t outputs,
                               std::unique_ptr<DeviceSpace> &out) {
  auto space = std::make_unique<DeviceSpace>();
  space->program = &program;
  space->stream = static_cast<dyn_cuda_stream_t>(givenStream);
  if (!givenStream) {
    DeviceProgram::Current current(program);
    const Driver &cuda = program.driver();
    DYN_RETURN_IF_FAILED(cuda.check(
        cuda.streamCreate(&space->stream, DYN_CUDA_STREAM_NON_BLOCKING),
        "make a stream"));
    space->ownsStream = true;
  }
  space->staging.setSource(program.pinned());
  space->inputs.setSource(program.memory());
  space->outputs.resize(outputs);
  for (Buffer &output : space->outputs)
    output.setSource(program.pinned());
  space->parameters.resize(program.mostWords());
  out = std::move(space);
  return DYN_STATUS_OK;
}

DeviceSpace::~DeviceSpace() {
  if (!ownsStream)
    return;
  DeviceProgram::Current current(*program);
  program->driver().streamDestroy(stream);
}
