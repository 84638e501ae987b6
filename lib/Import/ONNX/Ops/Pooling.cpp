//===- Pooling.cpp - Pools of ONNX
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Window.h"

#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;
using dhlo::ReduceKind;

namespace {

/// Spatial axes of N, C, spatial.
SmallVector<int64_t> spatialAxes(OpContext &c, Value x) {
  SmallVector<int64_t> axes;
  for (int64_t i = 2; i < c.e.rank(x); ++i)
    axes.push_back(i);
  return axes;
}

/// Combines the windows of `x`, which has the two leading axes.
Value reduceWindow(OpContext &c, ReduceKind kind, Value x, const Window &w,
                   ArrayRef<DimExpr> low, ArrayRef<DimExpr> high) {
  if (!x)
    return {};
  auto withLeading = [&](ArrayRef<int64_t> values) {
    SmallVector<int64_t> all{1, 1};
    all.append(values.begin(), values.end());
    return all;
  };
  auto pads = [&](ArrayRef<DimExpr> values) {
    SmallVector<mlir::Attribute> all(2, c.e.size(0));
    all.append(values.begin(), values.end());
    return c.e.builder.getArrayAttr(all);
  };
  Sizes result{c.e.dim(x, 0), c.e.dim(x, 1)};
  result.append(w.result);
  return dhlo::ReduceWindowOp::create(
      c.e.builder, c.e.loc, c.e.type(result, c.e.elementType(x)), kind, x,
      withLeading(w.window), withLeading(w.strides), withLeading(w.dilations),
      pads(low), pads(high));
}

LogicalResult importMaxPool(OpContext &c) {
  Value x = c.in(0);
  c.ignore({"storage_order"});
  Window w;
  if (!x || !w.read(c, x))
    return failure();
  if (c.wants(1))
    return c.error("output Indices is not supported");
  return c.result(reduceWindow(c, ReduceKind::Max, x, w, w.low, w.high));
}

LogicalResult importAveragePool(OpContext &c) {
  Emitter &e = c.e;
  Value x = c.in(0);
  bool countsPadding = c.getInt("count_include_pad", 0) != 0;
  Window w;
  if (!x || !w.read(c, x))
    return failure();
  Value sum = reduceWindow(c, ReduceKind::Sum, x, w, w.low, w.high);
  auto isZero = [](DimExpr size) { return size.isConst(0); };
  bool isPadded = !llvm::all_of(w.low, isZero) || !llvm::all_of(w.high, isZero);
  if (!isPadded || (countsPadding && !w.ceilMode)) {
    int64_t number = 1;
    for (int64_t size : w.window)
      number *= size;
    return c.result(e.div(sum, static_cast<double>(number)));
  }
  // Windows at the edges hold fewer elements: counted by summing ones. With
  // ceil_mode, what lies beyond the stated padding never counts.
  Sizes ones(2, e.size(1)), low = w.low, high = w.high;
  auto pads = c.getInts("pads");
  for (size_t i = 0; i < w.window.size(); ++i) {
    DimExpr size = e.dims.expand(e.dim(x, i + 2));
    if (countsPadding) {
      DimExpr end = pads ? e.size((*pads)[i + w.window.size()]) : e.size(0);
      size = dhlo::add(size, dhlo::add(w.low[i], end));
      low[i] = e.size(0);
      high[i] = e.dims.expand(dhlo::sub(w.high[i], end));
    }
    ones.push_back(size);
  }
  Value counts = reduceWindow(c, ReduceKind::Sum,
                              e.full(e.elementType(x), 1, ones), w, low, high);
  return c.result(e.div(sum, counts));
}

/// The p-norm: (sum of |x|^p)^(1/p), given a function that sums.
Value norm(OpContext &c, Value x, double p,
           llvm::function_ref<Value(Value)> sum) {
  Value magnitude = c.e.unary<dhlo::AbsOp>(x);
  if (p == 1)
    return sum(magnitude);
  if (p == 2)
    return c.e.unary<dhlo::SqrtOp>(sum(c.e.mul(x, x)));
  return c.e.binary<dhlo::PowOp>(sum(c.e.binary<dhlo::PowOp>(magnitude, p)),
                                 1.0 / p);
}

LogicalResult importLpPool(OpContext &c) {
  Value x = c.in(0);
  double p = static_cast<double>(c.getInt("p", 2));
  Window w;
  if (!x || !w.read(c, x))
    return failure();
  return c.result(norm(c, x, p, [&](Value powers) {
    return reduceWindow(c, ReduceKind::Sum, powers, w, w.low, w.high);
  }));
}

LogicalResult importGlobalAveragePool(OpContext &c) {
  Value x = c.in(0);
  return x ? c.result(c.e.mean(x, spatialAxes(c, x), true)) : failure();
}

LogicalResult importGlobalMaxPool(OpContext &c) {
  Value x = c.in(0);
  return x ? c.result(c.e.reduce(ReduceKind::Max, x, spatialAxes(c, x), true))
           : failure();
}

LogicalResult importGlobalLpPool(OpContext &c) {
  Value x = c.in(0);
  double p = static_cast<double>(c.getInt("p", 2));
  if (!x)
    return failure();
  return c.result(norm(c, x, p, [&](Value powers) {
    return c.e.reduce(ReduceKind::Sum, powers, spatialAxes(c, x), true);
  }));
}

} // namespace

void onnx::registerPooling(OpRegistry &r) {
  r.add("MaxPool", 1, importMaxPool);
  r.add("AveragePool", 1, importAveragePool);
  r.add("LpPool", 2, importLpPool);
  r.add("GlobalAveragePool", 1, importGlobalAveragePool);
  r.add("GlobalMaxPool", 1, importGlobalMaxPool);
  r.add("GlobalLpPool", 2, importGlobalLpPool);
}
