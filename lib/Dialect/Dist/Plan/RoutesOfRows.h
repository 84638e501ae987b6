//===- RoutesOfRows.h - A router and its paths, for a planner -------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DIALECT_DIST_PLAN_ROUTESOFROWS_H
#define DYN_LIB_DIALECT_DIST_PLAN_ROUTESOFROWS_H

#include "dyn/Dialect/Dist/Transforms/PathRows.h"
#include "dyn/Plan/Model.h"

namespace dyn::dist {

/// The work of each path for its rows, and the bytes of rows that move to paths
/// and back. `evaluate` finds the values of sizes. The rows of paths are
/// those of a profile (`dhlo.load`), or equally many.
plan::Routes getRoutes(cell::RouteOp route, const PathRows &rows,
                       const SymbolicDims &dims,
                       llvm::function_ref<double(dhlo::DimExpr)> evaluate);

} // namespace dyn::dist

#endif // DYN_LIB_DIALECT_DIST_PLAN_ROUTESOFROWS_H
