//===- ScatterProblem.h - Updates at indices from data --------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CODEGEN_COMMON_PROBLEMS_SCATTERPROBLEM_H
#define DYN_LIB_CODEGEN_COMMON_PROBLEMS_SCATTERPROBLEM_H

#include "Codegen/Common/Elements/ElementEmitter.h"

namespace dyn {

/// Code that schedules of scatter_nd and scatter_elements share.
struct ScatterProblem {
  explicit ScatterProblem(mlir::Operation *op) : op(op) {}

  mlir::Value operand() const { return op->getOperand(0); }
  mlir::Value indices() const { return op->getOperand(1); }
  mlir::Value updates() const { return op->getOperand(2); }
  mlir::Type element() const {
    return llvm::cast<mlir::RankedTensorType>(operand().getType())
        .getElementType();
  }
  /// Of a scatter_nd: the number of index vectors, the number of rows that they
  /// select from, and the columns of an update.
  dhlo::DimExpr vectors(KernelBuilder &b) const;
  dhlo::DimExpr rows(KernelBuilder &b) const;
  dhlo::DimExpr columns(KernelBuilder &b) const;

  mlir::Value combineUpdate(KernelBuilder &b, dhlo::ScatterKind kind,
                            mlir::Value old, mlir::Value update) const;
  /// An index from data, from the end if negative; if out of range, clears
  /// `isInside` and reports it.
  mlir::OpFoldResult readIndex(ElementEmitter &e, const Position &position,
                               mlir::OpFoldResult extent,
                               mlir::Value &isInside) const;
  /// Of a scatter_nd: the row that vector number `vector` selects, and whether
  /// it exists.
  mlir::OpFoldResult readRow(ElementEmitter &e, mlir::OpFoldResult vector,
                             mlir::Value &isInside) const;

  mlir::Operation *op;
};

} // namespace dyn

#endif // DYN_LIB_CODEGEN_COMMON_PROBLEMS_SCATTERPROBLEM_H
