//===- Together.h - Several kernels that run as one launch ----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels that do not depend on each other are divided as one (Launch.h): the
// grains of a kernel are numbered after those of the kernels before it, and
// each thread's range of grains has an equal share of the cost. Kernels with
// the most expensive grains come first, so that the pieces left in the end are
// small. Costs are those that geometries compute for this very call: no profile
// could give a better order.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_CORE_TOGETHER_H
#define DYN_RUNTIME_CORE_TOGETHER_H

#include "Launch.h"

namespace dyn::rt {

/// A kernel among those that run together.
struct Share {
  const Launch *launch;
  int64_t first; ///< index of its first grain
  int64_t last;  ///< one past its last grain
  double perGrain;
  uint64_t time; ///< spent by threads in it, if measured
};

/// Launches that run together. Lives on the caller's stack.
class Together {
public:
  /// Uses one of the cursors for each thread.
  Together(bool measured, Cursor *cursors)
      : measured(measured), cursors(cursors) {}

  /// Adds a launch of at least one item.
  void add(const Launch &launch);
  /// The number of threads to use, at most `limit`: one per grain of items;
  /// fractions of a grain of several kernels are summed.
  uint32_t usefulThreads(uint32_t limit) const;
  /// Divides the items among threads and runs them on `pool`, whose sleeping
  /// threads are woken if `wake`. Each thread has `scratchStride` bytes of
  /// `scratch`.
  void run(dyn_pool &pool, uint32_t numThreads, void *scratch, int64_t stride,
           bool wake);

  /// The maximum that a kernel requests.
  int64_t getScratchBytes() const { return scratchBytes; }
  double getGrains() const { return grains; }
  /// The totals over all kernels.
  dyn_geometry_t getSum() const { return sum; }
  const Share *begin() const { return shares; }
  const Share *end() const { return shares + count; }

private:
  void divide();
  void participate(uint32_t thread);

  Share shares[DYN_MAX_LAUNCHES];
  uint32_t count = 0;
  bool measured;
  Cursor *cursors;
  int64_t scratchBytes = 0;
  dyn_geometry_t sum = {0, 1, 0, 0, 0, 0, 0, 0};
  double cost = 0, grains = 0;
  uint32_t threads = 1;
  void *scratch = nullptr;
  int64_t scratchStride = 0;
};

} // namespace dyn::rt

#endif // DYN_RUNTIME_CORE_TOGETHER_H
