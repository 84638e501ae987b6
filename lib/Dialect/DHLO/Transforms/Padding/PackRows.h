//===- PackRows.h - Computes on the rows of selected cells ----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The kept tokens of a grid [B, S] are rows [T], in the order of the cells.
// Going up from a value that is needed at these cells only, each operation that
// keeps cells apart is cloned for rows. For attention, rows are unpacked to the
// grid by a gather at `seats`, and its result is packed by a gather at `cells`:
//
//   keep   [[1, 1, 0], [1, 0, 0]]     cells kept; the first cell is one always
//   cells  [0, 1, 3]                  the cell of each row
//   seats  [[0, 1, 1], [2, 2, 2]]     the row of each cell, of the last one
//   kept
//                                     before it where the cell is dropped
//
// Dropped cells hold finite but meaningless numbers: seats are always in range,
// since there is a row whenever there is a cell. So unpacking is a gather and
// needs no scatter.

#ifndef DYN_LIB_DIALECT_DHLO_TRANSFORMS_PADDING_PACKROWS_H
#define DYN_LIB_DIALECT_DHLO_TRANSFORMS_PADDING_PACKROWS_H

#include "dyn/Dialect/DHLO/Analysis/CellFlow.h"
#include "dyn/Dialect/DHLO/Transforms/TensorBuilder.h"

namespace dyn::dhlo {

/// An operand that an operation on rows reads as rows, and the axes of its
/// cells: -1 for a coordinate along which the operation repeats it.
struct RowOperand {
  unsigned index;
  CellAxes axes;
};

/// The operands that the clone of `op` for rows reads as rows; nothing if the
/// operation mixes the cells that its result has along `axes`.
std::optional<llvm::SmallVector<RowOperand>>
getRowOperands(mlir::Operation *op, llvm::ArrayRef<int64_t> axes,
               const CellFlow &flow);

/// Whether cells have both coordinates.
inline bool areWholeCells(llvm::ArrayRef<int64_t> axes) {
  return !llvm::is_contained(axes, -1);
}

class PackRows {
public:
  /// `keep` [B, S] is true where cells are kept; operations for users before
  /// `anchor` are created at `anchor`.
  PackRows(mlir::Value keep, mlir::Operation *anchor, const CellFlow &flow,
           DimBuilder &symbols);

  /// Adds attention between the cells, which is computed on the grid.
  void addAttention(AttentionOp op) { attentions.insert(op); }

  /// The rows of a value: [T, the other axes].
  mlir::Value pack(mlir::Value value, llvm::ArrayRef<int64_t> axes);

  /// Unpacks rows to the cells of a tensor of a type. Dropped cells hold
  /// `dropped`, or an unspecified number if there is none.
  mlir::Value unpack(TensorBuilder &b, mlir::Value rows,
                     mlir::RankedTensorType type, llvm::ArrayRef<int64_t> axes,
                     std::optional<double> dropped = std::nullopt);

  /// A builder at an operation to be replaced, or at the anchor if that is
  /// later.
  TensorBuilder getBuilder(mlir::Operation *op);

  mlir::Value getSeats() const { return seats; }
  /// The number of gathers from the grid, except those of attention.
  unsigned getNumGathers() const { return numGathers; }

private:
  mlir::Value packAttention(TensorBuilder &b, AttentionOp op);
  mlir::Value packBroadcast(TensorBuilder &b, BroadcastOp op,
                            llvm::ArrayRef<int64_t> axes);
  mlir::Value packOp(TensorBuilder &b, mlir::Operation *op,
                     llvm::ArrayRef<int64_t> axes,
                     llvm::ArrayRef<RowOperand> operands);
  /// Gathers rows from a value on the grid, or from one along one coordinate.
  mlir::Value gather(TensorBuilder &b, mlir::Value value,
                     llvm::ArrayRef<int64_t> axes);
  /// The sizes without those of the cells' axes.
  llvm::SmallVector<DimExpr> getRest(mlir::RankedTensorType type,
                                     llvm::ArrayRef<int64_t> axes) const;
  mlir::RankedTensorType getRowType(mlir::RankedTensorType type,
                                    llvm::ArrayRef<int64_t> axes);

  const CellFlow &flow;
  DimBuilder &symbols;
  mlir::Operation *anchor;
  mlir::Value keep, seats, cells;
  /// The coordinates of each row.
  llvm::SmallVector<mlir::Value, 2> coordinates;
  DimExpr count;
  llvm::DenseSet<mlir::Operation *> attentions;
  llvm::DenseMap<mlir::Value, std::pair<CellAxes, mlir::Value>> packed;
  unsigned numGathers = 0;
};

} // namespace dyn::dhlo

#endif // DYN_LIB_DIALECT_DHLO_TRANSFORMS_PADDING_PACKROWS_H
