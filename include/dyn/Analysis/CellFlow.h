//===- CellFlow.h - What operations do with cells
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A cell is a position of a grid that a model computes on: a token (b, s), an
// image b, a row of routes. Each tensor lays its cells along some of its axes.
// An operation
//
//   keeps    cells: each cell of the result is computed from the same cell;
//   permutes cells: from one other cell, a different one for each;
//   gathers  cells: from one other cell, and some may be read often or never;
//   mixes    cells: from several cells, or nothing is known.
//
// Indexing maps say most of it: a product keeps the axes that it does not sum
// over, a softmax those that it does not go along. Constant values say the
// rest. The product P x, summed over the cells of x, is
//
//   P = [[1, 0],    P = [[0, 1],       P = [[1, 0],     P = [[1, 1],
//        [0, 2]]         [1, 0]]            [1, 0]]          [1, 0]]
//   keeps           permutes           gathers          mixes
//
// by where the elements of P are not zero. So static flow tells which routers
// see the same cells, in which order, and which rows cannot reach which.
//
// Answers are proofs: "mixes" means "not known to do less".

#ifndef DYN_ANALYSIS_CELLFLOW_H
#define DYN_ANALYSIS_CELLFLOW_H

#include "dyn/Analysis/SymbolicDims.h"

namespace dyn {

enum class CellEffect { Keeps, Permutes, Gathers, Mixes };

llvm::StringRef stringifyCellEffect(CellEffect effect);

/// The effect of two operations, one after the other.
CellEffect compose(CellEffect first, CellEffect second);

/// Where the cells of a tensor lie: for each coordinate of a cell its axis, or
/// -1 where the tensor repeats its elements along it. Cells of several
/// coordinates may also be counted by one axis, in row-major order.
using CellAxes = llvm::SmallVector<int64_t, 2>;

class CellFlow {
public:
  /// Flow of cells in a grid of `sizes`, one for each coordinate.
  CellFlow(const SymbolicDims &dims, llvm::ArrayRef<dhlo::DimExpr> sizes)
      : dims(dims), sizes(sizes) {}

  /// Where a result with cells along `axes` reads them in an operand: cell by
  /// cell, so that an element of the result depends on the operand's elements
  /// of its own cell alone. Nothing if it reads other cells too.
  std::optional<CellAxes> getOperandAxes(mlir::Operation *op, unsigned operand,
                                         llvm::ArrayRef<int64_t> axes) const;

  /// What becomes of the cells of an operand.
  struct Step {
    CellEffect effect = CellEffect::Mixes;
    /// Where they lie in the (first) result; empty if they are mixed.
    CellAxes axes;
  };
  Step getStep(mlir::Operation *op, unsigned operand,
               llvm::ArrayRef<int64_t> axes) const;

  /// The axes of `to` that hold what `axes` of `from` hold, if a reshape leads
  /// from one to the other.
  std::optional<CellAxes> reshape(mlir::RankedTensorType from,
                                  llvm::ArrayRef<int64_t> axes,
                                  mlir::RankedTensorType to) const;

  llvm::ArrayRef<dhlo::DimExpr> getSizes() const { return sizes; }
  const SymbolicDims &getDims() const { return dims; }

private:
  /// For each axis of the result the axis of the operand whose index is the
  /// same; kRepeated if the operand has none, kOther if it depends otherwise.
  std::optional<llvm::SmallVector<int64_t>> getAxisMap(mlir::Operation *op,
                                                       unsigned operand) const;
  /// What becomes of cells along an axis that has no axis of the same index in
  /// the result.
  Step getOtherStep(mlir::Operation *op, unsigned operand, int64_t axis) const;

  const SymbolicDims &dims;
  llvm::SmallVector<dhlo::DimExpr> sizes;
};

/// What a product with a constant matrix does to the axis that it sums over,
/// by where the matrix is not zero; `axis` is that axis of the matrix.
CellEffect getMatrixEffect(mlir::DenseElementsAttr matrix, int64_t axis);

} // namespace dyn

#endif // DYN_ANALYSIS_CELLFLOW_H
