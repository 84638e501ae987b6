//===- NarrowFloats.h - Whether bits depend on what is fused --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_CELL_ANALYSIS_NARROWFLOATS_H
#define DYN_DIALECT_CELL_ANALYSIS_NARROWFLOATS_H

#include "mlir/IR/Operation.h"

namespace dyn::cell {

/// An operation inside of another one that computes floats of less than 32
/// bits, or null. Kernels compute these in 32 bits and round where they end, so
/// a program with the same operations, fused otherwise, has other bits.
mlir::Operation *findNarrowFloats(mlir::Operation *root);

} // namespace dyn::cell

#endif // DYN_DIALECT_CELL_ANALYSIS_NARROWFLOATS_H
