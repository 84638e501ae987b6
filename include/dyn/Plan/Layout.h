//===- Layout.h - Which rank holds which part of a value ------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_PLAN_LAYOUT_H
#define DYN_PLAN_LAYOUT_H

#include "dyn/Plan/Machine.h"
#include "dyn/Plan/Model.h"

#include <limits>

namespace dyn::plan {

/// A grid of consecutive ranks, in row-major order.
struct Mesh {
  llvm::SmallVector<int64_t, 2> sizes;
  int64_t first = 0;

  int64_t getRanks() const;
  /// The ranks along the axes that divide by `split`.
  int64_t count(llvm::ArrayRef<Split> splits, Split split) const;
};

/// The share of the longest of n blocks of `size ceildiv n`.
double getBlockShare(int64_t size, int64_t n);
/// The share of a value that a rank holds at most.
double getShare(const Value &value, const Mesh &mesh,
                llvm::ArrayRef<Split> splits);

/// The messages after which the ranks of `to` hold a value as `toSplits` say,
/// if those of `from` hold it as `fromSplits` say. Between equal meshes, a rank
/// keeps what it has. Those to the first `receivers` ranks alone show the time
/// of all where blocks are equal, since ranks receive equal parts then.
llvm::SmallVector<Message>
getMessages(const Value &value, const Mesh &from,
            llvm::ArrayRef<Split> fromSplits, const Mesh &to,
            llvm::ArrayRef<Split> toSplits,
            int64_t receivers = std::numeric_limits<int64_t>::max());
/// The messages of one half of a sum over ranks: each gets a part of the terms
/// from all others along the axes that are divided by the sum, and in the other
/// half a part of the sums.
llvm::SmallVector<Message> getSumMessages(const Value &value, const Mesh &mesh,
                                          llvm::ArrayRef<Split> splits);

} // namespace dyn::plan

#endif // DYN_PLAN_LAYOUT_H
