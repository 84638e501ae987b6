//===- Row.h - A row on its way through the passes ------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CONVERSION_KERNELTOVECTOR_SCHEDULES_ROW_H
#define DYN_LIB_CONVERSION_KERNELTOVECTOR_SCHEDULES_ROW_H

#include "dyn/Conversion/KernelToVector/ElementEmitter.h"

#include "Schedules/RowPlan.h"

namespace dyn {

/// A row on its way through the passes.
struct Row {
  Row(KernelBuilder &b, llvm::ArrayRef<dhlo::DimExpr> extents,
      llvm::ArrayRef<mlir::OpFoldResult> digits, int64_t number)
      : emitter(b), number(number) {
    for (auto [extent, digit] : llvm::zip_equal(extents, digits))
      position.push_back({extent, emitter.uniform(digit)});
  }

  /// Knows the values that earlier passes computed.
  ElementEmitter emitter;
  Position position;
  /// In the group of rows.
  int64_t number;
};

/// Whether two positions are one, digits of extent 1 aside.
bool isSamePosition(KernelBuilder &b, llvm::ArrayRef<Digit> lhs,
                    llvm::ArrayRef<Digit> rhs);

/// Asks for operands of rows at an element, and for results of the last pass at
/// another one. Both may lie behind the last.
void prefetchRows(KernelBuilder &b, const RowPlan &plan,
                  mlir::OpFoldResult operandAt, mlir::OpFoldResult resultAt,
                  int64_t level);
/// The same for narrow rows, of which many are over before a line has come.
void prefetchNarrowRows(KernelBuilder &b, const RowPlan &plan,
                        mlir::OpFoldResult at);

} // namespace dyn

#endif // DYN_LIB_CONVERSION_KERNELTOVECTOR_SCHEDULES_ROW_H
