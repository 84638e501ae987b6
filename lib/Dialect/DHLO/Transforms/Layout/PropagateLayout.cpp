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

#include "PlaneNetworks.h"

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

using Permutation = SmallVector<int64_t>;

constexpr StringLiteral kMark = "dhlo.layout";

RankedTensorType getType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// result[i] = values[permutation[i]]
template <typename Range>
auto permute(const Range &values, ArrayRef<int64_t> permutation) {
  SmallVector<std::decay_t<decltype(values[0])>> result;
  for (int64_t axis : permutation)
    result.push_back(values[axis]);
  return result;
}

Permutation invert(ArrayRef<int64_t> permutation) {
  Permutation result(permutation.size());
  for (auto [i, axis] : llvm::enumerate(permutation))
    result[axis] = i;
  return result;
}

/// The permutation from channels first to channels last.
Permutation getToLast(int64_t rank) {
  Permutation result = {0};
  for (int64_t axis = 2; axis < rank; ++axis)
    result.push_back(axis);
  result.push_back(1);
  return result;
}

RankedTensorType permuteType(RankedTensorType type,
                             ArrayRef<int64_t> permutation) {
  return getTensorType(permute(getDims(type), permutation),
                       type.getElementType());
}

Value createTranspose(OpBuilder &b, Location loc, Value value,
                      ArrayRef<int64_t> permutation) {
  auto op =
      TransposeOp::create(b, loc, permuteType(getType(value), permutation),
                          value, b.getDenseI64ArrayAttr(permutation));
  op->setAttr(kMark, b.getUnitAttr());
  return op;
}

/// The value's producer if it is a marked transpose, else null.
TransposeOp getMarked(Value value) {
  auto op = value.getDefiningOp<TransposeOp>();
  return op && op->hasAttr(kMark) ? op : nullptr;
}

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

/// A transposed convolution whose windows do not overlap is a matmul: each
/// input pixel gives one block of output pixels.
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

//===----------------------------------------------------------------------===//
// Sinking
//===----------------------------------------------------------------------===//

/// Whether a broadcast keeps all axes, and may keep their sizes.
bool isImplicit(BroadcastOp op) {
  ArrayRef<int64_t> from = getType(op.getOperand()).getShape();
  return op.getType().getRank() == static_cast<int64_t>(from.size()) &&
         !llvm::is_contained(from, 1);
}

/// Permutes values: result axis i is axis permutation[i].
class Operands {
public:
  Operands(PatternRewriter &rewriter, ArrayRef<int64_t> permutation)
      : rewriter(rewriter), permutation(permutation) {}

  /// Whether the permuted value costs nothing: it exists already, or it is a
  /// broadcast or a splat that can be built in either layout.
  static bool isFree(Value value, ArrayRef<int64_t> permutation) {
    if (TransposeOp op = getMarked(value))
      return op.getPermutation() == ArrayRef<int64_t>(invert(permutation));
    if (auto constant = value.getDefiningOp<ConstantOp>())
      return isa<SplatElementsAttr>(constant.getValue());
    auto broadcast = value.getDefiningOp<BroadcastOp>();
    return broadcast && (!isImplicit(broadcast) ||
                         isFree(broadcast.getOperand(), permutation));
  }

  Value get(Value value) {
    Location loc = value.getLoc();
    if (TransposeOp op = getMarked(value);
        op && op.getPermutation() == ArrayRef<int64_t>(invert(permutation)))
      return op.getOperand();
    RankedTensorType type = permuteType(getType(value), permutation);
    if (auto constant = value.getDefiningOp<ConstantOp>())
      if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue()))
        return ConstantOp::create(rewriter, loc, splat.resizeSplat(type));
    if (auto broadcast = value.getDefiningOp<BroadcastOp>()) {
      // The permuted axes of the operand, and their order.
      Permutation to = invert(permutation), axes, order;
      for (int64_t axis : broadcast.getAxes())
        axes.push_back(to[axis]);
      order = llvm::to_vector(llvm::seq<int64_t>(0, axes.size()));
      llvm::sort(order, [&](int64_t lhs, int64_t rhs) {
        return axes[lhs] < axes[rhs];
      });
      Value operand = broadcast.getOperand();
      if (!llvm::is_sorted(order))
        operand = createTranspose(rewriter, loc, operand, order);
      return BroadcastOp::create(
          rewriter, loc, type, operand,
          rewriter.getDenseI64ArrayAttr(permute(axes, order)));
    }
    return createTranspose(rewriter, loc, value, permutation);
  }

private:
  PatternRewriter &rewriter;
  ArrayRef<int64_t> permutation;
};

/// Moves marked transposes from the operands of an operation to its result.
struct SinkTranspose : RewritePattern {
  SinkTranspose(MLIRContext *context, Counters &counters)
      : RewritePattern(MatchAnyOpTypeTag(), 1, context), counters(counters) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isa_and_nonnull<DHLODialect>(op->getDialect()) ||
        op->getNumResults() != 1 || isa<TransposeOp>(op))
      return failure();
    TransposeOp first;
    for (Value operand : op->getOperands())
      if (!first)
        first = getMarked(operand);
    if (!first)
      return failure();
    // The operation is applied to the transpose's operand.
    Permutation permutation = invert(first.getPermutation());
    Operands operands(rewriter, permutation);

    if (auto reshape = dyn_cast<ReshapeOp>(op))
      return sinkThroughReshape(reshape, first, rewriter);
    if (auto reduce = dyn_cast<ReduceOp>(op))
      return sinkThroughReduce(reduce, first, rewriter);
    if (auto broadcast = dyn_cast<BroadcastOp>(op))
      return sinkThroughBroadcast(broadcast, first, rewriter);
    if (auto gather = dyn_cast<GatherOp>(op))
      return sinkThroughGather(gather, first, rewriter);
    if (!op->hasTrait<Elementwise>() && !isa<PermutesAxes>(op))
      return rewriter.notifyMatchFailure(op, "moves axes in a way of its own");

    SmallVector<Value> tensors = getTensors(op);
    int64_t gained = 0, lost = 0;
    for (Value operand : tensors) {
      if (getMarked(operand) && Operands::isFree(operand, permutation))
        ++gained;
      else if (!Operands::isFree(operand, permutation))
        ++lost;
    }
    if (lost >= gained)
      return rewriter.notifyMatchFailure(op, "needs as many new transposes");

    SmallVector<Value> newOperands(op->getOperands());
    for (auto [i, operand] : llvm::enumerate(tensors))
      newOperands[i] = operands.get(operand);
    OperationState state(op->getLoc(), op->getName());
    state.addOperands(newOperands);
    state.addTypes(permuteType(getType(op->getResult(0)), permutation));
    state.addAttributes(op->getAttrs());
    Operation *moved = rewriter.create(state);
    if (auto permutes = dyn_cast<PermutesAxes>(moved))
      permutes.permuteAxes(permutation);
    rewriter.replaceOp(op, createTranspose(rewriter, op->getLoc(),
                                           moved->getResult(0),
                                           first.getPermutation()));
    ++counters.sunk;
    return success();
  }

private:
  /// The operands whose axes are permuted; they come first.
  static SmallVector<Value> getTensors(Operation *op) {
    if (isa<PadOp>(op))
      return {op->getOperand(0)};
    return SmallVector<Value>(op->getOperands());
  }

  LogicalResult sinkThroughReduce(ReduceOp op, TransposeOp first,
                                  PatternRewriter &rewriter) const {
    // Axis i of the transposed operand is axis permutation[i] of its source.
    ArrayRef<int64_t> permutation = first.getPermutation();
    SmallVector<int64_t> axes;
    Permutation kept;
    for (int64_t axis = 0; axis < static_cast<int64_t>(permutation.size());
         ++axis)
      (llvm::is_contained(op.getAxes(), axis) ? axes : kept)
          .push_back(permutation[axis]);
    llvm::sort(axes);
    // The result's axes, in the order of the source.
    Permutation sorted = kept;
    llvm::sort(sorted);
    Permutation order;
    for (int64_t axis : kept)
      order.push_back(llvm::find(sorted, axis) - sorted.begin());
    RankedTensorType type = permuteType(op.getType(), invert(order));
    Value result = ReduceOp::create(rewriter, op.getLoc(), type, op.getKind(),
                                    first.getOperand(),
                                    rewriter.getDenseI64ArrayAttr(axes));
    if (!llvm::is_sorted(order))
      result = createTranspose(rewriter, op.getLoc(), result, order);
    rewriter.replaceOp(op, result);
    ++counters.sunk;
    return success();
  }

  /// An implicit broadcast, which keeps all axes and may repeat some, as in a
  /// feature pyramid's sums. If an axis certainly has size 1, the operand is
  /// small, and moving it is cheaper than moving the result.
  LogicalResult sinkThroughBroadcast(BroadcastOp op, TransposeOp first,
                                     PatternRewriter &rewriter) const {
    if (!isImplicit(op))
      return rewriter.notifyMatchFailure(op, "operand is small");
    Value moved = BroadcastOp::create(
        rewriter, op.getLoc(),
        permuteType(op.getType(), invert(first.getPermutation())),
        first.getOperand(), op.getAxesAttr());
    rewriter.replaceOp(op, createTranspose(rewriter, op.getLoc(), moved,
                                           first.getPermutation()));
    ++counters.sunk;
    return success();
  }

  /// A gather of some slices along one axis, in the order of the indices, as if
  /// cells are images.
  LogicalResult sinkThroughGather(GatherOp op, TransposeOp first,
                                  PatternRewriter &rewriter) const {
    if (op.getOperand() != first.getResult() || op.getBatch() != 0 ||
        getType(op.getIndices()).getRank() != 1)
      return rewriter.notifyMatchFailure(op, "does not keep axes apart");
    Value moved = GatherOp::create(
        rewriter, op.getLoc(),
        permuteType(op.getType(), invert(first.getPermutation())),
        first.getOperand(), op.getIndices(),
        first.getPermutation()[op.getAxis()], /*batch=*/0);
    rewriter.replaceOp(op, createTranspose(rewriter, op.getLoc(), moved,
                                           first.getPermutation()));
    ++counters.sunk;
    return success();
  }

  /// N, C, spatial... to N, C, anything.
  LogicalResult sinkThroughReshape(ReshapeOp op, TransposeOp first,
                                   PatternRewriter &rewriter) const {
    RankedTensorType from = getType(first), to = op.getType();
    int64_t rank = to.getRank();
    if (from.getRank() < 3 || rank < 3 ||
        first.getPermutation() !=
            ArrayRef<int64_t>(invert(getToLast(from.getRank()))) ||
        getDim(from, 0) != getDim(to, 0) || getDim(from, 1) != getDim(to, 1))
      return rewriter.notifyMatchFailure(op, "does not keep channels apart");
    Permutation toLast = getToLast(rank);
    Value reshaped = ReshapeOp::create(
        rewriter, op.getLoc(), permuteType(to, toLast), first.getOperand());
    rewriter.replaceOp(
        op, createTranspose(rewriter, op.getLoc(), reshaped, invert(toLast)));
    ++counters.sunk;
    return success();
  }

  Counters &counters;
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
    patterns.add<ChannelsLastConvolution, ComposeTransposes, SinkTranspose>(
        context, counters);
    patterns.add<BlockwiseTransposedConvolution, TransposeToReshape,
                 ComposeReshapes>(context);
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
