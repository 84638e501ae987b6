//===- PredictRoutes.h - Routers that predict others ----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DIALECT_CELL_TRANSFORMS_PREDICTROUTES_H
#define DYN_LIB_DIALECT_CELL_TRANSFORMS_PREDICTROUTES_H

#include "dyn/Dialect/Cell/IR/Cell.h"
#include "dyn/Dialect/DHLO/Transforms/TensorBuilder.h"

namespace dyn::cell {

/// A router that chooses, for each cell of a router, the paths that the
/// prediction says, or a reason why there is none. It is built before the
/// router, and never fails if the program would not.
struct PredictedRoutes {
  RouteOp route;
  std::string reason;
};
/// If there is a switch, a symbol that is 0 or 1, the prediction is of all
/// cells or none.
PredictedRoutes predictRoutes(RouteOp route, PredictionAttr prediction,
                              dhlo::DimExpr isOn, DimBuilder &symbols);

/// The first lines of a value.
mlir::Value takeFirst(TensorBuilder &b, mlir::Value value, dhlo::DimExpr count);

/// A router of those choices of `route` that `guess` does not make. It is built
/// before `position`.
RouteOp buildRest(RouteOp route, RouteOp guess, dhlo::DimExpr isOn,
                  mlir::Operation *position, DimBuilder &symbols);

} // namespace dyn::cell

#endif // DYN_LIB_DIALECT_CELL_TRANSFORMS_PREDICTROUTES_H
