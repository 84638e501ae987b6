//===- VectorDivision.h - Quotients of vectors of integers ----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// No machine divides vectors of integers or converts those of 64 bits to floats
// before AVX-512. Numbers of elements are less than 2^52, and such are exact as
// doubles, whose bits are the integer's beside those of 2^52.

#ifndef DYN_LIB_CODEGEN_COMMON_BUILDER_VECTORDIVISION_H
#define DYN_LIB_CODEGEN_COMMON_BUILDER_VECTORDIVISION_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace dyn {

/// A vector of i64 in [0, 2^52) as f64.
mlir::Value lanesToDouble(mlir::ImplicitLocOpBuilder &b, mlir::Value integers);
/// The opposite, of a vector of whole numbers.
mlir::Value lanesFromDouble(mlir::ImplicitLocOpBuilder &b, mlir::Value whole);

/// The quotients, rounded down, of a vector of i64 in [0, 2^52) by a positive
/// i64.
mlir::Value divideLanes(mlir::ImplicitLocOpBuilder &b, mlir::Value dividends,
                        mlir::Value divisor);

} // namespace dyn

#endif // DYN_LIB_CODEGEN_COMMON_BUILDER_VECTORDIVISION_H
