//===- StageTransfers.cpp - Exchanges between stages, beside work ---------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StageTransfers.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dist;

/// Whether two exchanges of a rank are with the same other one.
static bool sharePeer(ExchangeStartOp lhs, ExchangeStartOp rhs) {
  int64_t own = getPartOf(lhs).getRank();
  return llvm::any_of(lhs.getAmong(), [&](int64_t rank) {
    return rank != own && llvm::is_contained(rhs.getAmong(), rank);
  });
}

/// Moves an operation in front of `next`, after the operations that compute its
/// operands, which read no other values of the rank. If `next` is one of them,
/// it is the one behind it that counts.
static void moveWithOperands(Operation *op, Operation *&next) {
  for (Value operand : op->getOperands())
    if (Operation *maker = operand.getDefiningOp();
        maker && !maker->isBeforeInBlock(next))
      moveWithOperands(maker, next);
  if (op == next)
    next = op->getNextNode();
  else
    op->moveBefore(next);
}

/// Moves the beginning up to the one of the exchange before it, but not over
/// `least`, or sizes that get their values; null for the begin of the block.
static void receiveEarlier(ExchangeStartOp start, Operation *least) {
  Operation *next = start;
  for (Operation *op = start; (op = op->getPrevNode()) && op != least;) {
    auto other = dyn_cast<ExchangeStartOp>(op);
    if ((other && sharePeer(start, other)) || isa<dhlo::BindsDims>(op))
      break;
    next = op;
  }
  if (next != start)
    moveWithOperands(start, next);
}

/// Moves the end down to the beginning of an exchange of another block.
static void sendLonger(const StageTransfer &transfer,
                       const DenseMap<Operation *, int64_t> &blocks) {
  ExchangeStartOp start = transfer.start;
  Operation *next = start->getBlock()->getTerminator();
  for (Operation *op = start; (op = op->getNextNode());) {
    auto other = dyn_cast<ExchangeStartOp>(op);
    auto block = blocks.find(op);
    if (other && sharePeer(start, other) &&
        (block == blocks.end() || block->second != transfer.block)) {
      next = op;
      break;
    }
  }
  getWait(start)->moveBefore(next);
}

void dist::overlapTransfers(ArrayRef<StageTransfer> transfers) {
  DenseMap<Operation *, int64_t> blocks;
  /// By stage that sends: the block that is received, the end of its first
  /// exchange, and that of the block before it.
  struct Received {
    int64_t block;
    Operation *end, *endBefore;
  };
  DenseMap<Operation *, Received> received;
  for (const StageTransfer &transfer : transfers) {
    ExchangeStartOp start = transfer.start;
    blocks[start] = transfer.block;
    if (!transfer.isReceived)
      continue;
    MeshOp from = transfer.from;
    Operation *end = getWait(start);
    auto [it, isFirst] =
        received.try_emplace(from, Received{transfer.block, end, nullptr});
    Received &last = it->second;
    if (!isFirst && last.block != transfer.block)
      last = {transfer.block, end, last.end};
    receiveEarlier(start, last.endBefore);
  }
  for (const StageTransfer &transfer : transfers)
    if (!transfer.isReceived)
      sendLonger(transfer, blocks);
}
