//===- VerifyDims.h - Checks of sizes, one operation at a time ------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DIALECT_DHLO_TRANSFORMS_VERIFY_VERIFYDIMS_H
#define DYN_LIB_DIALECT_DHLO_TRANSFORMS_VERIFY_VERIFYDIMS_H

#include "dyn/Dialect/DHLO/Transforms/SizeChecks.h"

namespace dyn::dhlo {

/// Emits an error if a size of the operation provably differs from the size
/// that its operands and attributes imply.
llvm::LogicalResult verifySizes(mlir::Operation *op, const SymbolicDims &dims);

/// Appends the comparisons of `verifySizes` that are not proven to hold.
void collectSizes(mlir::Operation *op, const SymbolicDims &dims,
                  llvm::SmallVectorImpl<SizeCheck> &unproven);

} // namespace dyn::dhlo

#endif // DYN_LIB_DIALECT_DHLO_TRANSFORMS_VERIFY_VERIFYDIMS_H
