//===- Interval.cpp - Arithmetic on ranges of integers --------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Interval.h"

#include "llvm/Support/MathExtras.h"

namespace dyn::interval {

namespace {
constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

/// Saturating multiplication. An unbounded operand times zero is zero, since
/// the bound is not reached.
int64_t mulEnds(int64_t lhs, int64_t rhs) {
  int64_t product;
  if (lhs == 0 || rhs == 0)
    return 0;
  bool negative = (lhs < 0) != (rhs < 0);
  bool unbounded =
      lhs == kLeast || lhs == kMost || rhs == kLeast || rhs == kMost;
  if (unbounded || llvm::MulOverflow(lhs, rhs, product))
    return negative ? kLeast : kMost;
  return product;
}

/// Quotient of an end by a positive divisor; `divide` rounds.
template <typename Divide>
int64_t divideEnds(int64_t lhs, int64_t rhs, Divide divide) {
  if (lhs == kLeast || lhs == kMost)
    return lhs;
  if (rhs == kMost)
    // The limit of lhs / rhs, rounded outwards.
    return divide(lhs < 0 ? -1 : (lhs > 0 ? 1 : 0), 2);
  return divide(lhs, rhs);
}

template <typename Divide>
Range divideRanges(Range lhs, Range rhs, Divide divide) {
  // A division by zero has no value: a nonnegative divisor is assumed to be
  // positive. Negative divisors are not handled.
  rhs.min = rhs.min == 0 ? 1 : rhs.min;
  if (rhs.min < 1 || rhs.max < rhs.min)
    return {};
  int64_t ends[] = {divideEnds(lhs.min, rhs.min, divide),
                    divideEnds(lhs.min, rhs.max, divide),
                    divideEnds(lhs.max, rhs.min, divide),
                    divideEnds(lhs.max, rhs.max, divide)};
  return {*std::min_element(ends, ends + 4), *std::max_element(ends, ends + 4)};
}
} // namespace

Range of(int64_t value) { return {value, value}; }

Range intersect(Range lhs, Range rhs) {
  return {std::max(lhs.min, rhs.min), std::min(lhs.max, rhs.max)};
}

Range unite(Range lhs, Range rhs) {
  return {std::min(lhs.min, rhs.min), std::max(lhs.max, rhs.max)};
}

Range add(Range lhs, Range rhs) {
  Range sum;
  if (lhs.min == kLeast || rhs.min == kLeast ||
      llvm::AddOverflow(lhs.min, rhs.min, sum.min))
    sum.min = kLeast;
  if (lhs.max == kMost || rhs.max == kMost ||
      llvm::AddOverflow(lhs.max, rhs.max, sum.max))
    sum.max = kMost;
  return sum;
}

Range mul(Range lhs, Range rhs) {
  int64_t ends[] = {mulEnds(lhs.min, rhs.min), mulEnds(lhs.min, rhs.max),
                    mulEnds(lhs.max, rhs.min), mulEnds(lhs.max, rhs.max)};
  return {*std::min_element(ends, ends + 4), *std::max_element(ends, ends + 4)};
}

Range floorDiv(Range lhs, Range rhs) {
  return divideRanges(lhs, rhs, [](int64_t a, int64_t b) {
    return llvm::divideFloorSigned(a, b);
  });
}

Range ceilDiv(Range lhs, Range rhs) {
  return divideRanges(lhs, rhs, [](int64_t a, int64_t b) {
    return llvm::divideCeilSigned(a, b);
  });
}

Range mod(Range lhs, Range rhs) {
  if (rhs.min < 0)
    return {};
  Range result{0, rhs.max == kMost ? kMost : std::max<int64_t>(rhs.max - 1, 0)};
  // A value below the divisor is unchanged, and the result is never larger than
  // the value.
  if (lhs.min >= 0) {
    result.max = std::min(result.max, lhs.max);
    if (lhs.max < rhs.min)
      result.min = lhs.min;
  }
  return result;
}

Range min(Range lhs, Range rhs) {
  return {std::min(lhs.min, rhs.min), std::min(lhs.max, rhs.max)};
}

Range max(Range lhs, Range rhs) {
  return {std::max(lhs.min, rhs.min), std::max(lhs.max, rhs.max)};
}

Range broadcast(Range lhs, Range rhs) {
  if (lhs.min > 1 || lhs.max < 1)
    return lhs;
  if (lhs.min == 1 && lhs.max == 1)
    return rhs;
  // Broadcast operands are equal or 1, so a value above 1 that one of them
  // cannot have, the result cannot have either.
  return unite(lhs, rhs);
}

Range combine(dhlo::DimExprKind kind, Range lhs, Range rhs) {
  switch (kind) {
  case dhlo::DimExprKind::Add:
    return add(lhs, rhs);
  case dhlo::DimExprKind::Mul:
    return mul(lhs, rhs);
  case dhlo::DimExprKind::FloorDiv:
    return floorDiv(lhs, rhs);
  case dhlo::DimExprKind::CeilDiv:
    return ceilDiv(lhs, rhs);
  case dhlo::DimExprKind::Mod:
    return mod(lhs, rhs);
  case dhlo::DimExprKind::Min:
    return min(lhs, rhs);
  case dhlo::DimExprKind::Max:
    return max(lhs, rhs);
  case dhlo::DimExprKind::Broadcast:
    return broadcast(lhs, rhs);
  case dhlo::DimExprKind::Const:
  case dhlo::DimExprKind::Symbol:
    break;
  }
  return {};
}

} // namespace dyn::interval
