//===- GroupProblem.h - Choices of groups by rows -------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CODEGEN_COMMON_PROBLEMS_GROUPPROBLEM_H
#define DYN_LIB_CODEGEN_COMMON_PROBLEMS_GROUPPROBLEM_H

#include "Codegen/Common/Elements/ElementEmitter.h"

namespace dyn {

/// Code that schedules of dhlo.group share. A choice is an element of its
/// operand, numbered row by row.
struct GroupProblem {
  explicit GroupProblem(dhlo::GroupOp op) : op(op) {}

  int64_t numGroups() { return op.getOffsets().getType().getDimSize(0) - 1; }
  mlir::OpFoldResult numRows(KernelBuilder &b) {
    return b.size(op.getIds(), 0);
  }
  mlir::OpFoldResult perRow(KernelBuilder &b) { return b.size(op.getIds(), 1); }
  mlir::OpFoldResult numChoices(KernelBuilder &b) {
    return b.numElements(op.getIds());
  }
  /// The number of choices that a group with `count` of them takes.
  mlir::OpFoldResult clampToCapacity(KernelBuilder &b,
                                     mlir::OpFoldResult count);

  /// The group of a choice, i64.
  mlir::Value readGroup(ElementEmitter &e, mlir::OpFoldResult row,
                        mlir::OpFoldResult slot);
  /// Reports a value that is neither a group nor -1, which means no group.
  void check(KernelBuilder &b, mlir::Value group);
  mlir::Value isGroup(KernelBuilder &b, mlir::Value group);

  dhlo::GroupOp op;
};

} // namespace dyn

#endif // DYN_LIB_CODEGEN_COMMON_PROBLEMS_GROUPPROBLEM_H
