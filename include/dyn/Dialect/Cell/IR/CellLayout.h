//===- CellLayout.h - The layout of a tensor's cells ----------------------===//
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

/// The sizes of `cell.split`: each of its axes is expanded to two, the number
/// of blocks and the block, the numbers of blocks are moved to the front, and
/// collapsed into one axis.
struct CellLayout {
  /// `axes` and `block` satisfy the constraints of `cell.split` on a tensor of
  /// sizes `whole`.
  CellLayout(llvm::ArrayRef<dhlo::DimExpr> whole, llvm::ArrayRef<int64_t> axes,
             llvm::ArrayRef<int64_t> block);

  /// With two axes for each split one; blocks of 1 have no axis.
  dhlo::Sizes split;
  /// Moves the numbers of blocks to the front.
  llvm::SmallVector<int64_t> permutation;
  /// The cells, numbered by axis 0.
  dhlo::Sizes cells;
};

} // namespace dyn::cell

#endif // DYN_DIALECT_CELL_IR_CELLLAYOUT_H
