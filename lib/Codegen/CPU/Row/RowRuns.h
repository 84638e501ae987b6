//===- RowRuns.h - Groups of rows as one run of memory --------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CODEGEN_CPU_ROW_ROWRUNS_H
#define DYN_LIB_CODEGEN_CPU_ROW_ROWRUNS_H

#include "Codegen/Common/Problems/Row.h"

namespace dyn {

/// The elementwise code of a kernel over groups of as many rows as a vector has
/// lanes: the rows are one run of full vectors, whatever their width is. A
/// value of each row is a lane of one vector, and a permutation broadcasts it
/// to the row's elements. Elements have the same bits as in a row alone.
class RowRuns {
public:
  /// Rows of a group.
  static constexpr int64_t kRows = CodegenOptions::kLanes;

  /// None if an element needs anything but contiguous operands, values of its
  /// row, and values of its column.
  static std::optional<RowRuns>
  make(const RowPlan &plan, dlhlo::KernelOp kernel, const SymbolicDims &dims);

  /// Whether runs are faster than rows side by side: rows of some full vectors
  /// have no unused lane either, and need no permutations.
  mlir::Value isFaster(KernelBuilder &b);

  /// Bytes of scratch for rows of up to `columns` columns.
  mlir::OpFoldResult getScratchBytes(KernelBuilder &b,
                                     mlir::OpFoldResult columns);

  /// Writes the tables that all groups share to scratch: the row of each
  /// element of a run, and the values of its column.
  void emitTables(KernelBuilder &b);

  /// Returns a pass's reductions of the rows of a group, a lane for each row.
  using ReduceFn =
      llvm::function_ref<llvm::SmallVector<mlir::Value>(const RowPass &pass)>;
  /// Emits all passes over a group of rows.
  void emitGroup(KernelBuilder &b, llvm::MutableArrayRef<Row> group,
                 ReduceFn reduce);

  /// The run of a kept value.
  mlir::Value getKept(KernelBuilder &b, mlir::Value kept);

private:
  /// The only dependence of a value: its row, its column, or neither.
  enum class Kind { Row, Column, Scalar };
  struct Leaf {
    Kind kind;
    int64_t pass; ///< the first one that computes it
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

#endif // DYN_LIB_CODEGEN_CPU_ROW_ROWRUNS_H
