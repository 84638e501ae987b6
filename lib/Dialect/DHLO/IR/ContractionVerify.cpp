//===- ContractionVerify.cpp - Verify contractions, convolutions ----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DHLO/IR/ConvolutionAxes.h"
#include "dyn/Dialect/DHLO/IR/Verify.h"

using namespace mlir;
using namespace dyn::dhlo;

LogicalResult DotGeneralOp::verify() {
  RankedTensorType lhs = getLhs().getType(), rhs = getRhs().getType();
  // dot_general_c1
  int64_t batch = getBatch();
  int64_t most = std::min(lhs.getRank(), rhs.getRank());
  if (batch < 0 || batch > most)
    return emitOpError("expected a batch in [0, ")
           << most << "], found " << batch;
  if (failed(verifyCount(*this, "contracting axes of rhs",
                         getLhsContract().size(), getRhsContract().size())) ||
      failed(verifyDistinctAxes(*this, "lhs_contract", getLhsContract(), batch,
                                lhs.getRank())) ||
      failed(verifyDistinctAxes(*this, "rhs_contract", getRhsContract(), batch,
                                rhs.getRank())))
    return failure();
  // dot_general_c2
  Sizes lhsSizes = getDims(lhs), rhsSizes = getDims(rhs);
  for (int64_t axis = 0; axis != batch; ++axis)
    if (failed(verifySize(*this, "rhs", axis, lhsSizes[axis], rhsSizes[axis])))
      return failure();
  for (auto [from, to] : llvm::zip(getLhsContract(), getRhsContract()))
    if (failed(verifySize(*this, "rhs", to, lhsSizes[from], rhsSizes[to])))
      return failure();
  // dot_general_c4
  Type lhsElement = lhs.getElementType(), rhsElement = rhs.getElementType();
  auto isByte = [](Type type) {
    return isa<IntegerType>(type) && type.getIntOrFloatBitWidth() == 8;
  };
  if (lhsElement != rhsElement && !(isByte(lhsElement) && isByte(rhsElement)))
    return verifyElementType(*this, "rhs", getRhs(), lhsElement);
  // dot_general_c5
  Type element = getType().getElementType();
  bool isWide =
      (isByte(lhsElement) && element.isInteger(32)) ||
      ((lhsElement.isF16() || lhsElement.isBF16()) && element.isF32());
  if (!isWide &&
      failed(verifyElementType(*this, "result", getResult(), lhsElement)))
    return failure();
  // dot_general_c3
  return verifyInferredSizes(*this);
}

LogicalResult GroupedDotOp::verify() {
  // grouped_dot_c1
  Sizes lhs = sizesOf(getLhs());
  if (lhs.size() < 2)
    return emitOpError("expected lhs of rank at least 2, found rank ")
           << lhs.size();
  if (failed(verifyRank(*this, "rhs", getRhs(), 3)) ||
      failed(verifyRank(*this, "offsets", getOffsets(), 1)))
    return failure();
  // grouped_dot_c2
  Sizes rhs = sizesOf(getRhs());
  if (failed(verifySize(*this, "rhs", 1, lhs.back(), rhs[1])) ||
      failed(verifySize(*this, "offsets", 0, add(rhs[0], 1),
                        sizesOf(getOffsets()).front())))
    return failure();
  // grouped_dot_c4
  Type element = typeOf(getLhs()).getElementType();
  if (failed(verifyElementType(*this, "rhs", getRhs(), element)))
    return failure();
  bool isWide = (element.isF16() || element.isBF16()) &&
                getType().getElementType().isF32();
  if (!isWide &&
      failed(verifyElementType(*this, "result", getResult(), element)))
    return failure();
  // grouped_dot_c3
  return verifyInferredSizes(*this);
}

/// The constraints of convolutions with one filter and with several.
static LogicalResult verifyConvolution(Convolves op) {
  // convolution_c1, grouped_convolution_c1
  RankedTensorType input = op.getInput().getType();
  int64_t rank = input.getRank();
  if (rank < 3)
    return op.emitOpError("expected input of rank at least 3, found rank ")
           << rank;
  ConvolutionAxes axes(op);
  if (failed(
          verifyRank(op, "filter", op.getFilter(), rank + axes.filterGroups)) ||
      failed(verifyRank(op, "result", op.getResult(), rank)))
    return failure();
  // convolution_c2, grouped_convolution_c2
  size_t spatial = rank - 2;
  if (failed(verifyCount(op, "strides", spatial, op.getStrides().size())) ||
      failed(verifyCount(op, "low widths", spatial, op.getLow().size())) ||
      failed(verifyCount(op, "high widths", spatial, op.getHigh().size())) ||
      failed(verifyCount(op, "input dilations", spatial,
                         op.getInputDilation().size())) ||
      failed(verifyCount(op, "filter dilations", spatial,
                         op.getFilterDilation().size())) ||
      failed(verifyAtLeast(op, "strides", op.getStrides(), 1)) ||
      failed(verifyAtLeast(op, "input dilations", op.getInputDilation(), 1)) ||
      failed(
          verifyAtLeast(op, "filter dilations", op.getFilterDilation(), 1)) ||
      failed(verifyAtLeast(op, "groups", {op.getGroups()}, 1)))
    return failure();
  // convolution_c3, grouped_convolution_c3
  Sizes inputSizes = sizesOf(op.getInput()),
        filterSizes = sizesOf(op.getFilter());
  int64_t groups = op.getGroups();
  if (failed(verifySize(op, "input", axes.channel,
                        mul(filterSizes[axes.filterChannel], groups),
                        inputSizes[axes.channel])))
    return failure();
  auto filters = getConstantValue(filterSizes[axes.filterNumber]);
  if (filters && *filters % groups != 0)
    return op.emitOpError("expected a number of filters divisible by ")
           << groups << ", found " << *filters;
  // convolution_c5, grouped_convolution_c5
  if (failed(verifyElementType(op, "filter", op.getFilter(),
                               input.getElementType())) ||
      failed(verifyElementType(op, "result", op.getResult(),
                               input.getElementType())))
    return failure();
  // convolution_c4, grouped_convolution_c4
  return verifyInferredSizes(cast<InfersSizes>(op.getOperation()));
}

LogicalResult ConvolutionOp::verify() { return verifyConvolution(*this); }

LogicalResult GroupedConvolutionOp::verify() {
  // grouped_convolution_c1
  if (failed(verifyConvolution(*this)) ||
      failed(verifyRank(*this, "offsets", getOffsets(), 1)))
    return failure();
  // grouped_convolution_c6
  return verifySize(*this, "offsets", 0, add(sizesOf(getFilter()).front(), 1),
                    sizesOf(getOffsets()).front());
}
