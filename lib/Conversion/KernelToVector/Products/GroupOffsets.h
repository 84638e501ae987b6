//===- GroupOffsets.h - Which group a row is in ---------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Rows `offsets[g]` up to `offsets[g + 1]` are those of group g. Offsets are
// data: one that is not legal, less than the one before or out of range, is an
// error and reads as the nearest legal one.

#ifndef DYN_LIB_CONVERSION_KERNELTOVECTOR_PRODUCTS_GROUPOFFSETS_H
#define DYN_LIB_CONVERSION_KERNELTOVECTOR_PRODUCTS_GROUPOFFSETS_H

#include "dyn/Conversion/KernelToVector/KernelBuilder.h"

namespace dyn {

/// The offsets that operation `op` of a kernel reads, an argument.
struct GroupOffsets {
  mlir::Operation *op;
  mlir::Value offsets;
  dhlo::DimExpr rows; ///< that there are at most

  /// Offset `i`, where the one before is `least`, 0 for the first.
  mlir::Value emitOffset(KernelBuilder &b, mlir::OpFoldResult i,
                         mlir::OpFoldResult least, bool reports) const;
  /// The group that row `row` is in; -1 before the first one, and their number
  /// behind the last. Looks at all offsets.
  mlir::Value emitGroup(KernelBuilder &b, mlir::OpFoldResult row) const;
};

} // namespace dyn

#endif // DYN_LIB_CONVERSION_KERNELTOVECTOR_PRODUCTS_GROUPOFFSETS_H
