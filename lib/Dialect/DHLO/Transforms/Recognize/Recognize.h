//===- Recognize.h - Composite operations among primitive ones ------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DIALECT_DHLO_TRANSFORMS_RECOGNIZE_RECOGNIZE_H
#define DYN_LIB_DIALECT_DHLO_TRANSFORMS_RECOGNIZE_RECOGNIZE_H

#include "Match.h"

namespace dyn::dhlo {

// Each function takes an operation as the last one of a composite, and builds
// the composite just before it if it matches: numbers and axes agree, and
// intermediate values have no other users. Null otherwise. The caller replaces
// the operation.

/// x * (1 + erf(x / sqrt(2))) / 2 and its approximation by tanh, for any form
/// of the polynomial in it; also with a logistic function for tanh.
mlir::Value recognizeGelu(mlir::Operation *op, mlir::OpBuilder &builder);

/// e / sum(e) of e = exp(x - max(x)), and its logarithm.
mlir::Value recognizeSoftmax(mlir::Operation *op, mlir::OpBuilder &builder,
                             const SymbolicDims &dims);

/// (x - mean) / sqrt(variance + eps) * scale + bias over the last axes; without
/// the mean it is the root mean square norm. Scale and bias are optional.
mlir::Value recognizeNorm(mlir::Operation *op, mlir::OpBuilder &builder,
                          const SymbolicDims &dims);

} // namespace dyn::dhlo

#endif // DYN_LIB_DIALECT_DHLO_TRANSFORMS_RECOGNIZE_RECOGNIZE_H
