//===- SideStream.cpp - A second stream of an execution -------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SideStream.h"

using namespace dyn::rt;

static constexpr const char *kWhat = "run kernels beside each other";

dyn_status_t SideStream::make() {
  if (!event) {
    dyn_cuda_event_t made = nullptr;
    DYN_RETURN_IF_FAILED(cuda.check(
        cuda.eventCreate(&made, DYN_CUDA_EVENT_DISABLE_TIMING), kWhat));
    event = made;
  }
  if (!own) {
    dyn_cuda_stream_t made = nullptr;
    DYN_RETURN_IF_FAILED(cuda.check(
        cuda.streamCreate(&made, DYN_CUDA_STREAM_NON_BLOCKING), kWhat));
    own = made;
  }
  return DYN_STATUS_OK;
}

// One event for both ends: a stream waits for what the event recorded last when
// the wait is queued.

dyn_status_t SideStream::begin(dyn_cuda_stream_t main) {
  DYN_RETURN_IF_FAILED(make());
  DYN_RETURN_IF_FAILED(cuda.check(cuda.eventRecord(event, main), kWhat));
  DYN_RETURN_IF_FAILED(cuda.check(cuda.streamWaitEvent(own, event, 0), kWhat));
  isOpen = true;
  return DYN_STATUS_OK;
}

dyn_status_t SideStream::end(dyn_cuda_stream_t main) {
  DYN_RETURN_IF_FAILED(cuda.check(cuda.eventRecord(event, own), kWhat));
  DYN_RETURN_IF_FAILED(cuda.check(cuda.streamWaitEvent(main, event, 0), kWhat));
  isOpen = false;
  return DYN_STATUS_OK;
}

int SideStream::drain() {
  if (!isOpen)
    return DYN_CUDA_SUCCESS;
  isOpen = false;
  return cuda.streamSynchronize(own);
}

void SideStream::destroy() {
  if (event)
    cuda.eventDestroy(event);
  if (own)
    cuda.streamDestroy(own);
  event = nullptr;
  own = nullptr;
}
