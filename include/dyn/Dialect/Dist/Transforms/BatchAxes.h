//===- BatchAxes.h - Whether rows of the batch are computed apart ---------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Which values of a function have rows of the batch, and whether each of these
// is computed from the same row of operands, which indexing maps, groups of
// reshapes and the operations on rows of paths prove. `dist-split-batch` makes
// blocks by it, and planners ask it whether there can be any.
//
// The batch is the first dynamic size of inputs for which that holds. Indices
// and masks that read several rows together are computed of the whole batch.

#ifndef DYN_DIALECT_DIST_TRANSFORMS_BATCHAXES_H
#define DYN_DIALECT_DIST_TRANSFORMS_BATCHAXES_H

#include "dyn/Dialect/Cell/IR/Cell.h"
#include "dyn/Dialect/DHLO/Analysis/SymbolicDims.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

namespace dyn::dist {

struct Division;

class BatchAxes {
public:
  /// An operation for which the batch cannot be cut, and why.
  struct Obstacle {
    mlir::Operation *op;
    std::string reason;

    mlir::InFlightDiagnostic emitError() const;
  };

  BatchAxes(mlir::func::FuncOp function, const SymbolicDims &dims);
  ~BatchAxes();

  /// Finds the axes, of a function with one block.
  std::optional<Obstacle> find();

  /// The size of the batch.
  dhlo::DimExpr getBatch() const { return dhlo::getSymbolDim(batch); }
  /// The axis of a value that has rows of the batch, or of blocks of it; -1 if
  /// there is none.
  int64_t getAxis(mlir::Value value) const;
  /// The axis of which an operation needs a block of an operand; -1 if it needs
  /// all of it.
  int64_t getNeededAxis(mlir::OpOperand &use);
  /// Whether each block of the batch has its own results of an operation.
  bool isDivided(mlir::Operation *op) const;
  /// The size as a multiple of the batch; null if it is none.
  dhlo::DimExpr getFactor(dhlo::DimExpr size) const;
  /// The size with another batch.
  dhlo::DimExpr replaceBatch(dhlo::DimExpr size, dhlo::DimExpr by) const;

private:
  /// A router whose cells are routed apart, and what is computed of its rows.
  struct Router {
    cell::RouteOp route;
    llvm::SmallVector<mlir::Operation *> operations;
    /// Values of its region that have a row for each cell.
    llvm::DenseSet<mlir::Value> cells;
    bool isDivided = false;
  };

  /// The sizes of inputs that could be the batch.
  llvm::SetVector<mlir::StringAttr> getCandidates();
  /// Finds the axes for one of them.
  std::optional<Obstacle> findFor(mlir::StringAttr name);
  void findAxes();
  /// Whether an operation, and all that it needs of the batch, computes indices
  /// or masks, which cost little.
  bool canBeWhole(mlir::Operation *op) const;
  void addRouter(cell::RouteOp route);
  /// Why blocks of cells would have other rows, or rows other values.
  std::optional<Obstacle> whyTogether(Router &router) const;
  std::optional<Obstacle> checkPaths(cell::SwitchOp op) const;
  /// Whether sizes in regions of `op` depend on the batch, but for those of
  /// axis 0 of `rows`.
  bool usesBatch(mlir::Operation *op,
                 const llvm::DenseSet<mlir::Value> &rows) const;
  bool usesBatch(mlir::Attribute attribute) const;
  bool dependsOnBatch(dhlo::DimExpr size) const;

  bool visitForwards(mlir::Operation *op);
  bool visitBackwards(mlir::Operation *op);
  bool divide(Router &router);
  int64_t getNeededAxis(mlir::OpOperand &use, const Router &router);
  const Division &getDivision(mlir::Operation *op);
  std::optional<Obstacle> check(mlir::Operation *op);
  std::optional<Obstacle> checkSizes(mlir::Operation *op);

  mlir::func::FuncOp function;
  mlir::Block &block;
  const SymbolicDims &dims;
  mlir::StringAttr batch;
  llvm::DenseMap<mlir::Operation *, std::unique_ptr<Division>> divisions;
  llvm::DenseMap<mlir::Value, int64_t> axes;
  /// Operations that read and compute the whole batch.
  llvm::DenseSet<mlir::Operation *> whole;
  std::vector<std::unique_ptr<Router>> routers;
  llvm::DenseMap<mlir::Operation *, Router *> routerOf;
  /// Routers that need all cells together, and why.
  llvm::DenseMap<mlir::Operation *, Obstacle> together;
};

} // namespace dyn::dist

#endif // DYN_DIALECT_DIST_TRANSFORMS_BATCHAXES_H
