//===- RoutePrediction.h - Predictions of the choices of routers ----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The predictions of a router, the best of each kind, with the share of the
// rows for which each is right. `cell-apply-profile` makes them from the counts
// of a profile and leaves them at the router, as `cell.predictions`; whoever
// decides by them asks here.
//
//   majority  the paths with the most rows, as many as a cell has
//   after     for each path of the router before on the same cells, the path to
//             which most of its cells went: the maxima of the rows of the table
//             of transitions
//
// The share of a prediction is the part that is right of the rows, or of those
// that it predicts, whichever are more: a cell without a path is predicted
// wrongly, too.
//
// A router with a capacity is not predicted: the rows that it drops depend on
// all cells.

#ifndef DYN_DIALECT_CELL_ANALYSIS_ROUTEPREDICTION_H
#define DYN_DIALECT_CELL_ANALYSIS_ROUTEPREDICTION_H

#include "dyn/Dialect/Cell/IR/Cell.h"
#include "dyn/Profile/RouteProfile.h"

namespace dyn::cell {

/// Discardable attribute of a `cell.route`: an array of its predictions.
inline constexpr llvm::StringLiteral kPredictionsAttr = "cell.predictions";

/// Discardable attribute of a module: for each router, a dictionary of strings
/// with its key (`router`), what was chosen (`rule`) and the numbers that
/// decided (`why`).
inline constexpr llvm::StringLiteral kRulesAttr = "cell.rules";

/// The whole of a prediction's share.
inline constexpr int64_t kWholeShare = 1024;

/// The maximum number of paths of a cell: the choices that a router makes for
/// each. Nothing if it is not static.
std::optional<int64_t> getMostChoices(RouteOp route);

/// Whether each cell has one path at most.
bool hasOneChoice(RouteOp route);

/// The prediction of the paths that got most of the counted rows. Null without
/// rows, and if a router of this kind is not predicted.
PredictionAttr predictMajority(RouteOp route, const ProfileWindow &counts);

/// The prediction by the path at the router `before`, which has the key `key`.
/// Null without transitions, and unless both choose one of several paths.
PredictionAttr predictAfter(RouteOp route, RouteOp before, mlir::StringAttr key,
                            const ProfileWindow &counts);

/// The predictions at a router, by descending share. Those that do not fit the
/// router are left out.
llvm::SmallVector<PredictionAttr> getPredictions(RouteOp route);

} // namespace dyn::cell

#endif // DYN_DIALECT_CELL_ANALYSIS_ROUTEPREDICTION_H
