//===- SizeExpression.cpp - Size expressions of the signature -------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SizeExpression.h"

#include "Types.h"

#include <algorithm>

using namespace dyn::rt;

bool dyn::rt::isExpression(const int64_t *code, uint32_t words,
                           uint32_t dimCount) {
  uint32_t depth = 0;
  for (uint32_t i = 0; i < words; ++i) {
    int64_t op = code[i];
    if (op == DYN_SIZE_CONST || op == DYN_SIZE_DIM) {
      if (++i == words)
        return false;
      if (op == DYN_SIZE_DIM && (code[i] < 0 || code[i] >= int64_t(dimCount)))
        return false;
      if (++depth > maxExpressionDepth)
        return false;
      continue;
    }
    if (op < DYN_SIZE_ADD || op > DYN_SIZE_BROADCAST || depth < 2)
      return false;
    --depth;
  }
  return depth == 1;
}

static std::optional<int64_t> divide(int64_t a, int64_t b, bool up) {
  if (b == 0 || (a == INT64_MIN && b == -1))
    return std::nullopt;
  int64_t quotient = a / b;
  if (a % b != 0) {
    bool negative = (a < 0) != (b < 0);
    if (up && !negative)
      ++quotient;
    if (!up && negative)
      --quotient;
  }
  return quotient;
}

static std::optional<int64_t> apply(int64_t op, int64_t a, int64_t b) {
  switch (op) {
  case DYN_SIZE_ADD:
    return checkedAdd(a, b);
  case DYN_SIZE_MUL:
    return checkedMul(a, b);
  case DYN_SIZE_FLOORDIV:
    return divide(a, b, /*up=*/false);
  case DYN_SIZE_CEILDIV:
    return divide(a, b, /*up=*/true);
  case DYN_SIZE_MOD: {
    if (b == 0)
      return std::nullopt;
    if (b == -1)
      return 0;
    int64_t rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
  }
  case DYN_SIZE_MIN:
    return std::min(a, b);
  case DYN_SIZE_MAX:
    return std::max(a, b);
  case DYN_SIZE_BROADCAST:
    return a == 1 ? b : a;
  }
  return std::nullopt;
}

std::optional<int64_t> dyn::rt::evaluate(const int64_t *code, uint32_t words,
                                         const int64_t *dims) {
  int64_t stack[maxExpressionDepth];
  uint32_t depth = 0;
  for (uint32_t i = 0; i < words; ++i) {
    int64_t op = code[i];
    if (op == DYN_SIZE_CONST) {
      stack[depth++] = code[++i];
      continue;
    }
    if (op == DYN_SIZE_DIM) {
      stack[depth++] = dims[code[++i]];
      continue;
    }
    std::optional<int64_t> value =
        apply(op, stack[depth - 2], stack[depth - 1]);
    if (!value)
      return std::nullopt;
    --depth;
    stack[depth - 1] = *value;
  }
  return stack[0];
}

std::optional<int64_t> dyn::rt::evaluate(const dyn_size_t &size,
                                         const int64_t *dims) {
  if (size.extent >= 0)
    return size.extent;
  if (size.dim >= 0)
    return dims[size.dim];
  if (size.code_words)
    return evaluate(size.code, size.code_words, dims);
  return std::nullopt;
}
