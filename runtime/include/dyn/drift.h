//===- drift.h - The distance between two distributions over paths --------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The formulas of docs/Profiles.md, for the runtime and for the tools that read
// its profiles.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DRIFT_H
#define DYN_DRIFT_H

#include <math.h>
#include <stddef.h>

/// The total variation of two distributions over `count` paths: half the sum of
/// the differences of shares.
static inline double dyn_total_variation(const double *lhs, const double *rhs,
                                         size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; ++i)
    sum += fabs(lhs[i] - rhs[i]);
  return sum / 2;
}

/// The expected total variation between `shares` and the shares of `rows` rows
/// that follow them independently: sum sqrt(p (1 - p) / (2 pi rows)).
static inline double dyn_drift_chance(const double *shares, size_t count,
                                      double rows) {
  const double pi = 3.14159265358979323846;
  double sum = 0;
  for (size_t i = 0; i < count; ++i)
    sum += sqrt(shares[i] * (1 - shares[i]) / (2 * pi * (rows < 1 ? 1 : rows)));
  return sum < 1 ? sum : 1;
}

#endif // DYN_DRIFT_H
