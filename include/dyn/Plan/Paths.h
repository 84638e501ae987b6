//===- Paths.h - The paths of a router on the ranks of a stage ------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A layer with routes is computed by all ranks of a stage, or each of its paths
// by one of them. Cells are at home on all ranks in equal blocks, so a rank
// sends an equal part of its rows to each path.

#ifndef DYN_PLAN_PATHS_H
#define DYN_PLAN_PATHS_H

#include "dyn/Plan/Layout.h"

namespace dyn::plan {

/// The part of the paths of a router that a rank has, in a call.
struct PathShare {
  double paths = 0, rows = 0, weightBytes = 0;
  /// In which the paths are computed, one after another, for a part of the
  /// rows.
  double seconds = 0;
};

/// The seconds of a path for a part of its rows: of their operations, or of its
/// weights, which are read if there are any.
double getPathTime(const Path &path, const Machine &machine, double part);

/// The shares of some ranks, by the rank of each path: those that the user
/// gives, if `placement` is empty. Without these, the first rank has the
/// heaviest path or the mean, whichever is more, and the others share the rest:
/// no placement is better.
llvm::SmallVector<PathShare>
getPathShares(const Routes &routes, const Machine &machine, int64_t ranks,
              llvm::ArrayRef<int64_t> placement, double part = 1);

/// The exchanges of routes, in order.
enum class RowsMove : uint8_t { Counts, ToPaths, ToHome };

/// The messages of an exchange, for a part of the rows, to the first
/// `receivers` ranks of a mesh.
llvm::SmallVector<Message>
getPathMessages(const Routes &routes, llvm::ArrayRef<PathShare> shares,
                const Mesh &mesh, RowsMove move, double part,
                int64_t receivers = std::numeric_limits<int64_t>::max());

} // namespace dyn::plan

#endif // DYN_PLAN_PATHS_H
