//===- SumArithmetic.h - Operands and sums of contractions ----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CODEGEN_COMMON_PROBLEMS_SUMARITHMETIC_H
#define DYN_LIB_CODEGEN_COMMON_PROBLEMS_SUMARITHMETIC_H

#include "Codegen/Common/Builder/KernelBuilder.h"

namespace dyn {

/// The type of the sums of a contraction whose results are of `type`.
inline mlir::Type getSumType(mlir::Type result) {
  return getComputeType(result);
}

/// Converts an operand's element of dhlo type `element`, or a vector of them,
/// to the type of the sum.
mlir::Value toSum(KernelBuilder &b, mlir::Value factor, mlir::Type element,
                  mlir::Type sum);

/// lhs * rhs + sum, of values or vectors.
mlir::Value multiplyAdd(KernelBuilder &b, mlir::Value lhs, mlir::Value rhs,
                        mlir::Value sum);

} // namespace dyn

#endif // DYN_LIB_CODEGEN_COMMON_PROBLEMS_SUMARITHMETIC_H
