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

/// The device of this process, which the driver and the library of products
/// share. Calls come one at a time.
struct Emulated {
  std::mutex mutex;
  Device device{getLimits()};
  std::set<dyn_cuda_stream_t> streams; ///< those that were made
  /// What went wrong in each stream since it was waited for.
  std::map<dyn_cuda_stream_t, std::vector<Report>> reports;
  uint64_t launchesLeft = getNumber("DYN_EMU_LOSE", 0);
  bool isLost = false;

  /// Whether a stream was made here, or is one of those that are always there.
  bool isStream(dyn_cuda_stream_t stream) const {
    return reinterpret_cast<uintptr_t>(stream) <= 2 || streams.count(stream);
  }

  /// Counts a launch, and says whether the device is still there.
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

/// Runs what the device does for a function of an interface; `lost` if it is
/// lost.
template <typename Fn> int onDevice(int lost, Fn &&body) {
  Emulated &state = emulated();
  std::lock_guard<std::mutex> lock(state.mutex);
  return state.isLost ? lost : body(state);
}

/// The same for what is queued on a stream: what goes wrong is told when the
/// host waits for that.
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
