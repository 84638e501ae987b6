//===- CellFlow.h - The effect of operations on cells ---------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A cell is a position of a grid that a model computes on: a token (b, s), an
// image b, a row of routes. Each tensor has the cells along some of its axes.
// An operation
//
//   keeps    cells: each cell of the result is computed from the same cell;
//   permutes cells: from one other cell, a different one for each;
//   gathers  cells: from one other cell, and some may be read often or never;
//   mixes    cells: from several cells, or nothing is known.
//
// Most of this follows from indexing maps: a contraction keeps its free axes, a
// softmax keeps all but its own axis. The rest follows from constant values.
// The contraction P x over the cells of x
//
//   P = [[1, 0],    P = [[0, 1],       P = [[1, 0],     P = [[1, 1],
//        [0, 2]]         [1, 0]]            [1, 0]]          [1, 0]]
//   keeps           permutes           gathers          mixes
//
// according to the nonzero elements of P. So the static flow determines which
// routers see the same cells, in which order, and which rows cannot affect
// which.
//
// Results are proofs: "mixes" means "not known to do less".

#ifndef DYN_DIALECT_DHLO_ANALYSIS_CELLFLOW_H
#define DYN_DIALECT_DHLO_ANALYSIS_CELLFLOW_H

#include "dyn/Dialect/DHLO/Analysis/SymbolicDims.h"

namespace dyn {

enum class CellEffect { Keeps, Permutes, Gathers, Mixes };

llvm::StringRef stringifyCellEffect(CellEffect effect);

/// The effect of two operations, the second on the result of the first.
CellEffect compose(CellEffect first, CellEffect second);

/// The axes of a tensor's cells: for each coordinate of a cell its axis, or -1
/// if the tensor repeats its elements along it. The coordinates may also be
/// collapsed into one axis, in row-major order.
using CellAxes = llvm::SmallVector<int64_t, 2>;

class CellFlow {
public:
  /// Flow of cells in a grid of `sizes`, one for each coordinate.
  CellFlow(const SymbolicDims &dims, llvm::ArrayRef<dhlo::DimExpr> sizes)
      : dims(dims), sizes(sizes) {}

  /// The axes of an operand's cells if the result has cells along `axes` and an
  /// element of the result only depends on the operand's elements of its own
  /// cell. Nothing if it depends on other cells too.
  std::optional<CellAxes> getOperandAxes(mlir::Operation *op, unsigned operand,
                                         llvm::ArrayRef<int64_t> axes) const;

  /// The effect on the cells of an operand.
  struct Step {
    CellEffect effect = CellEffect::Mixes;
    /// Their axes in the (first) result; empty if they are mixed.
    CellAxes axes;
  };
  Step getStep(mlir::Operation *op, unsigned operand,
               llvm::ArrayRef<int64_t> axes) const;

  /// The axes of `to` with the elements of `axes` of `from`, if `to` is a
  /// reshape of `from`.
  std::optional<CellAxes> reshape(mlir::RankedTensorType from,
                                  llvm::ArrayRef<int64_t> axes,
                                  mlir::RankedTensorType to) const;

  llvm::ArrayRef<dhlo::DimExpr> getSizes() const { return sizes; }
  const SymbolicDims &getDims() const { return dims; }

private:
  /// For each axis of the result the axis of the operand that has the same
  /// index; kRepeated if the operand has none, kOther if there is another
  /// relation.
  std::optional<llvm::SmallVector<int64_t>> getAxisMap(mlir::Operation *op,
                                                       unsigned operand) const;
  /// The effect on cells along an axis that does not have the same index as any
  /// axis of the result.
  Step getOtherStep(mlir::Operation *op, unsigned operand, int64_t axis) const;

  const SymbolicDims &dims;
  llvm::SmallVector<dhlo::DimExpr> sizes;
};

/// The effect of a contraction with a constant matrix on the axis that it sums
/// over, according to the matrix's nonzero elements; `axis` is that axis of the
/// matrix.
CellEffect getMatrixEffect(mlir::DenseElementsAttr matrix, int64_t axis);

} // namespace dyn

#endif // DYN_DIALECT_DHLO_ANALYSIS_CELLFLOW_H
