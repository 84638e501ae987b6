//===- Sampling.cpp - Operators of ONNX that interpolate pixels -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The value at a position is a sum over a few pixels of each axis, two of them
// if it is linear. So an image of any rank is read as one axis, by one gather
// for each combination of its axes' pixels. Positions stay floats, in the type
// of the input, until a pixel is known to be inside.

#include "Convolution.h"
#include "Window.h"

#include "llvm/ADT/Twine.h"

#include <limits>

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;
using dhlo::CompareDirection;

namespace {

/// The value of a pixel outside of the image.
enum class Outside { Zero, Nearest, Reflected };

/// One axis of an image.
struct Line {
  DimExpr size;
  Value last;      ///< the index of its last pixel
  Value low, high; ///< positions of reflection
};

/// A pixel of an axis for each position.
struct Tap {
  Value pixel;  ///< an integer, perhaps outside
  Value weight; ///< null: it is the only one
};

Line makeLine(Emitter &e, DimExpr size, bool alignCorners, Type type) {
  Value last = e.sub(e.convert(e.fromSize(size), type), 1.0);
  double margin = alignCorners ? 0 : 0.5;
  return {size, last, e.constant(type, -margin), e.add(last, margin)};
}

/// The position that is as far inside of the axis as this one is outside,
/// applied repeatedly.
Value reflect(Emitter &e, Value at, const Line &line) {
  // An axis of one pixel is reflected at a point; the result is clamped.
  Value period = e.maximum(e.mul(e.sub(line.high, line.low), 2.0), 1.0);
  Value from = e.sub(at, line.low);
  Value turns = e.unary<dhlo::FloorOp>(e.div(from, period));
  Value within = e.sub(from, e.mul(turns, period));
  return e.add(line.low, e.minimum(within, e.sub(period, within)));
}

Value clamp(Emitter &e, Value at, const Line &line) {
  return e.minimum(e.maximum(at, 0.0), line.last);
}

SmallVector<Tap> getLinear(Emitter &e, Value at) {
  Value pixel = e.unary<dhlo::FloorOp>(at);
  Value part = e.sub(at, pixel);
  return {{pixel, e.sub(e.constant(e.elementType(at), 1), part)},
          {e.add(pixel, 1.0), part}};
}

/// Convolution by Keys' kernel of four pixels.
SmallVector<Tap> getCubic(Emitter &e, Value at) {
  constexpr double a = -0.75;
  Value pixel = e.unary<dhlo::FloorOp>(at);
  Value part = e.sub(at, pixel);
  Value rest = e.sub(e.constant(e.elementType(at), 1), part);
  auto inner = [&](Value u) {
    Value factor = e.sub(e.mul(u, a + 2), a + 3);
    return e.add(e.mul(e.mul(factor, u), u), 1.0);
  };
  auto outer = [&](Value u) {
    Value factor = e.add(e.mul(e.sub(e.mul(u, a), 5 * a), u), 8 * a);
    return e.sub(e.mul(factor, u), 4 * a);
  };
  return {{e.sub(pixel, 1.0), outer(e.add(part, 1.0))},
          {pixel, inner(part)},
          {e.add(pixel, 1.0), inner(rest)},
          {e.add(pixel, 2.0), outer(e.add(rest, 1.0))}};
}

/// The values at positions [B, P], of pixels that `read` returns by their
/// indices, as [B, C, P] or [B, P, C]: axis `channels` is C. `combine` combines
/// weighted pixels.
Value sample(Emitter &e, ArrayRef<Line> lines, ArrayRef<SmallVector<Tap>> taps,
             Outside outside, int64_t channels,
             llvm::function_ref<Value(Value)> read,
             llvm::function_ref<Value(Value, Value)> combine) {
  Type i64 = e.builder.getI64Type();
  Value result;
  SmallVector<size_t> chosen(lines.size(), 0);
  while (true) {
    Value index, weight, inside;
    for (auto [line, axis, number] : llvm::zip_equal(lines, taps, chosen)) {
      auto [pixel, part] = axis[number];
      if (outside == Outside::Zero) {
        Value within = e.binary<dhlo::AndOp>(
            e.compare(CompareDirection::GE, pixel, 0.0),
            e.compare(CompareDirection::LE, pixel, line.last));
        inside = inside ? e.binary<dhlo::AndOp>(inside, within) : within;
      } else if (outside == Outside::Reflected) {
        pixel = reflect(e, pixel, line);
      }
      Value own = e.convert(clamp(e, pixel, line), i64);
      index = index ? e.add(e.mul(index, e.fromSize(line.size)), own) : own;
      if (part)
        weight = weight ? e.mul(weight, part) : part;
    }
    Value value = read(index);
    if (!value)
      return {};
    if (inside)
      value = e.select(e.unsqueeze(inside, {channels}), value,
                       e.constant(e.elementType(value), 0));
    if (weight)
      value = e.mul(value, e.convert(e.unsqueeze(weight, {channels}),
                                     e.elementType(value)));
    result = result ? combine(result, value) : value;

    size_t axis = lines.size();
    while (axis-- > 0 && ++chosen[axis] == taps[axis].size())
      chosen[axis] = 0;
    if (axis == size_t(-1))
      return result;
  }
}

std::optional<Outside> getOutside(OpContext &c) {
  StringRef name = c.getString("padding_mode", "zeros");
  if (name == "zeros")
    return Outside::Zero;
  if (name == "border")
    return Outside::Nearest;
  if (name == "reflection")
    return Outside::Reflected;
  (void)c.error("expected padding_mode zeros, border or reflection, found '" +
                name + "'");
  return std::nullopt;
}

LogicalResult importGridSample(OpContext &c) {
  Emitter &e = c.e;
  Value x = c.in(0), grid = c.in(1);
  auto outside = getOutside(c);
  StringRef mode = c.getString("mode", c.version < 20 ? "bilinear" : "linear");
  bool alignCorners = c.getInt("align_corners", 0) != 0;
  if (!x || !grid || !outside)
    return failure();
  mode.consume_front("bi");
  if (mode != "nearest" && mode != "linear" && mode != "cubic")
    return c.error("expected mode nearest, linear or cubic, found '" + mode +
                   "'");
  int64_t spatial = e.rank(x) - 2;
  if (spatial < 1 || spatial > 3 || e.rank(grid) != spatial + 2 ||
      !e.dim(grid, spatial + 1).isConst(spatial))
    return c.error("expected data with 1 to 3 spatial axes, and a grid of its "
                   "rank whose last size is their number");

  Type type = e.elementType(grid), stored = e.elementType(x);
  // Integers are interpolated as floats, and truncated.
  if (isa<IntegerType>(stored) && mode != "nearest")
    x = e.convert(x, stored.getIntOrFloatBitWidth() < 32
                         ? e.builder.getF32Type()
                         : Type(e.builder.getF64Type()));
  Sizes from = e.sizes(x), to = e.sizes(grid);
  DimExpr count = e.product(ArrayRef(to).slice(1, spatial));
  Value positions = e.reshape(grid, {to[0], count, e.size(spatial)});
  SmallVector<Line> lines;
  SmallVector<SmallVector<Tap>> taps;
  for (int64_t axis = 0; axis < spatial; ++axis) {
    Line line = makeLine(e, from[2 + axis], alignCorners, type);
    // The grid lists axes from the last on.
    Value given = e.squeeze(
        e.sliceAxis(positions, 2, e.size(spatial - 1 - axis), e.size(1)), {2});
    Value share = e.mul(e.add(given, 1.0), 0.5);
    Value at = e.add(line.low, e.mul(share, e.sub(line.high, line.low)));
    if (mode == "nearest")
      at = e.unary<dhlo::RoundOp>(at);
    // A cubic keeps its slope outside, as in PyTorch: only its pixels move.
    if (mode != "cubic" && *outside == Outside::Nearest)
      at = clamp(e, at, line);
    else if (mode != "cubic" && *outside == Outside::Reflected)
      at = reflect(e, at, line);
    taps.push_back(mode == "nearest"  ? SmallVector<Tap>{{at, Value()}}
                   : mode == "linear" ? getLinear(e, at)
                                      : getCubic(e, at));
    lines.push_back(line);
  }
  // The channels of a pixel are read together: they have its index and weights.
  Value pixels =
      e.reshape(x, {from[0], from[1], e.product(ArrayRef(from).drop_front(2))});
  pixels = e.transpose(pixels, {0, 2, 1});
  Value result = sample(
      e, lines, taps, *outside, /*channels=*/2,
      [&](Value index) { return e.gather(pixels, index, 1, /*batch=*/1); },
      [&](Value sum, Value value) { return e.add(sum, value); });
  Sizes sizes = {from[0], from[1]};
  sizes.append(to.begin() + 1, to.end() - 1);
  result = e.transpose(e.convert(result, stored), {0, 2, 1});
  return c.result(e.reshape(result, sizes));
}

/// The grid of an affine map from an image of the given size.
LogicalResult importAffineGrid(OpContext &c) {
  Emitter &e = c.e;
  Value theta = c.in(0), size = c.in(1);
  bool alignCorners = c.getInt("align_corners", 0) != 0;
  auto sizes = size ? e.sizesFrom(size, "size") : std::nullopt;
  if (!theta || !sizes)
    return failure();
  int64_t spatial = static_cast<int64_t>(sizes->size()) - 2;
  auto mayBe = [&](int64_t axis, int64_t size) {
    return !e.dim(theta, axis).isConst() || e.dim(theta, axis).isConst(size);
  };
  if ((spatial != 2 && spatial != 3) || e.rank(theta) != 3 ||
      !mayBe(1, spatial) || !mayBe(2, spatial + 1))
    return c.error("expected a size of 4 or 5 elements, and maps of 2 x 3 or "
                   "3 x 4 elements to go with it");
  theta =
      e.reshape(theta, {e.dim(theta, 0), e.size(spatial), e.size(spatial + 1)});
  if (!theta)
    return failure();
  Type type = e.elementType(theta);
  Sizes grid = {e.dim(theta, 0)};
  grid.append(sizes->begin() + 2, sizes->end());
  auto getFactor = [&](int64_t row, int64_t column) {
    Value factor = e.slice(theta, e.sizes({0, row, column}), {1, 1, 1},
                           {grid[0], e.size(1), e.size(1)});
    Sizes single(spatial + 1, e.size(1));
    single[0] = grid[0];
    return factor ? e.reshape(factor, single) : Value();
  };
  SmallVector<Value> results;
  for (int64_t row = 0; row < spatial; ++row) {
    Value sum = getFactor(row, spatial);
    for (int64_t column = 0; column < spatial; ++column) {
      // Maps list axes from the last on.
      int64_t axis = spatial - column;
      Line line = makeLine(e, grid[axis], alignCorners, type);
      Sizes along(spatial + 1, e.size(1));
      along[axis] = grid[axis];
      Value pixel = e.iota(axis, along, type);
      Value range = e.sub(line.high, line.low);
      // An axis of one pixel is at its beginning.
      Value step = e.div(e.constant(type, 2), e.maximum(range, 1.0));
      Value at = e.sub(e.mul(e.sub(pixel, line.low), step), 1.0);
      sum = e.add(sum, e.mul(getFactor(row, column), at));
    }
    results.push_back(e.unsqueeze(e.broadcastTo(sum, grid), {spatial + 1}));
  }
  if (llvm::is_contained(results, Value()))
    return failure();
  return c.result(e.concat(results, spatial + 1));
}

/// One axis of the bins of regions [region, bin, bin, sample, sample].
struct Bins {
  Value begin, width; ///< of each region: where its bins begin, and their width
  Value count;        ///< of each region: how many samples one has
  DimExpr most;       ///< of all regions
};

/// The bins of regions with these bounds. Where the ratio is 0, a bin has a
/// sample for each pixel, or part of one.
Bins makeBins(Emitter &e, Value begin, Value end, bool isHalfPixel,
              int64_t bins, int64_t ratio) {
  Value extent = e.sub(end, begin);
  if (!isHalfPixel)
    extent = e.maximum(extent, 1.0);
  Value width = e.div(extent, static_cast<double>(bins));
  if (!width)
    return {};
  if (ratio > 0)
    return {begin, width, e.constant(e.elementType(width), ratio),
            e.size(ratio)};
  // A region that ends before it begins has none.
  Value count = e.maximum(e.unary<dhlo::CeilOp>(width), 0.0);
  Value all = e.convert(count, e.builder.getI64Type());
  Value most = e.reduce(dhlo::ReduceKind::Max, all, {0, 1, 2, 3, 4});
  // Without regions the maximum is the smallest integer.
  most = e.binary<dhlo::MaximumOp>(most, e.constantInt(e.elementType(most), 0));
  return {begin, width, count, e.bind(most, "samples")};
}

/// Bins of regions of images: each is the mean or maximum of samples that are
/// evenly spaced in it.
LogicalResult importRoiAlign(OpContext &c) {
  Emitter &e = c.e;
  Value x = c.in(0), regions = c.in(1), numbers = c.in(2);
  StringRef mode = c.getString("mode", "avg");
  bool isHalfPixel =
      c.version >= 16 && c.getString("coordinate_transformation_mode",
                                     "half_pixel") == "half_pixel";
  int64_t bins[] = {c.getInt("output_height", 1), c.getInt("output_width", 1)};
  int64_t ratio = c.getInt("sampling_ratio", 0);
  double scale = c.getFloat("spatial_scale", 1.0);
  if (!x || !regions || !numbers)
    return failure();
  if (mode != "avg" && mode != "max")
    return c.error("expected mode avg or max, found '" + mode + "'");
  if (e.rank(x) != 4 || e.rank(regions) != 2 || e.rank(numbers) != 1 ||
      !e.dim(regions, 1).isConst(4) || bins[0] < 1 || bins[1] < 1 || ratio < 0)
    return c.error("expected data of rank 4, regions of four numbers with an "
                   "image index each, at least one bin, and a "
                   "sampling_ratio that is not negative");

  Type type = e.elementType(x);
  Sizes from = e.sizes(x);
  DimExpr count = e.dim(regions, 0), one = e.size(1);
  Bins axes[2];
  for (int64_t axis : {0, 1}) {
    auto getEnd = [&](int64_t column) {
      Value end = e.convert(e.sliceAxis(regions, 1, e.size(column), one), type);
      end = e.reshape(end, {count, one, one, one, one});
      return e.sub(e.mul(end, scale), isHalfPixel ? 0.5 : 0.0);
    };
    axes[axis] = makeBins(e, getEnd(1 - axis), getEnd(3 - axis), isHalfPixel,
                          bins[axis], ratio);
    if (!axes[axis].count || !axes[axis].most)
      return failure();
  }
  // [region, bin, bin, sample, sample]
  Sizes all = {count, e.size(bins[0]), e.size(bins[1]), axes[0].most,
               axes[1].most};
  DimExpr numSamples = e.product(ArrayRef(all).drop_front());
  auto flatten = [&](Value value) {
    return e.reshape(e.broadcastTo(value, all), {count, numSamples});
  };
  Value isOutside, isExtra;
  SmallVector<Line> lines;
  SmallVector<SmallVector<Tap>> taps;
  for (int64_t axis : {0, 1}) {
    auto getNumbers = [&](int64_t at, DimExpr size) {
      Sizes along(5, one);
      along[at] = size;
      return e.iota(at, along, type);
    };
    auto either = [&](Value a, Value b) {
      return a ? e.binary<dhlo::OrOp>(a, b) : b;
    };
    const Bins &own = axes[axis];
    Value sample = getNumbers(3 + axis, own.most);
    Value within = e.div(e.add(sample, 0.5), e.maximum(own.count, 1.0));
    Value bin = e.add(getNumbers(1 + axis, e.size(bins[axis])), within);
    Value at = flatten(e.add(own.begin, e.mul(bin, own.width)));
    Line line = makeLine(e, from[2 + axis], /*alignCorners=*/true, type);
    isOutside = either(isOutside, e.compare(CompareDirection::LT, at, -1.0));
    isOutside = either(
        isOutside, e.compare(CompareDirection::GT, at, e.add(line.last, 1.0)));
    if (ratio == 0)
      isExtra = either(
          isExtra, flatten(e.compare(CompareDirection::GE, sample, own.count)));
    lines.push_back(line);
    taps.push_back(getLinear(e, clamp(e, at, line)));
  }
  // All images are one axis, so that none is copied for a region. The channels
  // of a pixel are read together: they have its index and weights.
  constexpr int64_t channels = 2;
  DimExpr perImage = dhlo::mul(from[2], from[3]);
  Value pixels = e.reshape(e.transpose(x, {0, 2, 3, 1}),
                           {dhlo::mul(from[0], perImage), from[1]});
  Value image =
      e.mul(e.convert(numbers, e.builder.getI64Type()), e.fromSize(perImage));
  image = e.unsqueeze(image, {1});
  bool isMean = mode == "avg";
  auto combine = [&](Value a, Value b) {
    return isMean ? e.add(a, b) : e.maximum(a, b);
  };
  Value samples = sample(
      e, lines, taps, Outside::Nearest, channels,
      [&](Value index) { return e.gather(pixels, e.add(index, image), 0); },
      combine);
  if (!samples)
    return failure();
  Value zero = e.constant(type, 0);
  samples = e.select(e.unsqueeze(isOutside, {channels}), zero, samples);
  constexpr double lowest = -std::numeric_limits<double>::infinity();
  if (isExtra)
    samples = e.select(e.unsqueeze(isExtra, {channels}),
                       isMean ? zero : e.constant(type, lowest), samples);
  Sizes apart = all;
  apart.push_back(from[1]);
  samples = e.reshape(samples, apart);
  // A bin without a sample is 0.
  Value number = e.mul(axes[0].count, axes[1].count);
  number = e.rank(number) == 0 ? number : e.squeeze(number, {4});
  Value result = e.reduce(
      isMean ? dhlo::ReduceKind::Sum : dhlo::ReduceKind::Max, samples, {3, 4});
  if (isMean)
    result = e.div(result, e.maximum(number, 1.0));
  else if (isExtra)
    result =
        e.select(e.compare(CompareDirection::EQ, number, 0.0), zero, result);
  return c.result(e.transpose(result, {0, 3, 1, 2}));
}

/// A convolution whose window's elements are moved by their own offsets. Their
/// values are a matrix of columns, for the filter to be multiplied by.
LogicalResult importDeformConv(OpContext &c) {
  Emitter &e = c.e;
  Value x = c.in(0), filter = c.in(1), offset = c.in(2), mask = c.optional(4);
  int64_t groups = c.getInt("group", 1);
  int64_t offsetGroups = c.getInt("offset_group", 1);
  c.ignore({"kernel_shape"});
  if (!x || !filter || !offset)
    return failure();
  if (e.rank(x) != 4 || e.rank(filter) != 4 || e.rank(offset) != 4 ||
      (mask && e.rank(mask) != 4) || groups < 1 || offsetGroups < 1)
    return c.error("expected data, filter, offsets and mask of rank 4, and at "
                   "least one group");
  auto strides = getSpatial(c, "strides", 2);
  auto dilations = getSpatial(c, "dilations", 2);
  SmallVector<int64_t> pads(4, 0);
  if (auto given = c.getInts("pads"))
    pads.assign(given->begin(), given->end());
  if (!strides || !dilations)
    return failure();
  DimExpr window[] = {e.dim(filter, 2), e.dim(filter, 3)};
  if (pads.size() != 4 || !window[0].isConst() || !window[1].isConst())
    return c.error("expected four pads and a filter of static sizes");

  int64_t width = window[1].getValue(), elements = window[0].getValue() * width;
  if (elements < 1 || elements > 1024)
    return c.error("expected a filter of 1 to 1024 elements");
  Type type = e.elementType(offset);
  Sizes from = e.sizes(x), to = e.sizes(offset);
  DimExpr one = e.size(1), count = e.size(elements);
  DimExpr numSamples = dhlo::mul(dhlo::mul(to[2], to[3]), elements);
  DimExpr rows = dhlo::mul(from[0], offsetGroups);
  Value moved = e.reshape(
      offset, {from[0], e.size(offsetGroups), count, e.size(2), to[2], to[3]});
  SmallVector<Line> lines;
  SmallVector<SmallVector<Tap>> taps;
  for (int64_t axis : {0, 1}) {
    DimExpr expected = e.windowSize(
        from[2 + axis], e.size(pads[axis]), e.size(pads[axis + 2]),
        window[axis].getValue(), (*strides)[axis], (*dilations)[axis]);
    if (expected.isConst() && to[2 + axis].isConst() &&
        expected != to[2 + axis])
      return c.error("expected offsets for each element of the result");
    SmallVector<double> starts;
    for (int64_t i = 0; i < elements; ++i)
      starts.push_back(static_cast<double>((axis == 0 ? i / width : i % width) *
                                               (*dilations)[axis] -
                                           pads[axis]));
    Sizes along(5, one);
    along[3 + axis] = to[2 + axis];
    Value at = e.mul(e.iota(3 + axis, along, type),
                     static_cast<double>((*strides)[axis]));
    at = e.add(at, e.reshape(e.constantFloats(type, starts),
                             {one, one, count, one, one}));
    Value own = e.squeeze(e.sliceAxis(moved, 3, e.size(axis), one), {3});
    at = e.reshape(e.add(own, at), {rows, numSamples});
    if (!at)
      return failure();
    lines.push_back(makeLine(e, from[2 + axis], /*alignCorners=*/true, type));
    taps.push_back(getLinear(e, at));
  }
  DimExpr channels = e.dims.expand(from[1]);
  Value pixels = e.reshape(x, {rows, dhlo::floorDiv(channels, offsetGroups),
                               dhlo::mul(from[2], from[3])});
  Value read = sample(
      e, lines, taps, Outside::Zero, /*channels=*/1,
      [&](Value index) { return e.gather(pixels, index, 2, /*batch=*/1); },
      [&](Value sum, Value value) { return e.add(sum, value); });
  if (mask)
    read = e.mul(read, e.reshape(mask, {rows, one, numSamples}));
  DimExpr depth = dhlo::mul(dhlo::floorDiv(channels, groups), elements);
  DimExpr area = dhlo::mul(to[2], to[3]), number = e.size(groups);
  Value columns = e.reshape(read, {from[0], number, depth, area});
  DimExpr outputs = e.dims.expand(e.dim(filter, 0));
  Value weights =
      e.reshape(filter, {number, dhlo::floorDiv(outputs, groups), depth});
  Value y = e.dot(weights, e.transpose(columns, {1, 0, 2, 3}), 1, {2}, {2});
  y = e.reshape(e.transpose(y, {2, 0, 1, 3}), {from[0], outputs, to[2], to[3]});
  return c.result(c.has(3) ? addChannelBias(c, y, c.in(3)) : y);
}

} // namespace

void onnx::registerSampling(OpRegistry &r) {
  r.addWidened("GridSample", 16, importGridSample);
  r.addEquivalent("GridSample", 16, importGridSample, /*widens=*/true);
  r.addWidened("AffineGrid", 20, importAffineGrid);
  r.addWidened("RoiAlign", 10, importRoiAlign);
  r.addWidened("DeformConv", 19, importDeformConv);
}
