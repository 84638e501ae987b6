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

#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>

namespace dyn::emu {

/// Work that waits on a stream.
struct Work {
  std::function<bool()> isReady; ///< null for always
  std::function<void()> run;
};

struct EmulatedDevice;

struct Stream {
  EmulatedDevice *device = nullptr;
  std::deque<Work> work;
  std::vector<Report> reports; ///< the faults since it was waited for
  /// Transfers between devices that no work of this stream has followed yet.
  std::vector<Device::TransferId> transfers;
  /// The points of other streams that its work from now on is ordered after.
  StreamClock known;
};

/// One of the devices of this process.
struct EmulatedDevice {
  EmulatedDevice(const Limits &limits, uint32_t number)
      : device(limits, number) {}

  Device device;
  bool isLost = false;
  std::map<dyn_cuda_stream_t, Stream> streams;
};

/// The devices of this process, which the driver and the GEMM library share.
/// Calls are serialised.
struct Emulated {
  Emulated();

  std::mutex mutex;
  std::vector<std::unique_ptr<EmulatedDevice>> devices;
  std::condition_variable changed; ///< work on a stream has run
  /// Those created by the host.
  std::map<dyn_cuda_stream_t, EmulatedDevice *> streams;
  std::map<const void *, size_t> pinned; ///< memory of the host
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
  Stream &find(dyn_cuda_stream_t handle) {
    EmulatedDevice &device = deviceOf(handle);
    Stream &stream = device.streams[handle];
    stream.device = &device;
    return stream;
  }
  /// Runs work when all before it on the stream has run and it is ready: at
  /// once if that is so.
  void enqueue(Stream &stream, Work work) {
    stream.work.push_back(std::move(work));
    advance();
  }
  /// Runs what has become ready on all streams.
  void advance();
  /// Work from now on is ordered after the transfers of the stream.
  static void endTransfers(Stream &stream);
  /// A point behind all work of the stream so far.
  static StreamClock getPoint(const Stream &stream) {
    StreamClock point = stream.known;
    stream.device->device.addWork(point, &stream);
    return point;
  }
  /// The host has waited for a point: all work from now on follows it.
  void forget(const StreamClock &point) {
    for (const auto &each : devices)
      each->device.forgetWork(point);
  }
  /// Calls `body`, work of the stream, with faults of the stream's device
  /// reported on the stream.
  template <typename Fn> static auto reporting(Stream &stream, Fn &&body) {
    Device &device = stream.device->device;
    device.swapReports(stream.reports);
    device.beginWork(&stream, stream.known);
    auto result = body();
    device.endWork();
    device.swapReports(stream.reports);
    return result;
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
  bool countLaunch(EmulatedDevice &device) {
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
/// its faults are reported when the host waits for the stream. It runs at once,
/// unless other work waits on the stream: then `body`, which must not refer to
/// the caller's variables, runs later, and its result is lost.
template <typename Fn>
int onStream(int lost, dyn_cuda_stream_t handle, Fn &&body) {
  Emulated &state = emulated();
  std::lock_guard<std::mutex> lock(state.mutex);
  Stream &stream = state.find(handle);
  if (stream.device->isLost)
    return lost;
  auto run = [&state, &stream, body] {
    Emulated::endTransfers(stream);
    return Emulated::reporting(stream,
                               [&] { return body(state, *stream.device); });
  };
  if (stream.work.empty())
    return run();
  stream.work.push_back({nullptr, [run] { (void)run(); }});
  return 0;
}

} // namespace dyn::emu

#endif // DYN_RUNTIME_EMULATOR_DRIVERSTATE_H
