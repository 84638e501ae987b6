//===- SumOfRows.h - Contractions that sum a few rows ---------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DHLO_ANALYSIS_SUMOFROWS_H
#define DYN_DIALECT_DHLO_ANALYSIS_SUMOFROWS_H

#include "dyn/Dialect/DHLO/IR/DHLO.h"

namespace dyn {

/// Whether each result is the sum of a few rows of the RHS, times elements of
/// the LHS: the LHS has only batch and contracted axes, the latter of at most
/// 16 elements, and the free axes of the RHS follow them. Each element of the
/// RHS is read once, so a GEMM kernel would gain nothing.
/// The same on all targets: kinds of fusions rest on it.
bool isSumOfRows(dhlo::DotGeneralOp op);

} // namespace dyn

#endif // DYN_DIALECT_DHLO_ANALYSIS_SUMOFROWS_H
