//===- Decompose.h - Composite operations in terms of others --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DHLO_TRANSFORMS_DECOMPOSE_H
#define DYN_DIALECT_DHLO_TRANSFORMS_DECOMPOSE_H

#include "dyn/Dialect/DHLO/Analysis/DimBuilder.h"

namespace dyn::dhlo {

/// Builds, just before `op`, operations with the result that the interpreter
/// computes for it. For f16 and bf16 this is the same operation on f32 between
/// two conversions; for other types, operations of the other families. Returns
/// the value of the only result, or null if the operation has no decomposition:
/// if it is not a composite, or is `dhlo.lstm` or `dhlo.resize`. Does not erase
/// `op`. May declare sizes.
mlir::Value decompose(mlir::Operation *op, DimBuilder &symbols);

/// Builds, just before `op`, the same operation on f32 between conversions, for
/// an operation on f16 or bf16 that rounds its one result once. Returns the
/// value of that result. Does not erase `op`.
mlir::Value computeInF32(mlir::Operation *op);

} // namespace dyn::dhlo

#endif // DYN_DIALECT_DHLO_TRANSFORMS_DECOMPOSE_H
