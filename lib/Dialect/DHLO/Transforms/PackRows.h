//===- PackRows.h - Computes on the rows of some cells --------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The tokens that are left of a grid [B, S] are rows [T], in the order of
// cells. Going up from a value that is wanted at these cells alone, each
// operation that keeps cells apart is copied for rows; attention gets its grid
// back, rows gathered by `seats`, and what it gives is gathered by `cells`:
//
//   keep   [[1, 1, 0], [1, 0, 0]]     cells kept; the first cell is one always
//   cells  [0, 1, 3]                  the cell of each row
//   seats  [[0, 1, 1], [2, 2, 2]]     the row of each cell, of the last one
//   kept
//                                     before it where the cell is dropped
//
// Dropped cells hold finite numbers that nobody wants: seats are always in
// range, since there is a row wherever there is a cell. So unpacking is a
// gather and needs no scatter.

#ifndef DYN_LIB_DIALECT_DHLO_TRANSFORMS_PACKROWS_H
#define DYN_LIB_DIALECT_DHLO_TRANSFORMS_PACKROWS_H

#include "dyn/Analysis/CellFlow.h"
#include "dyn/Dialect/DHLO/Transforms/TensorBuilder.h"

namespace dyn::dhlo {

/// An operand that an operation on rows wants as rows, and where it has its
/// cells: -1 for a coordinate along which the operation repeats it.
struct RowOperand {
  unsigned index;
  CellAxes axes;
};

/// The operands that a copy of `op` for rows reads as rows; nothing if the
/// operation does not keep apart the cells that its result has along `axes`.
std::optional<llvm::SmallVector<RowOperand>>
getRowOperands(mlir::Operation *op, llvm::ArrayRef<int64_t> axes,
               const CellFlow &flow);

/// Whether cells have all their coordinates.
inline bool areWholeCells(llvm::ArrayRef<int64_t> axes) {
  return !llvm::is_contained(axes, -1);
}

class PackRows {
public:
  /// `keep` [B, S] is true where cells are kept; what is built for operations
  /// before `anchor` stands there.
  PackRows(mlir::Value keep, mlir::Operation *anchor, const CellFlow &flow,
           SymbolicDims &dims);

  /// Attention between the cells, which is computed on the grid.
  void addAttention(AttentionOp op) { attentions.insert(op); }

  /// The rows of a value: [T, the other axes].
  mlir::Value pack(mlir::Value value, llvm::ArrayRef<int64_t> axes);

  /// The tensor of a type with the rows at its cells. Cells that are dropped
  /// hold `dropped`, or whatever if there is none.
  mlir::Value unpack(TensorBuilder &b, mlir::Value rows,
                     mlir::RankedTensorType type, llvm::ArrayRef<int64_t> axes,
                     std::optional<double> dropped = std::nullopt);

  /// A builder for what replaces an operation: there, or at the anchor.
  TensorBuilder getBuilder(mlir::Operation *op);

  mlir::Value getSeats() const { return seats; }
  /// How many gathers there are of values on the grid, but for attention's.
  unsigned getNumGathers() const { return numGathers; }

private:
  mlir::Value packAttention(TensorBuilder &b, AttentionOp op);
  mlir::Value packBroadcast(TensorBuilder &b, BroadcastOp op,
                            llvm::ArrayRef<int64_t> axes);
  mlir::Value packOp(TensorBuilder &b, mlir::Operation *op,
                     llvm::ArrayRef<int64_t> axes,
                     llvm::ArrayRef<RowOperand> operands);
  /// Takes the rows of a value on the grid, or of one along one coordinate.
  mlir::Value gather(TensorBuilder &b, mlir::Value value,
                     llvm::ArrayRef<int64_t> axes);
  /// The sizes that are left without the axes of cells.
  llvm::SmallVector<DimExpr> getRest(mlir::RankedTensorType type,
                                     llvm::ArrayRef<int64_t> axes) const;
  mlir::RankedTensorType getRowType(mlir::RankedTensorType type,
                                    llvm::ArrayRef<int64_t> axes);

  const CellFlow &flow;
  SymbolicDims &dims;
  mlir::Operation *anchor;
  mlir::Value keep, seats, cells;
  /// Of each row, its coordinates.
  llvm::SmallVector<mlir::Value, 2> coordinates;
  DimExpr count;
  llvm::DenseSet<mlir::Operation *> attentions;
  llvm::DenseMap<mlir::Value, std::pair<CellAxes, mlir::Value>> packed;
  unsigned numGathers = 0;
};

} // namespace dyn::dhlo

#endif // DYN_LIB_DIALECT_DHLO_TRANSFORMS_PACKROWS_H
