//===- AxisView.h - Elements along an axis --------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_INTERPRETER_AXISVIEW_H
#define DYN_LIB_INTERPRETER_AXISVIEW_H

#include "Evaluator.h"

namespace dyn {

/// A tensor as outer x size x inner around an axis.
struct AxisView {
  AxisView(llvm::ArrayRef<int64_t> sizes, int64_t axis)
      : outer(product(sizes.take_front(axis))), size(sizes[axis]),
        inner(product(sizes.drop_front(axis + 1))) {}

  /// The index of element i along the axis, for a pair of outer and inner.
  int64_t at(int64_t o, int64_t i, int64_t n) const {
    return (o * size + i) * inner + n;
  }
  /// The number of such pairs.
  int64_t getRows() const { return outer * inner; }
  /// The index of the first element for a pair, by its number. The next ones
  /// are `inner` apart.
  int64_t getStart(int64_t row) const {
    return at(row / inner, 0, row % inner);
  }

  int64_t outer, size, inner;
};

} // namespace dyn

#endif // DYN_LIB_INTERPRETER_AXISVIEW_H
