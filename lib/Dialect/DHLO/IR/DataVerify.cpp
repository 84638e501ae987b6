//===- DataVerify.cpp - Verifiers of operations that move data ------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DHLO/IR/Verify.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dyn::dhlo;

LogicalResult IotaOp::verify() {
  // iota_c1
  if (failed(verifyAxis(*this, getAxis(), getType().getRank())))
    return failure();
  // iota_c2
  if (failed(verifyCount(*this, "start", 1, getStart().size())))
    return failure();
  return verifyCount(*this, "step", 1, getStep().size());
}

LogicalResult BroadcastOp::verify() {
  // broadcast_c1
  Sizes operand = sizesOf(getOperand());
  if (failed(verifyCount(*this, "axes", operand.size(), getAxes().size())) ||
      failed(verifyAscendingAxes(*this, getAxes(), getType().getRank())))
    return failure();
  // broadcast_c3
  if (failed(verifyElementType(*this, "result", getResult(),
                               typeOf(getOperand()).getElementType())))
    return failure();
  // broadcast_c2
  return verifyInferredSizes(*this);
}

LogicalResult ReshapeOp::verify() {
  // reshape_c2
  RankedTensorType operand = getOperand().getType();
  if (failed(verifyElementType(*this, "result", getResult(),
                               operand.getElementType())))
    return failure();
  // reshape_c1
  if (operand.hasStaticShape() && getType().hasStaticShape() &&
      operand.getNumElements() != getType().getNumElements())
    return emitOpError("expected a result of ")
           << operand.getNumElements() << " elements, found "
           << getType().getNumElements();
  return success();
}

LogicalResult TransposeOp::verify() {
  // transpose_c1
  int64_t rank = typeOf(getOperand()).getRank();
  if (failed(verifyCount(*this, "axes in the permutation", rank,
                         getPermutation().size())) ||
      failed(verifyDistinctAxes(*this, "axes", getPermutation(), 0, rank)))
    return failure();
  // transpose_c3
  if (failed(verifyElementType(*this, "result", getResult(),
                               typeOf(getOperand()).getElementType())))
    return failure();
  // transpose_c2
  return verifyInferredSizes(*this);
}

LogicalResult SliceOp::verify() {
  // slice_c1
  Sizes operand = sizesOf(getOperand());
  if (failed(
          verifyCount(*this, "starts", operand.size(), getStarts().size())) ||
      failed(
          verifyCount(*this, "strides", operand.size(), getStrides().size())))
    return failure();
  // slice_c2
  if (llvm::is_contained(getStrides(), 0))
    return emitOpError("expected strides other than 0, found 0");
  // slice_c4
  if (failed(verifyElementType(*this, "result", getResult(),
                               typeOf(getOperand()).getElementType())) ||
      failed(verifyRank(*this, "result", getResult(), operand.size())))
    return failure();
  // slice_c3
  for (auto [axis, bounds] :
       llvm::enumerate(llvm::zip(operand, toSizes(getStarts()), getStrides(),
                                 sizesOf(getResult())))) {
    auto [size, start, stride, count] = bounds;
    auto first = getConstantValue(start), length = getConstantValue(size);
    auto number = getConstantValue(count);
    if (!first || !number || *number == 0)
      continue;
    int64_t distance, last;
    if (llvm::MulOverflow(*number - 1, stride, distance) ||
        llvm::AddOverflow(*first, distance, last))
      return emitOpError("expected the last index along axis ")
             << axis << " to fit 64 bits";
    for (int64_t index : {*first, last})
      if (index < 0 || (length && index >= *length)) {
        InFlightDiagnostic error = emitOpError("expected to read inside axis ")
                                   << axis;
        if (length)
          error << " of size " << *length;
        return error << ", found index " << index;
      }
  }
  return success();
}

LogicalResult PadOp::verify() {
  // pad_c1
  Sizes operand = sizesOf(getOperand());
  if (failed(
          verifyCount(*this, "low widths", operand.size(), getLow().size())) ||
      failed(
          verifyCount(*this, "high widths", operand.size(), getHigh().size())))
    return failure();
  // pad_c3
  Type element = typeOf(getOperand()).getElementType();
  if (failed(verifyElementType(*this, "value", getValue(), element)) ||
      failed(verifyElementType(*this, "result", getResult(), element)))
    return failure();
  // pad_c2
  return verifyInferredSizes(*this);
}

LogicalResult ConcatOp::verify() {
  // concat_c1
  if (getOperands().empty())
    return emitOpError("expected at least one operand, found none");
  Value first = getOperands().front();
  if (failed(verifyAxis(*this, getAxis(), typeOf(first).getRank())))
    return failure();
  // concat_c2, concat_c3
  Sizes sizes = sizesOf(first);
  sizes[getAxis()] = DimExpr();
  Type element = typeOf(first).getElementType();
  for (auto [index, operand] : llvm::enumerate(getOperands())) {
    std::string name = "operand " + std::to_string(index);
    if (failed(verifyElementType(*this, name, operand, element)) ||
        failed(verifySizes(*this, name, sizes, operand)))
      return failure();
  }
  if (failed(verifyElementType(*this, "result", getResult(), element)))
    return failure();
  return verifyInferredSizes(*this);
}

LogicalResult ReverseOp::verify() {
  // reverse_c1
  return verifyDistinctAxes(*this, "axes", getAxes(), 0, getType().getRank());
}

//===----------------------------------------------------------------------===//
// Gather and scatter
//===----------------------------------------------------------------------===//

/// The batch axes are the first axes of both tensors and have equal sizes.
static LogicalResult verifyBatch(Operation *op, int64_t batch, Value lhs,
                                 StringRef rhsName, Value rhs) {
  for (int64_t axis = 0; axis != batch; ++axis)
    if (failed(verifySize(op, rhsName, axis, sizesOf(lhs)[axis],
                          sizesOf(rhs)[axis])))
      return failure();
  return success();
}

LogicalResult GatherOp::verify() {
  // gather_c1
  int64_t rank = typeOf(getOperand()).getRank();
  if (failed(verifyAxis(*this, getAxis(), rank)))
    return failure();
  int64_t batch = getBatch(), indexRank = typeOf(getIndices()).getRank();
  int64_t most = std::min<int64_t>(getAxis(), indexRank);
  if (batch < 0 || batch > most)
    return emitOpError("expected a batch in [0, ")
           << most << "], found " << batch;
  if (failed(verifyBatch(*this, batch, getOperand(), "indices", getIndices())))
    return failure();
  // gather_c3
  if (failed(verifyElementType(*this, "result", getResult(),
                               typeOf(getOperand()).getElementType())))
    return failure();
  // gather_c2
  return verifyInferredSizes(*this);
}

LogicalResult GatherElementsOp::verify() {
  // gather_elements_c1
  int64_t rank = typeOf(getOperand()).getRank();
  if (failed(verifyAxis(*this, getAxis(), rank)) ||
      failed(verifyRank(*this, "indices", getIndices(), rank)))
    return failure();
  // gather_elements_c2
  if (failed(verifyElementType(*this, "result", getResult(),
                               typeOf(getOperand()).getElementType())))
    return failure();
  return verifyInferredSizes(*this);
}

/// The length of index vectors is static and at most `most`.
static LogicalResult verifyIndexVectors(Operation *op, Value indices,
                                        int64_t most) {
  RankedTensorType type = typeOf(indices);
  if (type.getRank() == 0)
    return op->emitOpError("expected indices of rank at least 1, found rank 0");
  int64_t length = type.getShape().back();
  if (ShapedType::isDynamic(length))
    return op->emitOpError("expected index vectors of static length, found ")
           << type;
  if (length > most)
    return op->emitOpError("expected index vectors of length at most ")
           << most << ", found " << length;
  return success();
}

LogicalResult GatherNdOp::verify() {
  // gather_nd_c1
  int64_t rank = typeOf(getOperand()).getRank(), batch = getBatch();
  int64_t most = std::min(rank, typeOf(getIndices()).getRank() - 1);
  if (typeOf(getIndices()).getRank() > 0 && (batch < 0 || batch > most))
    return emitOpError("expected a batch in [0, ")
           << most << "], found " << batch;
  if (failed(verifyIndexVectors(*this, getIndices(), rank - batch)) ||
      failed(verifyBatch(*this, batch, getOperand(), "indices", getIndices())))
    return failure();
  // gather_nd_c2
  if (failed(verifyElementType(*this, "result", getResult(),
                               typeOf(getOperand()).getElementType())))
    return failure();
  return verifyInferredSizes(*this);
}

/// Operand, updates and result of a scatter have the same element type; operand
/// and result have the same type.
static LogicalResult verifyScatterTypes(InfersSizes op, Value operand,
                                        Value updates, Value result) {
  Type element = typeOf(operand).getElementType();
  if (failed(verifyElementType(op, "updates", updates, element)) ||
      failed(verifyElementType(op, "result", result, element)))
    return failure();
  return verifyInferredSizes(op);
}

LogicalResult ScatterNdOp::verify() {
  // scatter_nd_c1
  int64_t rank = typeOf(getOperand()).getRank();
  if (failed(verifyIndexVectors(*this, getIndices(), rank)))
    return failure();
  // scatter_nd_c2
  if (failed(verifySizes(
          *this, "updates",
          inferGatherNd(sizesOf(getOperand()), sizesOf(getIndices()), 0),
          getUpdates())))
    return failure();
  // scatter_nd_c3
  return verifyScatterTypes(*this, getOperand(), getUpdates(), getResult());
}

LogicalResult ScatterElementsOp::verify() {
  // scatter_elements_c1
  int64_t rank = typeOf(getOperand()).getRank();
  if (failed(verifyAxis(*this, getAxis(), rank)) ||
      failed(verifyRank(*this, "indices", getIndices(), rank)))
    return failure();
  // scatter_elements_c2
  if (failed(
          verifySizes(*this, "updates", sizesOf(getIndices()), getUpdates())))
    return failure();
  // scatter_elements_c3
  return verifyScatterTypes(*this, getOperand(), getUpdates(), getResult());
}

//===----------------------------------------------------------------------===//
// Order and selection
//===----------------------------------------------------------------------===//

LogicalResult NonzeroOp::verify() {
  // nonzero_c1
  DimExpr count = getSymbolDim(getCountAttr().getAttr());
  DimExpr rank = getConstDim(getContext(), typeOf(getOperand()).getRank());
  RankedTensorType expected =
      getTensorType({count, rank}, getType().getElementType());
  if (getType() != expected)
    return emitOpError("expected result of type ")
           << expected << ", found " << getType();
  return success();
}

LogicalResult GroupOp::verify() {
  // group_c1
  if (failed(verifyRank(*this, "ids", getIds(), 2)))
    return failure();
  // group_c2
  RankedTensorType offsets = typeOf(getOffsets());
  if (offsets.getRank() != 1 || offsets.isDynamicDim(0) ||
      offsets.getDimSize(0) < 1)
    return emitOpError(
               "expected a static number of at least one offset, found ")
           << offsets;
  // group_c3
  return verifyInferredSizes(*this);
}

LogicalResult SuppressOp::verify() {
  // suppress_c1
  Sizes lists = sizesOf(getBoxes());
  if (lists.size() < 2)
    return emitOpError("expected boxes of rank 2 or more, found rank ")
           << lists.size();
  DimExpr bounds = lists.pop_back_val();
  if (failed(verifySize(*this, "boxes", lists.size(),
                        getConstDim(getContext(), 4), bounds)))
    return failure();
  // suppress_c2
  if (failed(verifySizes(*this, "candidates", lists, getCandidates())) ||
      failed(verifyInferredSizes(*this)))
    return failure();
  // suppress_c3
  return verifyElementType(*this, "threshold", getThreshold(),
                           typeOf(getBoxes()).getElementType());
}

LogicalResult SortOp::verify() {
  // sort_c1
  if (failed(verifyAxis(*this, getAxis(), typeOf(getOperand()).getRank())))
    return failure();
  // sort_c2
  return verifyInferredSizes(*this);
}

LogicalResult TopKOp::verify() {
  // top_k_c1
  if (failed(verifyAxis(*this, getAxis(), typeOf(getOperand()).getRank())))
    return failure();
  // top_k_c2
  if (failed(verifyInferredSizes(*this)))
    return failure();
  if (failed(verifySize(*this, "result 1", getAxis(),
                        sizesOf(getValues())[getAxis()],
                        sizesOf(getIndices())[getAxis()])))
    return failure();
  // top_k_c3
  return verifyElementType(*this, "result 0", getValues(),
                           typeOf(getOperand()).getElementType());
}
