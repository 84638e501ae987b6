//===- ReshapeAxes.cpp - The axes on both sides of a reshape --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DHLO/Analysis/ReshapeAxes.h"

using namespace mlir;
using namespace dyn;
using dyn::dhlo::DimExpr;

namespace {
/// The axes of one side that are in no group yet.
class Side {
public:
  explicit Side(ArrayRef<DimExpr> sizes) : sizes(sizes) {
    for (auto [axis, size] : llvm::enumerate(sizes))
      if (!size.isConst(1))
        left.push_back(axis);
  }

  size_t count() const { return left.size() - taken; }
  /// The elements of the next `count` axes that are not of size 1.
  DimExpr getProduct(size_t count) const {
    DimExpr product = sizes[left[taken]];
    for (size_t i = 1; i < count; ++i)
      product = dhlo::mul(product, sizes[left[taken + i]]);
    return product;
  }
  ArrayRef<int64_t> take(size_t count) {
    ArrayRef<int64_t> axes = ArrayRef(left).slice(taken, count);
    taken += count;
    if (count > 0)
      end = axes.back() + 1;
    return axes;
  }
  /// The next axis if it is of size 1.
  std::optional<int64_t> takeUnit() {
    if (end == static_cast<int64_t>(sizes.size()) || !sizes[end].isConst(1))
      return std::nullopt;
    return end++;
  }

private:
  ArrayRef<DimExpr> sizes;
  SmallVector<int64_t> left;
  size_t taken = 0;
  /// The first axis after those that were taken.
  int64_t end = 0;
};
} // namespace

/// Takes the axes of the next group.
static AxisGroup takeGroup(Side &from, Side &to, const SymbolicDims &dims) {
  AxisGroup group;
  auto take = [&](size_t p, size_t q) {
    llvm::append_range(group.from, from.take(p));
    llvm::append_range(group.to, to.take(q));
    return group;
  };
  for (size_t total = 2; total <= from.count() + to.count(); ++total)
    for (size_t p = 1; p < total; ++p) {
      size_t q = total - p;
      if (p <= from.count() && q <= to.count() &&
          dims.isEqual(from.getProduct(p), to.getProduct(q)))
        return take(p, q);
    }
  group.isProven = false;
  return take(from.count(), to.count());
}

SmallVector<AxisGroup> dyn::getReshapeGroups(ArrayRef<DimExpr> fromSizes,
                                             ArrayRef<DimExpr> toSizes,
                                             const SymbolicDims &dims) {
  Side from(fromSizes), to(toSizes);
  SmallVector<AxisGroup> groups;
  while (true) {
    for (auto axis = from.takeUnit(); axis; axis = from.takeUnit())
      if (auto other = to.takeUnit())
        groups.push_back({{*axis}, {*other}});
    while (to.takeUnit())
      continue;
    if (from.count() + to.count() == 0)
      return groups;
    groups.push_back(takeGroup(from, to, dims));
  }
}

std::optional<int64_t> dyn::getReshapedAxis(ArrayRef<AxisGroup> groups,
                                            int64_t axis) {
  for (const AxisGroup &group : groups)
    if (group.isAxis() && group.from.front() == axis)
      return group.to.front();
  return std::nullopt;
}
