//===- RouteProfile.cpp - Counts of the routes of a model -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Profile/RouteProfile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"

using namespace dyn;

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

uint64_t ProfileWindow::getRows() const {
  uint64_t sum = 0;
  for (uint64_t rows : load)
    sum += rows;
  return sum;
}

std::vector<double> ProfileWindow::getShares() const {
  double rows = std::max<uint64_t>(getRows(), 1);
  std::vector<double> shares;
  for (uint64_t count : load)
    shares.push_back(count / rows);
  return shares;
}

void PathTable::add(const PathTable &other) {
  for (auto [key, count] : other.counts)
    counts[key] += count;
}

std::vector<std::pair<PathTable::Paths, uint64_t>>
PathTable::getSorted() const {
  std::vector<std::pair<Paths, uint64_t>> sorted;
  sorted.reserve(counts.size());
  for (auto [key, count] : counts)
    sorted.push_back({{uint32_t(key >> 32), uint32_t(key)}, count});
  llvm::sort(sorted);
  return sorted;
}

void ProfileWindow::add(const ProfileWindow &other) {
  calls += other.calls;
  cells += other.cells;
  dropped += other.dropped;
  hottest += other.hottest;
  for (auto [sum, count] : llvm::zip_equal(load, other.load))
    sum += count;
  pairs.add(other.pairs);
  transitions.add(other.transitions);
}

//===----------------------------------------------------------------------===//
// Routers
//===----------------------------------------------------------------------===//

ProfileWindow ProfileRouter::getSum() const {
  ProfileWindow sum;
  sum.load.resize(paths);
  for (const ProfileWindow &window : windows)
    sum.add(window);
  return sum;
}

ProfileWindow &ProfileRouter::getWindow(int64_t ms) {
  int64_t at = llvm::divideFloorSigned(ms, int64_t(windowMs));
  auto it = llvm::lower_bound(
      windows, at,
      [](const ProfileWindow &window, int64_t at) { return window.at < at; });
  if (it == windows.end() || it->at != at) {
    it = windows.insert(it, ProfileWindow());
    it->at = at;
    it->load.resize(paths);
  }
  return *it;
}

llvm::ArrayRef<int64_t> CellDecisions::getPaths(uint64_t cell) const {
  return llvm::ArrayRef(paths)
      .slice(cell * choices, choices)
      .take_while([](int64_t path) { return path >= 0; });
}

void ProfileRouter::count(int64_t ms, const CellDecisions &routes,
                          const CellDecisions *before) {
  ProfileWindow &window = getWindow(ms);
  uint64_t cells = routes.getNumCells();
  if (before && before->getNumCells() != cells)
    before = nullptr;
  ++window.calls;
  window.cells += cells;
  std::vector<uint64_t> load(paths);
  for (uint64_t cell = 0; cell != cells; ++cell) {
    llvm::ArrayRef<int64_t> mine = routes.getPaths(cell);
    window.dropped += mine.empty();
    for (auto [i, path] : llvm::enumerate(mine)) {
      ++load[path];
      for (int64_t other : mine.drop_front(i + 1))
        ++window.pairs[{uint32_t(path), uint32_t(other)}];
      if (before)
        for (int64_t from : before->getPaths(cell))
          ++window.transitions[{uint32_t(from), uint32_t(path)}];
    }
  }
  for (auto [sum, rows] : llvm::zip_equal(window.load, load))
    sum += rows;
  window.hottest += *llvm::max_element(load);
}

void ProfileRouter::coarsen() {
  windowMs *= 2;
  std::vector<ProfileWindow> pairs;
  for (ProfileWindow &window : windows) {
    window.at >>= 1;
    if (!pairs.empty() && pairs.back().at == window.at)
      pairs.back().add(window);
    else
      pairs.push_back(std::move(window));
  }
  windows = std::move(pairs);
}

std::string ProfileRouter::getMismatch(const ProfileRouter &other,
                                       llvm::StringRef mine,
                                       llvm::StringRef theirs) const {
  auto differ = [&](llvm::StringRef what, const llvm::Twine &own,
                    const llvm::Twine &found) {
    return (what + " " + own + " in " + mine + ", " + found + " in " + theirs)
        .str();
  };
  if (paths != other.paths)
    return differ("paths:", llvm::Twine(paths), llvm::Twine(other.paths));
  if (fingerprint != other.fingerprint)
    return differ("fingerprint:", "'" + fingerprint + "'",
                  "'" + other.fingerprint + "'");
  if (after != other.after || afterPaths != other.afterPaths)
    return differ("router before:",
                  "'" + after + "' of " + llvm::Twine(afterPaths) + " paths",
                  "'" + other.after + "' of " + llvm::Twine(other.afterPaths) +
                      " paths");
  uint64_t least = std::min(windowMs, other.windowMs);
  uint64_t most = std::max(windowMs, other.windowMs);
  if (least && (most % least || !llvm::isPowerOf2_64(most / least)))
    return differ("windows:", llvm::Twine(windowMs) + " ms",
                  llvm::Twine(other.windowMs) + " ms") +
           "; expected one to be a power of two times the other";
  return {};
}

void ProfileRouter::add(ProfileRouter other) {
  while (windowMs < other.windowMs)
    coarsen();
  while (other.windowMs < windowMs)
    other.coarsen();
  std::vector<ProfileWindow> all;
  auto next = other.windows.begin(), end = other.windows.end();
  for (ProfileWindow &window : windows) {
    while (next != end && next->at < window.at)
      all.push_back(std::move(*next++));
    if (next != end && next->at == window.at)
      window.add(*next++);
    all.push_back(std::move(window));
  }
  while (next != end)
    all.push_back(std::move(*next++));
  windows = std::move(all);
}

//===----------------------------------------------------------------------===//
// Profiles
//===----------------------------------------------------------------------===//

const ProfileRouter *RouteProfile::find(llvm::StringRef key) const {
  auto found = llvm::find_if(
      routers, [&](const ProfileRouter &router) { return router.key == key; });
  return found == routers.end() ? nullptr : &*found;
}

void RouteProfile::merge(RouteProfile other, llvm::StringRef name,
                         ProfileProblems &problems) {
  lost += other.lost;
  for (ProfileRouter &router : other.routers) {
    auto *mine = const_cast<ProfileRouter *>(find(router.key));
    if (!mine) {
      routers.push_back(std::move(router));
      continue;
    }
    std::string mismatch =
        mine->getMismatch(router, "the profiles before", "this one");
    if (mismatch.empty())
      mine->add(std::move(router));
    else
      problems.push_back(
          (name + ": router '" + router.key + "': " + mismatch).str());
  }
}

static void printTable(llvm::raw_ostream &os, llvm::StringRef name,
                       const PathTable &table) {
  if (table.empty())
    return;
  os << ", \"" << name << "\": [";
  llvm::interleave(
      table.getSorted(), os,
      [&](const auto &entry) {
        os << '[' << entry.first.first << ',' << entry.first.second << ','
           << entry.second << ']';
      },
      ",");
  os << ']';
}

static void printWindow(llvm::raw_ostream &os, const ProfileWindow &window) {
  os << "    {\"at\": " << window.at << ", \"calls\": " << window.calls
     << ", \"cells\": " << window.cells << ", \"dropped\": " << window.dropped
     << ", \"hottest\": " << window.hottest << ", \"load\": [";
  llvm::interleave(window.load, os, ",");
  os << ']';
  printTable(os, "pairs", window.pairs);
  printTable(os, "transitions", window.transitions);
  os << '}';
}

static void printText(llvm::raw_ostream &os, llvm::StringRef name,
                      const std::string &text) {
  if (!text.empty())
    os << ",\n   \"" << name << "\": " << llvm::json::Value(text);
}

static void printRouter(llvm::raw_ostream &os, const ProfileRouter &router) {
  os << "  {\"key\": " << llvm::json::Value(router.key);
  printText(os, "label", router.label);
  printText(os, "cell", router.cell);
  os << ",\n   \"paths\": " << router.paths;
  printText(os, "fingerprint", router.fingerprint);
  printText(os, "after", router.after);
  if (!router.after.empty())
    os << ",\n   \"after_paths\": " << router.afterPaths;
  os << ",\n   \"window_ms\": " << router.windowMs << ",\n   \"windows\": [\n";
  llvm::interleave(
      router.windows, os,
      [&](const ProfileWindow &window) { printWindow(os, window); }, ",\n");
  os << "]}";
}

void RouteProfile::print(llvm::raw_ostream &os) const {
  os << "{\"dyn_profile\": 1,\n \"producer\": \"dyn " DYN_VERSION
        "\",\n \"lost\": "
     << lost << ",\n \"routers\": [\n";
  llvm::interleave(
      routers, os,
      [&](const ProfileRouter &router) { printRouter(os, router); }, ",\n");
  os << "]}\n";
}
