//===- ExpandComposites.cpp - Normalisations in terms of reductions -------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Schedules handle elementwise operations, maps of positions and reductions. A
// softmax or norm becomes those just before its kernel is scheduled, in the
// most efficient form: divisions by a row's sum are multiplications by its
// reciprocal, computed once per row.

#include "Codegen/Common/Elements/OpEmitters.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace dyn;
using dhlo::DimExpr;

namespace {
class Expander {
public:
  explicit Expander(Operation *op) : b(op->getLoc(), op), op(op) {}

  Value softmax(dhlo::SoftmaxOp op);
  Value layerNorm(dhlo::LayerNormOp op);
  Value rmsNorm(dhlo::RmsNormOp op);

private:
  using Tensor = RankedTensorType;
  static Tensor type(Value v) { return cast<Tensor>(v.getType()); }

  Value reduce(dhlo::ReduceKind kind, Value x, ArrayRef<int64_t> axes) {
    SmallVector<DimExpr> sizes;
    for (auto [axis, size] : llvm::enumerate(dhlo::getDims(type(x))))
      if (!llvm::is_contained(axes, static_cast<int64_t>(axis)))
        sizes.push_back(size);
    return dhlo::ReduceOp::create(
        b, dhlo::getTensorType(sizes, type(x).getElementType()), kind, x, axes);
  }
  /// Broadcasts a reduced value along the axes that were reduced.
  Value spread(Value reduced, Tensor to, ArrayRef<int64_t> axes) {
    SmallVector<int64_t> kept;
    for (int64_t axis = 0; axis < to.getRank(); ++axis)
      if (!llvm::is_contained(axes, axis))
        kept.push_back(axis);
    return dhlo::BroadcastOp::create(b, to, reduced, kept);
  }
  Value scalar(double v, Tensor to) {
    auto one = Tensor::get({}, to.getElementType());
    Value c = dhlo::ConstantOp::create(
        b, DenseElementsAttr::get(one, static_cast<Attribute>(b.getFloatAttr(
                                           to.getElementType(), v))));
    return dhlo::BroadcastOp::create(b, to, c, ArrayRef<int64_t>());
  }
  Value convert(Value v, Type element) {
    if (type(v).getElementType() == element)
      return v;
    return dhlo::ConvertOp::create(b, dhlo::withElementType(type(v), element),
                                   v);
  }
  /// 16-bit floats as f32: they represent neither the number of elements nor a
  /// small epsilon.
  Value widen(Value v) {
    bool isNarrow = type(v).getElementType().getIntOrFloatBitWidth() < 32;
    return isNarrow ? convert(v, b.getF32Type()) : v;
  }
  /// The number of elements along axes, in the type of a reduced value.
  Value count(Value x, ArrayRef<int64_t> axes, Tensor to) {
    DimExpr product = dhlo::getConstDim(b.getContext(), 1);
    for (int64_t axis : axes)
      product = dhlo::mul(product, dhlo::getDim(type(x), axis));
    if (auto n = dhlo::getConstantValue(product))
      return scalar(static_cast<double>(*n), to);
    Value n = dhlo::FromDimsOp::create(
        b, Tensor::get({}, b.getF32Type()),
        b.getArrayAttr({static_cast<Attribute>(product)}));
    n = dhlo::ConvertOp::create(b, Tensor::get({}, to.getElementType()), n);
    return dhlo::BroadcastOp::create(b, to, n, ArrayRef<int64_t>());
  }
  Value mean(Value x, ArrayRef<int64_t> axes) {
    Value sum = reduce(dhlo::ReduceKind::Sum, x, axes);
    return dhlo::DivOp::create(b, sum, count(x, axes, type(sum)));
  }
  /// 1 / sqrt(v + eps).
  Value inverseRoot(Value v, double eps) {
    Value shifted = dhlo::AddOp::create(b, v, scalar(eps, type(v)));
    return dhlo::RsqrtOp::create(b, shifted);
  }
  static SmallVector<int64_t> from(int64_t axis, Tensor type) {
    return llvm::to_vector(llvm::seq<int64_t>(axis, type.getRank()));
  }

  ImplicitLocOpBuilder b;
  Operation *op;
};
} // namespace

Value Expander::softmax(dhlo::SoftmaxOp op) {
  Value x = op.getOperand();
  SmallVector<int64_t> axes = {static_cast<int64_t>(op.getAxis())};
  // A NaN makes the sum NaN, whatever the maximum is.
  Value most = reduce(dhlo::ReduceKind::Max, x, axes);
  most.getDefiningOp()->setAttr(kIgnoresNanAttr, b.getUnitAttr());
  Value top = spread(most, type(x), axes);
  Value shifted = dhlo::SubOp::create(b, x, top);
  Value e = dhlo::ExpOp::create(b, shifted);
  e.getDefiningOp()->setAttr(kIsDistanceAttr, b.getUnitAttr());
  Value sum = reduce(dhlo::ReduceKind::Sum, e, axes);
  if (op.getLog())
    return dhlo::SubOp::create(
        b, shifted, spread(dhlo::LogOp::create(b, sum), type(x), axes));
  return dhlo::MulOp::create(
      b, e, spread(dhlo::ReciprocalOp::create(b, sum), type(x), axes));
}

Value Expander::layerNorm(dhlo::LayerNormOp op) {
  Value x = widen(op.getOperand());
  SmallVector<int64_t> axes = from(op.getAxis(), type(x));
  Value distance =
      dhlo::SubOp::create(b, x, spread(mean(x, axes), type(x), axes));
  Value square = dhlo::MulOp::create(b, distance, distance);
  Value scale = inverseRoot(mean(square, axes), op.getEps().convertToDouble());
  Value y = dhlo::MulOp::create(b, distance, spread(scale, type(x), axes));
  y = dhlo::MulOp::create(
      b, y, dhlo::BroadcastOp::create(b, type(x), widen(op.getScale()), axes));
  if (op.getBias())
    y = dhlo::AddOp::create(
        b, y, dhlo::BroadcastOp::create(b, type(x), widen(op.getBias()), axes));
  return convert(y, op.getType().getElementType());
}

Value Expander::rmsNorm(dhlo::RmsNormOp op) {
  Value x = widen(op.getOperand());
  SmallVector<int64_t> axes = from(op.getAxis(), type(x));
  Value square = dhlo::MulOp::create(b, x, x);
  Value scale = inverseRoot(mean(square, axes), op.getEps().convertToDouble());
  Value y = dhlo::MulOp::create(b, x, spread(scale, type(x), axes));
  y = dhlo::MulOp::create(
      b, y, dhlo::BroadcastOp::create(b, type(x), widen(op.getScale()), axes));
  return convert(y, op.getType().getElementType());
}

void dyn::expandComposites(dlhlo::KernelOp kernel) {
  for (Operation &op : llvm::make_early_inc_range(kernel.getBody().front())) {
    Value result;
    if (auto softmax = dyn_cast<dhlo::SoftmaxOp>(op))
      result = Expander(&op).softmax(softmax);
    else if (auto norm = dyn_cast<dhlo::LayerNormOp>(op))
      result = Expander(&op).layerNorm(norm);
    else if (auto norm = dyn_cast<dhlo::RmsNormOp>(op))
      result = Expander(&op).rmsNorm(norm);
    if (!result)
      continue;
    op.getResult(0).replaceAllUsesWith(result);
    op.erase();
  }
}
