//===- SizeExpression.h - Size expressions of the signature ---------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_ARTIFACT_SIZEEXPRESSION_H
#define DYN_RUNTIME_ARTIFACT_SIZEEXPRESSION_H

#include "Status.h"

#include <cstdint>
#include <optional>

namespace dyn::rt {

/// Maximum stack depth of an expression.
constexpr uint32_t maxExpressionDepth = 32;

/// Whether `code` is an expression that evaluate() may run: valid instructions,
/// symbols below `dimCount`, one value left at the end, never more than
/// maxExpressionDepth.
bool isExpression(const int64_t *code, uint32_t words, uint32_t dimCount);

/// Value of a checked expression. Nothing if it overflows or divides by zero.
std::optional<int64_t> evaluate(const int64_t *code, uint32_t words,
                                const int64_t *dims);

/// Value of a size that is determined before the call: static, a bare symbol or
/// an expression. Nothing for another one, or if evaluation fails as above.
std::optional<int64_t> evaluate(const dyn_size_t &size, const int64_t *dims);

} // namespace dyn::rt

#endif // DYN_RUNTIME_ARTIFACT_SIZEEXPRESSION_H
