//===- SizeExpression.h - Size expressions of the signature --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_CORE_SIZEEXPRESSION_H
#define DYN_RUNTIME_CORE_SIZEEXPRESSION_H

#include "Status.h"

#include <cstdint>
#include <optional>

namespace dyn::rt {

/// Deepest stack that an expression may need.
constexpr uint32_t maxExpressionDepth = 32;

/// Whether `code` is an expression that evaluate() may run: known
/// instructions, symbols below `dimCount`, one value left, never more than
/// maxExpressionDepth.
bool isExpression(const int64_t *code, uint32_t words, uint32_t dimCount);

/// Value of a checked expression. Nothing if it overflows or divides by zero.
std::optional<int64_t> evaluate(const int64_t *code, uint32_t words,
                                const int64_t *dims);

/// Value of a size that is known before the call: static, bare symbol or
/// expression. Nothing for an unknown one, and as evaluate().
std::optional<int64_t> evaluate(const dyn_size_t &size, const int64_t *dims);

} // namespace dyn::rt

#endif // DYN_RUNTIME_CORE_SIZEEXPRESSION_H
