//===- LaunchSizes.h - What a launch needs of sizes
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DIALECT_DLHLO_TRANSFORMS_LAUNCHSIZES_H
#define DYN_LIB_DIALECT_DLHLO_TRANSFORMS_LAUNCHSIZES_H

#include "dyn/Dialect/DHLO/Transforms/SizeChecks.h"
#include "dyn/Dialect/DLHLO/IR/DLHLO.h"

namespace dyn::dlhlo {

/// Whether a definition may give a negative size. The analysis takes every
/// declared size as not negative; the shape program is where that is made true,
/// so this asks only about the sizes without definition that it follows from.
bool mayBeNegative(dhlo::DimExpr size, const SymbolicDims &dims);

/// The sizes that a launch's kernel declares, over those of the entry, each
/// with the operation that makes something of it, or the launch. Kernels rely
/// on that none is negative. Sizes that the kernel finds in its data are left
/// out here and below: `dlhlo-defer-sizes` has proven what is needed of them.
llvm::SmallVector<std::pair<dhlo::DimExpr, mlir::Operation *>>
getKernelSizes(LaunchOp launch, const mlir::SymbolTable &symbols);

/// Calls `visit` for each operation of a launch's kernel with what it needs of
/// sizes and the kernel's facts do not prove, over the sizes of the entry,
/// until it fails. Outside of the kernel more may be known of them.
llvm::LogicalResult visitSizeChecks(
    LaunchOp launch, const mlir::SymbolTable &symbols,
    llvm::function_ref<llvm::LogicalResult(mlir::Operation *op,
                                           llvm::ArrayRef<dhlo::SizeCheck>)>
        visit);

} // namespace dyn::dlhlo

#endif // DYN_LIB_DIALECT_DLHLO_TRANSFORMS_LAUNCHSIZES_H
