//===- SuppressProblem.h - Non-maximum suppression in lists of boxes ------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CODEGEN_COMMON_PROBLEMS_SUPPRESSPROBLEM_H
#define DYN_LIB_CODEGEN_COMMON_PROBLEMS_SUPPRESSPROBLEM_H

#include "Codegen/Common/Elements/ElementEmitter.h"

#include <array>

namespace dyn {

/// Code that schedules of dhlo.suppress share.
struct SuppressProblem {
  /// A box, or one in each lane.
  struct Box {
    std::array<mlir::Value, 2> low, high;
    mlir::Value area;
  };

  SuppressProblem(dhlo::SuppressOp op, const SymbolicDims &dims);

  /// Element i of a list in the tensors of candidates and results.
  Position at(ElementEmitter &e, mlir::OpFoldResult list, mlir::OpFoldResult i);
  Box readBox(ElementEmitter &e, mlir::OpFoldResult list, mlir::OpFoldResult i);
  /// Whether element i is a candidate, after `count` boxes were kept.
  mlir::Value isConsidered(ElementEmitter &e, mlir::OpFoldResult list,
                           mlir::OpFoldResult i, mlir::OpFoldResult count);
  /// Whether a box overlaps one in any of the lanes of `others`, i1.
  mlir::Value overlapsAny(ElementEmitter &e, const Box &box, const Box &others,
                          int64_t lanes);
  /// Stores whether element i is kept.
  void store(ElementEmitter &e, mlir::OpFoldResult list, mlir::OpFoldResult i,
             mlir::Value isKept);

  dhlo::SuppressOp op;
  mlir::Type element;
  dhlo::DimExpr lists, size;
};

} // namespace dyn

#endif // DYN_LIB_CODEGEN_COMMON_PROBLEMS_SUPPRESSPROBLEM_H
