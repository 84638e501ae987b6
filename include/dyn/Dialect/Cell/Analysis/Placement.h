//===- Placement.h - Which rank holds which path --------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Distributes the paths of routers over ranks, by the rows that each path gets
// and where these come from. The time of a router is that of its busiest rank:
// of the paths there, and of the rows that it sends or receives, whichever are
// more.
//
// Rows come from the ranks where cells are at home, as where attention mixes
// them between two routers, or from the paths of the router before, where cells
// stay with their paths. Then paths that follow one another are placed
// together.
//
// The search is deterministic: several starts, each improved by moves and
// swaps of paths until none helps, then kicked a few times. No result of a
// program depends on what it finds.

#ifndef DYN_DIALECT_CELL_ANALYSIS_PLACEMENT_H
#define DYN_DIALECT_CELL_ANALYSIS_PLACEMENT_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace dyn::cell {

/// A router whose paths are to be placed.
struct RouterToPlace {
  /// The rows of each path in a mean call.
  std::vector<double> rows;
  /// Microseconds that each path takes for its rows; empty: one for each row.
  std::vector<double> times;
  /// The bytes of each path's weights; empty if they are none.
  std::vector<double> bytes;
  /// Microseconds that a row takes to another rank.
  double moveTime = 1;
  /// By source and path, the rows from there. Empty: all ranks are home to as
  /// many rows of each path.
  std::vector<std::vector<double>> from;
  /// Whether sources are the paths of the router before, else the ranks.
  bool isFromPaths = false;

  double getTime(size_t path) const {
    return times.empty() ? rows[path] : times[path];
  }
};

struct RanksToPlaceOn {
  int64_t count;
  /// Bytes of weights that a rank can hold.
  double memory = std::numeric_limits<double>::infinity();
};

/// For each router, the rank of each path.
using Placement = std::vector<std::vector<int64_t>>;

struct PlacementCost {
  /// The sum of the routers' times.
  double time = 0;
  /// Rows that change rank.
  double moved = 0;
  /// The time of paths on the busiest rank over the mean, of the worst router.
  double balance = 1;
  /// Bytes above the memory of ranks.
  double excess = 0;
};

PlacementCost getCost(llvm::ArrayRef<RouterToPlace> routers,
                      const RanksToPlaceOn &ranks, const Placement &placement);

/// Path p on rank p modulo their number.
Placement placeInTurn(llvm::ArrayRef<RouterToPlace> routers,
                      const RanksToPlaceOn &ranks);

/// The best placement that is found. It exceeds the memory of ranks only if
/// nothing else is found.
Placement placePaths(llvm::ArrayRef<RouterToPlace> routers,
                     const RanksToPlaceOn &ranks);

} // namespace dyn::cell

#endif // DYN_DIALECT_CELL_ANALYSIS_PLACEMENT_H
