//===- Launch.h - One kernel over all its items --------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch on several threads is divided beforehand: the items into grains, the
// grains into one run of neighbours per thread. A thread works through its own
// run first, so that it meets the same part of the data in one kernel after
// another, and then helps the others with theirs. It takes a part of what is
// left of a run at a time: large pieces at first, as each one costs the
// kernel's prologue, and single grains in the end, so that all threads end
// together even if some were held up. Kernels promise that an item's result
// does not depend on who computes it or with which neighbours, so none of this
// shows in the bits.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_CORE_LAUNCH_H
#define DYN_RUNTIME_CORE_LAUNCH_H

#include "Pool.h"
#include "Trace.h"

namespace dyn::rt {

/// Where a thread is in its run of grains. On a cache line of its own.
struct alignas(64) Cursor {
  std::atomic<int64_t> next;
  int64_t end;

  /// Takes grains [first, last) of what is left; false if nothing is.
  bool take(int64_t &first, int64_t &last);
};

/// Everything that the threads of a launch need. Lives on the caller's stack.
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
  /// Where helpers record their time, or null.
  dyn_trace *trace;
  const dyn_kernel_t *kernel;
  uint32_t index; ///< of the kernel
  uint32_t lane;

  /// Of items whose results are computed in the thread's scratch and then
  /// stored past the caches; 0 if they are written where they belong.
  int64_t piece = 0;

  /// Whether each item begins within the results that its kernel tells of, and
  /// these are buffers; true if it tells of none.
  bool hasPossibleResults() const;
  /// Lets results go past the caches if the launch reads and writes at least
  /// `bytes` bytes and its kernel says where items write.
  void streamFrom(uint64_t bytes);
  /// Bytes of scratch for each thread. Negative if they have no number.
  int64_t getScratchBytes() const;
  /// Does items [begin, end) in the thread of `own`.
  void runItems(int64_t begin, int64_t end, dyn_worker_t &own) const;

  /// Threads worth using, at most `limit`: one per grain of items.
  static uint32_t usefulThreads(const dyn_geometry_t &geometry, uint32_t limit);

  void runSerial() { runItems(0, geometry.items, worker); }
  /// Divides the items among `threads` and runs them on `pool`, whose threads
  /// at rest come if `wake`.
  void runParallel(dyn_pool &pool, bool wake);

private:
  void divide();
  void participate(uint32_t thread);
};

} // namespace dyn::rt

#endif // DYN_RUNTIME_CORE_LAUNCH_H
