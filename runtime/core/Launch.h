//===- Launch.h - One kernel over all its items ---------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch on several threads is divided beforehand: the items into grains, the
// grains into one range of consecutive grains per thread. A thread works on its
// own range first, so that it processes the same part of the data in one kernel
// after another, and then helps the others with theirs. It takes a part of the
// rest of a range at a time: large pieces at first, as each one costs the
// kernel's prologue, and single grains in the end, so that all threads end
// together even if some were held up. Kernels promise that an item's result
// depends neither on the thread that computes it nor on the items computed with
// it, so the division does not affect the bits.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_CORE_LAUNCH_H
#define DYN_RUNTIME_CORE_LAUNCH_H

#include "Pool.h"
#include "Trace.h"

namespace dyn::rt {

/// A thread's position in its range of grains. On its own cache line.
struct alignas(64) Cursor {
  std::atomic<int64_t> next;
  int64_t end;

  /// Takes grains [first, last) of the rest; false if it is empty.
  bool take(int64_t &first, int64_t &last);
};

/// The state that the threads of a launch share. Lives on the caller's stack.
struct Launch {
  dyn_kernel_fn body;
  void *const *buffers;
  const int64_t *dims;
  dyn_geometry_t geometry;
  dyn_worker_t worker;   ///< of the calling thread; others differ in scratch
  int64_t scratchStride; ///< bytes between the scratch of two threads
  /// One per thread of the launch; unused in a serial one.
  Cursor *cursors;
  uint32_t threads;
  /// Where other threads record their time, or null.
  dyn_trace *trace;
  const dyn_kernel_t *kernel;
  uint32_t index; ///< of the kernel
  uint32_t lane;
  uint32_t chain = 0; ///< among launches together; 0 for none

  /// Number of items whose results are computed in the thread's scratch and
  /// then written with non-temporal stores; 0 if they are written directly.
  int64_t piece = 0;

  /// Whether each item begins inside of the results that its kernel declares as
  /// written in order, and these are buffers; true if it declares none.
  bool hasPossibleResults() const;
  /// Enables non-temporal stores if the launch reads and writes at least
  /// `bytes` bytes and its kernel declares where items write.
  void streamFrom(uint64_t bytes);
  /// All work in bytes, and the floating-point operations of equal time.
  double getWork() const;
  /// Bytes of scratch for each thread. INT64_MAX if they overflow.
  int64_t getScratchBytes() const;
  /// Runs items [begin, end) in the thread of `own`.
  void runItems(int64_t begin, int64_t end, dyn_worker_t &own) const;

  /// Records the time of a thread in it, if there is a trace.
  void traceThread(uint32_t thread, uint64_t begin, uint64_t end) const;

  /// Waking a thread takes about as long as it then saves with this many
  /// grains.
  static constexpr double worthWaking = 16;
  /// The number of threads to use, at most `limit`: one per grain of items.
  static uint32_t usefulThreads(const dyn_geometry_t &geometry, uint32_t limit);

  /// Runs all items in this thread, those before `first` last.
  void runSerial(int64_t first = 0) {
    runItems(first, geometry.items, worker);
    if (first)
      runItems(0, first, worker);
  }
  /// Divides the items among `threads` and runs them on `pool`, whose sleeping
  /// threads are woken if `wake`.
  void runParallel(dyn_pool &pool, bool wake);

private:
  void divide();
  void participate(uint32_t thread);
};

} // namespace dyn::rt

#endif // DYN_RUNTIME_CORE_LAUNCH_H
