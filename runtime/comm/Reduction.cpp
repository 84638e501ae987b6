//===- Reduction.cpp - Sums of ranks in a stated order --------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reduction.h"

#include "FloatMode.h"

#include <type_traits>

using namespace dyn::rt;

namespace {
/// Integers wrap around.
struct Sum {
  template <typename T> T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      using Unsigned = std::make_unsigned_t<T>;
      return T(Unsigned(a) + Unsigned(b));
    } else {
      return a + b;
    }
  }
};
// The comparisons are false for a NaN on the right, which is the result then.
struct Min {
  template <typename T> T operator()(T a, T b) const {
    return a < b || a != a ? a : b;
  }
};
struct Max {
  template <typename T> T operator()(T a, T b) const {
    return a > b || a != a ? a : b;
  }
};

template <typename T, typename Combine>
void combine(T *row, const T *other, uint64_t count, Combine combine) {
  for (uint64_t i = 0; i < count; ++i)
    row[i] = combine(row[i], other[i]);
}

/// Combines rows [begin, begin + ranks) into the first of them.
template <typename T, typename Combine>
void combineTree(T *rows, uint32_t ranks, uint64_t count, Combine how) {
  if (ranks < 2)
    return;
  uint32_t half = 1;
  while (half * 2 < ranks)
    half *= 2;
  T *rest = rows + half * count;
  combineTree(rows, half, count, how);
  combineTree(rest, ranks - half, count, how);
  combine(rows, rest, count, how);
}

template <typename T, typename Combine>
void reduce(T *rows, uint32_t ranks, uint64_t count,
            dyn_reduction_order_t order, Combine how) {
  if (order == DYN_ORDER_TREE)
    return combineTree(rows, ranks, count, how);
  for (uint32_t rank = 1; rank < ranks; ++rank)
    combine(rows, rows + rank * count, count, how);
}

template <typename T>
void reduce(void *rows, uint32_t ranks, uint64_t count,
            const Reduction &reduction) {
  T *typed = static_cast<T *>(rows);
  switch (reduction.kind) {
  case DYN_REDUCE_SUM:
    return reduce(typed, ranks, count, reduction.order, Sum());
  case DYN_REDUCE_MIN:
    return reduce(typed, ranks, count, reduction.order, Min());
  case DYN_REDUCE_MAX:
    return reduce(typed, ranks, count, reduction.order, Max());
  }
}
} // namespace

bool Reduction::supports(dyn_dtype_t dtype) {
  return dtype == DYN_F32 || dtype == DYN_F64 || dtype == DYN_I32 ||
         dtype == DYN_I64;
}

void Reduction::run(void *rows, uint32_t ranks, uint64_t count) const {
  FloatMode mode;
  switch (dtype) {
  case DYN_F32:
    return reduce<float>(rows, ranks, count, *this);
  case DYN_F64:
    return reduce<double>(rows, ranks, count, *this);
  case DYN_I32:
    return reduce<int32_t>(rows, ranks, count, *this);
  case DYN_I64:
    return reduce<int64_t>(rows, ranks, count, *this);
  default:
    return;
  }
}
