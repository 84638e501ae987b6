//===- ReduceColumns.cpp - Matmuls with one column as sums of rows --------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Packed panels have 16 columns, so a GEMM with N = 1 would compute 15 for
// nothing. As a sum of each row's elements times those of the column, it
// becomes a row kernel that fuses its producers and consumers. With a few
// terms for each element, a loop writes the result at the rate of a copy.

#include "Dialect/DHLO/Transforms/ConstantValues.h"

#include "dyn/Dialect/DHLO/Analysis/SumOfRows.h"
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

/// The maximum number of terms that are written out.
static constexpr int64_t kMostTerms = 4;
/// The minimum number of columns, so that a row has a vector.
static constexpr int64_t kLeastColumns = 16;

/// Whether elements of a matmul are sums of a few terms, and the matrices
/// are read along rows of the result.
static bool isShortSum(DotGeneralOp op) {
  RankedTensorType lhs = getTensor(op.getLhs()), rhs = getTensor(op.getRhs());
  Type element = op.getType().getElementType();
  if (op.getLhsContract().size() != 1 || isSumOfRows(op) ||
      lhs.getElementType() != element || rhs.getElementType() != element ||
      element.isF16() || element.isBF16())
    return false;
  int64_t axis = op.getRhsContract()[0], last = rhs.getRank() - 1;
  int64_t terms = rhs.getDimSize(axis);
  // Terms that are adjacent in memory would be gathered.
  if (terms < 1 || terms > kMostTerms || (terms > 1 && axis == last) ||
      rhs.getRank() == static_cast<int64_t>(op.getBatch()) + 1)
    return false;
  int64_t columns = op.getType().getShape().back();
  return ShapedType::isDynamic(columns) || columns >= kLeastColumns;
}

/// Element `i` along an axis of an operand, repeated along the axes of `result`
/// from `firstFree` on that the operand lacks.
static Value spreadTerm(ImplicitLocOpBuilder &b, Value operand, int64_t axis,
                        int64_t i, int64_t batch, int64_t firstFree,
                        RankedTensorType result) {
  RankedTensorType type = getTensor(operand);
  SmallVector<DimExpr> sizes = getDims(type);
  sizes[axis] = getConstDim(b.getContext(), 1);
  if (type.getDimSize(axis) != 1) {
    SmallVector<Attribute> starts(sizes.size(), getConstDim(b.getContext(), 0));
    starts[axis] = getConstDim(b.getContext(), i);
    operand = SliceOp::create(b, getTensorType(sizes, type.getElementType()),
                              operand, b.getArrayAttr(starts),
                              SmallVector<int64_t>(sizes.size(), 1));
  }
  sizes.erase(sizes.begin() + axis);
  auto axes = llvm::to_vector(llvm::seq<int64_t>(0, batch));
  llvm::append_range(
      axes, llvm::seq<int64_t>(firstFree, firstFree + sizes.size() - batch));
  operand = createReshape(b, b.getLoc(), operand,
                          getTensorType(sizes, type.getElementType()));
  return BroadcastOp::create(b, result, operand, b.getDenseI64ArrayAttr(axes));
}

static void expand(DotGeneralOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  int64_t batch = op.getBatch();
  int64_t axis = op.getLhsContract()[0], rhsAxis = op.getRhsContract()[0];
  Value sum;
  for (int64_t i = 0, terms = getTensor(op.getRhs()).getDimSize(rhsAxis);
       i < terms; ++i) {
    Value lhs = spreadTerm(b, op.getLhs(), axis, i, batch, batch, op.getType());
    Value rhs = spreadTerm(b, op.getRhs(), rhsAxis, i, batch,
                           getTensor(op.getLhs()).getRank() - 1, op.getType());
    Value term = MulOp::create(b, lhs, rhs);
    sum = sum ? AddOp::create(b, sum, term) : term;
  }
  op.replaceAllUsesWith(sum);
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
    bool isEmpty = dots.empty();
    dots = collectOps<DotGeneralOp>(getOperation());
    llvm::erase_if(dots, [](DotGeneralOp op) { return !isShortSum(op); });
    llvm::for_each(dots, expand);
    numExpanded += dots.size();
    if (isEmpty && dots.empty())
      markAllAnalysesPreserved();
  }
};
} // namespace
