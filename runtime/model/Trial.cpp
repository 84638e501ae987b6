//===- Trial.cpp - Which of two variants is faster ------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Trial.h"

#include <algorithm>
#include <cstdio>

using namespace dyn::rt;

static constexpr size_t kPairs = 40;
/// Calls that allocate memory and fill caches, which do not count.
static constexpr uint32_t kWarmUps = 4;

void Trial::add(bool isStatic, uint64_t nanoseconds) {
  Side &side = isStatic ? fixed : dynamic;
  if (side.warmUps < kWarmUps)
    ++side.warmUps;
  else if (side.times.size() < kPairs)
    side.times.push_back(nanoseconds);
}

bool Trial::isComplete() const {
  return fixed.times.size() == kPairs && dynamic.times.size() == kPairs;
}

double Trial::Side::getMedian() const {
  std::vector<uint64_t> sorted = times;
  std::sort(sorted.begin(), sorted.end());
  size_t middle = sorted.size() / 2;
  return double(sorted[middle - 1] + sorted[middle]) / 2;
}

uint32_t Trial::countFaster() const {
  uint32_t faster = 0;
  for (size_t i = 0; i < kPairs; ++i)
    faster += fixed.times[i] < dynamic.times[i];
  return faster;
}

bool Trial::wins() const {
  return fixed.getMedian() <= 0.98 * dynamic.getMedian() &&
         countFaster() >= kPairs * 3 / 4;
}

std::string Trial::describe() const {
  char text[128];
  double mine = fixed.getMedian(), theirs = dynamic.getMedian();
  std::snprintf(text, sizeof(text),
                "%.4g us instead of %.4g us (%.3f), faster in %u of %zu pairs",
                mine / 1e3, theirs / 1e3, theirs > 0 ? mine / theirs : 1,
                countFaster(), kPairs);
  return text;
}
