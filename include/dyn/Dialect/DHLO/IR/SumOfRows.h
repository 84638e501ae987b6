//===- SumOfRows.h - Products that add a few rows -----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DHLO_IR_SUMOFROWS_H
#define DYN_DIALECT_DHLO_IR_SUMOFROWS_H

#include "dyn/Dialect/DHLO/IR/DHLO.h"

namespace dyn::dhlo {

/// Whether each result is the sum of a few rows of rhs, times numbers of lhs:
/// lhs has batch and summed axes alone, of at most 16 elements, behind which
/// the free ones of rhs lie. Each element of rhs is read once, so there is
/// nothing to gain from a kernel for products of matrices.
bool isSumOfRows(DotGeneralOp op);

} // namespace dyn::dhlo

#endif // DYN_DIALECT_DHLO_IR_SUMOFROWS_H
