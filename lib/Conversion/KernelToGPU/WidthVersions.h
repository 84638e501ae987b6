//===- WidthVersions.h - Wide accesses where lines allow it -----*- C++ -*-===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CONVERSION_KERNELTOGPU_WIDTHVERSIONS_H
#define DYN_LIB_CONVERSION_KERNELTOGPU_WIDTHVERSIONS_H

#include "dyn/Conversion/KernelToVector/KernelBuilder.h"

namespace dyn {

/// Whether a length is known not to be a multiple of `divisor`.
bool isNeverMultiple(dhlo::DimExpr length, int64_t divisor,
                     const SymbolicDims &dims);
/// Whether a size is one that the kernel finds in its data: the host knows what
/// it is at most.
bool isFoundInData(dhlo::DimExpr size, const SymbolicDims &dims);

/// The versions of a kernel whose threads access neighbours along lines: one
/// for calls in which all lines' lengths are multiples of the widest access,
/// and one for all others, in which a thread accesses single elements. Only one
/// where it is known which calls there are, or where the host, which chooses,
/// does not know the lengths.
class WidthVersions {
public:
  /// Of `lengths`, those that are not multiples of `widest` in every call
  /// decide. `widest` is a power of two.
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
  /// Emits the choice of a value for a call, of one for each version.
  mlir::OpFoldResult
  emitChoice(KernelBuilder &b,
             llvm::function_ref<mlir::OpFoldResult(int64_t version)> getValue);
  /// Has the code that follows know what holds in calls of a version.
  void assume(KernelBuilder &b, int64_t version) const;

private:
  llvm::SmallVector<dhlo::DimExpr> deciding;
  int64_t widest;
  llvm::SmallVector<int64_t, 2> widths;
};

} // namespace dyn

#endif // DYN_LIB_CONVERSION_KERNELTOGPU_WIDTHVERSIONS_H
