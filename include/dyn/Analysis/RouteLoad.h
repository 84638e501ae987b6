//===- RouteLoad.h - How rows are expected to spread over paths -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The one place that transforms, schedules and costs ask about the load of
// paths, at every level at which routes are known: of a `cell.route`, a
// `dhlo.group` or a `dhlo.grouped_dot`. With a profile, shares are what was
// counted (`#dhlo.load`); without one, all paths are alike. Only what order,
// split or version is chosen may depend on it, never a bit of a result.
//
//   RouteLoad load = RouteLoad::of(groupedDot, /*paths=*/8);
//   for (int64_t path : load.getPathsByLoad())       // heavy ones first
//     plan(path, load.getExpectedRows(path, rows));

#ifndef DYN_ANALYSIS_ROUTELOAD_H
#define DYN_ANALYSIS_ROUTELOAD_H

#include "dyn/Dialect/DHLO/IR/DHLO.h"

namespace dyn {

class RouteLoad {
public:
  /// Of `paths` paths that are alike.
  explicit RouteLoad(int64_t paths) : paths(paths) {}
  /// Of an operation with `paths` paths. An attribute for another number of
  /// paths says nothing.
  static RouteLoad of(mlir::Operation *op, int64_t paths);

  int64_t getNumPaths() const { return paths; }
  /// Whether a profile says so.
  bool isProfiled() const { return attr != nullptr; }
  /// The part of the rows that a path gets; parts add up to 1.
  double getShare(int64_t path) const;
  /// The rows that a path gets of `rows`: `rows / paths` without a profile.
  double getExpectedRows(int64_t path, double rows) const {
    return getShare(path) * rows;
  }
  /// The rows of a call, on average. Nothing without a profile.
  std::optional<int64_t> getTypicalRows() const;
  /// All paths, those with the most rows first, else in their order.
  llvm::SmallVector<int64_t> getPathsByLoad() const;

private:
  int64_t paths;
  dhlo::LoadAttr attr;
};

/// The attribute for rows that were counted for each path in `calls` calls.
/// Null if there are none.
dhlo::LoadAttr makeLoad(mlir::MLIRContext *context,
                        llvm::ArrayRef<uint64_t> rows, uint64_t calls);

} // namespace dyn

#endif // DYN_ANALYSIS_ROUTELOAD_H
