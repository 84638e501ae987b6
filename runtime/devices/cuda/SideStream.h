//===- SideStream.h - A second stream of an execution ---------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_DEVICES_CUDA_SIDESTREAM_H
#define DYN_RUNTIME_DEVICES_CUDA_SIDESTREAM_H

#include "Driver.h"

namespace dyn::rt {

/// A stream for work that runs beside that of another one, for a while: it
/// begins behind what was queued there, and what is queued there later is
/// behind it. So whoever waits for the other stream waits for both, and memory
/// may be reused as if there were one. Made when it is first needed.
class SideStream {
public:
  explicit SideStream(const Driver &driver) : cuda(driver) {}
  SideStream(const SideStream &) = delete;

  /// Between begin and end, work is queued on `stream()`, too.
  dyn_status_t begin(dyn_cuda_stream_t main);
  dyn_status_t end(dyn_cuda_stream_t main);
  dyn_cuda_stream_t stream() const { return own; }
  /// After an end that has failed, `main` does not wait for it: returns a
  /// CUresult.
  int drain();

  bool isMade() const { return event; }
  /// Called before the end of its life, while the device is current.
  void destroy();

private:
  dyn_status_t make();

  const Driver &cuda;
  dyn_cuda_stream_t own = nullptr;
  dyn_cuda_event_t event = nullptr;
  bool isOpen = false;
};

} // namespace dyn::rt

#endif // DYN_RUNTIME_DEVICES_CUDA_SIDESTREAM_H
