//===- IndependentRows.h - Paths that compute rows independently ----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DIALECT_CELL_TRANSFORMS_INDEPENDENTROWS_H
#define DYN_LIB_DIALECT_CELL_TRANSFORMS_INDEPENDENTROWS_H

#include "dyn/Dialect/Cell/IR/Cell.h"
#include "dyn/Dialect/DHLO/Analysis/SymbolicDims.h"

namespace dyn::cell {

/// Why something is not done, and at which operation.
struct Reason {
  mlir::Operation *op = nullptr;
  std::string text;
};

/// The reason why paths of a switch may not end on rows that are not theirs, or
/// fail unless they may, or may compute a row from others or from its position;
/// nothing if they do none of this, so that they may run on any rows. Routers
/// inside of a path are followed.
std::optional<Reason> whyNotIndependent(SwitchOp op, const SymbolicDims &dims,
                                        bool mayFail);

} // namespace dyn::cell

#endif // DYN_LIB_DIALECT_CELL_TRANSFORMS_INDEPENDENTROWS_H
