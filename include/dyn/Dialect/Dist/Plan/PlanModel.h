//===- PlanModel.h - The layers of an entry, for a planner ----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A layer is a contraction or another operation that changes what rows and
// columns are, with the operations after it that only it feeds and that keep
// both. Which axis of a value has its rows, and which its columns, follows from
// indexing maps and reshapes: the rows of an input are its first axis, and a
// contraction with a weight makes columns of an axis that it alone has. So
// heads of an attention are the columns of its matmuls.
//
// A router is a layer, together with all that is computed of its rows, up to
// the combines, if ranks can share its paths (PathRows.h).

#ifndef DYN_DIALECT_DIST_PLAN_PLANMODEL_H
#define DYN_DIALECT_DIST_PLAN_PLANMODEL_H

#include "dyn/Dialect/Cell/IR/Cell.h"
#include "dyn/Dialect/DHLO/Analysis/SymbolicDims.h"
#include "dyn/Dialect/Dist/IR/Dist.h"
#include "dyn/Dialect/Dist/Transforms/BatchAxes.h"
#include "dyn/Plan/Model.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace dyn::dist {

/// Values of sizes; others have their estimates.
using SizeMap = llvm::StringMap<int64_t>;

struct PlanModel {
  /// The value of a layer in the program, and the axes of its rows and columns;
  /// -1 if it has none.
  struct LayerValue {
    mlir::Value value;
    int64_t rows = -1, columns = -1;
    /// Of a layer with routes.
    cell::RouteOp route = {};
  };

  /// A contraction with the columns of a weight, and the longest of its pairs
  /// of contracted axes.
  struct Sum {
    dhlo::DotGeneralOp op;
    int64_t pair;
    size_t layer;
  };

  plan::Model model;
  std::vector<LayerValue> values;
  std::vector<Sum> sums;
  /// The layers that compute values; weights have none.
  llvm::DenseMap<mlir::Value, size_t> layers;
  /// The layers of routers, and of operations on their rows.
  llvm::DenseMap<mlir::Operation *, size_t> routed;

  /// The layer that computes an operation; nothing if it is one of weights.
  std::optional<size_t> getLayer(mlir::Operation *op) const;
  /// Why micro-batches cannot divide the batch; nothing if they can.
  std::optional<BatchAxes::Obstacle> oneBatch;
  /// The mesh of the program's shardings; null if it has none.
  MeshOp mesh;
};

/// The layers of an entry before fusion. Shardings that it has are given to its
/// layers. Fails with a message if a sharding divides other axes than rows and
/// columns, shardings have different meshes, or paths have ranks that no mesh
/// has.
mlir::FailureOr<PlanModel> buildPlanModel(mlir::func::FuncOp entry,
                                          const SymbolicDims &dims,
                                          const SizeMap &sizes);

} // namespace dyn::dist

#endif // DYN_DIALECT_DIST_PLAN_PLANMODEL_H
