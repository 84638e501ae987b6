//===- GpuThread.h - A thread, its warp and its block ---------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CONVERSION_KERNELTOGPU_GPUTHREAD_H
#define DYN_LIB_CONVERSION_KERNELTOGPU_GPUTHREAD_H

#include "dyn/Conversion/KernelToVector/KernelBuilder.h"

// The header of the NVVM dialect takes ten seconds to compile.
namespace mlir::NVVM {
enum class ShflKind : uint32_t;
} // namespace mlir::NVVM

namespace dyn {

/// What a thread's code knows of where it runs, and how it talks to others.
/// Numbers are i64.
class GpuThread {
public:
  explicit GpuThread(KernelBuilder &b) : b(b) {}

  mlir::Value getBlock();
  mlir::Value getThread(); ///< in its block
  mlir::Value getNumber(); ///< of all threads of the launch
  /// The value of the lane whose number differs from this one's by the bits of
  /// `distance`. All lanes of the warp ask.
  mlir::Value exchange(mlir::Value v, int64_t distance);
  /// The value of the lane `distance` below this one, of one in the lowest
  /// lanes; likewise.
  mlir::Value getFromBelow(mlir::Value v, int64_t distance);
  /// The value of a lane; likewise.
  mlir::Value getFromLane(mlir::Value v, int64_t lane);
  /// Of integers: the sum over this lane and those below it; likewise.
  mlir::Value scanWarp(mlir::Value v);
  /// Of an i64: the sums over the threads of the block before this one, and
  /// over all. All threads of the block ask, and wait for each other.
  struct Scan {
    mlir::Value before, total;
  };
  Scan scan(mlir::Value v);
  /// Waits for all threads of the block.
  void barrier();
  /// Pointer to `count` elements of `type` that the block shares, not
  /// initialised: memory of its own for each use of this function.
  mlir::Value getShared(mlir::Type type, int64_t count);
  /// `lanes` elements of shared memory in one access: `index` has to be a
  /// multiple of `lanes`.
  mlir::Value loadShared(mlir::Value shared, mlir::OpFoldResult index,
                         mlir::Type type, int64_t lanes);
  /// What `emit` gives, elements of dhlo type `element`, as it is stored, zeros
  /// where it is not inside. As bits: nothing is to be computed with them, and
  /// a host has no registers of 16 bits for floats.
  mlir::Value emitStored(mlir::Value isInside, mlir::Type element,
                         int64_t lanes, llvm::function_ref<mlir::Value()> emit);
  /// The opposite of loadShared, of a value as it is stored.
  void storeShared(mlir::Value v, mlir::Value shared, mlir::OpFoldResult index);
  /// Matrices of 8 x 8 elements of 16 bits, as many as there are results: each
  /// lane gives the place of a row, and gets two neighbours of a row of each,
  /// or, where `transposes`, of a column. All lanes of the warp ask.
  llvm::SmallVector<mlir::Value> loadMatrices(mlir::Value row, int64_t count,
                                              bool transposes);
  /// Copies 4, 8 or 16 bytes from global to shared memory, or zeros where
  /// `isThere` does not hold. They have come when the thread has waited for the
  /// copy's group, and other threads see them behind a barrier.
  void copyAsync(mlir::Value to, mlir::Value from, int64_t bytes,
                 mlir::Value isThere);
  /// The copies since the last one are a group.
  void commitCopies();
  /// Waits for all groups but the last `pending` ones.
  void waitForCopies(int64_t pending);

  /// What `body` gives if `condition` holds, else `otherwise`.
  llvm::SmallVector<mlir::Value>
  ifElse(mlir::Value condition, mlir::ValueRange otherwise,
         llvm::function_ref<llvm::SmallVector<mlir::Value>()> body);

private:
  /// Another lane's value; `kind` has the words of an NVVM shuffle.
  mlir::Value shuffle(mlir::Value v, mlir::NVVM::ShflKind kind, int64_t lane);

  KernelBuilder &b;
};

} // namespace dyn

#endif // DYN_LIB_CONVERSION_KERNELTOGPU_GPUTHREAD_H
