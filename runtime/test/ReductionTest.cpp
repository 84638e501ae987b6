//===- ReductionTest.cpp - Sums of ranks in a stated order ----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reduction.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>
#include <xmmintrin.h>

using namespace dyn::rt;

namespace {

/// The first of `rows`, each of one element, after a reduction.
template <typename T>
T reduce(std::vector<T> rows, dyn_dtype_t dtype, dyn_reduction_t kind,
         dyn_reduction_order_t order = DYN_ORDER_TREE) {
  Reduction{dtype, kind, order}.run(rows.data(), uint32_t(rows.size()), 1);
  return rows[0];
}

float reduce(std::vector<float> rows, dyn_reduction_t kind,
             dyn_reduction_order_t order = DYN_ORDER_TREE) {
  return reduce<float>(rows, DYN_F32, kind, order);
}

/// One is lost beside 1e8. The tree of five ranks is ((0 1) (2 3)) 4.
TEST(ReductionTest, OrderDecides) {
  const std::vector<float> rows = {1e8f, 1, -1e8f, 1, 1};
  EXPECT_EQ(reduce(rows, DYN_REDUCE_SUM, DYN_ORDER_BY_RANK), 2);
  EXPECT_EQ(reduce(rows, DYN_REDUCE_SUM, DYN_ORDER_TREE), 1);
}

TEST(ReductionTest, EveryNumberOfRanks) {
  for (int32_t ranks = 1; ranks <= 17; ++ranks)
    for (dyn_reduction_order_t order : {DYN_ORDER_BY_RANK, DYN_ORDER_TREE}) {
      std::vector<int32_t> rows;
      for (int32_t rank = 0; rank < ranks; ++rank)
        rows.insert(rows.end(), {rank, -rank, 1});
      for (dyn_reduction_t kind :
           {DYN_REDUCE_SUM, DYN_REDUCE_MIN, DYN_REDUCE_MAX}) {
        std::vector<int32_t> found = rows;
        Reduction{DYN_I32, kind, order}.run(found.data(), uint32_t(ranks), 3);
        found.resize(3);
        int32_t last = ranks - 1, sum = ranks * last / 2;
        std::vector<int32_t> expected = {sum, -sum, ranks};
        if (kind == DYN_REDUCE_MIN)
          expected = {0, -last, 1};
        if (kind == DYN_REDUCE_MAX)
          expected = {last, 0, 1};
        EXPECT_EQ(found, expected) << ranks << " ranks";
      }
    }
}

TEST(ReductionTest, NoElements) {
  double row = 7;
  Reduction{DYN_F64, DYN_REDUCE_SUM, DYN_ORDER_TREE}.run(&row, 4, 0);
  EXPECT_EQ(row, 7);
}

TEST(ReductionTest, NaNOfAnyRank) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (dyn_reduction_t kind : {DYN_REDUCE_SUM, DYN_REDUCE_MIN, DYN_REDUCE_MAX})
    for (size_t rank = 0; rank < 3; ++rank) {
      std::vector<float> rows = {1, -INFINITY, 2};
      rows[rank] = nan;
      EXPECT_TRUE(std::isnan(reduce(rows, kind))) << "of rank " << rank;
    }
}

TEST(ReductionTest, IntegersWrapAround) {
  using Limits32 = std::numeric_limits<int32_t>;
  using Limits64 = std::numeric_limits<int64_t>;
  EXPECT_EQ(reduce<int32_t>({Limits32::max(), 1}, DYN_I32, DYN_REDUCE_SUM),
            Limits32::min());
  EXPECT_EQ(reduce<int64_t>({Limits64::min(), -1}, DYN_I64, DYN_REDUCE_SUM),
            Limits64::max());
}

/// Whatever the mode of the host is.
TEST(ReductionTest, KeepsDenormals) {
  const float least = std::numeric_limits<float>::denorm_min();
  unsigned mode = _mm_getcsr();
  _mm_setcsr(mode | 0x8040); // flush results and operands to zero
  float sum = reduce({least, least, least}, DYN_REDUCE_SUM);
  unsigned after = _mm_getcsr();
  _mm_setcsr(mode);
  EXPECT_EQ(sum, 3 * least);
  EXPECT_EQ(after, mode | 0x8040);
}

TEST(ReductionTest, SupportsFourTypes) {
  for (dyn_dtype_t dtype : {DYN_F32, DYN_F64, DYN_I32, DYN_I64})
    EXPECT_TRUE(Reduction::supports(dtype)) << dtype;
  for (dyn_dtype_t dtype : {DYN_BOOL, DYN_I8, DYN_F16, DYN_BF16})
    EXPECT_FALSE(Reduction::supports(dtype)) << dtype;
}

} // namespace
