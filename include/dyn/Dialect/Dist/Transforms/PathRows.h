//===- PathRows.h - Operations on the rows of paths -----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The operations between the dispatches and the combines of a router. If they
// read nothing that depends on the index of a row, they can run on the rows of
// some paths alone, wherever those lie.

#ifndef DYN_DIALECT_DIST_TRANSFORMS_PATHROWS_H
#define DYN_DIALECT_DIST_TRANSFORMS_PATHROWS_H

#include "dyn/Dialect/Cell/IR/Cell.h"
#include "dyn/Dialect/DHLO/Analysis/SymbolicDims.h"

#include "llvm/ADT/SetVector.h"

namespace dyn::dist {

/// Whether no choice depends on those of other cells, so that each rank can
/// route some of the cells.
bool choosesApart(cell::RouteOp route);

/// Checks that a placement has one of `ranks` ranks for each path.
mlir::LogicalResult verifyPlacement(cell::RouteOp route,
                                    mlir::DenseI64ArrayAttr placement,
                                    int64_t ranks);

class PathRows {
public:
  /// An operation that needs all rows, or is not known to need none, and why.
  struct Obstacle {
    mlir::Operation *op;
    std::string reason;
  };

  PathRows(cell::RouteOp route, const SymbolicDims &dims)
      : route(route), dims(dims) {}

  /// Finds the operations.
  std::optional<Obstacle> find();

  /// In the order of the program: what reads the routes, and operations on
  /// rows.
  llvm::SmallVector<mlir::Operation *> operations;
  /// Operands of operations on rows, with an element for each path along axis
  /// 0: weights of grouped operations, and what is gathered by path.
  llvm::SmallVector<mlir::OpOperand *> stacked;

private:
  /// Why an operation that reads rows, offsets or paths is an obstacle.
  std::string visit(mlir::Operation *op);
  std::string visitOther(mlir::Operation *op);
  bool isRows(mlir::Value value) const { return rows.contains(value); }
  /// Whether all rows of a value are the same.
  bool isUniform(mlir::Value value) const;
  bool isOffsets(mlir::Value value);
  bool isPaths(mlir::Value value);

  cell::RouteOp route;
  const SymbolicDims &dims;
  llvm::SetVector<mlir::Value> rows;
};

} // namespace dyn::dist

#endif // DYN_DIALECT_DIST_TRANSFORMS_PATHROWS_H
