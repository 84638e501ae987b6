//===- Drift.cpp - The distance of two distributions over paths -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Profile/Drift.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace dyn;

double dyn::getTotalVariation(const ProfileWindow &lhs,
                              const ProfileWindow &rhs) {
  if (!lhs.getRows() || !rhs.getRows())
    return 0;
  double sum = 0;
  for (auto [p, q] : llvm::zip_equal(lhs.getShares(), rhs.getShares()))
    sum += std::abs(p - q);
  return sum / 2;
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
  const double pi = 3.14159265358979323846;
  double sum = 0;
  for (double share : shares)
    sum += std::sqrt(share * (1 - share) / (2 * pi * double(rows ? rows : 1)));
  return std::min(sum, 1.0);
}
