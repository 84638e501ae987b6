//===- SizeExpressionTest.cpp - Size expressions against plain arithmetic -===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SizeExpression.h"
#include "Types.h"

#include "gtest/gtest.h"

#include <cmath>
#include <vector>

using namespace dyn::rt;

static std::optional<int64_t> apply(dyn_size_op op, int64_t a, int64_t b) {
  std::vector<int64_t> code = {DYN_SIZE_CONST, a, DYN_SIZE_CONST, b, op};
  EXPECT_TRUE(isExpression(code.data(), uint32_t(code.size()), 0));
  return evaluate(code.data(), uint32_t(code.size()), nullptr);
}

TEST(SizeExpression, AgreesWithPlainArithmetic) {
  for (int64_t a = -9; a <= 9; ++a)
    for (int64_t b = -9; b <= 9; ++b) {
      EXPECT_EQ(apply(DYN_SIZE_ADD, a, b), a + b);
      EXPECT_EQ(apply(DYN_SIZE_MUL, a, b), a * b);
      EXPECT_EQ(apply(DYN_SIZE_MIN, a, b), a < b ? a : b);
      EXPECT_EQ(apply(DYN_SIZE_MAX, a, b), a < b ? b : a);
      EXPECT_EQ(apply(DYN_SIZE_BROADCAST, a, b), a == 1 ? b : a);
      if (b == 0)
        continue;
      auto quotient = double(a) / double(b);
      EXPECT_EQ(apply(DYN_SIZE_FLOORDIV, a, b), int64_t(std::floor(quotient)));
      EXPECT_EQ(apply(DYN_SIZE_CEILDIV, a, b), int64_t(std::ceil(quotient)));
      EXPECT_EQ(apply(DYN_SIZE_MOD, a, b),
                a - b * int64_t(std::floor(quotient)));
    }
}

TEST(SizeExpression, DivisionByZeroHasNoValue) {
  EXPECT_EQ(apply(DYN_SIZE_FLOORDIV, 4, 0), std::nullopt);
  EXPECT_EQ(apply(DYN_SIZE_CEILDIV, 4, 0), std::nullopt);
  EXPECT_EQ(apply(DYN_SIZE_MOD, 4, 0), std::nullopt);
}

TEST(SizeExpression, OverflowHasNoValue) {
  EXPECT_EQ(apply(DYN_SIZE_ADD, INT64_MAX, 1), std::nullopt);
  EXPECT_EQ(apply(DYN_SIZE_MUL, INT64_MAX / 2, 3), std::nullopt);
  EXPECT_EQ(apply(DYN_SIZE_FLOORDIV, INT64_MIN, -1), std::nullopt);
  EXPECT_EQ(apply(DYN_SIZE_MOD, INT64_MIN, -1), 0);
}

TEST(SizeExpression, ReadsSymbols) {
  const int64_t code[] = {DYN_SIZE_DIM, 1, DYN_SIZE_DIM, 0, DYN_SIZE_FLOORDIV};
  const int64_t dims[] = {4, 19};
  ASSERT_TRUE(isExpression(code, 5, 2));
  EXPECT_FALSE(isExpression(code, 5, 1));
  EXPECT_EQ(evaluate(code, 5, dims), 4);
}

TEST(SizeExpression, RefusesADeepStack) {
  std::vector<int64_t> code;
  auto push = [&] { code.insert(code.end(), {DYN_SIZE_CONST, 1}); };
  auto sums = [&](uint32_t count) {
    code.insert(code.end(), count, DYN_SIZE_ADD);
  };
  for (uint32_t i = 0; i < maxExpressionDepth; ++i)
    push();
  std::vector<int64_t> values = code;
  sums(maxExpressionDepth - 1);
  EXPECT_TRUE(isExpression(code.data(), uint32_t(code.size()), 0));
  EXPECT_EQ(evaluate(code.data(), uint32_t(code.size()), nullptr),
            int64_t(maxExpressionDepth));
  code = values;
  push();
  sums(maxExpressionDepth);
  EXPECT_FALSE(isExpression(code.data(), uint32_t(code.size()), 0));
}

TEST(TensorBytes, ChecksTheProduct) {
  const int64_t small[] = {3, 5, 7}, empty[] = {0, 1000};
  const int64_t huge[] = {INT64_MAX, 2}, hidden[] = {0, INT64_MAX, INT64_MAX};
  const int64_t negative[] = {2, -1};
  EXPECT_EQ(tensorBytes(DYN_F32, 3, small), 420);
  EXPECT_EQ(tensorBytes(DYN_F64, 0, nullptr), 8);
  EXPECT_EQ(tensorBytes(DYN_F32, 2, empty), 0);
  EXPECT_EQ(tensorBytes(DYN_I8, 2, huge), std::nullopt);
  EXPECT_EQ(tensorBytes(DYN_I8, 3, hidden), std::nullopt);
  EXPECT_EQ(tensorBytes(DYN_I8, 2, negative), std::nullopt);
}
