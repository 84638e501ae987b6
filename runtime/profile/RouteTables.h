//===- RouteTables.h - Counts of one router's decisions -------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts are kept for windows in time. All windows of a router have the same
// length, a power of two times the shortest, and begin at multiples of it, so
// that windows of different processes and hours coincide. When there are more
// than the memory permits, the length doubles and pairs of adjacent windows are
// merged: memory is bounded and every decision is counted; only the exact time
// is lost.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_PROFILE_ROUTETABLES_H
#define DYN_RUNTIME_PROFILE_ROUTETABLES_H

#include <cstdint>
#include <string>
#include <vector>

namespace dyn::rt {

/// The identity of a router in profiles, independent of the artifact.
struct RouterIdentity {
  std::string key, label, cell, fingerprint;
  uint32_t paths = 0;
  /// The previous router on the same cells: its key, and its number of paths;
  /// "" and 0 if there is none.
  std::string after;
  uint32_t afterPaths = 0;

  bool operator==(const RouterIdentity &other) const {
    return key == other.key && label == other.label && cell == other.cell &&
           fingerprint == other.fingerprint && paths == other.paths &&
           after == other.after && afterPaths == other.afterPaths;
  }
};

/// The paths of the cells of one call: `choices` for each cell, ascending, then
/// -1.
struct CellPaths {
  const int32_t *paths = nullptr;
  int64_t cells = 0;
  int64_t choices = 0;
};

/// Totals over the calls of a window.
struct RouteWindow {
  int64_t at = 0; ///< the window is [at, at + 1) * length
  uint64_t calls = 0;
  uint64_t cells = 0;
  uint64_t dropped = 0;       ///< cells without a path
  uint64_t hottest = 0;       ///< rows of the fullest path of each call
  std::vector<uint64_t> load; ///< rows of each path
  /// Cells on paths a <= b: element a * paths + b. Empty if not kept.
  std::vector<uint64_t> pairs;
  /// Cells on path a of the previous router and b of this one: element a *
  /// paths + b. Empty if not kept.
  std::vector<uint64_t> transitions;

  /// Adds the totals of another window.
  void add(const RouteWindow &other);
  /// Removes the totals of a part of this window. Tables that the part does not
  /// have are all of this one's.
  void subtract(const RouteWindow &part);
};

/// The tables of one router.
class RouteTables {
public:
  RouteTables(RouterIdentity identity, uint64_t windowMs, uint64_t bytes)
      : id(std::move(identity)), windowMs(windowMs), bytes(bytes) {}

  /// Tables of a single window.
  RouteTables(RouterIdentity identity, uint64_t windowMs, RouteWindow window)
      : id(std::move(identity)), windowMs(windowMs), bytes(0) {
    windows.push_back(std::move(window));
  }

  /// Adds the routes of a call. `before` are the routes of the previous router
  /// in the same call, or has no cells.
  void add(int64_t timeMs, const CellPaths &routes, const CellPaths &before);
  void clear() { windows.clear(); }

  const RouterIdentity &identity() const { return id; }
  uint64_t windowLength() const { return windowMs; }
  const std::vector<RouteWindow> &getWindows() const { return windows; }
  uint64_t decisions() const { return decisionCount; }
  /// The sum of all windows, at the time of the last one.
  RouteWindow getSum() const;

private:
  /// Decides how many windows there may be and whether they have tables: before
  /// the first call, and when a cell first has more than one choice.
  void plan(bool wantsPairs);
  RouteWindow &windowAt(int64_t timeMs);
  void coarsen();

  RouterIdentity id;
  uint64_t windowMs;
  uint64_t bytes;
  uint64_t maxWindows = 0; ///< 0 before the first call
  bool wantedPairs = false, hasPairs = false, hasTransitions = false;
  uint64_t decisionCount = 0;
  std::vector<RouteWindow> windows; ///< by ascending `at`
  std::vector<uint64_t> load;       ///< of one call, kept for its memory
};

} // namespace dyn::rt

#endif // DYN_RUNTIME_PROFILE_ROUTETABLES_H
