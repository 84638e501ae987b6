//===- GpuThread.h - A thread, its warp and its block ---------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CODEGEN_GPU_GPUTHREAD_H
#define DYN_LIB_CODEGEN_GPU_GPUTHREAD_H

#include "Codegen/Common/Builder/KernelBuilder.h"

// The header of the NVVM dialect takes ten seconds to compile.
namespace mlir::NVVM {
enum class ShflKind : uint32_t;
} // namespace mlir::NVVM

namespace dyn {

/// Emits a thread's ids, and its communication with other threads. Numbers are
/// i64.
class GpuThread {
public:
  explicit GpuThread(KernelBuilder &b) : b(b) {}

  mlir::Value getBlock();
  mlir::Value getThread(); ///< in its block
  mlir::Value getNumber(); ///< of all threads of the launch
  /// The value of the lane whose number differs from this one's by the bits of
  /// `distance`. All lanes of the warp execute this.
  mlir::Value exchange(mlir::Value v, int64_t distance);
  /// The value of the lane `distance` below this one, of some lane in the
  /// lowest ones; likewise.
  mlir::Value getFromBelow(mlir::Value v, int64_t distance);
  /// The value of a lane; likewise.
  mlir::Value getFromLane(mlir::Value v, int64_t lane);
  /// The inclusive sum of integers over the lanes up to this one; likewise.
  mlir::Value scanWarp(mlir::Value v);
  /// The sums of i64 over the threads of the block before this one, and over
  /// all threads. All threads of the block execute this, and wait for each
  /// other.
  struct Scan {
    mlir::Value before, total;
  };
  Scan scan(mlir::Value v);
  /// Waits for all threads of the block.
  void barrier();
  /// Pointer to `count` uninitialised elements of `type` that the block shares:
  /// a separate allocation for each use of this function.
  mlir::Value getShared(mlir::Type type, int64_t count);
  /// `lanes` elements of shared memory in one access: `index` has to be a
  /// multiple of `lanes`.
  mlir::Value loadShared(mlir::Value shared, mlir::OpFoldResult index,
                         mlir::Type type, int64_t lanes);
  /// The elements of dhlo type `element` that `emit` returns, in their storage
  /// type; zeros where `isInside` does not hold. As bits: they are not computed
  /// with, and a host has no registers for 16-bit floats.
  mlir::Value emitStored(mlir::Value isInside, mlir::Type element,
                         int64_t lanes, llvm::function_ref<mlir::Value()> emit);
  /// Stores a value in its storage type to shared memory; like loadShared.
  void storeShared(mlir::Value v, mlir::Value shared, mlir::OpFoldResult index);
  /// ldmatrix: `count` matrices of 8 x 8 elements of 16 bits. Each lane passes
  /// the address of a row, and gets two consecutive elements of a row of each
  /// matrix or, with `transposes`, of a column. All lanes of the warp execute
  /// this.
  llvm::SmallVector<mlir::Value> loadMatrices(mlir::Value row, int64_t count,
                                              bool transposes);
  /// cp.async: copies 4, 8 or 16 bytes from global to shared memory, or zeros
  /// where `isInside` does not hold. They have arrived when the thread has
  /// waited for the copy's group, and other threads see them after a barrier.
  void copyAsync(mlir::Value to, mlir::Value from, int64_t bytes,
                 mlir::Value isInside);
  /// Commits the copies since the last call as a group.
  void commitCopies();
  /// Waits for all groups but the last `pending` ones.
  void waitForCopies(int64_t pending);

private:
  /// The value of another lane, by a shuffle as in NVVM.
  mlir::Value shuffle(mlir::Value v, mlir::NVVM::ShflKind kind, int64_t lane);

  KernelBuilder &b;
};

} // namespace dyn

#endif // DYN_LIB_CODEGEN_GPU_GPUTHREAD_H
