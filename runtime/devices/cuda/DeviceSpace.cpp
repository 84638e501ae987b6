//===- DeviceSpace.cpp - The memory of an execution on a device -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceSpace.h"

#include <cstring>

using namespace dyn::rt;

dyn_status_t DeviceSpace::open(const DeviceProgram &program,
                               const MemorySource &source, void *givenStream,
                               std::unique_ptr<DeviceSpace> &out) {
  auto fresh = std::make_unique<DeviceSpace>(
      program, source, static_cast<dyn_cuda_stream_t>(givenStream));
  if (!givenStream) {
    DeviceProgram::Current current(program);
    DYN_RETURN_IF_FAILED(current.check());
    const Driver &cuda = program.driver();
    DYN_RETURN_IF_FAILED(cuda.check(
        cuda.streamCreate(&fresh->stream, DYN_CUDA_STREAM_NON_BLOCKING),
        "make a stream"));
    fresh->ownsStream = true;
  }
  out = std::move(fresh);
  return DYN_STATUS_OK;
}

DeviceSpace::DeviceSpace(const DeviceProgram &program,
                         const MemorySource &shared, dyn_cuda_stream_t stream)
    : program(program), stream(stream),
      streamMemory(shared, program.driver(), this->stream),
      source(streamMemory.source()), parameters(program.mostWords()) {
  block.setSource(source);
  workspace.setSource(source);
  errors.setSource(source);
  toDevice.setSource(program.pinned());
  toHost.setSource(program.pinned());
}

DeviceSpace::~DeviceSpace() {
  if (!ownsStream && !hasAsynchronous)
    return;
  DeviceProgram::Current current(program);
  // The memory returns to owners that do not know the stream.
  if (hasAsynchronous)
    drain();
  if (ownsStream)
    program.driver().streamDestroy(stream);
}

int DeviceSpace::drain() {
  isStaged = false;
  int result = program.driver().streamSynchronize(stream);
  if (result == DYN_CUDA_SUCCESS)
    streamMemory.settle();
  return result;
}

dyn_status_t DeviceSpace::synchronize() {
  return program.driver().check(drain(), "run the model");
}

//===----------------------------------------------------------------------===//
// Asynchronous calls
//===----------------------------------------------------------------------===//

dyn_status_t DeviceSpace::beginAsynchronous(uint64_t &allocations) {
  if (hasAsynchronous)
    return DYN_STATUS_OK;
  const Driver &cuda = program.driver();
  if (program.desc().site_count) {
    DYN_RETURN_IF_FAILED(errors.reserve(sizeof(uint64_t), allocations));
    DYN_RETURN_IF_FAILED(
        cuda.check(cuda.memsetAsync(reinterpret_cast<uint64_t>(errors.data()),
                                    0xff, sizeof(uint64_t), stream),
                   "fill memory of the device"));
  }
  hasAsynchronous = true;
  return DYN_STATUS_OK;
}

dyn_status_t DeviceSpace::wait(const Sites &sites, uint64_t &allocations) {
  if (!hasAsynchronous)
    return DYN_STATUS_OK;
  DeviceProgram::Current current(program);
  DYN_RETURN_IF_FAILED(current.check());
  const Driver &cuda = program.driver();
  uint64_t word = UINT64_MAX;
  if (errors.data()) {
    // The outputs of the last call may lie after the word.
    DYN_RETURN_IF_FAILED(toHost.reserve(sizeof(word), allocations));
    ++copiesToHost;
    DYN_RETURN_IF_FAILED(cuda.check(
        cuda.copyToHostAsync(toHost.data(),
                             reinterpret_cast<uint64_t>(errors.data()),
                             sizeof(word), stream),
        "copy from the device"));
  }
  ++waits;
  hasAsynchronous = false;
  DYN_RETURN_IF_FAILED(synchronize());
  if (errors.data())
    std::memcpy(&word, toHost.data(), sizeof(word));
  return sites.reportWord(word);
}
