//===- MatrixProduct.h - Schedule of products of matrices -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_CONVERSION_KERNELTOVECTOR_MATRIXPRODUCT_H
#define DYN_CONVERSION_KERNELTOVECTOR_MATRIXPRODUCT_H

#include "dyn/Conversion/KernelToVector/ProductArithmetic.h"
#include "dyn/Conversion/KernelToVector/Schedule.h"

namespace dyn {

/// How the second factor lies in memory.
enum class RhsOrder {
  Panels,  ///< packed constant: [g][n / 16][k][n % 16], of bytes
           ///< [g][n / 16][k / 4][n % 16][k % 4]
  RowsOfN, ///< [g][k][n]
  RowsOfK, ///< [g][n][k]
};

/// An operation of a kernel seen as products of matrices, G times M x K by
/// K x N. The factors are arguments of the kernel, the result is [g][m][n].
/// Products of bytes have rows of lhs and a packed rhs. With a packed rhs, rows
/// of one product's lhs may be computed in the kernel instead.
struct MatrixProduct {
  mlir::Value lhs, rhs, result;
  dhlo::DimExpr g, m, n, k;
  RhsOrder rhsOrder;
  /// Whether lhs is [g][m][k]; else it is [g][k][m].
  bool lhsRows;
  /// By the types; how they are multiplied depends on the instruction set.
  Factors factors = Factors::F32;

  bool computesLhs() const { return !llvm::isa<mlir::BlockArgument>(lhs); }

  DeclaredFactors getDeclaredFactors() const {
    return {factors, rhsOrder == RhsOrder::Panels, dhlo::getConstantValue(k)};
  }
};

/// The view of a product whose axes are grouped, of arguments of a kernel. None
/// for types and orders that micro-kernels do not read.
std::optional<MatrixProduct> getMatrixProduct(dhlo::DotGeneralOp op);

DeclaredFactors getDeclaredFactors(dhlo::GroupedDotOp op);

/// The schedule of a kernel with this product and loop operations on it
/// (ProductEpilogue::canEmit must hold). Its `match` does nothing.
std::unique_ptr<Schedule>
createMatrixProductSchedule(const MatrixProduct &product);

/// The schedule of a kernel with products of groups of rows and loop operations
/// on it.
std::unique_ptr<Schedule> createGroupedProductSchedule(dhlo::GroupedDotOp op);

} // namespace dyn

#endif // DYN_CONVERSION_KERNELTOVECTOR_MATRIXPRODUCT_H
