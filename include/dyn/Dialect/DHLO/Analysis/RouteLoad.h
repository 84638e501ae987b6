//===- RouteLoad.h - The expected distribution of rows over paths ---------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The source of the load of paths for rules and costs: of a `cell.route`. With
// a profile, shares are measured (`#dhlo.load`); without one, all paths have
// the same load. It may only affect what is chosen, never a bit of a result.
//
//   RouteLoad load = RouteLoad::of(route, /*paths=*/8);
//   double rows = load.getExpectedRows(path, all);

#ifndef DYN_DIALECT_DHLO_ANALYSIS_ROUTELOAD_H
#define DYN_DIALECT_DHLO_ANALYSIS_ROUTELOAD_H

#include "dyn/Dialect/DHLO/IR/DHLO.h"

namespace dyn {

class RouteLoad {
public:
  /// Equal load of `paths` paths.
  explicit RouteLoad(int64_t paths) : paths(paths) {}
  /// The load of an operation with `paths` paths. An attribute for a different
  /// number of paths is ignored.
  static RouteLoad of(mlir::Operation *op, int64_t paths);

  int64_t getNumPaths() const { return paths; }
  /// Whether the load comes from a profile.
  bool isProfiled() const { return attr != nullptr; }
  /// The share of the rows that a path gets; the sum of all shares is 1.
  double getShare(int64_t path) const;
  /// The rows out of `rows` that a path gets: `rows / paths` without a profile.
  double getExpectedRows(int64_t path, double rows) const {
    return getShare(path) * rows;
  }
  /// The average number of rows of a call. Nothing without a profile.
  std::optional<int64_t> getTypicalRows() const;
  /// All paths by descending number of rows, else by index.
  llvm::SmallVector<int64_t> getPathsByLoad() const;

private:
  int64_t paths;
  dhlo::LoadAttr attr;
};

/// The attribute for rows that were counted for each path in `calls` calls.
/// Null if there were none.
dhlo::LoadAttr makeLoad(mlir::MLIRContext *context,
                        llvm::ArrayRef<uint64_t> rows, uint64_t calls);

} // namespace dyn

#endif // DYN_DIALECT_DHLO_ANALYSIS_ROUTELOAD_H
