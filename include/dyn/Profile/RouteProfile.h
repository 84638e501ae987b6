//===- RouteProfile.h - Counts of the routes of a model -------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Profiles as written by the runtime (docs/Profiles.md). They are not trusted:
// a file that is not a profile is an error; a router that is invalid, or does
// not match the program or profile, is rejected alone, with its location.

#ifndef DYN_PROFILE_ROUTEPROFILE_H
#define DYN_PROFILE_ROUTEPROFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace dyn {

/// Counts for pairs of paths.
class PathTable {
public:
  using Paths = std::pair<uint32_t, uint32_t>;

  bool empty() const { return counts.empty(); }
  size_t size() const { return counts.size(); }
  uint64_t &operator[](Paths paths) { return counts[toKey(paths)]; }
  uint64_t lookup(Paths paths) const { return counts.lookup(toKey(paths)); }
  void add(const PathTable &other);
  /// All counts in ascending order of paths.
  std::vector<std::pair<Paths, uint64_t>> getSorted() const;

private:
  static uint64_t toKey(Paths paths) {
    return uint64_t(paths.first) << 32 | paths.second;
  }
  llvm::DenseMap<uint64_t, uint64_t> counts;
};

/// Sums over the calls of a window in time.
struct ProfileWindow {
  int64_t at = 0; ///< the window is [at, at + 1) * length
  uint64_t calls = 0;
  uint64_t cells = 0;
  uint64_t dropped = 0;       ///< cells without a path
  uint64_t hottest = 0;       ///< rows of the fullest path of each call
  std::vector<uint64_t> load; ///< rows of each path
  PathTable pairs;            ///< cells on paths a <= b
  PathTable transitions;      ///< cells on a of the previous router, b of this

  uint64_t getRows() const;
  /// The share of the rows of each path; zeros if there are no rows.
  std::vector<double> getShares() const;
  void add(const ProfileWindow &other);
};

/// The paths of the cells of one call.
struct CellDecisions {
  /// `choices` for each cell, ascending, then -1.
  std::vector<int64_t> paths;
  uint64_t choices = 0;

  uint64_t getNumCells() const { return choices ? paths.size() / choices : 0; }
  /// The paths of a cell.
  llvm::ArrayRef<int64_t> getPaths(uint64_t cell) const;
};

/// The counts of one router.
struct ProfileRouter {
  std::string key, label, cell, fingerprint;
  uint32_t paths = 0;
  /// The previous router on the same cells, or "", and its number of paths.
  std::string after;
  uint32_t afterPaths = 0;
  uint64_t windowMs = 0;
  std::vector<ProfileWindow> windows; ///< by ascending `at`

  /// The sum of all windows.
  ProfileWindow getSum() const;
  /// The window of a time in milliseconds.
  ProfileWindow &getWindow(int64_t ms);
  /// Counts the decisions of a call; `before` are those of the previous router
  /// in the same call, or null.
  void count(int64_t ms, const CellDecisions &routes,
             const CellDecisions *before);
  /// Doubles the length of the windows.
  void coarsen();
  /// The reason why the counts of another router cannot be those of this one,
  /// or "". `mine` and `theirs` name their origins.
  std::string getMismatch(const ProfileRouter &other, llvm::StringRef mine,
                          llvm::StringRef theirs) const;
  /// Adds the counts of a router that matches. Windows get the length of the
  /// longer ones.
  void add(ProfileRouter other);
};

/// Problems with parts of profiles.
using ProfileProblems = std::vector<std::string>;

struct RouteProfile {
  uint64_t lost = 0; ///< routers of calls that were not recorded
  std::vector<ProfileRouter> routers;

  const ProfileRouter *find(llvm::StringRef key) const;
  /// Adds the counts of another profile, called `name`. Routers that do not
  /// match are omitted, with a problem for each.
  void merge(RouteProfile other, llvm::StringRef name,
             ProfileProblems &problems);
  void print(llvm::raw_ostream &os) const;
};

/// Reads a profile, or raw decisions, which it converts to one with windows of
/// `rawWindowMs`. `name` is the file's for messages. Invalid routers are
/// omitted, with a problem for each.
llvm::Expected<RouteProfile> parseProfile(llvm::StringRef text,
                                          llvm::StringRef name,
                                          ProfileProblems &problems,
                                          uint64_t rawWindowMs = 1000);

/// The same for a file; "-" is the standard input.
llvm::Expected<RouteProfile> readProfile(llvm::StringRef path,
                                         ProfileProblems &problems,
                                         uint64_t rawWindowMs = 1000);

} // namespace dyn

#endif // DYN_PROFILE_ROUTEPROFILE_H
