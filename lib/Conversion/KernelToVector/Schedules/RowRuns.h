//===- RowRuns.h - Groups of rows as one run of memory --------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CONVERSION_KERNELTOVECTOR_SCHEDULES_ROWRUNS_H
#define DYN_LIB_CONVERSION_KERNELTOVECTOR_SCHEDULES_ROWRUNS_H

#include "Schedules/Row.h"

namespace dyn {

/// What a kernel computes elementwise, over groups of as many rows as a vector
/// has lanes: the rows are one run of whole vectors, whatever their width is.
/// A value of each row is a lane of one vector, and a permutation brings it to
/// the row's elements. Elements have the bits that they have in a row alone.
class RowRuns {
public:
  /// Rows of a group.
  static constexpr int64_t kRows = CodegenOptions::kLanes;

  /// None if an element needs something else than contiguous operands, values
  /// of its row, and values of its column.
  static std::optional<RowRuns>
  make(const RowPlan &plan, dlhlo::KernelOp kernel, const SymbolicDims &dims);

  /// Whether runs beat rows side by side: those of some whole vectors leave no
  /// lane unused either, and need no permutations.
  mlir::Value isFaster(KernelBuilder &b);

  /// Bytes of scratch for rows of up to `columns` columns.
  mlir::OpFoldResult getScratchBytes(KernelBuilder &b,
                                     mlir::OpFoldResult columns);

  /// Writes what all groups have in common to scratch: the row of each element
  /// of a run, and the values of its column.
  void emitTables(KernelBuilder &b);

  /// Gives a pass's reductions of the rows of a group, a lane for each row.
  using ReduceFn =
      llvm::function_ref<llvm::SmallVector<mlir::Value>(const RowPass &pass)>;
  /// Emits all passes over a group of rows.
  void emitGroup(KernelBuilder &b, llvm::MutableArrayRef<Row> group,
                 ReduceFn reduce);

  /// Where the run of a kept value is.
  mlir::Value getKept(KernelBuilder &b, mlir::Value kept);

private:
  /// What a value depends on alone: its row, its column, or neither.
  enum class Kind { Row, Column, Scalar };
  struct Leaf {
    Kind kind;
    int64_t pass; ///< the first that it is known in
  };
  struct Group;

  RowRuns(const RowPlan &plan, const SymbolicDims &dims)
      : plan(&plan), dims(&dims) {}

  bool findLeaves(mlir::Value v);
  bool findOperandLeaves(mlir::Operation *op);
  std::optional<Kind> classify(dhlo::BroadcastOp op);
  /// A run of scratch.
  mlir::Value getRun(KernelBuilder &b, int64_t number);

  const RowPlan *plan;
  const SymbolicDims *dims;
  /// Values with an element for each position of the rows that are the same
  /// along rows or columns.
  llvm::MapVector<mlir::Value, Leaf> leaves;
};

} // namespace dyn

#endif // DYN_LIB_CONVERSION_KERNELTOVECTOR_SCHEDULES_ROWRUNS_H
