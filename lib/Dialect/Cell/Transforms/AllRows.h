//===- AllRows.h - The rows of all paths of a switch ----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DIALECT_CELL_TRANSFORMS_ALLROWS_H
#define DYN_LIB_DIALECT_CELL_TRANSFORMS_ALLROWS_H

#include "dyn/Dialect/Cell/IR/Cell.h"
#include "dyn/Dialect/DHLO/Transforms/TensorBuilder.h"

namespace dyn::cell {

/// One value for each path.
using PathValues = llvm::SmallVector<mlir::Value>;

/// Sizes, types and values of the rows of all paths. They are as many as there
/// is room for, so that nothing waits for their number, except for the rest of
/// a guess, which has no rows if the guess was right.
class AllRows {
public:
  /// Operations are built by `b`.
  AllRows(SwitchOp op, TensorBuilder &b)
      : op(op), dims(b.getDims()), b(b), counts(op.getRegionDims()) {}

  TensorBuilder &getBuilder() { return b; }
  unsigned getNumPaths() const { return counts.size(); }
  /// The name of the number of rows of path `p`.
  mlir::StringAttr getCount(unsigned p) const { return counts[p]; }

  /// A size or an attribute of path `p`, with the number of all rows in place
  /// of the path's.
  dhlo::DimExpr toAllRows(dhlo::DimExpr expr, unsigned p);
  mlir::Attribute toAllRows(mlir::Attribute attr, unsigned p);
  /// The type of the value that a value of path 0 becomes.
  mlir::RankedTensorType getStackedType(mlir::Type type);

  /// [paths, the sizes of each value].
  mlir::Value concat(const PathValues &values);
  /// For each row, the value of its path.
  mlir::Value gatherByRow(const PathValues &values) {
    return b.gatherRows(concat(values), getPaths());
  }
  mlir::Value broadcastTo(mlir::Value value, llvm::ArrayRef<int64_t> axes,
                          mlir::Type like);
  /// The offsets of the paths, and the path of each row.
  mlir::Value getOffsets();
  mlir::Value getPaths();
  /// The rows of a value with as many as there is room for, and the other way
  /// round, with zeros after the last one.
  mlir::Value fromRoutes(mlir::Value value);
  mlir::Value toRoutes(mlir::Value value);
  /// If the switch runs the rest of a guess, binds its number of rows.
  void bindRest(DimBuilder &symbols);
  /// Removes its declaration.
  void forgetRest(DimBuilder &symbols);
  bool isRest() const { return bool(restRows); }

private:
  /// The number of rows that there is room for.
  dhlo::DimExpr getRoom() { return op.getRoutes().getType().getRows(); }
  /// Their number by the offsets.
  mlir::Value getEnd();
  /// The number of all rows, as named in the types of tensors of rows.
  dhlo::DimExpr getNumRows();

  SwitchOp op;
  const SymbolicDims &dims;
  TensorBuilder &b;
  llvm::SmallVector<mlir::StringAttr> counts;
  /// The number of rows of a rest; else null.
  dhlo::DimExpr restRows;
  mlir::Value offsets, paths;
};

} // namespace dyn::cell

#endif // DYN_LIB_DIALECT_CELL_TRANSFORMS_ALLROWS_H
