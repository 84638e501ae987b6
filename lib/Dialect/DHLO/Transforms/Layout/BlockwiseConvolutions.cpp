//===- BlockwiseConvolutions.cpp - Transposed convolutions as matmuls -----===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockwiseConvolutions.h"
#include "MarkedTransposes.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dhlo;

namespace {

struct BlockwiseTransposedConvolution : OpRewritePattern<ConvolutionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConvolutionOp op,
                                PatternRewriter &rewriter) const override {
    auto filter = getType(op.getFilter());
    auto input = getType(op.getInput());
    int64_t spatial = filter.getRank() - 2;
    if (op.getLayout() != Layout::ChannelsLast || op.getGroups() != 1 ||
        !filter.hasStaticShape())
      return rewriter.notifyMatchFailure(op, "not a plain convolution");
    bool isDilated = false;
    for (int64_t i = 0; i < spatial; ++i) {
      int64_t step = op.getInputDilation()[i];
      isDilated |= step > 1;
      auto low = cast<DimExprAttr>(op.getLow()[i]);
      auto high = cast<DimExprAttr>(op.getHigh()[i]);
      bool isSpread = step > 1 && op.getFilterDilation()[i] != 1;
      if (op.getStrides()[i] != 1 || filter.getDimSize(i) != step || isSpread ||
          !low.isConst(step - 1) || !high.isConst(step - 1))
        return rewriter.notifyMatchFailure(op, "windows overlap");
    }
    if (!isDilated)
      return rewriter.notifyMatchFailure(op, "input is not dilated");

    Location loc = op.getLoc();
    Type element = input.getElementType();
    auto constant = [&](int64_t size) {
      return getConstDim(rewriter.getContext(), size);
    };
    // The flipped filter: input channels x (block, output channels).
    SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(0, spatial));
    Value weights = ReverseOp::create(rewriter, loc, filter, op.getFilter(),
                                      rewriter.getDenseI64ArrayAttr(axes));
    Permutation channelsFirst = {spatial};
    channelsFirst.append(axes);
    channelsFirst.push_back(spatial + 1);
    weights = TransposeOp::create(rewriter, loc,
                                  permuteType(filter, channelsFirst), weights,
                                  rewriter.getDenseI64ArrayAttr(channelsFirst));
    int64_t channels = filter.getDimSize(spatial);
    int64_t numbers = filter.getNumElements() / std::max<int64_t>(1, channels);
    SmallVector<DimExpr> sizes(spatial, constant(1));
    sizes.append({constant(channels), constant(numbers)});
    weights = ReshapeOp::create(rewriter, loc, getTensorType(sizes, element),
                                weights);

    // One matmul, then a transpose of the blocks.
    SmallVector<DimExpr> pixels = getDims(input);
    pixels.back() = constant(numbers);
    SmallVector<int64_t> ones(spatial, 1);
    SmallVector<Attribute> zeros(spatial, constant(0));
    Value convolved = ConvolutionOp::create(
        rewriter, loc, getTensorType(pixels, element), op.getInput(), weights,
        LayoutAttr::get(getContext(), Layout::ChannelsLast),
        rewriter.getDenseI64ArrayAttr(ones), rewriter.getArrayAttr(zeros),
        rewriter.getArrayAttr(zeros), rewriter.getDenseI64ArrayAttr(ones),
        rewriter.getDenseI64ArrayAttr(ones), rewriter.getI64IntegerAttr(1));
    SmallVector<DimExpr> split(ArrayRef<DimExpr>(pixels).drop_back());
    for (int64_t i = 0; i < spatial; ++i)
      split.push_back(constant(filter.getDimSize(i)));
    split.push_back(constant(filter.getDimSize(spatial + 1)));
    convolved = ReshapeOp::create(rewriter, loc, getTensorType(split, element),
                                  convolved);
    Permutation interleave = {0};
    for (int64_t i = 0; i < spatial; ++i)
      interleave.append({1 + i, 1 + spatial + i});
    interleave.push_back(2 * spatial + 1);
    convolved = TransposeOp::create(
        rewriter, loc, permuteType(getType(convolved), interleave), convolved,
        rewriter.getDenseI64ArrayAttr(interleave));
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), convolved);
    return success();
  }
};

} // namespace

void dhlo::populateBlockwiseConvolutions(RewritePatternSet &patterns) {
  patterns.add<BlockwiseTransposedConvolution>(patterns.getContext());
}
