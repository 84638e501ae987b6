//===- Diff.cpp - The distance between two profiles -----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include "dyn/Profile/Drift.h"

#include "llvm/Support/Format.h"

#include <cmath>

using namespace dyn;
using llvm::format;

/// Prints the line of a router and returns its largest distance.
static double diffRouter(llvm::raw_ostream &os, const ProfileRouter &before,
                         const ProfileRouter &after) {
  ProfileWindow old = before.getSum(), now = after.getSum();
  double load = getTotalVariation(old, now);
  double pairs = getTotalVariation(old.pairs, now.pairs);
  double transitions = getTotalVariation(old.transitions, now.transitions);
  std::vector<double> from = old.getShares(), to = now.getShares();
  size_t most = 0;
  for (size_t path = 0; path != from.size(); ++path)
    if (std::abs(to[path] - from[path]) > std::abs(to[most] - from[most]))
      most = path;
  uint64_t rows = std::min(old.getRows(), now.getRows());
  os << format("%8.3f  %8.3f  %8.3f  %8.3f  %zu: %.1f%% to %.1f%%", load,
               getChance(from, rows), pairs, transitions, most,
               100 * from[most], 100 * to[most])
     << "  " << before.key << '\n';
  return std::max({load, pairs, transitions});
}

double dyn::diffProfiles(llvm::raw_ostream &os, const RouteProfile &before,
                         const RouteProfile &after, llvm::StringRef beforeName,
                         llvm::StringRef afterName, ProfileProblems &problems) {
  double most = 0;
  bool hasHead = false;
  for (const ProfileRouter &router : before.routers) {
    std::string prefix = (afterName + ": router '" + router.key + "': ").str();
    const ProfileRouter *other = after.find(router.key);
    if (!other) {
      problems.push_back(prefix + "there is none");
      continue;
    }
    // Sums do not depend on the windows.
    ProfileRouter own = router;
    own.windowMs = other->windowMs;
    std::string mismatch = own.getMismatch(*other, beforeName, afterName);
    if (!mismatch.empty()) {
      problems.push_back(prefix + mismatch);
      continue;
    }
    if (!hasHead)
      os << "    load    chance     pairs  transit.  most moved path, router\n";
    hasHead = true;
    most = std::max(most, diffRouter(os, router, *other));
  }
  for (const ProfileRouter &router : after.routers)
    if (!before.find(router.key))
      problems.push_back(
          (beforeName + ": router '" + router.key + "': there is none").str());
  return most;
}
