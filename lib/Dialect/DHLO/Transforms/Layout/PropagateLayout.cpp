//===- PropagateLayout.cpp - Channels-last convolutions -------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Each convolution with channels first becomes one with channels last between
// two transposes. The transposes after convolutions then sink through their
// users until they meet a transpose before a convolution, and the two cancel.
// Only transposes of this pass are moved; they are marked by an attribute, and
// so are convolutions that keep channels first.

#include "MarkedTransposes.h"
#include "PlaneNetworks.h"
#include "SinkTransposes.h"
#include "TransposedConvolutions.h"

#include "dyn/Dialect/DHLO/Analysis/SymbolicDims.h"
#include "dyn/Dialect/DHLO/IR/ConvolutionAxes.h"
#include "dyn/Dialect/DHLO/Transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace dyn::dhlo {
#define GEN_PASS_DEF_PROPAGATELAYOUTPASS
#include "dyn/Dialect/DHLO/Transforms/Passes.h.inc"
} // namespace dyn::dhlo

using namespace mlir;
using namespace dyn;
using namespace dyn::dhlo;

namespace {

/// Counts the pass's rewrites.
struct Counters {
  int64_t convolutions = 0, sunk = 0, cancelled = 0;
};

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

struct ChannelsLastConvolution : OpInterfaceRewritePattern<Convolves> {
  ChannelsLastConvolution(MLIRContext *context, Counters &counters)
      : OpInterfaceRewritePattern(context), counters(counters) {}

  LogicalResult matchAndRewrite(Convolves op,
                                PatternRewriter &rewriter) const override {
    if (op.getLayout() != Layout::ChannelsFirst)
      return rewriter.notifyMatchFailure(op, "channels are last");
    if (op->hasAttr(kMark))
      return rewriter.notifyMatchFailure(op, "has few channels");
    Location loc = op.getLoc();
    int64_t rank = op.getType().getRank();
    Permutation toLast = getToLast(rank);
    ConvolutionAxes axes(op);
    Permutation filter =
        llvm::to_vector(llvm::seq<int64_t>(0, axes.filterGroups));
    for (int64_t i = 0; i < axes.spatial; ++i)
      filter.push_back(axes.filterSpatial + i);
    filter.append({axes.filterChannel, axes.filterNumber});

    Value input = createTranspose(rewriter, loc, op.getInput(), toLast);
    Value weights = TransposeOp::create(
        rewriter, loc, permuteType(getType(op.getFilter()), filter),
        op.getFilter(), rewriter.getDenseI64ArrayAttr(filter));
    auto convolution = cast<Convolves>(rewriter.clone(*op));
    convolution->setOperand(0, input);
    convolution.getFilterMutable().set(weights);
    convolution.setLayout(Layout::ChannelsLast);
    convolution.getResult().setType(permuteType(op.getType(), toLast));
    rewriter.replaceOp(op,
                       createTranspose(rewriter, loc, convolution.getResult(),
                                       invert(toLast)));
    ++counters.convolutions;
    return success();
  }

  Counters &counters;
};

//===----------------------------------------------------------------------===//
// Simplification of transposes
//===----------------------------------------------------------------------===//

struct ComposeTransposes : OpRewritePattern<TransposeOp> {
  ComposeTransposes(MLIRContext *context, Counters &counters)
      : OpRewritePattern(context), counters(counters) {}

  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getOperand().getDefiningOp<TransposeOp>();
    if (!inner || (!inner->hasAttr(kMark) && !op->hasAttr(kMark)))
      return rewriter.notifyMatchFailure(op, "not of a transpose");
    Permutation composed = permute(inner.getPermutation(), op.getPermutation());
    counters.cancelled += 1;
    if (llvm::is_sorted(composed)) {
      counters.cancelled += 1;
      rewriter.replaceOp(op, inner.getOperand());
      return success();
    }
    rewriter.replaceOp(op, createTranspose(rewriter, op.getLoc(),
                                           inner.getOperand(), composed));
    return success();
  }

  Counters &counters;
};

/// A transpose that only moves axes of size 1 is a reshape.
struct TransposeToReshape : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    Permutation moved;
    for (int64_t axis : op.getPermutation())
      if (getType(op.getOperand()).getDimSize(axis) != 1)
        moved.push_back(axis);
    if (!llvm::is_sorted(moved))
      return rewriter.notifyMatchFailure(op, "moves elements");
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), op.getOperand());
    return success();
  }
};

struct ComposeReshapes : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getOperand().getDefiningOp<ReshapeOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "not of a reshape");
    if (inner.getOperand().getType() == op.getType())
      rewriter.replaceOp(op, inner.getOperand());
    else
      rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(),
                                             inner.getOperand());
    return success();
  }
};

struct PropagateLayoutPass
    : dhlo::impl::PropagateLayoutPassBase<PropagateLayoutPass> {
  using PropagateLayoutPassBase::PropagateLayoutPassBase;

  void runOnOperation() override {
    TargetInfo target = TargetInfo::forProgram(device);
    if (failed(target.overrideByFile(targetInfo, getOperation())))
      return signalPassFailure();
    bool any = getOperation()
                   ->walk([](Convolves) { return WalkResult::interrupt(); })
                   .wasInterrupted();
    if (!any)
      return;
    MLIRContext *context = &getContext();
    for (Convolves op :
         findPlaneConvolutions(getOperation(), target.convolution()))
      op->setAttr(kMark, UnitAttr::get(context));
    Counters counters;
    RewritePatternSet patterns(context);
    patterns.add<ChannelsLastConvolution, ComposeTransposes>(context, counters);
    populateSinkTransposes(patterns, counters.sunk);
    DimBuilder symbols(getAnalysis<SymbolicDims>());
    markAnalysesPreserved<SymbolicDims>();
    populateTransposedConvolutions(patterns, symbols);
    patterns.add<TransposeToReshape, ComposeReshapes>(context);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    getOperation()->walk([&](Operation *op) {
      if (op->removeAttr(kMark) && isa<TransposeOp>(op))
        ++numLeft;
    });
    numConvolutions += counters.convolutions;
    numSunk += counters.sunk;
    numCancelled += counters.cancelled;
  }
};

} // namespace
