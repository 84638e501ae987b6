//===- FusionCost.h - Whether a value is stored or computed again ---------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A kernel can compute a value where it reads it, as often as it reads it, or
// another kernel computes it once and stores it. Both have a cost, in
// instructions for each vector of the value's elements. The unit leaves out the
// type: a vector of narrow elements takes as long to compute, to store and to
// load as one of wide elements.
//
// These are not the operations of Analysis/KernelCost.h. Those count an
// elementary function once, so that a share of the roofline does not depend on
// how the function is approximated; here it is what it costs.
//
// FusionRules.h says what kernels can compute at all.

#ifndef DYN_LIB_DIALECT_DLHLO_TRANSFORMS_FUSION_FUSIONCOST_H
#define DYN_LIB_DIALECT_DLHLO_TRANSFORMS_FUSION_FUSIONCOST_H

#include "dyn/Support/TargetInfo.h"

#include "mlir/IR/Operation.h"

namespace dyn::dlhlo {

/// How often a kernel computes a value.
struct Recomputation {
  /// The number of positions at which it does for one element of its result.
  unsigned positions = 1;
  /// Whether it computes an element several times at a position, a number of
  /// times that sizes decide.
  bool repeats = false;
};

/// The costs of a value if its users' kernel computes it, and if its own does.
struct FusionCost {
  int64_t fused, split;

  /// The cost of what is repeated a number of times that sizes decide.
  static constexpr int64_t kUnbounded = INT64_MAX;

  bool isFusedCheaper() const { return fused <= split; }
};

/// The cost of a value that `op` computes.
FusionCost getFusionCost(mlir::Operation *op, Recomputation often,
                         const ElementCosts &costs);

} // namespace dyn::dlhlo

#endif // DYN_LIB_DIALECT_DLHLO_TRANSFORMS_FUSION_FUSIONCOST_H
