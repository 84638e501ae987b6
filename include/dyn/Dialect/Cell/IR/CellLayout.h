//===- CellLayout.h - How the cells of a tensor lie in it
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_CELL_IR_CELLLAYOUT_H
#define DYN_DIALECT_CELL_IR_CELLLAYOUT_H

#include "dyn/Dialect/Cell/IR/Cell.h"
#include "dyn/Dialect/DHLO/IR/Inference.h"

namespace dyn::cell {

/// What `cell.split` does to sizes: each of its axes becomes two, the number of
/// blocks and the block, the numbers of blocks come first, and become one.
struct CellLayout {
  /// `axes` and `block` satisfy the constraints of `cell.split` on a tensor of
  /// sizes `whole`.
  CellLayout(llvm::ArrayRef<dhlo::DimExpr> whole, llvm::ArrayRef<int64_t> axes,
             llvm::ArrayRef<int64_t> block);

  /// With two axes for each that is cut; blocks of 1 have none.
  dhlo::Sizes split;
  /// Brings the numbers of blocks to the front.
  llvm::SmallVector<int64_t> permutation;
  /// The cells, counted on axis 0.
  dhlo::Sizes cells;
};

} // namespace dyn::cell

#endif // DYN_DIALECT_CELL_IR_CELLLAYOUT_H
