//===- Choices.h - The choices of routers ---------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_CELL_TRANSFORMS_CHOICES_H
#define DYN_DIALECT_CELL_TRANSFORMS_CHOICES_H

#include "dyn/Dialect/Cell/IR/Cell.h"
#include "dyn/Dialect/DHLO/Transforms/TensorBuilder.h"

namespace dyn::cell {

/// Whether each id is one of `paths`, or -1 if it may be: operations that
/// choose among that many elements return their indices, and constants show it.
bool areAlwaysPaths(mlir::Value ids, int64_t paths, bool orNone = false);

/// The path of the only row of each cell, if the router always chooses the
/// same.
std::optional<int64_t> getOnlyPath(RouteOp route);

/// The choices of all cells, if a router is of the first ones alone, as a guess
/// is that the runtime may switch off: those that it takes the first of.
mlir::Value getAllChoices(ChooseOp choose);

/// The choices as ids [N, k] of type i64: of a mask the column where it holds,
/// else -1.
mlir::Value getIds(TensorBuilder &b, mlir::Value choices);

} // namespace dyn::cell

#endif // DYN_DIALECT_CELL_TRANSFORMS_CHOICES_H
