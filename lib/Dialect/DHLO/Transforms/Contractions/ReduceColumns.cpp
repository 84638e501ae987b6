//===- ReduceColumns.cpp - Matmuls with one column as sums of rows --------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Packed panels have 16 columns, so a GEMM with N = 1 would compute 15 for
// nothing. As a sum of each row's elements times those of the column, it
// becomes a row kernel that fuses its producers and consumers.

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

/// Whether this is a matmul of rows of f32 with one constant column.
static bool hasOneColumn(DotGeneralOp op, ConstantValues &constants) {
  RankedTensorType lhs = getTensor(op.getLhs()), rhs = getTensor(op.getRhs());
  return op.getBatch() == 0 && rhs.getRank() == 2 && lhs.getRank() > 1 &&
         op.getLhsContract() == ArrayRef<int64_t>{lhs.getRank() - 1} &&
         op.getRhsContract().size() == 1 &&
         rhs.getDimSize(1 - op.getRhsContract()[0]) == 1 &&
         lhs.getElementType().isF32() &&
         op.getType().getElementType().isF32() &&
         constants.contains(op.getRhs()) && !constants.contains(op.getLhs());
}

static void reduce(DotGeneralOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  RankedTensorType lhs = getTensor(op.getLhs());
  int64_t last = lhs.getRank() - 1;
  auto vector = getTensorType(getDim(lhs, last), lhs.getElementType());
  Value column = createReshape(b, op.getLoc(), op.getRhs(), vector);
  column = BroadcastOp::create(b, lhs, column, b.getDenseI64ArrayAttr({last}));
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
