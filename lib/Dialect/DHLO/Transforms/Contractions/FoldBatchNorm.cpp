//===- FoldBatchNorm.cpp - Folds scale and shift into weights -------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Two rules fold a chain of scales and shifts after a contraction or
// convolution P into its weights and one shift:
//
//   (P(x, w) [+ b]) * s      ->  P(x, w * s) [+ b * s]
//   (P(x, w) + b) + c        ->  P(x, w) + (b + c)
//
// where s, b and c are constants for each channel, or one for all channels, and
// w is a constant.

#include "Dialect/DHLO/Transforms/ConstantValues.h"

#include "dyn/Dialect/DHLO/Transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace dyn::dhlo {
#define GEN_PASS_DEF_FOLDBATCHNORMPASS
#include "dyn/Dialect/DHLO/Transforms/Passes.h.inc"
} // namespace dyn::dhlo

using namespace mlir;
using namespace dyn;
using namespace dyn::dhlo;

namespace {

/// A contraction or convolution with constant weights.
struct Linear {
  Operation *op;
  OpOperand *weights;
  /// The axis of channels in the result and in the weights.
  int64_t axis, weightsAxis;
};

/// A contraction or convolution, and the constant for each channel that is
/// added.
struct Shifted {
  Linear linear;
  Operation *add = nullptr;
  Value shift;
};

class Folder {
public:
  explicit Folder(const SymbolicDims &dims) : constants(dims) {}

  /// Folds a multiplication, division or addition. Returns whether it did.
  bool foldScale(Operation *op);
  bool foldShift(AddOp op);

private:
  std::optional<Linear> matchLinear(Value value);
  std::optional<Shifted> matchShifted(Value value);

  ConstantValues constants;
};

} // namespace

std::optional<Linear> Folder::matchLinear(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !op->hasOneUse() ||
      !isa<FloatType>(getTensor(value).getElementType()))
    return std::nullopt;
  int64_t last = getTensor(value).getRank() - 1;
  if (auto convolution = dyn_cast<ConvolutionOp>(op)) {
    if (!constants.contains(convolution.getFilter()))
      return std::nullopt;
    bool isFirst = convolution.getLayout() == Layout::ChannelsFirst;
    return Linear{op, &convolution.getFilterMutable(), isFirst ? 1 : last,
                  isFirst ? 0 : last};
  }
  auto dot = dyn_cast<DotGeneralOp>(op);
  if (!dot || dot.getBatch() != 0 || !constants.contains(dot.getRhs()) ||
      dot.getType().getElementType() !=
          getTensor(dot.getRhs()).getElementType())
    return std::nullopt;
  // The result's last axis must come from the RHS.
  int64_t axis = getTensor(dot.getRhs()).getRank() - 1;
  while (axis >= 0 && llvm::is_contained(dot.getRhsContract(), axis))
    --axis;
  if (axis < 0)
    return std::nullopt;
  return Linear{op, &dot.getRhsMutable(), last, axis};
}

std::optional<Shifted> Folder::matchShifted(Value value) {
  if (std::optional<Linear> linear = matchLinear(value))
    return Shifted{*linear};
  auto add = value.getDefiningOp<AddOp>();
  if (!add || !add->hasOneUse())
    return std::nullopt;
  OpBuilder builder(add);
  for (auto [inner, other] : {std::pair(add.getLhs(), add.getRhs()),
                              std::pair(add.getRhs(), add.getLhs())}) {
    std::optional<Linear> linear = matchLinear(inner);
    if (!linear)
      continue;
    if (Value shift = constants.matchChannels(other, linear->axis, builder))
      return Shifted{*linear, add, shift};
  }
  return std::nullopt;
}

bool Folder::foldScale(Operation *op) {
  for (unsigned side : {0, 1}) {
    if (side == 1 && isa<DivOp>(op))
      break;
    // The constants are computed before the operation that will read them.
    std::optional<Shifted> shifted = matchShifted(op->getOperand(side));
    if (!shifted)
      continue;
    OpBuilder before(op);
    Value scale = constants.matchChannels(op->getOperand(1 - side),
                                          shifted->linear.axis, before);
    if (!scale)
      continue;
    ImplicitLocOpBuilder b(op->getLoc(), op);
    auto apply = [&](Value x, Value factors) -> Value {
      if (isa<DivOp>(op))
        return DivOp::create(b, x, factors);
      return MulOp::create(b, x, factors);
    };
    // Everything moves to the point where the scale is available.
    Linear &linear = shifted->linear;
    Operation *moved = b.clone(*linear.op);
    b.setInsertionPoint(moved);
    Value weights = linear.weights->get();
    Value repeated =
        BroadcastOp::create(b, getTensor(weights), scale,
                            b.getDenseI64ArrayAttr({linear.weightsAxis}));
    moved->setOperand(linear.weights->getOperandNumber(),
                      apply(weights, repeated));
    b.setInsertionPointAfter(moved);
    Value result = moved->getResult(0);
    if (shifted->shift) {
      Value shift = BroadcastOp::create(b, getTensor(result),
                                        apply(shifted->shift, scale),
                                        b.getDenseI64ArrayAttr({linear.axis}));
      result = AddOp::create(b, result, shift);
    }
    op->getResult(0).replaceAllUsesWith(result);
    constants.forget();
    op->erase();
    if (shifted->add)
      shifted->add->erase();
    linear.op->erase();
    return true;
  }
  return false;
}

bool Folder::foldShift(AddOp op) {
  for (auto [inner, other] : {std::pair(op.getLhs(), op.getRhs()),
                              std::pair(op.getRhs(), op.getLhs())}) {
    std::optional<Shifted> shifted = matchShifted(inner);
    if (!shifted || !shifted->shift)
      continue;
    OpBuilder before(op);
    Value shift = constants.matchChannels(other, shifted->linear.axis, before);
    if (!shift)
      continue;
    ImplicitLocOpBuilder b(op->getLoc(), op);
    Value sum = AddOp::create(b, shifted->shift, shift);
    sum = BroadcastOp::create(b, op.getType(), sum,
                              b.getDenseI64ArrayAttr({shifted->linear.axis}));
    Value result = AddOp::create(b, shifted->linear.op->getResult(0), sum);
    op.replaceAllUsesWith(result);
    constants.forget();
    op.erase();
    shifted->add->erase();
    return true;
  }
  return false;
}

namespace {
struct FoldBatchNormPass
    : dhlo::impl::FoldBatchNormPassBase<FoldBatchNormPass> {
  void runOnOperation() override {
    markAnalysesPreserved<SymbolicDims>();
    const auto &dims = getAnalysis<SymbolicDims>();
    Folder folder(dims);
    auto ops = collectOps<Operation *>(getOperation());
    llvm::erase_if(ops, [](Operation *op) {
      return !op->hasTrait<Arithmetic>() || isa<SubOp>(op);
    });
    // In program order: each erases itself and operations before it.
    for (Operation *op : ops) {
      if (auto add = dyn_cast<AddOp>(op))
        numShifts += folder.foldShift(add);
      else
        numScales += folder.foldScale(op);
    }
    if (numScales + numShifts == 0)
      markAllAnalysesPreserved();
  }
};
} // namespace
