//===- EmptyRowGuard.h - Guards of softmax against empty rows -------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The softmax of nothing but -inf is NaN. Models that mean zero write
//
//   select(is_nan(p), 0, p)                     for probabilities p
//   select(all of a row of x are -inf, 0, p)    for p = softmax(x)
//
// with negations and reductions by `and` or `or` in any of the equal forms.

#ifndef DYN_LIB_DIALECT_DHLO_TRANSFORMS_RECOGNIZE_EMPTYROWGUARD_H
#define DYN_LIB_DIALECT_DHLO_TRANSFORMS_RECOGNIZE_EMPTYROWGUARD_H

#include "Match.h"

namespace dyn::dhlo {

struct EmptyRowGuard {
  mlir::Value probabilities;
  /// The tensor that the guard compares with -inf; null if it asks for NaN.
  mlir::Value scores;
};

/// Matches a guard along the last axis and adds its operations to `interior`.
std::optional<EmptyRowGuard> matchEmptyRowGuard(SelectOp select,
                                                Interior &interior,
                                                const SymbolicDims &dims);

} // namespace dyn::dhlo

#endif // DYN_LIB_DIALECT_DHLO_TRANSFORMS_RECOGNIZE_EMPTYROWGUARD_H
