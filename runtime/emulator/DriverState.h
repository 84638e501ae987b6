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
#include <mutex>

namespace dyn::emu {

/// The device of this process, which the driver and the library of products
/// share. Calls come one at a time.
struct Emulated {
  std::mutex mutex;
  Device device{getLimits()};
  std::string lastReport; ///< what the last failed wait was about
  uint64_t launchesLeft = getNumber("DYN_EMU_LOSE", 0);
  bool isLost = false;

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

/// The handle of every stream.
dyn_cuda_stream_t getStream();

/// Runs what the device does for a function of an interface; `lost` if it is
/// lost.
template <typename Fn> int onDevice(int lost, Fn &&body) {
  Emulated &state = emulated();
  std::lock_guard<std::mutex> lock(state.mutex);
  return state.isLost ? lost : body(state);
}

} // namespace dyn::emu

#endif // DYN_RUNTIME_EMULATOR_DRIVERSTATE_H
