//===- CudaSpace.cpp - The memory of an execution on a device -------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaSpace.h"

#include "CudaCall.h"
#include "Execution.h"

#include <cstring>

using namespace dyn::rt;

dyn_status_t CudaSpace::open(const CudaProgram &program,
                             const MemorySource &source, void *givenStream,
                             std::unique_ptr<DeviceSpace> &out) {
  auto fresh = std::make_unique<CudaSpace>(
      program, source, static_cast<dyn_cuda_stream_t>(givenStream));
  if (!givenStream) {
    CudaProgram::Current current(program);
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

CudaSpace::CudaSpace(const CudaProgram &program, const MemorySource &shared,
                     dyn_cuda_stream_t stream)
    : program(program), stream(stream), side(program.driver()),
      streamMemory(shared, program.driver(), this->stream),
      source(streamMemory.source()), parameters(program.mostWords()),
      staging(program.pinned()), movements(program.driver()) {
  block.setSource(source);
  workspace.setSource(source);
  errors.setSource(source);
  toDevice.setSource(program.pinned());
  toHost.setSource(program.pinned());
  guessedCopy.setSource(program.pinned());
}

CudaSpace::~CudaSpace() {
  if (!ownsStream && !hasAsynchronous && !side.isMade())
    return;
  CudaProgram::Current current(program);
  // The memory returns to owners that do not know the stream.
  if (hasAsynchronous)
    drain();
  side.destroy();
  if (ownsStream)
    program.driver().streamDestroy(stream);
}

int CudaSpace::drain() {
  isStaged = isQueued = false;
  // With a deadline: the stream waits for them.
  movementFailure = movements.settle(movementText);
  int result = side.drain();
  if (result == DYN_CUDA_SUCCESS)
    result = program.driver().streamSynchronize(stream);
  if (result == DYN_CUDA_SUCCESS) {
    streamMemory.settle();
    staging.settle();
  }
  return result;
}

dyn_status_t CudaSpace::synchronize() {
  int result = drain();
  if (movementFailure)
    return fail(movementFailure, "%s", movementText.c_str());
  return program.driver().check(result, "run the model");
}

dyn_status_t CudaSpace::run(dyn_execution &execution,
                            const Signature &signature,
                            const dyn_call_options_t &options,
                            const dyn_tensor_t *inputs) {
  dyn_execution::Attempt attempt;
  // Errors of a guess are known before the call ends, or else nobody can tell
  // them from the program's.
  attempt.mayGuess = !options.asynchronous;
  while (true) {
    CudaCall call(execution.context(), execution.workspace(), *this, signature,
                  options, inputs);
    dyn_status_t status = execution.runCall(call, attempt);
    if (!attempt.isAgain)
      return status;
  }
}

void CudaSpace::addStats(dyn_stats_t &stats) const {
  stats.output_bytes += toHost.bytes();
  stats.copies_to_device += copiesToDevice;
  stats.copies_to_host += copiesToHost;
  stats.device_waits += waits;
  stats.library_launches += libraryLaunches;
  stats.library_misses += libraryMisses;
  stats.staged_bytes += stagedBytes;
  stats.direct_bytes += directBytes;
}

void CudaSpace::resetStats() {
  copiesToDevice = copiesToHost = waits = libraryLaunches = libraryMisses = 0;
  stagedBytes = directBytes = 0;
}

//===----------------------------------------------------------------------===//
// Asynchronous calls
//===----------------------------------------------------------------------===//

dyn_status_t CudaSpace::beginAsynchronous(uint64_t &allocations) {
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

dyn_status_t CudaSpace::wait(const Sites &sites, uint64_t &allocations) {
  if (!hasAsynchronous)
    return DYN_STATUS_OK;
  CudaProgram::Current current(program);
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
