//===- RecognizeNorms.cpp - Recognizes normalisations among primitives ----===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recognize.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dhlo;

namespace {

/// A tensor divided by the root of its mean square, with or without its mean
/// subtracted.
struct Normalized {
  Value operand;
  int64_t axis;
  double eps;
  bool isCentred;
  Interior interior;
};

/// The operand if the value is a square.
Value matchSquare(Value value) {
  if (auto mul = value.getDefiningOp<MulOp>())
    return mul.getLhs() == mul.getRhs() ? mul.getLhs() : Value();
  auto pow = value.getDefiningOp<PowOp>();
  return pow && isSplat(pow.getRhs(), 2) ? pow.getLhs() : Value();
}

class Matcher {
public:
  explicit Matcher(const SymbolicDims &dims) : dims(dims) {}

  /// `value` as a normalised tensor without scale.
  std::optional<Normalized> match(Value value) {
    if (auto div = value.getDefiningOp<DivOp>())
      return match(value, div.getLhs(), div.getRhs(), /*isInverse=*/false);
    auto mul = value.getDefiningOp<MulOp>();
    if (!mul)
      return std::nullopt;
    auto result = match(value, mul.getLhs(), mul.getRhs(), /*isInverse=*/true);
    return result ? result
                  : match(value, mul.getRhs(), mul.getLhs(),
                          /*isInverse=*/true);
  }

private:
  /// `deviation` is the root of the mean square, broadcast, or its inverse.
  std::optional<Normalized> match(Value value, Value centred, Value deviation,
                                  bool isInverse) {
    auto broadcast = deviation.getDefiningOp<BroadcastOp>();
    if (!broadcast)
      return std::nullopt;
    Normalized result;
    result.interior.add(value);
    auto step = [&](Value inner) {
      inner = dropUnitAxes(inner, dims);
      result.interior.add(inner);
      return inner;
    };
    Value inner = step(broadcast.getOperand());
    if (auto rsqrt = inner.getDefiningOp<RsqrtOp>()) {
      if (!isInverse)
        return std::nullopt;
      inner = rsqrt.getOperand();
    } else {
      if (isInverse) {
        auto inverse = inner.getDefiningOp<ReciprocalOp>();
        auto div = inner.getDefiningOp<DivOp>();
        if (!inverse && !(div && isSplat(div.getLhs(), 1)))
          return std::nullopt;
        inner = step(inverse ? inverse.getOperand() : div.getRhs());
      }
      auto root = inner.getDefiningOp<SqrtOp>();
      if (!root)
        return std::nullopt;
      inner = root.getOperand();
    }
    auto shifted = step(inner).getDefiningOp<AddOp>();
    if (!shifted)
      return std::nullopt;
    std::optional<double> eps = getSplat(shifted.getRhs());
    inner = eps ? shifted.getLhs() : shifted.getRhs();
    if (!eps)
      eps = getSplat(shifted.getLhs());
    std::optional<Mean> variance = matchMean(inner, dims);
    if (!eps || !variance)
      return std::nullopt;
    Value square = variance->operand;
    result.interior.add(variance->interior);
    result.interior.add(variance->sum.getOperand());
    result.interior.add(square);
    ArrayRef<int64_t> axes = variance->sum.getAxes();
    // The last axes, without gaps.
    int64_t rank = getTensor(centred).getRank();
    if (matchSquare(square) != centred || axes.empty() ||
        axes.front() != rank - static_cast<int64_t>(axes.size()) ||
        !matchSpread(deviation, axes, dims))
      return std::nullopt;
    result.axis = axes.front();
    result.eps = *eps;
    result.operand = centred;
    result.isCentred = false;
    findMean(centred, axes, result);
    return result;
  }

  /// Checks whether `centred` is x minus its mean.
  void findMean(Value centred, ArrayRef<int64_t> axes, Normalized &result) {
    auto sub = centred.getDefiningOp<SubOp>();
    if (!sub)
      return;
    Value source = matchSpread(sub.getRhs(), axes, dims);
    std::optional<Mean> mean =
        source ? matchMean(source, dims) : std::optional<Mean>();
    if (!mean || mean->operand != sub.getLhs() || mean->sum.getAxes() != axes)
      return;
    result.isCentred = true;
    result.operand = sub.getLhs();
    result.interior.add(sub.getResult());
    result.interior.add(mean->interior);
  }

  const SymbolicDims &dims;
};

/// The tensor over the axes from `axis` on that a value repeats along all axes
/// before; null if there is none. Builds a reshape if there are axes of size 1.
Value matchParameter(Value value, int64_t axis, OpBuilder &builder,
                     const SymbolicDims &dims) {
  Value source =
      matchSpread(value, llvm::to_vector(llvm::seq<int64_t>(0, axis)), dims);
  if (!source)
    return {};
  RankedTensorType type = getTensor(value);
  SmallVector<DimExpr> sizes = getDims(type);
  return createReshape(builder, value.getLoc(), source,
                       getTensorType(ArrayRef<DimExpr>(sizes).drop_front(axis),
                                     type.getElementType()));
}

/// Ones and zeros for absent parameters; null if the sizes are not static.
Value createOnes(RankedTensorType type, int64_t axis, OpBuilder &builder,
                 Location loc) {
  auto result = getTensorType(ArrayRef(getDims(type)).drop_front(axis),
                              type.getElementType());
  if (!result.hasStaticShape())
    return {};
  return ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(
          result, static_cast<Attribute>(
                      builder.getFloatAttr(type.getElementType(), 1))));
}

} // namespace

Value dhlo::recognizeNorm(Operation *op, OpBuilder &builder,
                          const SymbolicDims &dims) {
  if (!op->hasTrait<Arithmetic>() || isa<SubOp>(op) ||
      !isa<FloatType>(getElementTypeOrSelf(op->getResult(0))))
    return {};
  Matcher matcher(dims);
  // With bias, with scale, or with neither: the operation may be the last one
  // of each form.
  auto split = [](Operation *op) {
    return std::array<std::pair<Value, Value>, 2>{
        std::pair(op->getOperand(0), op->getOperand(1)),
        std::pair(op->getOperand(1), op->getOperand(0))};
  };
  std::optional<Normalized> found;
  Value scale, bias;
  auto matchScale = [&](Operation *mul) {
    for (auto [inner, repeated] : split(mul)) {
      found = matcher.match(inner);
      if (!found || !repeated.getDefiningOp<BroadcastOp>())
        continue;
      scale = matchParameter(repeated, found->axis, builder, dims);
      if (!scale)
        continue;
      found->interior.add(mul);
      return true;
    }
    found.reset();
    return false;
  };
  if (isa<AddOp>(op)) {
    for (auto [inner, repeated] : split(op)) {
      auto mul = inner.getDefiningOp<MulOp>();
      if (!mul || !repeated.getDefiningOp<BroadcastOp>() || !matchScale(mul))
        continue;
      bias = found->isCentred
                 ? matchParameter(repeated, found->axis, builder, dims)
                 : Value();
      if (bias)
        break;
      found.reset();
    }
    if (!found)
      return {};
  } else if (!isa<MulOp>(op) || !matchScale(op)) {
    found = matcher.match(op->getResult(0));
    if (!found)
      return {};
  }
  if (!found->interior.isClosed(op))
    return {};
  RankedTensorType type = getTensor(op->getResult(0));
  if (!scale)
    scale = createOnes(type, found->axis, builder, op->getLoc());
  if (!scale)
    return {};
  FloatAttr eps = builder.getF64FloatAttr(found->eps);
  if (!found->isCentred)
    return RmsNormOp::create(builder, op->getLoc(), type, found->operand, scale,
                             builder.getI64IntegerAttr(found->axis), eps);
  return LayerNormOp::create(builder, op->getLoc(), type, found->operand, scale,
                             bias, builder.getI64IntegerAttr(found->axis), eps);
}
