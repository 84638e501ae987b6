//===- SinkTransposes.cpp - Moves transposes from operands to results -----===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SinkTransposes.h"
#include "MarkedTransposes.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dhlo;

namespace {

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
  SinkTranspose(MLIRContext *context, int64_t &numSunk)
      : RewritePattern(MatchAnyOpTypeTag(), 1, context), numSunk(numSunk) {}

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
    return replace(op, moved->getResult(0), first.getPermutation(), rewriter);
  }

private:
  /// Replaces an operation by the transpose of a value.
  LogicalResult replace(Operation *op, Value moved,
                        ArrayRef<int64_t> permutation,
                        PatternRewriter &rewriter) const {
    rewriter.replaceOp(
        op, createTranspose(rewriter, op->getLoc(), moved, permutation));
    ++numSunk;
    return success();
  }

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
    ++numSunk;
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
    return replace(op, moved, first.getPermutation(), rewriter);
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
    return replace(op, moved, first.getPermutation(), rewriter);
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
    return replace(op, reshaped, invert(toLast), rewriter);
  }

  int64_t &numSunk;
};

} // namespace

void dhlo::populateSinkTransposes(RewritePatternSet &patterns,
                                  int64_t &numSunk) {
  patterns.add<SinkTranspose>(patterns.getContext(), numSunk);
}
