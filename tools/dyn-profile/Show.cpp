//===- Show.cpp - A profile in words --------------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include "dyn/Profile/Drift.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

using namespace dyn;
using llvm::format;

/// More paths than this are listed by load, in descending order.
static constexpr uint32_t kMostLines = 64;

static void showLoad(llvm::raw_ostream &os, const ProfileWindow &sum) {
  auto order = llvm::to_vector(llvm::seq<size_t>(0, sum.load.size()));
  if (order.size() > kMostLines) {
    llvm::stable_sort(order, [&](size_t lhs, size_t rhs) {
      return sum.load[lhs] > sum.load[rhs];
    });
    order.resize(kMostLines);
  }
  std::vector<double> shares = sum.getShares();
  double most = std::max(*llvm::max_element(shares), 1e-300);
  os << "   path        rows   share\n";
  for (size_t path : order) {
    os << format("  %5zu  %10llu  %5.1f%%", path,
                 (unsigned long long)sum.load[path], 100 * shares[path]);
    if (unsigned length = unsigned(30 * shares[path] / most + 0.5))
      os << ' ' << std::string(length, '#');
    os << '\n';
  }
  if (order.size() < sum.load.size())
    os << "  ... and " << sum.load.size() - order.size()
       << " paths with less\n";
}

/// The entries of a table by descending count.
static std::vector<std::pair<PathTable::Paths, uint64_t>>
getTop(const PathTable &table, unsigned top) {
  auto entries = table.getSorted();
  llvm::stable_sort(entries, [](const auto &lhs, const auto &rhs) {
    return lhs.second > rhs.second;
  });
  if (entries.size() > top)
    entries.erase(entries.begin() + top, entries.end());
  return entries;
}

static void showPairs(llvm::raw_ostream &os, const ProfileWindow &sum,
                      unsigned top) {
  if (sum.pairs.empty())
    return;
  os << "  pairs of paths of one cell, of " << sum.pairs.size() << '\n';
  double cells = std::max<uint64_t>(sum.cells, 1);
  for (const auto &[paths, count] : getTop(sum.pairs, top))
    os << format("  %5u + %-5u %10llu  %5.1f%% of the cells\n", paths.first,
                 paths.second, (unsigned long long)count, 100 * count / cells);
}

static void showTransitions(llvm::raw_ostream &os, const ProfileRouter &router,
                            const ProfileWindow &sum, unsigned top) {
  if (sum.transitions.empty())
    return;
  std::map<uint32_t, double> leaving;
  for (const auto &[paths, count] : sum.transitions.getSorted())
    leaving[paths.first] += count;
  os << "  transitions from " << router.after << ", of "
     << sum.transitions.size() << '\n';
  for (const auto &[paths, count] : getTop(sum.transitions, top))
    os << format("  %5u > %-5u %10llu  %5.1f%% of path %u\n", paths.first,
                 paths.second, (unsigned long long)count,
                 100 * count / leaving[paths.first], paths.first);
}

static void showDrift(llvm::raw_ostream &os, const ProfileRouter &router,
                      const ProfileWindow &sum) {
  os << "  load over " << router.windows.size() << " windows of "
     << router.windowMs << " ms; total variation\n"
     << "          at       calls        rows  to all  to last  chance\n";
  const ProfileWindow *last = nullptr;
  std::vector<double> shares = sum.getShares();
  for (const ProfileWindow &window : router.windows) {
    os << format("  %10lld  %10llu  %10llu   %5.3f", (long long)window.at,
                 (unsigned long long)window.calls,
                 (unsigned long long)window.getRows(),
                 getTotalVariation(window, sum));
    if (last)
      os << format("    %5.3f", getTotalVariation(window, *last));
    else
      os << "        -";
    os << format("   %5.3f\n", getChance(shares, window.getRows()));
    last = &window;
  }
}

static void showRouter(llvm::raw_ostream &os, const ProfileRouter &router,
                       unsigned top) {
  ProfileWindow sum = router.getSum();
  os << "\nrouter " << router.key << ": " << router.paths << " paths";
  if (!router.label.empty())
    os << ", " << router.label;
  if (!router.cell.empty())
    os << ", of each " << router.cell;
  os << "\n  fingerprint "
     << (router.fingerprint.empty() ? "none" : router.fingerprint);
  if (!router.after.empty())
    os << ", after " << router.after;
  uint64_t rows = sum.getRows();
  os << "\n  " << sum.calls << " calls, " << sum.cells << " cells, "
     << sum.dropped << " of them without a path, " << rows << " rows\n";
  if (rows)
    os << format("  the fullest path of a call has %.2f times the mean\n",
                 double(sum.hottest) * router.paths / rows);
  showLoad(os, sum);
  showPairs(os, sum, top);
  showTransitions(os, router, sum, top);
  if (router.windows.size() > 1)
    showDrift(os, router, sum);
}

void dyn::showProfile(llvm::raw_ostream &os, const RouteProfile &profile,
                      unsigned top) {
  os << profile.routers.size() << " routers";
  if (profile.lost)
    os << "; " << profile.lost << " of their calls were not recorded";
  os << '\n';
  for (const ProfileRouter &router : profile.routers)
    showRouter(os, router, top);
}
