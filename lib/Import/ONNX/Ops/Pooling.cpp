//===- Pooling.cpp - Pools of ONNX ----------------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pooling.h"
#include "Window.h"

#include "llvm/ADT/Twine.h"

#include <limits>

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;
using dhlo::CompareDirection;
using dhlo::ReduceKind;

/// Spatial axes of N, C, spatial.
static SmallVector<int64_t> spatialAxes(OpContext &c, Value x) {
  SmallVector<int64_t> axes;
  for (int64_t i = 2; i < c.e.rank(x); ++i)
    axes.push_back(i);
  return axes;
}

/// Reduces the windows of `x`, which has the two leading axes.
static Value reduceWindow(OpContext &c, ReduceKind kind, Value x,
                          const Window &w, ArrayRef<DimExpr> low,
                          ArrayRef<DimExpr> high) {
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

Value onnx::averagePool(OpContext &c, Value x) {
  Emitter &e = c.e;
  bool countsPadding = c.getInt("count_include_pad", 0) != 0;
  Window w;
  if (!x || !w.read(c, x))
    return {};
  Value sum = reduceWindow(c, ReduceKind::Sum, x, w, w.low, w.high);
  auto isZero = [](DimExpr size) { return size.isConst(0); };
  bool isPadded = !llvm::all_of(w.low, isZero) || !llvm::all_of(w.high, isZero);
  if (!isPadded || (countsPadding && !w.ceilMode)) {
    int64_t number = 1;
    for (int64_t size : w.window)
      number *= size;
    return e.div(sum, static_cast<double>(number));
  }
  // Windows at the edges have fewer elements: counted by summing ones. With
  // ceil_mode, positions past the given padding never count.
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
  return e.div(sum, counts);
}

Value onnx::maxPool(OpContext &c, Value x) {
  Window w;
  return x && w.read(c, x)
             ? reduceWindow(c, ReduceKind::Max, x, w, w.low, w.high)
             : Value();
}

Value onnx::globalAveragePool(OpContext &c, Value x) {
  return x ? c.e.mean(x, spatialAxes(c, x), true) : Value();
}

Value onnx::globalMaxPool(OpContext &c, Value x) {
  return x ? c.e.reduce(ReduceKind::Max, x, spatialAxes(c, x), true) : Value();
}

namespace {

/// Indices along a spatial axis of the elements of each window, as
/// [windows, window]. An element of the padding is replaced by the next one of
/// the window, so that none is read and the first stays the first.
Value windowIndices(Emitter &e, const Window &w, size_t axis, DimExpr size) {
  Type i64 = e.builder.getI64Type();
  Sizes shape{w.result[axis], e.size(w.window[axis])};
  auto dilation = static_cast<double>(w.dilations[axis]);
  Value start = e.mul(e.iota(0, shape, i64), double(w.strides[axis]));
  start = e.sub(start, e.fromSize(w.low[axis]));
  Value last = e.fromSize(dhlo::add(size, -1));
  Value first = e.sub(e.constantInt(i64, w.dilations[axis] - 1), start);
  Value step = e.maximum(e.iota(1, shape, i64), e.div(first, dilation));
  step = e.minimum(step, e.div(e.sub(last, start), dilation));
  Value index = e.add(start, e.mul(step, dilation));
  return e.maximum(e.minimum(index, last), 0.0);
}

/// The index of each window's maximum in the whole tensor; with `columns`,
/// spatial indices are column-major.
Value maxIndices(OpContext &c, Value x, const Window &w, bool columns) {
  Emitter &e = c.e;
  Type i64 = e.builder.getI64Type();
  size_t spatial = w.window.size();
  Sizes sizes = e.sizes(x);
  ArrayRef<DimExpr> inner = ArrayRef(sizes).drop_front(2);
  Sizes shape = w.result;
  int64_t number = 1;
  for (int64_t size : w.window) {
    shape.push_back(e.size(size));
    number *= size;
  }
  DimExpr rows = e.product({sizes[0], sizes[1]}), plane = e.product(inner);
  DimExpr windows = e.product(w.result);
  // In the order of memory, and in the requested one.
  Value indices, named;
  for (size_t i = 0; i < spatial; ++i) {
    Value index = windowIndices(e, w, i, e.dims.expand(inner[i]));
    index = e.broadcast(
        index, {static_cast<int64_t>(i), static_cast<int64_t>(spatial + i)},
        shape);
    auto addTo = [&](Value &sum, ArrayRef<DimExpr> faster) {
      Value scaled = e.mul(index, e.fromSize(e.product(faster)));
      sum = sum ? e.add(sum, scaled) : scaled;
    };
    addTo(indices, inner.drop_front(i + 1));
    addTo(named, columns ? inner.take_front(i) : inner.drop_front(i + 1));
  }
  Value elements = e.gather(e.reshape(x, {rows, plane}),
                            e.reshape(indices, {windows, e.size(number)}), 1);
  if (!elements)
    return {};
  Sizes found{rows, windows};
  Value at = dhlo::ArgReduceOp::create(e.builder, e.loc, e.type(found, i64),
                                       dhlo::ArgKind::Max, elements, 2,
                                       /*last=*/false);
  at = e.add(at, e.mul(e.iota(1, found, i64), double(number)));
  Value result =
      e.gather(e.reshape(named, {e.product({windows, e.size(number)})}), at, 0);
  result = e.add(result, e.mul(e.iota(0, found, i64), e.fromSize(plane)));
  shape = {sizes[0], sizes[1]};
  shape.append(w.result);
  return e.reshape(result, shape);
}

LogicalResult importMaxPool(OpContext &c) {
  Value x = c.in(0);
  bool columns = c.getInt("storage_order", 0) != 0;
  Window w;
  if (!x || !w.read(c, x))
    return failure();
  if (c.wants(1))
    c.out(1, maxIndices(c, x, w, columns));
  return c.result(reduceWindow(c, ReduceKind::Max, x, w, w.low, w.high));
}

/// The begin and end of the bins of regions along an axis of `size` pixels, as
/// [regions, bins]: `corners` [regions, 2] are the outermost pixels of each.
std::pair<Value, Value> regionBins(Emitter &e, Value corners, DimExpr size,
                                   int64_t bins) {
  Type type = e.elementType(corners);
  // Halves are rounded away from zero.
  corners =
      e.mul(e.unary<dhlo::SignOp>(corners),
            e.unary<dhlo::FloorOp>(e.add(e.unary<dhlo::AbsOp>(corners), 0.5)));
  Value begin = e.sliceAxis(corners, 1, e.size(0), e.size(1));
  Value last = e.sliceAxis(corners, 1, e.size(1), e.size(1));
  Value extent = e.maximum(e.add(e.sub(last, begin), 1.0), 1.0);
  extent = e.div(extent, static_cast<double>(bins));
  Value bin = e.iota(1, {e.size(1), e.size(bins)}, type);
  auto bound = [&](Value at) {
    at = e.maximum(e.add(at, begin), 0.0);
    return e.minimum(at, e.convert(e.fromSize(size), type));
  };
  return {bound(e.unary<dhlo::FloorOp>(e.mul(bin, extent))),
          bound(e.unary<dhlo::CeilOp>(e.mul(e.add(bin, 1.0), extent)))};
}

/// The maximum of each bin of regions, first down the columns.
LogicalResult importMaxRoiPool(OpContext &c) {
  Emitter &e = c.e;
  Value x = c.in(0), regions = c.in(1);
  auto bins = c.getInts("pooled_shape");
  double scale = c.getFloat("spatial_scale", 1);
  if (!x || !regions)
    return failure();
  constexpr int64_t kMostBins = 1 << 12;
  if (e.rank(x) != 4 || e.rank(regions) != 2 || !e.dim(regions, 1).isConst(5) ||
      !bins || bins->size() != 2 ||
      llvm::any_of(*bins, [](int64_t b) { return b < 1 || b > kMostBins; }))
    return c.error("expected data of rank 4, regions of five numbers and two "
                   "sizes of the result");
  Type type = e.elementType(x);
  if (!isa<FloatType>(type))
    return c.error("expected floats");
  // 16-bit floats do not represent each pixel of a large image.
  if (type.getIntOrFloatBitWidth() < 32)
    regions = e.convert(regions, e.builder.getF32Type());
  auto columns = [&](int64_t start, int64_t number) {
    return e.sliceAxis(regions, 1, e.size(start), e.size(number));
  };
  Value image =
      e.convert(e.squeeze(columns(0, 1), {1}), e.builder.getI64Type());
  Value corners = e.mul(columns(1, 4), scale);
  Value result = e.gather(x, image, 0), isEmpty;
  for (int64_t axis : {0, 1}) {
    // [regions, 1, bins and columns, or rows and bins, pixels of a bin].
    int64_t own = 2 + axis, other = 3 - axis;
    DimExpr size = e.dim(x, own);
    Value ends[] = {e.sliceAxis(corners, 1, e.size(1 - axis), e.size(1)),
                    e.sliceAxis(corners, 1, e.size(3 - axis), e.size(1))};
    auto [begin, end] = regionBins(e, e.concat(ends, 1), size, (*bins)[axis]);
    Value none =
        e.unsqueeze(e.compare(CompareDirection::GE, begin, end), {1, other});
    isEmpty = isEmpty ? e.binary<dhlo::OrOp>(isEmpty, none) : none;
    Sizes line(5, e.size(1));
    line[4] = size;
    Value pixel = e.iota(4, line, e.elementType(regions));
    Value isInside =
        e.binary<dhlo::AndOp>(e.compare(CompareDirection::GE, pixel,
                                        e.unsqueeze(begin, {1, other, 4})),
                              e.compare(CompareDirection::LT, pixel,
                                        e.unsqueeze(end, {1, other, 4})));
    if (axis == 0)
      result = e.transpose(result, {0, 1, 3, 2});
    Value lowest = e.constant(type, -std::numeric_limits<double>::infinity());
    result =
        e.reduce(ReduceKind::Max,
                 e.select(isInside, e.unsqueeze(result, {own}), lowest), {4});
  }
  return c.result(e.select(isEmpty, e.constant(type, 0), result));
}

LogicalResult importAveragePool(OpContext &c) {
  return c.result(averagePool(c, c.in(0)));
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
  return c.result(globalAveragePool(c, c.in(0)));
}

LogicalResult importGlobalMaxPool(OpContext &c) {
  return c.result(globalMaxPool(c, c.in(0)));
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
  r.add("MaxRoiPool", 1, importMaxRoiPool);
  r.addWidened("AveragePool", 1, importAveragePool);
  r.addWidened("LpPool", 2, importLpPool);
  r.addWidened("GlobalAveragePool", 1, importGlobalAveragePool);
  r.add("GlobalMaxPool", 1, importGlobalMaxPool);
  r.addWidened("GlobalLpPool", 2, importGlobalLpPool);
}
