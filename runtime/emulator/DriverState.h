//===- DriverState.h - The emulator behind its interfaces -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_EMULATOR_DRIVERSTATE_H
#define DYN_RUNTIME_EMULATOR_DRIVERSTATE_H

#include "Emulator.h"

#include "dyn/cuda_driver.h"

#include <cstdlib>
#include <map>
#include <mutex>
#include <set>

namespace dyn::emu {

/// The device of this process, which the driver and the GEMM library share.
/// Calls are serialised.
struct Emulated {
  std::mutex mutex;
  Device device{getLimits()};
  std::set<dyn_cuda_stream_t> streams; ///< created by the host
  /// The faults of each stream since it was waited for.
  std::map<dyn_cuda_stream_t, std::vector<Report>> reports;
  uint64_t launchesLeft = getNumber("DYN_EMU_LOSE", 0);
  bool isLost = false;

  /// Whether a stream was created here, or is one of the predefined ones.
  bool isStream(dyn_cuda_stream_t stream) const {
    return reinterpret_cast<uintptr_t>(stream) <= 2 || streams.count(stream);
  }

  /// Counts a launch; false if the device is lost.
  bool countLaunch() {
    isLost |= launchesLeft && --launchesLeft == 0;
    return !isLost;
  }

private:
  static uint64_t getNumber(const char *variable, uint64_t otherwise) {
    const char *text = std::getenv(variable);
    return text ? std::strtoull(text, nullptr, 10) : otherwise;
  }
  static Limits getLimits() {
    Limits limits;
    limits.memoryBytes = getNumber("DYN_EMU_MEMORY", uint64_t(16) << 30);
    return limits;
  }
};

/// Never destroyed: objects of the runtime may outlive statics.
Emulated &emulated();

/// Runs the implementation of an API function; returns `lost` if the device is
/// lost.
template <typename Fn> int onDevice(int lost, Fn &&body) {
  Emulated &state = emulated();
  std::lock_guard<std::mutex> lock(state.mutex);
  return state.isLost ? lost : body(state);
}

/// The same for work that is queued on a stream: its faults are reported when
/// the host waits for the stream.
template <typename Fn>
int onStream(int lost, dyn_cuda_stream_t stream, Fn &&body) {
  return onDevice(lost, [&](Emulated &state) -> int {
    std::vector<Report> &reports = state.reports[stream];
    state.device.swapReports(reports);
    int result = body(state);
    state.device.swapReports(reports);
    return result;
  });
}

} // namespace dyn::emu

#endif // DYN_RUNTIME_EMULATOR_DRIVERSTATE_H
