//===- SegmentProblem.h - Operations on segments along an axis ------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CODEGEN_COMMON_PROBLEMS_SEGMENTPROBLEM_H
#define DYN_LIB_CODEGEN_COMMON_PROBLEMS_SEGMENTPROBLEM_H

#include "Codegen/Common/Elements/ElementEmitter.h"

namespace dyn {

/// A sort, top_k or cumulative operation as work on segments (lines): its
/// operand is outer x size x inner, and each pair of outer and inner index is a
/// segment.
struct SegmentProblem {
  struct Line {
    mlir::OpFoldResult outer, inner;
  };

  SegmentProblem(mlir::Operation *op, const SymbolicDims &dims);

  /// Whether elements are integers without a sign.
  bool isUnsigned() const;
  /// Position i of a segment, in a tensor with size `extent` along the axis.
  Position at(ElementEmitter &e, Line line, dhlo::DimExpr extent,
              mlir::OpFoldResult i) const;
  /// Element i of the segment; elements i, i + 1, ... in several lanes.
  mlir::Value key(ElementEmitter &e, Line line, mlir::OpFoldResult i,
                  int64_t lanes = 1) const;
  /// Whether x comes strictly before y when sorted, in each lane. NaN is
  /// greater than every number.
  mlir::Value isBefore(KernelBuilder &b, mlir::Value x, mlir::Value y) const;
  /// Stores element i of the sorted segment: the one that was at `from`.
  void storeSorted(ElementEmitter &e, Line line, mlir::OpFoldResult i,
                   mlir::Value from) const;

  mlir::Operation *op;
  mlir::Type element;
  dhlo::DimExpr outer, size, inner;
  /// Size of the results along the axis.
  dhlo::DimExpr count;
  bool descending = false;
};

} // namespace dyn

#endif // DYN_LIB_CODEGEN_COMMON_PROBLEMS_SEGMENTPROBLEM_H
