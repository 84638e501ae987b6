//===- LaunchSizes.h - Sizes that a launch needs --------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DIALECT_DLHLO_TRANSFORMS_KERNELS_LAUNCHSIZES_H
#define DYN_LIB_DIALECT_DLHLO_TRANSFORMS_KERNELS_LAUNCHSIZES_H

#include "dyn/Dialect/DHLO/Transforms/SizeChecks.h"
#include "dyn/Dialect/DLHLO/IR/DLHLO.h"

namespace dyn::dlhlo {

/// Whether a definition may give a negative size. The analysis assumes that no
/// declared size is negative; the shape program ensures this, so this function
/// only considers the sizes without definition that it depends on.
bool mayBeNegative(dhlo::DimExpr size, const SymbolicDims &dims);

/// The sizes that a launch's kernel declares, over those of the entry, each
/// with the operation that uses it, or the launch. Kernels rely on none of them
/// being negative. Sizes that the kernel reads from its data are omitted here
/// and below: `dlhlo-defer-sizes` has proven their constraints.
llvm::SmallVector<std::pair<dhlo::DimExpr, mlir::Operation *>>
getKernelSizes(LaunchOp launch, const mlir::SymbolTable &symbols);

/// Calls `visit` for each operation of a launch's kernel with the constraints
/// on sizes that the kernel's facts do not prove, over the sizes of the entry,
/// until it fails. More facts may be known outside of the kernel.
llvm::LogicalResult visitSizeChecks(
    LaunchOp launch, const mlir::SymbolTable &symbols,
    llvm::function_ref<llvm::LogicalResult(mlir::Operation *op,
                                           llvm::ArrayRef<dhlo::SizeCheck>)>
        visit);

} // namespace dyn::dlhlo

#endif // DYN_LIB_DIALECT_DLHLO_TRANSFORMS_KERNELS_LAUNCHSIZES_H
