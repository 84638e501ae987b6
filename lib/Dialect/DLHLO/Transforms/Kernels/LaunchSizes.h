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

/// The sizes of kernels and their constraints, for launches. A kernel is
/// analysed once, however many launches it has, and must not change meanwhile.
/// Sizes that a kernel reads from its data are omitted: `dlhlo-defer-sizes` has
/// proven their constraints.
class LaunchSizes {
public:
  explicit LaunchSizes(const mlir::SymbolTable &symbols) : symbols(symbols) {}

  /// The sizes that a launch's kernel declares, over those of the entry, each
  /// with the operation that uses it, or the launch. Kernels rely on none of
  /// them being negative.
  llvm::SmallVector<std::pair<dhlo::DimExpr, mlir::Operation *>>
  getSizes(LaunchOp launch);

  /// Calls `visit` for each operation of a launch's kernel with the constraints
  /// on sizes that the kernel's facts do not prove, over the sizes of the
  /// entry, until it fails. More facts may be known outside of the kernel.
  llvm::LogicalResult visitChecks(
      LaunchOp launch,
      llvm::function_ref<llvm::LogicalResult(mlir::Operation *op,
                                             llvm::ArrayRef<dhlo::SizeCheck>)>
          visit);

  /// The number of kernels that have been analysed.
  unsigned getNumKernels() const { return kernels.size(); }

private:
  /// Over the sizes that launches pass.
  struct Kernel {
    llvm::SmallVector<std::pair<dhlo::DimExpr, mlir::Operation *>> sizes;
    llvm::SmallVector<
        std::pair<mlir::Operation *, llvm::SmallVector<dhlo::SizeCheck>>>
        checks;
  };
  const Kernel &analyze(KernelOp op);

  const mlir::SymbolTable &symbols;
  llvm::DenseMap<KernelOp, Kernel> kernels;
};

} // namespace dyn::dlhlo

#endif // DYN_LIB_DIALECT_DLHLO_TRANSFORMS_KERNELS_LAUNCHSIZES_H
