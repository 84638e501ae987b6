//===- RouteTables.cpp - Counts of one router's decisions -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RouteTables.h"

#include <algorithm>

using namespace dyn::rt;

static void addEach(std::vector<uint64_t> &sums,
                    const std::vector<uint64_t> &others) {
  for (size_t i = 0; i < sums.size(); ++i)
    sums[i] += others[i];
}

void RouteWindow::add(const RouteWindow &other) {
  calls += other.calls;
  cells += other.cells;
  dropped += other.dropped;
  hottest += other.hottest;
  addEach(load, other.load);
  addEach(pairs, other.pairs);
  addEach(transitions, other.transitions);
}

static void subtractEach(std::vector<uint64_t> &sums,
                         const std::vector<uint64_t> &others) {
  for (size_t i = 0; i < std::min(sums.size(), others.size()); ++i)
    sums[i] -= others[i];
}

void RouteWindow::subtract(const RouteWindow &part) {
  calls -= part.calls;
  cells -= part.cells;
  dropped -= part.dropped;
  hottest -= part.hottest;
  subtractEach(load, part.load);
  subtractEach(pairs, part.pairs);
  subtractEach(transitions, part.transitions);
}

RouteWindow RouteTables::getSum() const {
  if (windows.empty()) {
    RouteWindow none;
    none.load.resize(id.paths);
    return none;
  }
  RouteWindow sum = windows.back();
  for (size_t i = 0; i + 1 < windows.size(); ++i)
    sum.add(windows[i]);
  return sum;
}

void RouteTables::plan(bool wantsPairs) {
  const uint64_t most = 64;
  uint64_t paths = id.paths;
  uint64_t pairBytes = wantsPairs ? 8 * paths * paths : 0;
  uint64_t transitionBytes = 8 * paths * id.afterPaths;
  uint64_t window = 8 * paths + pairBytes + transitionBytes;
  // Drift shows in two windows; if two do not fit, the tables are left out.
  bool fits = bytes / window >= 2;
  size_t pairs = fits ? pairBytes / 8 : 0;
  size_t transitions = fits ? transitionBytes / 8 : 0;
  if (!fits)
    window = 8 * paths;
  uint64_t count = std::clamp<uint64_t>(bytes / window, 2, most);

  // The counts of earlier calls. All windows have the same tables, so memory
  // for all of them is allocated first.
  while (windows.size() > count)
    coarsen();
  for (RouteWindow &window : windows) {
    window.pairs.reserve(pairs);
    window.transitions.reserve(transitions);
  }
  for (RouteWindow &window : windows) {
    window.pairs.resize(pairs);
    window.transitions.resize(transitions);
  }
  hasPairs = pairs != 0;
  hasTransitions = transitions != 0;
  maxWindows = count;
  wantedPairs = wantsPairs;
}

void RouteTables::coarsen() {
  windowMs *= 2;
  size_t kept = 0;
  for (RouteWindow &window : windows) {
    // Rounds towards minus infinity, for times before 1970.
    window.at >>= 1;
    if (kept && windows[kept - 1].at == window.at)
      windows[kept - 1].add(window);
    else if (&windows[kept++] != &window)
      windows[kept - 1] = std::move(window);
  }
  windows.resize(kept);
}

RouteWindow &RouteTables::windowAt(int64_t timeMs) {
  while (true) {
    int64_t length = int64_t(windowMs);
    int64_t at = timeMs / length - (timeMs % length < 0);
    auto it = std::lower_bound(
        windows.begin(), windows.end(), at,
        [](const RouteWindow &window, int64_t at) { return window.at < at; });
    if (it != windows.end() && it->at == at)
      return *it;
    if (windows.size() < maxWindows) {
      RouteWindow window;
      window.at = at;
      window.load.resize(id.paths);
      if (hasPairs)
        window.pairs.resize(size_t(id.paths) * id.paths);
      if (hasTransitions)
        window.transitions.resize(size_t(id.afterPaths) * id.paths);
      return *windows.insert(it, std::move(window));
    }
    coarsen();
  }
}

namespace {
/// The counters of a call's cells. Tables that are not kept are null.
struct Counters {
  size_t paths;
  uint64_t *load, *pairs, *transitions;
};
} // namespace

/// Counts each cell, and returns how many have no path. `kChoices` is the
/// number of choices of both routers, or 0 if it is not a compile-time
/// constant: most routers choose one path, and with this constant a decision
/// takes half the time.
template <int64_t kChoices>
static uint64_t countCells(const CellPaths &routes, const CellPaths &before,
                           Counters into) {
  const int64_t choices = kChoices ? kChoices : routes.choices;
  const int64_t choicesBefore = kChoices ? kChoices : before.choices;
  uint64_t dropped = 0;
  for (int64_t cell = 0; cell < routes.cells; ++cell) {
    const int32_t *mine = routes.paths + cell * choices;
    int64_t count = 0;
    for (; count < choices && mine[count] >= 0; ++count)
      ++into.load[size_t(mine[count])];
    dropped += count == 0;
    if (into.pairs)
      for (int64_t a = 0; a < count; ++a)
        for (int64_t b = a + 1; b < count; ++b)
          ++into.pairs[size_t(mine[a]) * into.paths + size_t(mine[b])];
    if (!into.transitions)
      continue;
    const int32_t *theirs = before.paths + cell * choicesBefore;
    for (int64_t a = 0; a < choicesBefore && theirs[a] >= 0; ++a)
      for (int64_t b = 0; b < count; ++b)
        ++into.transitions[size_t(theirs[a]) * into.paths + size_t(mine[b])];
  }
  return dropped;
}

void RouteTables::add(int64_t timeMs, const CellPaths &routes,
                      const CellPaths &before) {
  bool wantsPairs = routes.choices > 1;
  if (!maxWindows || (wantsPairs && !wantedPairs))
    plan(wantsPairs);
  size_t paths = id.paths;
  load.assign(paths, 0);
  RouteWindow &window = windowAt(timeMs);
  ++window.calls;
  window.cells += uint64_t(routes.cells);
  bool countsPairs = hasPairs && wantsPairs;
  bool countsTransitions = hasTransitions && before.cells == routes.cells;
  Counters into = {paths, load.data(),
                   countsPairs ? window.pairs.data() : nullptr,
                   countsTransitions ? window.transitions.data() : nullptr};
  bool isSingle =
      routes.choices == 1 && (!countsTransitions || before.choices == 1);
  window.dropped += isSingle ? countCells<1>(routes, before, into)
                             : countCells<0>(routes, before, into);
  uint64_t hottest = 0;
  for (size_t path = 0; path < paths; ++path) {
    window.load[path] += load[path];
    decisionCount += load[path];
    hottest = std::max(hottest, load[path]);
  }
  window.hottest += hottest;
}
