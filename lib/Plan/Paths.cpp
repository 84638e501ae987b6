//===- Paths.cpp - The paths of a router on the ranks of a stage ----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Plan/Paths.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace dyn::plan;
using namespace llvm;

/// Bytes of the number of rows that a rank tells another one for a path.
static constexpr double kCountBytes = 8;

double dyn::plan::getPathTime(const Path &path, const Machine &machine,
                              double part) {
  // Rows come independently.
  double chance = -std::expm1(-path.rows * part);
  return machine.getTime(path.operations * part, path.weightBytes * chance);
}

/// The shares of a placement that could not be better.
static SmallVector<PathShare> getBestShares(const Routes &routes,
                                            const Machine &machine,
                                            int64_t ranks, double part) {
  SmallVector<PathShare> shares(ranks);
  auto divide = [&](double PathShare::*share, auto get) {
    double sum = 0, most = 0;
    for (const Path &path : routes.paths) {
      sum += get(path);
      most = std::max<double>(most, get(path));
    }
    shares[0].*share = std::max(most, sum / ranks);
    for (PathShare &other : drop_begin(shares))
      other.*share = (sum - shares[0].*share) / (ranks - 1);
  };
  divide(&PathShare::paths, [](const Path &) { return 1; });
  divide(&PathShare::rows, [](const Path &path) { return path.rows; });
  divide(&PathShare::weightBytes,
         [](const Path &path) { return path.weightBytes; });
  divide(&PathShare::seconds,
         [&](const Path &path) { return getPathTime(path, machine, part); });
  return shares;
}

SmallVector<PathShare> dyn::plan::getPathShares(const Routes &routes,
                                                const Machine &machine,
                                                int64_t ranks,
                                                ArrayRef<int64_t> placement,
                                                double part) {
  if (placement.empty())
    placement = routes.given;
  if (placement.empty())
    return getBestShares(routes, machine, ranks, part);
  SmallVector<PathShare> shares(ranks);
  for (auto [path, rank] : zip_equal(routes.paths, placement)) {
    PathShare &share = shares[rank];
    share.paths += 1;
    share.rows += path.rows;
    share.weightBytes += path.weightBytes;
    share.seconds += getPathTime(path, machine, part);
  }
  return shares;
}

SmallVector<Message> dyn::plan::getPathMessages(const Routes &routes,
                                                ArrayRef<PathShare> shares,
                                                const Mesh &mesh, RowsMove move,
                                                double part,
                                                int64_t receivers) {
  SmallVector<Message> messages;
  if (!routes.isDivided && move != RowsMove::ToHome)
    return messages;
  int64_t ranks = shares.size();
  for (int64_t to = 0, n = std::min(receivers, ranks); to < n; ++to)
    for (int64_t from = 0; from < ranks; ++from) {
      if (from == to)
        continue;
      double bytes = 0;
      if (move == RowsMove::Counts)
        bytes = shares[to].paths * kCountBytes;
      else if (move == RowsMove::ToPaths)
        bytes = shares[to].rows * part / ranks * routes.bytesToPaths;
      else
        bytes = shares[from].rows * part * routes.bytesToHome /
                (routes.isDivided ? ranks : 1);
      if (bytes > 0)
        messages.push_back({mesh.first + from, mesh.first + to, bytes});
    }
  return messages;
}
