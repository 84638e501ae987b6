//===- ConvolutionProblem.cpp - dhlo.convolution as implicit GEMM ---------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// One implicit GEMM per group of channels. With channels last, M is the pixels
// of all images and N the filters of the group; with channels first, M is the
// filters and N the pixels of an image, so that consecutive columns are
// adjacent in the result in both layouts. K = taps x channels. Where each image
// chooses its filter, there is a GEMM per image and group.

#include "Codegen/GPU/GpuSchedule.h"
#include "GemmProblem.h"

#include "Codegen/Common/Problems/ConvolutionTerm.h"
#include "Codegen/Common/Problems/GroupOffsets.h"
#include "Codegen/Common/Problems/SumArithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;
using dhlo::ConvolutionAxes;
using dhlo::DimExpr;

namespace {
class ConvolutionProblem : public GemmProblem {
public:
  ConvolutionProblem(dhlo::Convolves op, const SymbolicDims &dims);

  Value emitLhs(KernelBuilder &b, const Indices &indices) override {
    return isLast ? emitInput(b, indices) : emitFilter(b, indices);
  }
  Value emitRhs(KernelBuilder &b, const Indices &indices) override {
    return isLast ? emitFilter(b, indices) : emitInput(b, indices);
  }
  Element findLhs(KernelBuilder &b, const Indices &indices) override {
    return isLast ? findInput(b, indices) : findFilter(b, indices);
  }
  Element findRhs(KernelBuilder &b, const Indices &indices) override {
    return isLast ? findFilter(b, indices) : findInput(b, indices);
  }
  Position getResult(ElementEmitter &e, const Indices &indices,
                     int64_t lanes) override;
  RowTile getRowTile(KernelBuilder &b, OpFoldResult batch, OpFoldResult tile,
                     int64_t height) override;

private:
  /// The image and the channel group of a position.
  OpFoldResult getImage(KernelBuilder &b, const Indices &indices) {
    return joinsImages ? b.div(indices.row, b.size(pixels))
                       : b.div(indices.batch, b.size(groups));
  }
  OpFoldResult getGroup(KernelBuilder &b, const Indices &indices) {
    return joinsImages ? indices.batch : b.rem(indices.batch, b.size(groups));
  }
  ConvolutionTerm getTerm(KernelBuilder &b, const Indices &indices);
  /// The term of an element of the input or of the filter. Coordinates that do
  /// not affect it are 0.
  ConvolutionTerm getInputTerm(KernelBuilder &b, Indices indices);
  ConvolutionTerm getFilterTerm(KernelBuilder &b, Indices indices);
  Value emitInput(KernelBuilder &b, const Indices &indices);
  Value emitFilter(KernelBuilder &b, const Indices &indices);
  Element findInput(KernelBuilder &b, const Indices &indices);
  Element findFilter(KernelBuilder &b, const Indices &indices);

  dhlo::Convolves op;
  ConvolutionAxes axes;
  bool isLast, joinsImages; ///< joinsImages: M is the pixels of all images
  OpFoldResult chosen;      ///< the filter that a tile's image chooses
  DimExpr images, groups, filters, pixels; ///< filters of a group
  SmallVector<DimExpr> spatial;            ///< of the result
  SmallVector<DimExpr> summed;             ///< along K: taps and channels
};
} // namespace

ConvolutionProblem::ConvolutionProblem(dhlo::Convolves op,
                                       const SymbolicDims &dims)
    : op(op), axes(op), isLast(op.getLayout() == dhlo::Layout::ChannelsLast),
      joinsImages(isLast && !op.getImageOffsets()) {
  MLIRContext *context = op.getContext();
  sum = getSumType(op.getType().getElementType());
  auto filter = cast<RankedTensorType>(op.getFilter().getType());
  images = dims.getDim(op.getResult(), 0);
  groups = dhlo::getConstDim(context, op.getGroups());
  filters = dhlo::getConstDim(context, filter.getDimSize(axes.filterNumber) /
                                           op.getGroups());
  pixels = depth = parts = dhlo::getConstDim(context, 1);
  for (int64_t i = 0; i < axes.spatial; ++i) {
    spatial.push_back(dims.getDim(op.getResult(), axes.firstSpatial + i));
    pixels = dhlo::mul(pixels, spatial.back());
    summed.push_back(dims.getDim(op.getFilter(), axes.filterSpatial + i));
  }
  summed.push_back(dims.getDim(op.getFilter(), axes.filterChannel));
  for (DimExpr extent : summed)
    depth = dhlo::mul(depth, extent);
  batch = joinsImages ? groups : dhlo::mul(images, groups);
  rows = joinsImages ? dhlo::mul(images, pixels) : isLast ? pixels : filters;
  columns = isLast ? filters : pixels;
  // With channels first, consecutive positions along K or pixels may not be
  // adjacent.
  DimExpr one = dhlo::getConstDim(context, 1);
  lhs = {isLast ? op.getInput() : op.getFilter(), /*isAlongSum=*/true,
         isLast ? summed.back() : one};
  rhs = {isLast ? op.getFilter() : op.getInput(), /*isAlongSum=*/false,
         isLast ? filters : one};
}

ConvolutionTerm ConvolutionProblem::getTerm(KernelBuilder &b,
                                            const Indices &indices) {
  OpFoldResult pixel = isLast ? indices.row : indices.column;
  OpFoldResult filter = isLast ? indices.column : indices.row;
  SmallVector<OpFoldResult> result(axes.spatial + 2);
  result[0] = getImage(b, indices);
  result[axes.channel] =
      b.add(b.mul(getGroup(b, indices), b.size(filters)), filter);
  SmallVector<OpFoldResult> at = delinearize(
      b, joinsImages ? b.rem(pixel, b.size(pixels)) : pixel, spatial);
  llvm::copy(at, result.begin() + axes.firstSpatial);
  return ConvolutionTerm(b, op, result, delinearize(b, indices.step, summed));
}

ConvolutionTerm ConvolutionProblem::getInputTerm(KernelBuilder &b,
                                                 Indices indices) {
  // All filters of a group read the same input.
  (isLast ? indices.column : indices.row) = b.constant(0);
  return getTerm(b, indices);
}

ConvolutionTerm ConvolutionProblem::getFilterTerm(KernelBuilder &b,
                                                  Indices indices) {
  (isLast ? indices.row : indices.column) = b.constant(0);
  ConvolutionTerm term = getTerm(b, indices);
  if (op.getImageOffsets())
    term.filter.front() = chosen;
  return term;
}

static Position getPosition(KernelBuilder &b, Value tensor,
                            ArrayRef<OpFoldResult> index) {
  SmallVector<Value> values;
  for (OpFoldResult i : index)
    values.push_back(b.value(i));
  return ElementEmitter(b).atIndex(tensor, values, 1);
}

static Value emitAt(KernelBuilder &b, Value tensor,
                    ArrayRef<OpFoldResult> index, Type sum) {
  ElementEmitter e(b);
  return toSum(b, e.emit(tensor, getPosition(b, tensor, index), 1),
               getElementTypeOrSelf(tensor), sum);
}

Value ConvolutionProblem::emitInput(KernelBuilder &b, const Indices &indices) {
  ConvolutionTerm term = getInputTerm(b, indices);
  return b.ifElse(
      term.inside, sum,
      [&] { return emitAt(b, op.getInput(), term.input, sum); },
      [&] { return b.number(0, sum); });
}

Value ConvolutionProblem::emitFilter(KernelBuilder &b, const Indices &indices) {
  return emitAt(b, op.getFilter(), getFilterTerm(b, indices).filter, sum);
}

GemmProblem::Element ConvolutionProblem::findInput(KernelBuilder &b,
                                                   const Indices &indices) {
  ConvolutionTerm term = getInputTerm(b, indices);
  Position position = getPosition(b, op.getInput(), term.input);
  return {ElementEmitter(b).join(position).base, term.inside};
}

GemmProblem::Element ConvolutionProblem::findFilter(KernelBuilder &b,
                                                    const Indices &indices) {
  Position position =
      getPosition(b, op.getFilter(), getFilterTerm(b, indices).filter);
  return {ElementEmitter(b).join(position).base, Value()};
}

GemmProblem::RowTile ConvolutionProblem::getRowTile(KernelBuilder &b,
                                                    OpFoldResult batch,
                                                    OpFoldResult tile,
                                                    int64_t height) {
  RowTile result = GemmProblem::getRowTile(b, batch, tile, height);
  if (!op.getImageOffsets())
    return result;
  Indices indices;
  indices.batch = batch;
  GroupOffsets offsets = {op, op.getImageOffsets(), images};
  chosen = offsets.emitGroup(b, getImage(b, indices));
  // The sums of an image that chooses no filter are empty.
  Value hasFilter =
      b.cmp(CmpIPredicate::ult, chosen, b.size(op.getFilter(), 0));
  result.depth = b.select(hasFilter, result.depth, b.constant(0));
  return result;
}

Position ConvolutionProblem::getResult(ElementEmitter &e,
                                       const Indices &indices, int64_t lanes) {
  auto column = lanes > 1 ? e.lanes(indices.column) : e.uniform(indices.column);
  if (joinsImages)
    return {{rows, e.uniform(indices.row)},
            {groups, e.uniform(indices.batch)},
            {columns, column}};
  if (isLast)
    return {{images, e.uniform(getImage(e.getBuilder(), indices))},
            {rows, e.uniform(indices.row)},
            {groups, e.uniform(getGroup(e.getBuilder(), indices))},
            {columns, column}};
  return {{batch, e.uniform(indices.batch)},
          {rows, e.uniform(indices.row)},
          {columns, column}};
}

std::unique_ptr<GemmProblem>
dyn::createConvolutionProblem(dhlo::Convolves op, const SymbolicDims &dims) {
  return std::make_unique<ConvolutionProblem>(op, dims);
}
