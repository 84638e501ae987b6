//===- Routes.h - The interface of profiles to calls ----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_CORE_ROUTES_H
#define DYN_RUNTIME_CORE_ROUTES_H

#include "Status.h"

#include <atomic>
#include <memory>

namespace dyn::rt {

/// The profile that records, or null. Profiles set it; a call checks it by one
/// load.
inline std::atomic<dyn_profile_t *> recordingProfile{nullptr};

/// Records the routes of an execution's calls, of one call at a time.
class RouteRecorder {
public:
  virtual ~RouteRecorder() = default;

  /// Begins a call. False if it is not recorded.
  virtual bool begin() = 0;
  /// Adds the routes that a probe shows (see `probe` in artifact.h).
  virtual void add(uint32_t router, uint32_t paths, const int64_t *offsets,
                   const int64_t *seats, const int64_t *order, int64_t cells,
                   int64_t choices) noexcept = 0;
  /// Called if there was no memory for the routes of a router.
  virtual void countLost() noexcept = 0;
  /// Ends a call. Routes of failed calls do not count.
  virtual void end(bool succeeded) noexcept = 0;
};

/// The recording of one call. Does nothing without a recorder.
class RecordedCall {
public:
  RecordedCall() = default;
  ~RecordedCall() {
    if (recorder)
      recorder->end(succeeded);
  }
  RecordedCall(const RecordedCall &) = delete;
  RecordedCall &operator=(const RecordedCall &) = delete;

  void begin(RouteRecorder &into) {
    if (into.begin())
      recorder = &into;
  }
  explicit operator bool() const { return recorder; }
  RouteRecorder *operator->() const { return recorder; }
  void succeed() { succeeded = true; }

private:
  RouteRecorder *recorder = nullptr;
  bool succeeded = false;
};

/// The functions of profiles.
struct RouteProfiles {
  /// Starts the profile that the environment requests. Called before each
  /// context is made.
  dyn_status_t (*start)();
  /// A recorder for an execution of `artifact`, which must outlive it.
  std::unique_ptr<RouteRecorder> (*open)(const dyn_descriptor_t &artifact);
};
/// Parts.cpp defines it.
extern const RouteProfiles routeProfiles;

} // namespace dyn::rt

#endif // DYN_RUNTIME_CORE_ROUTES_H
