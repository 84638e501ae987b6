//===- GpuThread.h - A thread, its warp and its block ---------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CONVERSION_KERNELTOGPU_GPUTHREAD_H
#define DYN_LIB_CONVERSION_KERNELTOGPU_GPUTHREAD_H

#include "dyn/Conversion/KernelToVector/KernelBuilder.h"

namespace dyn {

/// What a thread's code knows of where it runs, and how it talks to others.
/// Numbers are i64.
class GpuThread {
public:
  explicit GpuThread(KernelBuilder &b) : b(b) {}

  mlir::Value getBlock();
  mlir::Value getThread(); ///< in its block
  /// The value of the lane whose number differs from this one's by the bits of
  /// `distance`. All lanes of the warp ask.
  mlir::Value exchange(mlir::Value v, int64_t distance);
  /// Waits for all threads of the block.
  void barrier();
  /// Pointer to `count` elements of `type` that the block shares, not
  /// initialised: memory of its own for each use of this function.
  mlir::Value getShared(mlir::Type type, int64_t count);
  /// `lanes` elements of shared memory in one access: `index` has to be a
  /// multiple of `lanes`.
  mlir::Value loadShared(mlir::Value shared, mlir::OpFoldResult index,
                         mlir::Type type, int64_t lanes);

private:
  KernelBuilder &b;
};

} // namespace dyn

#endif // DYN_LIB_CONVERSION_KERNELTOGPU_GPUTHREAD_H
