//===- Drift.cpp - The distance of two distributions over paths -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Profile/Drift.h"

#include "dyn/drift.h"

#include <cassert>
#include <cmath>

using namespace dyn;

double dyn::getTotalVariation(const ProfileWindow &lhs,
                              const ProfileWindow &rhs) {
  if (!lhs.getRows() || !rhs.getRows())
    return 0;
  std::vector<double> left = lhs.getShares(), right = rhs.getShares();
  assert(left.size() == right.size() && "loads of different routers");
  return dyn_total_variation(left.data(), right.data(), left.size());
}

double dyn::getTotalVariation(const PathTable &lhs, const PathTable &rhs) {
  auto left = lhs.getSorted(), right = rhs.getSorted();
  auto getSum = [](const auto &entries) {
    double sum = 0;
    for (const auto &entry : entries)
      sum += entry.second;
    return sum;
  };
  double leftSum = getSum(left), rightSum = getSum(right), sum = 0;
  if (leftSum == 0 || rightSum == 0)
    return 0;
  for (auto [paths, count] : left)
    sum += std::abs(count / leftSum - rhs.lookup(paths) / rightSum);
  for (auto [paths, count] : right)
    if (!lhs.lookup(paths))
      sum += count / rightSum;
  return sum / 2;
}

double dyn::getChance(llvm::ArrayRef<double> shares, uint64_t rows) {
  return dyn_drift_chance(shares.data(), shares.size(), double(rows));
}
