//===- DriftWatch.h - Whether routes are still what was compiled for ------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_MODEL_DRIFTWATCH_H
#define DYN_RUNTIME_MODEL_DRIFTWATCH_H

#include "Artifact.h"
#include "Backoff.h"
#include "Profile.h"

#include <cstdio>

namespace dyn::rt {

/// Compares the load of each router with what the artifact that runs was
/// compiled for, in windows of time. It reads the profile that records, and
/// starts one where none does.
///
/// A window of a router ends when so many rows have come that chance moves at
/// most half of the threshold. The routes have drifted when the distance of
/// some router, less chance, exceeds the threshold in several windows in
/// sequence.
class DriftWatch {
public:
  DriftWatch(double threshold, uint64_t windowMs);
  ~DriftWatch();

  /// Called at intervals of a window, with the artifact that runs for all sizes
  /// and those that run for some. The reason to compile again, or "".
  std::string closeWindow(const dyn_artifact &running,
                          const std::vector<Ref<dyn_artifact>> &fixed);
  /// Counts of the choices of all routers since one began to drift.
  std::vector<RouteTables> getCounts() const;

  /// A compilation begins; for a while there is no reason for another one.
  void beginPause();
  /// It took so long.
  void extendPause(uint64_t nanoseconds);
  void writeReport(std::FILE *file);

private:
  struct Router {
    std::string key;
    uint64_t rows = 0; ///< of the last window
    double drift = 0, chance = 0;
    uint32_t above = 0;            ///< windows in sequence
    std::vector<uint64_t> counted; ///< load when the window began
  };

  /// The profile that records.
  Ref<dyn_profile> findProfile();
  /// Counts the routers of an artifact that `artifact` has, too.
  void addTables(const dyn_artifact &other);
  std::vector<RouteTables> count() const;
  void measure(Router &router, const dyn_router_t &compiled,
               const std::vector<uint64_t> &load) const;
  std::string describe(const Router &router) const;

  const double threshold;
  Ref<dyn_profile> own;
  Ref<dyn_artifact> artifact; ///< the one that `routers` are of
  Ref<dyn_profile> profile;   ///< the one that counts
  /// For each router, its tables there: that of `artifact`, and those of
  /// variants for some sizes, whose fingerprints differ. They stay when a
  /// variant is dropped, so that counts do not decrease.
  std::vector<RouterIndices> tables;
  std::vector<RouteTables> begin, current; ///< when drift began, and now

  std::mutex mutex; ///< guards the members below
  Backoff pause;
  std::vector<Router> routers;
};

} // namespace dyn::rt

#endif // DYN_RUNTIME_MODEL_DRIFTWATCH_H
