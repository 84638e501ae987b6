//===- FlattenConvolutions.cpp - Volumes with windows of images -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dialect/DHLO/Transforms/Recognize/Match.h"

#include "dyn/Dialect/DHLO/Transforms/Passes.h"
#include "dyn/Dialect/DHLO/Transforms/TensorBuilder.h"

#include "mlir/IR/BuiltinOps.h"

namespace dyn::dhlo {
#define GEN_PASS_DEF_FLATTENCONVOLUTIONSPASS
#include "dyn/Dialect/DHLO/Transforms/Passes.h.inc"
} // namespace dyn::dhlo

using namespace mlir;
using namespace dyn;
using namespace dyn::dhlo;

/// Axes of volumes with channels last: images, depth, height, width, channels.
static constexpr int64_t kVolumeRank = 5;

/// Whether an element of the result along a spatial axis is computed from the
/// one at the same index alone.
static bool isPointwise(ConvolutionOp op, int64_t axis) {
  return getDim(getTensor(op.getFilter()), axis).isConst(1) &&
         op.getStrides()[axis] == 1 && op.getInputDilation()[axis] == 1 &&
         cast<DimExpr>(op.getLow()[axis]).isConst(0) &&
         cast<DimExpr>(op.getHigh()[axis]).isConst(0);
}

/// The convolution with the spatial axis `merged` in one with the axis of the
/// tensors before it, which is that of images for the depth.
static Value flatten(ConvolutionOp op, int64_t merged, DimBuilder &symbols) {
  TensorBuilder b(op, symbols);
  auto join = [&](Value volume) {
    Sizes sizes = TensorBuilder::sizesOf(volume);
    sizes[merged] = mul(sizes[merged], sizes[merged + 1]);
    sizes.erase(sizes.begin() + merged + 1);
    return sizes;
  };
  Sizes filter = TensorBuilder::sizesOf(op.getFilter());
  filter.erase(filter.begin() + merged);
  auto drop = [&](ArrayRef<int64_t> values) {
    SmallVector<int64_t> rest(values);
    rest.erase(rest.begin() + merged);
    return rest;
  };
  auto dropSize = [&](ArrayAttr values) {
    SmallVector<Attribute> rest(values.getValue());
    rest.erase(rest.begin() + merged);
    return b.getArrayAttr(rest);
  };
  Value input = b.reshape(op.getInput(), join(op.getInput()));
  RankedTensorType type =
      b.getTensorType(join(op.getResult()), op.getType().getElementType());
  Value result = ConvolutionOp::create(
      b, type, input, b.reshape(op.getFilter(), filter), op.getLayout(),
      drop(op.getStrides()), dropSize(op.getLow()), dropSize(op.getHigh()),
      drop(op.getInputDilation()), drop(op.getFilterDilation()),
      op.getGroups());
  return ReshapeOp::create(b, op.getType(), result);
}

namespace {
struct FlattenConvolutionsPass
    : dhlo::impl::FlattenConvolutionsPassBase<FlattenConvolutionsPass> {
  void runOnOperation() override {
    DimBuilder symbols(getAnalysis<SymbolicDims>());
    markAnalysesPreserved<SymbolicDims>();
    for (ConvolutionOp op : collectOps<ConvolutionOp>(getOperation())) {
      if (op.getType().getRank() != kVolumeRank ||
          op.getLayout() != Layout::ChannelsLast)
        continue;
      bool isOfPlanes = isPointwise(op, 0);
      if (!isOfPlanes && !(isPointwise(op, 1) && isPointwise(op, 2)))
        continue;
      // The width joins the height.
      op.replaceAllUsesWith(flatten(op, isOfPlanes ? 0 : 2, symbols));
      op.erase();
      ++numFlattened;
    }
    if (numFlattened == 0)
      markAllAnalysesPreserved();
  }
};
} // namespace
