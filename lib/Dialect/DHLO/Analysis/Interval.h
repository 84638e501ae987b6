//===- Interval.h - Arithmetic on ranges of integers ----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The limits of int64 stand for "unbounded"; results that overflow become
// unbounded. Every function returns a range that holds the result for all
// operands in the given ranges.

#ifndef DYN_LIB_DIALECT_DHLO_ANALYSIS_INTERVAL_H
#define DYN_LIB_DIALECT_DHLO_ANALYSIS_INTERVAL_H

#include "dyn/Dialect/DHLO/Analysis/SymbolicDims.h"

namespace dyn::interval {

using Range = SymbolicDims::Range;

/// The range that holds `value` alone.
Range of(int64_t value);
Range intersect(Range lhs, Range rhs);
/// The smallest range that contains both.
Range unite(Range lhs, Range rhs);

Range add(Range lhs, Range rhs);
Range mul(Range lhs, Range rhs);
Range floorDiv(Range lhs, Range rhs);
Range ceilDiv(Range lhs, Range rhs);
Range mod(Range lhs, Range rhs);
Range min(Range lhs, Range rhs);
Range max(Range lhs, Range rhs);
Range broadcast(Range lhs, Range rhs);
/// Dispatches on the kind of expression.
Range combine(dhlo::DimExprKind kind, Range lhs, Range rhs);

} // namespace dyn::interval

#endif // DYN_LIB_DIALECT_DHLO_ANALYSIS_INTERVAL_H
