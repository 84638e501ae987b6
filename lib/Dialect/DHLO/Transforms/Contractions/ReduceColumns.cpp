//===- ReduceColumns.cpp - Matmuls with one column as sums of rows --------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Panels have 16 columns, so a GEMM with N = 1 would compute 15 for nothing. As
// a sum of each row's elements times those of the column, it becomes a row
// kernel that fuses its producers and consumers.

#include "Dialect/DHLO/Transforms/ConstantValues.h"

#include "dyn/Dialect/DHLO/Transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace dyn::dhlo {
#define GEN_PASS_DEF_REDUCECOLUMNSPASS
#include "dyn/Dialect/DHLO/Transforms/Passes.h.inc"
} // namespace dyn::dhlo

using namespace mlir;
using namespace dyn;
using namespace dyn::dhlo;

/// Whether this is a matmul of rows of f32 with one column, for each batch.
static bool hasOneColumn(DotGeneralOp op, ConstantValues &constants) {
  RankedTensorType lhs = getTensor(op.getLhs()), rhs = getTensor(op.getRhs());
  int64_t batch = op.getBatch(), last = lhs.getRank() - 1;
  return rhs.getRank() == batch + 2 && last > batch &&
         op.getLhsContract() == ArrayRef<int64_t>{last} &&
         op.getRhsContract().size() == 1 &&
         rhs.getDimSize(2 * batch + 1 - op.getRhsContract()[0]) == 1 &&
         lhs.getElementType().isF32() &&
         op.getType().getElementType().isF32() &&
         !constants.contains(op.getLhs());
}

static void reduce(DotGeneralOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  RankedTensorType lhs = getTensor(op.getLhs());
  int64_t last = lhs.getRank() - 1;
  SmallVector<int64_t> axes = llvm::to_vector(
      llvm::seq<int64_t>(0, static_cast<int64_t>(op.getBatch())));
  axes.push_back(last);
  SmallVector<DimExpr> sizes;
  for (int64_t axis : axes)
    sizes.push_back(getDim(lhs, axis));
  Value column = createReshape(b, op.getLoc(), op.getRhs(),
                               getTensorType(sizes, lhs.getElementType()));
  column = BroadcastOp::create(b, lhs, column, b.getDenseI64ArrayAttr(axes));
  auto sums =
      getTensorType(ArrayRef(getDims(lhs)).drop_back(), lhs.getElementType());
  Value sum = ReduceOp::create(b, sums, ReduceKind::Sum,
                               MulOp::create(b, op.getLhs(), column),
                               ArrayRef<int64_t>{last});
  op.replaceAllUsesWith(createReshape(b, op.getLoc(), sum, op.getType()));
  op.erase();
}

namespace {
struct ReduceColumnsPass
    : dhlo::impl::ReduceColumnsPassBase<ReduceColumnsPass> {
  void runOnOperation() override {
    markAnalysesPreserved<SymbolicDims>();
    const auto &dims = getAnalysis<SymbolicDims>();
    ConstantValues constants(dims);
    auto dots = collectOps<DotGeneralOp>(getOperation());
    llvm::erase_if(
        dots, [&](DotGeneralOp op) { return !hasOneColumn(op, constants); });
    llvm::for_each(dots, reduce);
    numReduced += dots.size();
    if (dots.empty())
      markAllAnalysesPreserved();
  }
};
} // namespace
