//===- AxisSlice.h - A block of a value along one axis --------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DIALECT_DIST_TRANSFORMS_AXISSLICE_H
#define DYN_LIB_DIALECT_DIST_TRANSFORMS_AXISSLICE_H

#include "dyn/Dialect/DHLO/IR/DHLO.h"

namespace dyn::dist {

/// The elements of `value` from `start` on along an axis, as many as `type` has
/// there; all along the others.
mlir::Value sliceAxis(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                      int64_t axis, dhlo::DimExpr start,
                      mlir::RankedTensorType type);

} // namespace dyn::dist

#endif // DYN_LIB_DIALECT_DIST_TRANSFORMS_AXISSLICE_H
