//===- RowWise.h - Operations that compute rows independently -------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_CELL_TRANSFORMS_ROWWISE_H
#define DYN_DIALECT_CELL_TRANSFORMS_ROWWISE_H

#include "dyn/Dialect/DHLO/Analysis/SymbolicDims.h"

namespace dyn::cell {

/// The reason why an operation may not compute each row of its results from the
/// same row of those operands that have rows, `isRows`, along axis 0; null if
/// it does. Then other rows, such as those of other paths, do not affect the
/// result; nor is there an error for them, unless it `mayFail`.
const char *whyNotRowWise(mlir::Operation *op, const SymbolicDims &dims,
                          llvm::function_ref<bool(mlir::Value)> isRows,
                          bool mayFail = false);

/// Whether those of `rows` past the last one of `routes`, and values computed
/// from them, are never read.
bool areOnlyRowsRead(mlir::Value rows, mlir::Value routes,
                     const SymbolicDims &dims);

} // namespace dyn::cell

#endif // DYN_DIALECT_CELL_TRANSFORMS_ROWWISE_H
