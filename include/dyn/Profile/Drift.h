//===- Drift.h - The distance between two distributions over paths --------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The measure is total variation, half the sum of the differences of shares: 0
// for equal distributions, 1 for disjoint ones; the share of rows that would
// have to move to another path to make the distributions equal. Few rows differ
// by chance alone, by about getChance; a distance well above that is drift.

#ifndef DYN_PROFILE_DRIFT_H
#define DYN_PROFILE_DRIFT_H

#include "dyn/Profile/RouteProfile.h"

namespace dyn {

/// The total variation of two loads. 0 if one of them has no rows.
double getTotalVariation(const ProfileWindow &lhs, const ProfileWindow &rhs);

/// The same for two tables, as distributions over pairs of paths.
double getTotalVariation(const PathTable &lhs, const PathTable &rhs);

/// The expected total variation between `shares` and the shares of `rows` rows
/// that follow them independently: sum sqrt(p (1 - p) / (2 pi rows)).
double getChance(llvm::ArrayRef<double> shares, uint64_t rows);

} // namespace dyn

#endif // DYN_PROFILE_DRIFT_H
