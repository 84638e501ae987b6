//===- SelectByPath.h - Operations that select by the path of each row ----===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DIALECT_CELL_TRANSFORMS_SELECTBYPATH_H
#define DYN_LIB_DIALECT_CELL_TRANSFORMS_SELECTBYPATH_H

#include "AllRows.h"

namespace dyn::cell {

/// Builds an operation of path 0 for the rows of all paths, where some operands
/// differ between paths. `operands` are, for each operand, one value for each
/// path, or one value for all: rows, or what paths share. Null if operations of
/// this kind cannot select by the row's path.
mlir::Value selectByPath(mlir::Operation *op,
                         llvm::ArrayRef<PathValues> operands, AllRows &all);

} // namespace dyn::cell

#endif // DYN_LIB_DIALECT_CELL_TRANSFORMS_SELECTBYPATH_H
