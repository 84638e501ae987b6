//===- WidthVersions.h - Versions for wide accesses -----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CODEGEN_GPU_WIDTHVERSIONS_H
#define DYN_LIB_CODEGEN_GPU_WIDTHVERSIONS_H

#include "Codegen/Common/Builder/KernelBuilder.h"

namespace dyn {

/// Whether a length is known to be no multiple of `divisor`.
bool isNeverMultiple(dhlo::DimExpr length, int64_t divisor,
                     const SymbolicDims &dims);
/// Whether the kernel binds a size from its data, so that the host knows only
/// an upper bound.
bool isFoundInData(dhlo::DimExpr size, const SymbolicDims &dims);

/// The versions of a kernel whose threads access contiguous runs: one for calls
/// in which the lengths of all runs are multiples of the widest access, and one
/// with single-element accesses for all others. There is only one if the
/// compiler knows which calls there are, or if the host, which chooses, does
/// not know the lengths.
class WidthVersions {
public:
  /// Of `lengths`, those that are not always multiples of `widest` decide.
  /// `widest` is a power of two.
  WidthVersions(llvm::ArrayRef<dhlo::DimExpr> lengths, int64_t widest,
                const SymbolicDims &dims);

  /// As GpuSchedule::getVersions.
  llvm::SmallVector<llvm::StringRef> getNames() const;
  int64_t getWidest() const { return widest; }
  /// Elements of an access, for each version.
  llvm::ArrayRef<int64_t> getWidths() const { return widths; }
  /// As GpuSchedule::emitVersion.
  mlir::OpFoldResult emitVersion(KernelBuilder &b) {
    return emitChoice(b, [&](int64_t version) { return b.constant(version); });
  }
  /// Emits the choice of one of the versions' values for a call.
  mlir::OpFoldResult
  emitChoice(KernelBuilder &b,
             llvm::function_ref<mlir::OpFoldResult(int64_t version)> getValue);
  /// Makes facts of calls of a version known to the code that follows.
  void assume(KernelBuilder &b, int64_t version) const;

private:
  llvm::SmallVector<dhlo::DimExpr> deciding;
  int64_t widest;
  llvm::SmallVector<int64_t, 2> widths;
};

} // namespace dyn

#endif // DYN_LIB_CODEGEN_GPU_WIDTHVERSIONS_H
