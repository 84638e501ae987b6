//===- InfersSizes.cpp - The interface InfersSizes of each operation ------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DHLO/IR/ConvolutionAxes.h"
#include "dyn/Dialect/DHLO/IR/Verify.h"

using namespace mlir;
using namespace dyn::dhlo;

SmallVector<SmallVector<DimExpr>> BroadcastOp::inferSizes() {
  // Axes of size 1 and new axes may have any size in the result.
  Sizes result(getType().getRank());
  for (auto [axis, size] : llvm::zip_equal(getAxes(), sizesOf(getOperand())))
    if (size && size.isConst() && !size.isConst(1))
      result[axis] = size;
  return {result};
}

SmallVector<SmallVector<DimExpr>> TransposeOp::inferSizes() {
  return {inferTranspose(sizesOf(getOperand()), getPermutation())};
}

SmallVector<SmallVector<DimExpr>> PadOp::inferSizes() {
  return {
      inferPad(sizesOf(getOperand()), toSizes(getLow()), toSizes(getHigh()))};
}

SmallVector<SmallVector<DimExpr>> ConcatOp::inferSizes() {
  return {inferConcat(llvm::map_to_vector(getOperands(), sizesOf), getAxis())};
}

SmallVector<SmallVector<DimExpr>> GatherOp::inferSizes() {
  return {inferGather(sizesOf(getOperand()), sizesOf(getIndices()), getAxis(),
                      getBatch())};
}

SmallVector<SmallVector<DimExpr>> GatherElementsOp::inferSizes() {
  return {sizesOf(getIndices())};
}

SmallVector<SmallVector<DimExpr>> GatherNdOp::inferSizes() {
  return {
      inferGatherNd(sizesOf(getOperand()), sizesOf(getIndices()), getBatch())};
}

SmallVector<SmallVector<DimExpr>> ScatterNdOp::inferSizes() {
  return {sizesOf(getOperand())};
}

SmallVector<SmallVector<DimExpr>> ScatterElementsOp::inferSizes() {
  return {sizesOf(getOperand())};
}

SmallVector<SmallVector<DimExpr>> GroupOp::inferSizes() {
  Sizes ids = sizesOf(getIds());
  // The number of groups comes from the result type.
  return {{DimExpr()}, {mul(ids[0], ids[1])}, ids};
}

SmallVector<SmallVector<DimExpr>> SuppressOp::inferSizes() {
  return {sizesOf(getCandidates())};
}

SmallVector<SmallVector<DimExpr>> SortOp::inferSizes() {
  return {sizesOf(getOperand()), sizesOf(getOperand())};
}

SmallVector<SmallVector<DimExpr>> TopKOp::inferSizes() {
  // The number of values comes from the result type.
  Sizes sizes = sizesOf(getOperand());
  sizes[getAxis()] = DimExpr();
  return {sizes, sizes};
}

SmallVector<SmallVector<DimExpr>> ReduceOp::inferSizes() {
  return {inferReduce(sizesOf(getOperand()), getAxes())};
}

SmallVector<SmallVector<DimExpr>> ArgReduceOp::inferSizes() {
  return {inferReduce(sizesOf(getOperand()), {int64_t(getAxis())})};
}

SmallVector<SmallVector<DimExpr>> ReduceWindowOp::inferSizes() {
  return {inferReduceWindow(sizesOf(getOperand()), getWindow(), getStrides(),
                            getDilations(), toSizes(getLow()),
                            toSizes(getHigh()))};
}

SmallVector<SmallVector<DimExpr>> SegmentReduceOp::inferSizes() {
  return {
      inferSegmentReduce(sizesOf(getOperand()), sizesOf(getOffsets()).front())};
}

SmallVector<SmallVector<DimExpr>> DotGeneralOp::inferSizes() {
  return {inferDotGeneral(sizesOf(getLhs()), sizesOf(getRhs()), getBatch(),
                          getLhsContract(), getRhsContract())};
}

SmallVector<SmallVector<DimExpr>> GroupedDotOp::inferSizes() {
  Sizes sizes = sizesOf(getLhs());
  sizes.back() = sizesOf(getRhs()).back();
  return {sizes};
}

static SmallVector<SmallVector<DimExpr>> inferSizesOf(Convolves op) {
  Sizes filter = sizesOf(op.getFilter());
  return {inferConvolution(
      sizesOf(op.getInput()),
      ArrayRef(filter).drop_front(ConvolutionAxes(op).filterGroups),
      op.getLayout(), op.getStrides(), toSizes(op.getLow()),
      toSizes(op.getHigh()), op.getInputDilation(), op.getFilterDilation())};
}

SmallVector<SmallVector<DimExpr>> ConvolutionOp::inferSizes() {
  return inferSizesOf(*this);
}

SmallVector<SmallVector<DimExpr>> GroupedConvolutionOp::inferSizes() {
  return inferSizesOf(*this);
}

SmallVector<SmallVector<DimExpr>> LayerNormOp::inferSizes() {
  return {sizesOf(getOperand())};
}

SmallVector<SmallVector<DimExpr>> RmsNormOp::inferSizes() {
  return {sizesOf(getOperand())};
}

SmallVector<SmallVector<DimExpr>> AttentionOp::inferSizes() {
  return {inferAttention(sizesOf(getQuery()), sizesOf(getValue()))};
}

SmallVector<SmallVector<DimExpr>> LstmOp::inferSizes() {
  return inferLstm(sizesOf(getGates()), sizesOf(getRecurrent()));
}

SmallVector<SmallVector<DimExpr>> FftOp::inferSizes() {
  // The length comes from the result type if the result is real.
  Sizes sizes = sizesOf(getReal());
  if (!getResultImaginary()) {
    sizes[getAxis()] = DimExpr();
    return {sizes};
  }
  if (getHalf())
    sizes[getAxis()] = add(floorDiv(getLength(), 2), 1);
  return {sizes, sizes};
}
