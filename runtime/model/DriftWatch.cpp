//===- DriftWatch.cpp - Whether routes are still what was compiled for ----===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DriftWatch.h"

#include "Clock.h"
#include "TextFile.h"

#include "dyn/drift.h"

#include <algorithm>
#include <numeric>
#include <string_view>

using namespace dyn::rt;

/// Windows in sequence that are drift. One alone may be an odd request.
static constexpr uint32_t kWindows = 3;

DriftWatch::DriftWatch(double threshold, uint64_t windowMs)
    : threshold(threshold), pause(10 * windowMs * 1000000) {}

DriftWatch::~DriftWatch() {
  if (own)
    own->stop();
}

Ref<dyn_profile> DriftWatch::findProfile() {
  if (Ref<dyn_profile> recording = dyn_profile::current())
    return recording;
  if (!own)
    own = Ref<dyn_profile>::adopt(new dyn_profile({}));
  // Another one that starts at the same time is read next time.
  if (own->start(/*inBackground=*/true) != DYN_STATUS_OK)
    return {};
  return own;
}

static uint64_t sum(const std::vector<uint64_t> &load) {
  return std::accumulate(load.begin(), load.end(), uint64_t(0));
}

static std::vector<double> getShares(const std::vector<uint64_t> &load) {
  std::vector<double> shares;
  for (uint64_t rows : load)
    shares.push_back(double(rows) / double(sum(load)));
  return shares;
}

/// The shares that the compiler assumed.
static std::vector<double> getShares(const dyn_router_t &router) {
  std::vector<uint64_t> load(router.paths, 1);
  if (router.load)
    load.assign(router.load, router.load + router.paths);
  return getShares(load);
}

/// The counts of tables that dyn_profile::count made.
static const RouteWindow &totalOf(const RouteTables &tables) {
  return tables.getWindows().front();
}

void DriftWatch::measure(Router &router, const dyn_router_t &compiled,
                         const std::vector<uint64_t> &load) const {
  std::vector<uint64_t> window = load;
  for (size_t i = 0; i < window.size(); ++i)
    window[i] -= router.counted[i];
  uint64_t rows = sum(window);
  std::vector<double> assumed = getShares(compiled);
  double chance = dyn_drift_chance(assumed.data(), assumed.size(), rows);
  if (rows == 0 || chance > threshold / 2)
    return; // The window goes on.
  std::vector<double> found = getShares(window);
  router.rows = rows;
  router.chance = chance;
  router.drift =
      dyn_total_variation(found.data(), assumed.data(), found.size());
  bool isAbove = router.drift - chance > threshold;
  router.above = isAbove ? router.above + 1 : 0;
  router.counted = load;
}

static bool isSameRouter(const dyn_descriptor_t &a, uint32_t i,
                         const dyn_descriptor_t &b, uint32_t j) {
  const dyn_router_t &x = a.routers[i], &y = b.routers[j];
  auto keyBefore = [](const dyn_descriptor_t &root, const dyn_router_t &of) {
    return std::string_view(of.after < 0 ? "" : root.routers[of.after].key);
  };
  return std::string_view(x.key) == y.key && x.paths == y.paths &&
         keyBefore(a, x) == keyBefore(b, y);
}

void DriftWatch::addTables(const dyn_artifact &other) {
  const RouterIndices &numbers = *profile->attach(other.desc());
  for (uint32_t i = 0; i < tables.size(); ++i)
    for (uint32_t j = 0; j < numbers.size(); ++j)
      if (isSameRouter(artifact->desc(), i, other.desc(), j) &&
          std::find(tables[i].begin(), tables[i].end(), numbers[j]) ==
              tables[i].end())
        tables[i].push_back(numbers[j]);
}

std::vector<RouteTables> DriftWatch::count() const {
  std::vector<RouteTables> counts;
  for (const RouterIndices &ofRouter : tables) {
    std::vector<RouteTables> each = profile->count(ofRouter);
    RouteWindow sum = totalOf(each.front());
    for (size_t i = 1; i < each.size(); ++i)
      sum.add(totalOf(each[i]));
    counts.emplace_back(each.front().identity(), each.front().windowLength(),
                        std::move(sum));
  }
  return counts;
}

std::string
DriftWatch::closeWindow(const dyn_artifact &running,
                        const std::vector<Ref<dyn_artifact>> &fixed) {
  Ref<dyn_profile> recording = findProfile();
  if (!recording || !running.desc().router_count)
    return "";
  bool isNew = recording.get() != profile.get() || &running != artifact.get();
  if (isNew) {
    profile = recording;
    artifact = Ref<dyn_artifact>::share(const_cast<dyn_artifact *>(&running));
    tables.assign(running.desc().router_count, {});
    addTables(running);
  }
  for (const Ref<dyn_artifact> &other : fixed)
    addTables(*other);
  current = count();
  std::lock_guard<std::mutex> lock(mutex);
  if (isNew) {
    routers.clear();
    for (const RouteTables &counts : current) {
      routers.emplace_back();
      routers.back().key = counts.identity().key;
      routers.back().counted = totalOf(counts).load;
    }
    begin = current;
    return "";
  }
  const Router *drifts = nullptr;
  bool isCalm = true;
  for (size_t i = 0; i < routers.size(); ++i) {
    measure(routers[i], running.desc().routers[i], totalOf(current[i]).load);
    isCalm &= routers[i].above == 0;
    if (routers[i].above >= kWindows &&
        (!drifts || routers[i].drift > drifts->drift))
      drifts = &routers[i];
  }
  bool isPaused = !pause.isOver(now());
  if (isCalm || isPaused)
    begin = current;
  if (isPaused)
    for (Router &router : routers)
      router.above = 0;
  return drifts && !isPaused ? describe(*drifts) : "";
}

std::string DriftWatch::describe(const Router &router) const {
  char text[128];
  std::snprintf(text, sizeof(text),
                "drift is %.3f, %.3f of it by chance, in %u windows; the "
                "threshold is %.3f",
                router.drift, router.chance, router.above, threshold);
  return "router '" + router.key + "': " + text;
}

std::vector<RouteTables> DriftWatch::getCounts() const {
  std::vector<RouteTables> counts;
  for (size_t i = 0; i < current.size(); ++i) {
    RouteWindow window = totalOf(current[i]);
    window.subtract(totalOf(begin[i]));
    if (window.calls)
      counts.emplace_back(current[i].identity(), current[i].windowLength(),
                          std::move(window));
  }
  return counts;
}

void DriftWatch::beginPause() {
  std::lock_guard<std::mutex> lock(mutex);
  pause.begin(now());
}

void DriftWatch::extendPause(uint64_t nanoseconds) {
  std::lock_guard<std::mutex> lock(mutex);
  pause.extend(now(), nanoseconds);
}

void DriftWatch::writeReport(std::FILE *file) {
  std::lock_guard<std::mutex> lock(mutex);
  std::fprintf(file, "{\"threshold\":%.4g,\"windows\":%u,\"paused\":%s,",
               threshold, kWindows, pause.isOver(now()) ? "false" : "true");
  std::fprintf(file, "\"routers\":[");
  for (const Router &router : routers) {
    std::fputs(&router == &routers.front() ? "{\"key\":" : ",{\"key\":", file);
    writeJsonString(file, router.key.c_str());
    std::fprintf(file,
                 ",\"rows\":%llu,\"drift\":%.4f,\"chance\":%.4f,"
                 "\"windows_above\":%u}",
                 (unsigned long long)router.rows, router.drift, router.chance,
                 router.above);
  }
  std::fputs("]}", file);
}
