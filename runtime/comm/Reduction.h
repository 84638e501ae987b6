//===- Reduction.h - Sums of ranks in a stated order ----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_COMM_REDUCTION_H
#define DYN_RUNTIME_COMM_REDUCTION_H

#include "dyn/comm.h"

namespace dyn::rt {

struct Reduction {
  dyn_dtype_t dtype;
  dyn_reduction_t kind;
  dyn_reduction_order_t order;

  static bool supports(dyn_dtype_t dtype);

  /// Combines `ranks` rows of `count` elements into the first. The other rows
  /// are undefined then.
  void run(void *rows, uint32_t ranks, uint64_t count) const;
};

} // namespace dyn::rt

#endif // DYN_RUNTIME_COMM_REDUCTION_H
