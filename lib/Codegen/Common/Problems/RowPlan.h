//===- RowPlan.h - Passes over rows, and values they keep -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CODEGEN_COMMON_PROBLEMS_ROWPLAN_H
#define DYN_LIB_CODEGEN_COMMON_PROBLEMS_ROWPLAN_H

#include "dyn/Dialect/DHLO/Analysis/SymbolicDims.h"
#include "dyn/Dialect/DLHLO/IR/DLHLO.h"

#include <optional>

namespace dyn {

/// One pass over a row or a column.
struct RowPass {
  llvm::SmallVector<dhlo::ReduceOp> reductions;
  /// Results with an element at each position of the row.
  llvm::SmallVector<int64_t> results;
  /// Values to keep for later passes.
  llvm::SmallVector<mlir::Value> kept;
};

/// The plan of a kernel whose reductions are all over rows: a row takes as many
/// passes as reductions depend on one another, plus one for the results; each
/// pass computes every reduction that is ready.
///
///   softmax:     max x  |  sum e^(x - max), keeping e^(x - max)  |  results
///   layer norm:  sum x  |  sum (x - mean)^2                      |  results
///
/// A plan of columns is the same for reductions over adjacent axes that are not
/// the last ones: the elements of a column are `behind` apart.
class RowPlan {
public:
  /// The plan, or none if a reduction is not over rows: the trailing axes, at
  /// the same positions for all.
  static std::optional<RowPlan> make(dlhlo::KernelOp kernel,
                                     const SymbolicDims &dims);
  /// The same for columns.
  static std::optional<RowPlan> makeOfColumns(dlhlo::KernelOp kernel,
                                              const SymbolicDims &dims);

  /// Makes passes of their own of the kept values whose elements are found by
  /// conditions, before those that reduce them: their code is there once then,
  /// not for each accumulator. Passes no longer have the numbers of
  /// `getReadyPass`.
  void keepBeforeReductions();

  /// Whether values of this type have an element at each position of the rows.
  bool isFull(mlir::Value v) const {
    auto type = mlir::cast<mlir::RankedTensorType>(v.getType());
    return dims->isEqual(dims->getNumElements(type), numElements);
  }

  /// The first pass in which a value of the kernel is known.
  int64_t getReadyPass(mlir::Value v) const { return passOf.lookup(v); }

  llvm::SmallVector<RowPass> passes;
  /// Results with one element per row.
  llvm::SmallVector<int64_t> rowResults;
  /// The dimensions that number the rows, and the width of a row. Columns are
  /// numbered by the dimensions before their elements' and by those behind it,
  /// at least one.
  llvm::SmallVector<dhlo::DimExpr> rows, behind;
  dhlo::DimExpr width;
  dhlo::DimExpr numElements; ///< of all rows
  /// Indices of the kept values.
  llvm::DenseMap<mlir::Value, int64_t> slots;
  /// For each kept value a distinct result of its type that the last pass
  /// writes; empty if there are not enough.
  llvm::DenseMap<mlir::Value, int64_t> resultIndices;

private:
  explicit RowPlan(const SymbolicDims &dims) : dims(&dims) {}

  bool findReduced(dlhlo::KernelOp kernel, bool isOfColumns);
  bool findPasses(dlhlo::KernelOp kernel);
  void findDimensions(bool isOfColumns);
  void findKept();
  void findResultIndices(dlhlo::KernelOp kernel);
  int64_t getPass(mlir::Value v);
  int64_t getValueCost(mlir::Value v);
  /// Whether the code of an element has conditions on its position, given kept
  /// values.
  bool hasConditions(mlir::Value v) const;
  void collect(mlir::Value v, llvm::DenseSet<mlir::Value> &reached,
               llvm::function_ref<bool(mlir::Value)> stops);

  const SymbolicDims *dims;
  dhlo::ReduceOp first;
  /// Operands of reductions, and results with an element at each position.
  llvm::SmallVector<mlir::Value> roots;
  llvm::DenseMap<mlir::Value, int64_t> passOf, costs;
};

} // namespace dyn

#endif // DYN_LIB_CODEGEN_COMMON_PROBLEMS_ROWPLAN_H
