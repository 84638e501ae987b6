//===- SumArithmetic.h - Factors and sums of products, any type -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CONVERSION_KERNELTOVECTOR_PRODUCTS_SUMARITHMETIC_H
#define DYN_LIB_CONVERSION_KERNELTOVECTOR_PRODUCTS_SUMARITHMETIC_H

#include "dyn/Conversion/KernelToVector/KernelBuilder.h"

namespace dyn {

/// The type that products are summed in whose results are of `type`.
inline mlir::Type getSumType(mlir::Type result) {
  return getComputeType(result);
}

/// Converts a factor, an element of dhlo type `element`, to the type of the
/// sum.
mlir::Value toSum(KernelBuilder &b, mlir::Value factor, mlir::Type element,
                  mlir::Type sum);

/// lhs * rhs + sum, of values or vectors.
mlir::Value multiplyAdd(KernelBuilder &b, mlir::Value lhs, mlir::Value rhs,
                        mlir::Value sum);

} // namespace dyn

#endif // DYN_LIB_CONVERSION_KERNELTOVECTOR_PRODUCTS_SUMARITHMETIC_H
