//===- ConvolutionForm.cpp - dhlo.convolution as implicit GEMM ------------===//
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

#include "GpuSchedule.h"
#include "ProductForm.h"

#include "Products/ConvolutionTerm.h"
#include "Products/GroupOffsets.h"
#include "Products/SumArithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;
using dhlo::DimExpr;

namespace {
class ConvolutionForm : public ProductForm {
public:
  ConvolutionForm(dhlo::ConvolutionOp op, const SymbolicDims &dims);

  Value emitLeft(KernelBuilder &b, const Place &place) override {
    return isLast ? emitInput(b, place) : emitFilter(b, place);
  }
  Value emitRight(KernelBuilder &b, const Place &place) override {
    return isLast ? emitFilter(b, place) : emitInput(b, place);
  }
  Element findLeft(KernelBuilder &b, const Place &place) override {
    return isLast ? findInput(b, place) : findFilter(b, place);
  }
  Element findRight(KernelBuilder &b, const Place &place) override {
    return isLast ? findFilter(b, place) : findInput(b, place);
  }
  Position getResult(ElementEmitter &e, const Place &place,
                     int64_t lanes) override;
  RowTile getRowTile(KernelBuilder &b, OpFoldResult batch, OpFoldResult tile,
                     int64_t height) override;

private:
  /// The image and the channel group of a position.
  OpFoldResult getImage(KernelBuilder &b, const Place &place) {
    return joinsImages ? b.div(place.row, b.size(pixels))
                       : b.div(place.batch, b.size(groups));
  }
  OpFoldResult getGroup(KernelBuilder &b, const Place &place) {
    return joinsImages ? place.batch : b.rem(place.batch, b.size(groups));
  }
  ConvolutionTerm getTerm(KernelBuilder &b, const Place &place);
  /// The term of an element of the input or of the filter. Coordinates that do
  /// not affect it are 0.
  ConvolutionTerm getInputTerm(KernelBuilder &b, Place place);
  ConvolutionTerm getFilterTerm(KernelBuilder &b, Place place);
  Value emitInput(KernelBuilder &b, const Place &place);
  Value emitFilter(KernelBuilder &b, const Place &place);
  Element findInput(KernelBuilder &b, const Place &place);
  Element findFilter(KernelBuilder &b, const Place &place);

  dhlo::ConvolutionOp op;
  ConvolutionAxes axes;
  bool isLast, joinsImages; ///< joinsImages: M is the pixels of all images
  OpFoldResult chosen;      ///< the filter that a tile's image chooses
  DimExpr images, groups, filters, pixels; ///< filters of a group
  SmallVector<DimExpr> spatial;            ///< of the result
  SmallVector<DimExpr> summed;             ///< along K: taps and channels
};
} // namespace

ConvolutionForm::ConvolutionForm(dhlo::ConvolutionOp op,
                                 const SymbolicDims &dims)
    : op(op), axes(op), isLast(op.getLayout() == dhlo::Layout::ChannelsLast),
      joinsImages(isLast && !op.getOffsets()) {
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
  left = {isLast ? op.getInput() : op.getFilter(), /*isAlongSum=*/true,
          isLast ? summed.back() : one};
  right = {isLast ? op.getFilter() : op.getInput(), /*isAlongSum=*/false,
           isLast ? filters : one};
}

ConvolutionTerm ConvolutionForm::getTerm(KernelBuilder &b, const Place &place) {
  OpFoldResult pixel = isLast ? place.row : place.column;
  OpFoldResult filter = isLast ? place.column : place.row;
  SmallVector<OpFoldResult> result(axes.spatial + 2);
  result[0] = getImage(b, place);
  result[axes.channel] =
      b.add(b.mul(getGroup(b, place), b.size(filters)), filter);
  SmallVector<OpFoldResult> at =
      getDigits(b, joinsImages ? b.rem(pixel, b.size(pixels)) : pixel, spatial);
  llvm::copy(at, result.begin() + axes.firstSpatial);
  return ConvolutionTerm(b, op, result, getDigits(b, place.step, summed));
}

ConvolutionTerm ConvolutionForm::getInputTerm(KernelBuilder &b, Place place) {
  // All filters of a group read the same input.
  (isLast ? place.column : place.row) = b.constant(0);
  return getTerm(b, place);
}

ConvolutionTerm ConvolutionForm::getFilterTerm(KernelBuilder &b, Place place) {
  (isLast ? place.row : place.column) = b.constant(0);
  ConvolutionTerm term = getTerm(b, place);
  if (op.getOffsets())
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

Value ConvolutionForm::emitInput(KernelBuilder &b, const Place &place) {
  ConvolutionTerm term = getInputTerm(b, place);
  return b.ifElse(
      term.inside, sum,
      [&] { return emitAt(b, op.getInput(), term.input, sum); },
      [&] { return b.number(0, sum); });
}

Value ConvolutionForm::emitFilter(KernelBuilder &b, const Place &place) {
  return emitAt(b, op.getFilter(), getFilterTerm(b, place).filter, sum);
}

ProductForm::Element ConvolutionForm::findInput(KernelBuilder &b,
                                                const Place &place) {
  ConvolutionTerm term = getInputTerm(b, place);
  Position position = getPosition(b, op.getInput(), term.input);
  return {ElementEmitter(b).join(position).base, term.inside};
}

ProductForm::Element ConvolutionForm::findFilter(KernelBuilder &b,
                                                 const Place &place) {
  Position position =
      getPosition(b, op.getFilter(), getFilterTerm(b, place).filter);
  return {ElementEmitter(b).join(position).base, Value()};
}

ProductForm::RowTile ConvolutionForm::getRowTile(KernelBuilder &b,
                                                 OpFoldResult batch,
                                                 OpFoldResult tile,
                                                 int64_t height) {
  RowTile result = ProductForm::getRowTile(b, batch, tile, height);
  if (!op.getOffsets())
    return result;
  Place place;
  place.batch = batch;
  GroupOffsets offsets = {op, op.getOffsets(), images};
  chosen = offsets.emitGroup(b, getImage(b, place));
  // The sums of an image that chooses no filter are empty.
  Value hasFilter =
      b.cmp(CmpIPredicate::ult, chosen, b.size(op.getFilter(), 0));
  result.depth = b.select(hasFilter, result.depth, b.constant(0));
  return result;
}

Position ConvolutionForm::getResult(ElementEmitter &e, const Place &place,
                                    int64_t lanes) {
  auto column = lanes > 1 ? e.lanes(place.column) : e.uniform(place.column);
  if (joinsImages)
    return {{rows, e.uniform(place.row)},
            {groups, e.uniform(place.batch)},
            {columns, column}};
  if (isLast)
    return {{images, e.uniform(getImage(e.getBuilder(), place))},
            {rows, e.uniform(place.row)},
            {groups, e.uniform(getGroup(e.getBuilder(), place))},
            {columns, column}};
  return {{batch, e.uniform(place.batch)},
          {rows, e.uniform(place.row)},
          {columns, column}};
}

std::unique_ptr<ProductForm>
dyn::createConvolutionForm(dhlo::ConvolutionOp op, const SymbolicDims &dims) {
  return std::make_unique<ConvolutionForm>(op, dims);
}
