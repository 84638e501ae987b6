//===- ReshapeAxes.h - The axes on both sides of a reshape ----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A reshape keeps the order of all elements. Where the elements before and in
// some axes are as many on both sides, these axes have the same indices, or
// indices that follow from each other by divisions:
//
//   [B, S, 12, 64] -> [B * S, 768]     {B, S} - {B * S}, {12, 64} - {768}
//   [B, S, 768] -> [B, 1, S, 12, 64]   {B} - {B}, {S} - {S}, {768} - {12, 64}

#ifndef DYN_DIALECT_DHLO_ANALYSIS_RESHAPEAXES_H
#define DYN_DIALECT_DHLO_ANALYSIS_RESHAPEAXES_H

#include "dyn/Dialect/DHLO/Analysis/SymbolicDims.h"

namespace dyn {

/// Axes of one side that have as many elements as axes of the other, in
/// ascending order.
struct AxisGroup {
  llvm::SmallVector<int64_t, 2> from, to;
  /// Whether this is proved for these axes, not only for all of both sides.
  bool isProven = true;

  /// Whether an axis is the same on both sides.
  bool isAxis() const { return from.size() == 1 && to.size() == 1 && isProven; }
};

/// The smallest groups of consecutive axes whose numbers of elements are
/// provably equal, in the order of axes. Axes that remain without a proof are
/// one group, since all elements are as many; one side of it may be empty. Axes
/// of the constant size 1 are in no group, except that one of `from` and one of
/// `to` between the same groups are a group.
llvm::SmallVector<AxisGroup>
getReshapeGroups(llvm::ArrayRef<dhlo::DimExpr> from,
                 llvm::ArrayRef<dhlo::DimExpr> to, const SymbolicDims &dims);

/// The axis of `to` that is the axis `axis` of `from`; nothing if there is
/// none.
std::optional<int64_t> getReshapedAxis(llvm::ArrayRef<AxisGroup> groups,
                                       int64_t axis);

} // namespace dyn

#endif // DYN_DIALECT_DHLO_ANALYSIS_RESHAPEAXES_H
