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
#include <memory>
#include <mutex>

namespace dyn::emu {

/// One of the devices of this process.
struct EmulatedDevice {
  EmulatedDevice(const Limits &limits, uint32_t number)
      : device(limits, number) {}

  Device device;
  bool isLost = false;
  /// The faults of each stream since it was waited for.
  std::map<dyn_cuda_stream_t, std::vector<Report>> reports;
};

/// The devices of this process, which the driver and the GEMM library share.
/// Calls are serialised.
struct Emulated {
  Emulated();

  std::mutex mutex;
  std::vector<std::unique_ptr<EmulatedDevice>> devices;
  /// Those created by the host.
  std::map<dyn_cuda_stream_t, EmulatedDevice *> streams;
  uint64_t launchesLeft = getNumber("DYN_EMU_LOSE", 0);

  /// The devices of the contexts that a thread has pushed, the current one
  /// last. Without one, the first device is current.
  static std::vector<EmulatedDevice *> &contexts();
  EmulatedDevice &current() {
    return contexts().empty() ? *devices[0] : *contexts().back();
  }
  /// The device of a stream; of a predefined one, which each device has, the
  /// current device.
  EmulatedDevice &deviceOf(dyn_cuda_stream_t stream) {
    auto known = streams.find(stream);
    return known == streams.end() ? current() : *known->second;
  }
  /// The device that memory belongs to; the current one if to none.
  Device &ownerOf(const void *address) {
    for (const auto &each : devices)
      if (each->device.owns(address))
        return each->device;
    return current().device;
  }
  Device &ownerOf(uint64_t address) {
    return ownerOf(reinterpret_cast<const void *>(address));
  }

  /// Whether a stream was created here, or is one of the predefined ones.
  bool isStream(dyn_cuda_stream_t stream) const {
    return reinterpret_cast<uintptr_t>(stream) <= 2 || streams.count(stream);
  }

  /// Counts a launch; false if its device is lost.
  bool countLaunch(dyn_cuda_stream_t stream) {
    EmulatedDevice &device = deviceOf(stream);
    device.isLost |= launchesLeft && --launchesLeft == 0;
    return !device.isLost;
  }

  static uint64_t getNumber(const char *variable, uint64_t otherwise) {
    const char *text = std::getenv(variable);
    return text ? std::strtoull(text, nullptr, 10) : otherwise;
  }
};

/// Never destroyed: objects of the runtime may outlive statics.
Emulated &emulated();

/// Runs the implementation of an API function; returns `lost` if the current
/// device is lost.
template <typename Fn> int onDevice(int lost, Fn &&body) {
  Emulated &state = emulated();
  std::lock_guard<std::mutex> lock(state.mutex);
  return state.current().isLost ? lost : body(state);
}

/// The same for work that is queued on a stream, with the device of the stream:
/// its faults are reported when the host waits for the stream.
template <typename Fn>
int onStream(int lost, dyn_cuda_stream_t stream, Fn &&body) {
  Emulated &state = emulated();
  std::lock_guard<std::mutex> lock(state.mutex);
  EmulatedDevice &device = state.deviceOf(stream);
  if (device.isLost)
    return lost;
  std::vector<Report> &reports = device.reports[stream];
  device.device.swapReports(reports);
  int result = body(state, device.device);
  device.device.swapReports(reports);
  return result;
}

} // namespace dyn::emu

#endif // DYN_RUNTIME_EMULATOR_DRIVERSTATE_H
