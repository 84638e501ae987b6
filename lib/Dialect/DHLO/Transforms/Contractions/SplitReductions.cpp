//===- SplitReductions.cpp - Reduces full tensors row by row --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dialect/DHLO/Transforms/Recognize/Match.h"

#include "dyn/Dialect/DHLO/Transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"

namespace dyn::dhlo {
#define GEN_PASS_DEF_SPLITREDUCTIONSPASS
#include "dyn/Dialect/DHLO/Transforms/Passes.h.inc"
} // namespace dyn::dhlo

using namespace mlir;
using namespace dyn;
using namespace dyn::dhlo;

namespace {

/// The minimum number of elements of a row to be reduced separately.
constexpr int64_t kMinRow = 32;

/// Whether every order of the reduction gives the same bits.
bool isExact(ReduceOp op) {
  switch (op.getKind()) {
  case ReduceKind::Max:
  case ReduceKind::Min:
  case ReduceKind::And:
  case ReduceKind::Or:
    return true;
  case ReduceKind::Sum:
  case ReduceKind::Prod:
    return isa<IntegerType>(op.getType().getElementType());
  }
  llvm_unreachable("every kind is named");
}

struct SplitReductionsPass
    : dhlo::impl::SplitReductionsPassBase<SplitReductionsPass> {
  void runOnOperation() override {
    markAnalysesPreserved<SymbolicDims>();
    const auto &dims = getAnalysis<SymbolicDims>();
    auto reductions = collectOps<ReduceOp>(getOperation());
    llvm::erase_if(reductions,
                   [&](ReduceOp op) { return !canSplit(op, dims); });
    for (ReduceOp op : reductions)
      split(op);
    numSplit += reductions.size();
    if (reductions.empty())
      markAllAnalysesPreserved();
  }

private:
  static bool canSplit(ReduceOp op, const SymbolicDims &dims) {
    RankedTensorType type = getTensor(op.getOperand());
    int64_t rank = type.getRank();
    return rank > 1 && static_cast<int64_t>(op.getAxes().size()) == rank &&
           !type.hasStaticShape() && isExact(op) &&
           dims.getRange(getDim(type, rank - 1)).min >= kMinRow;
  }

  static void split(ReduceOp op) {
    OpBuilder builder(op);
    RankedTensorType type = getTensor(op.getOperand());
    int64_t last = type.getRank() - 1;
    SmallVector<DimExpr> sizes = getDims(type);
    sizes.pop_back();
    auto rows = ReduceOp::create(
        builder, op.getLoc(), getTensorType(sizes, type.getElementType()),
        op.getKind(), op.getOperand(), ArrayRef<int64_t>{last});
    op.setOperand(rows);
    op.setAxes(op.getAxes().drop_back());
  }
};

} // namespace
