//===- Reduction.cpp - Reductions of ONNX ---------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../OpContext.h"

#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;
using dhlo::ReduceKind;

namespace {

/// The operands of a reduction. Without axes, all are reduced, or none with
/// `noop_with_empty_axes`.
struct Reduction {
  Value x;
  SmallVector<int64_t> axes;
  bool keepDims = true;

  bool read(OpContext &c) {
    x = c.in(0);
    keepDims = c.getInt("keepdims", 1) != 0;
    bool isNoop = c.getInt("noop_with_empty_axes", 0) != 0;
    if (!x)
      return false;
    bool present;
    // An attribute up to opset 12 (ReduceSum) or 17 (others), then an input.
    auto given = c.getAxes("axes", 1, c.e.rank(x), present);
    if (!given)
      return false;
    axes = *given;
    if (axes.empty() && !isNoop)
      for (int64_t i = 0; i < c.e.rank(x); ++i)
        axes.push_back(i);
    return true;
  }
  Value reduce(OpContext &c, ReduceKind kind, Value operand) const {
    return c.e.reduce(kind, operand, axes, keepDims);
  }
};

template <ReduceKind kind> LogicalResult importReduce(OpContext &c) {
  Reduction r;
  if (!r.read(c))
    return failure();
  ReduceKind used = kind;
  // The maximum and minimum of booleans, which opset 20 added.
  if (c.e.elementType(r.x).isInteger(1))
    used = kind == ReduceKind::Max ? ReduceKind::Or : ReduceKind::And;
  return c.result(r.reduce(c, used, r.x));
}

LogicalResult importReduceMean(OpContext &c) {
  Reduction r;
  return r.read(c) ? c.result(c.e.mean(r.x, r.axes, r.keepDims)) : failure();
}

LogicalResult importReduceL1(OpContext &c) {
  Reduction r;
  return r.read(c) ? c.result(r.reduce(c, ReduceKind::Sum,
                                       c.e.unary<dhlo::AbsOp>(r.x)))
                   : failure();
}

LogicalResult importReduceSumSquare(OpContext &c) {
  Reduction r;
  return r.read(c) ? c.result(r.reduce(c, ReduceKind::Sum, c.e.mul(r.x, r.x)))
                   : failure();
}

/// Square root and logarithm of an integer are computed in f64.
Value inFloat(OpContext &c, Value x, llvm::function_ref<Value(Value)> fn) {
  if (!x)
    return {};
  Type type = c.e.elementType(x);
  bool isInteger = isa<IntegerType>(type);
  Value wide = isInteger ? c.e.convert(x, c.e.builder.getF64Type()) : x;
  return c.e.convert(fn(wide), type);
}

LogicalResult importReduceL2(OpContext &c) {
  Reduction r;
  if (!r.read(c))
    return failure();
  return c.result(inFloat(c, r.x, [&](Value x) {
    return c.e.unary<dhlo::SqrtOp>(r.reduce(c, ReduceKind::Sum, c.e.mul(x, x)));
  }));
}

LogicalResult importReduceLogSum(OpContext &c) {
  Reduction r;
  if (!r.read(c))
    return failure();
  return c.result(inFloat(c, r.x, [&](Value x) {
    return c.e.unary<dhlo::LogOp>(r.reduce(c, ReduceKind::Sum, x));
  }));
}

LogicalResult importReduceLogSumExp(OpContext &c) {
  Reduction r;
  if (!r.read(c))
    return failure();
  return c.result(inFloat(c, r.x, [&](Value x) -> Value {
    Emitter &e = c.e;
    // Minus the maximum, so that nothing overflows; an infinite one is not
    // subtracted.
    Value most = e.reduce(ReduceKind::Max, x, r.axes, true);
    Value isInf = dhlo::IsInfOp::create(
        e.builder, e.loc,
        dhlo::withElementType(cast<RankedTensorType>(most.getType()),
                              e.builder.getI1Type()),
        most);
    Value base = e.select(isInf, e.constant(e.elementType(most), 0), most);
    Value sum = e.reduce(ReduceKind::Sum, e.unary<dhlo::ExpOp>(e.sub(x, base)),
                         r.axes, true);
    Value result = e.add(e.unary<dhlo::LogOp>(sum), base);
    return r.keepDims || !result ? result : e.squeeze(result, r.axes);
  }));
}

template <dhlo::ArgKind kind> LogicalResult importArg(OpContext &c) {
  Value x = c.in(0);
  if (!x)
    return failure();
  auto axis = c.getAxis("axis", 0, c.e.rank(x));
  bool keepDims = c.getInt("keepdims", 1) != 0;
  bool last = c.getInt("select_last_index", 0) != 0;
  if (!axis)
    return failure();
  Sizes kept = c.e.sizes(x);
  kept.erase(kept.begin() + *axis);
  Value index = dhlo::ArgReduceOp::create(
      c.e.builder, c.e.loc, c.e.type(kept, c.e.builder.getI64Type()), kind, x,
      *axis, last);
  return c.result(keepDims ? c.e.unsqueeze(index, {*axis}) : index);
}

template <ReduceKind kind> LogicalResult importCumulative(OpContext &c) {
  Value x = c.in(0);
  bool exclusive = c.getInt("exclusive", 0) != 0;
  bool reverse = c.getInt("reverse", 0) != 0;
  auto given = c.constantInput(1, "axis");
  if (!x || !given)
    return failure();
  if (given->size() != 1)
    return c.error("expected one axis");
  auto axis = c.e.axis(given->front(), c.e.rank(x));
  if (!axis)
    return failure();
  return c.result(dhlo::CumulativeOp::create(
      c.e.builder, c.e.loc, x.getType(), kind, x, *axis, exclusive, reverse));
}

} // namespace

void onnx::registerReduction(OpRegistry &r) {
  r.add("ReduceSum", 1, importReduce<ReduceKind::Sum>);
  r.add("ReduceProd", 1, importReduce<ReduceKind::Prod>);
  r.add("ReduceMax", 1, importReduce<ReduceKind::Max>);
  r.add("ReduceMin", 1, importReduce<ReduceKind::Min>);
  r.addWidened("ReduceMean", 1, importReduceMean);
  r.addWidened("ReduceL1", 1, importReduceL1);
  r.addWidened("ReduceL2", 1, importReduceL2);
  r.addWidened("ReduceSumSquare", 1, importReduceSumSquare);
  r.addWidened("ReduceLogSum", 1, importReduceLogSum);
  r.addWidened("ReduceLogSumExp", 1, importReduceLogSumExp);
  r.add("ArgMax", 1, importArg<dhlo::ArgKind::Max>);
  r.add("ArgMin", 1, importArg<dhlo::ArgKind::Min>);
  r.add("CumSum", 11, importCumulative<ReduceKind::Sum>);
  r.add("CumProd", 26, importCumulative<ReduceKind::Prod>);
}
