//===- StageTransfers.h - Exchanges between stages, beside work -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DIALECT_DIST_TRANSFORMS_STAGETRANSFERS_H
#define DYN_LIB_DIALECT_DIST_TRANSFORMS_STAGETRANSFERS_H

#include "dyn/Dialect/Dist/IR/Dist.h"

#include <limits>

namespace dyn::dist {

/// An exchange by which a rank sends or receives what changes the stage.
struct StageTransfer {
  /// Of results, which come after all blocks of the batch.
  static constexpr int64_t kLastBlock = std::numeric_limits<int64_t>::max();

  ExchangeStartOp start;
  MeshOp from;
  bool isReceived;
  int64_t block;
};

/// Moves the beginnings and ends of the transfers of a function, which are in
/// its order, so that a rank computes while they go on. A rank begins to
/// receive a block when it has the one before it, and has sent a block before
/// it sends the next. Exchanges of two ranks keep their order.
void overlapTransfers(llvm::ArrayRef<StageTransfer> transfers);

} // namespace dyn::dist

#endif // DYN_LIB_DIALECT_DIST_TRANSFORMS_STAGETRANSFERS_H
