//===- Row.h - The state of a row in the passes ---------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CODEGEN_COMMON_PROBLEMS_ROW_H
#define DYN_LIB_CODEGEN_COMMON_PROBLEMS_ROW_H

#include "Codegen/Common/Elements/ElementEmitter.h"

#include "Codegen/Common/Problems/RowPlan.h"

namespace dyn {

/// The state of a row in the passes.
struct Row {
  Row(KernelBuilder &b, llvm::ArrayRef<dhlo::DimExpr> extents,
      llvm::ArrayRef<mlir::OpFoldResult> coordinates, int64_t number)
      : emitter(b), number(number) {
    for (auto [extent, coordinate] : llvm::zip_equal(extents, coordinates))
      position.push_back({extent, emitter.uniform(coordinate)});
  }

  /// Provides the values that earlier passes computed.
  ElementEmitter emitter;
  Position position;
  /// Index in the group of rows.
  int64_t number;
};

/// Whether two positions are equal, dimensions of extent 1 aside.
bool isSamePosition(KernelBuilder &b, llvm::ArrayRef<Coordinate> lhs,
                    llvm::ArrayRef<Coordinate> rhs);

/// Combines two values of a reduction.
mlir::Value combineReduced(KernelBuilder &b, dhlo::ReduceOp op, mlir::Value lhs,
                           mlir::Value rhs);

/// Prefetches operands of rows at an element, and results of the last pass at
/// another one. Both may be past the end.
void prefetchRows(KernelBuilder &b, const RowPlan &plan,
                  mlir::OpFoldResult operandAt, mlir::OpFoldResult resultAt,
                  int64_t level);
/// The same for narrow rows, many of which end before a cache line arrives.
void prefetchNarrowRows(KernelBuilder &b, const RowPlan &plan,
                        mlir::OpFoldResult at);

} // namespace dyn

#endif // DYN_LIB_CODEGEN_COMMON_PROBLEMS_ROW_H
