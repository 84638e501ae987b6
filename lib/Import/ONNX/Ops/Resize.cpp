//===- Resize.cpp - Resize and Upsample of ONNX ---------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Resampling.h"

#include "llvm/ADT/Twine.h"

#include <cmath>

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;
using llvm::Twine;

namespace {

/// floor(size * scale). A scale represents the simplest fraction that rounds to
/// it in f32, so that 10 * 0.7 is 7.
DimExpr scaleSize(OpContext &c, DimExpr size, double scale) {
  auto target = static_cast<float>(scale);
  for (int64_t denominator = 1; denominator <= 4096; ++denominator) {
    double numerator = std::round(scale * static_cast<double>(denominator));
    if (static_cast<float>(numerator / static_cast<double>(denominator)) ==
        target)
      return dhlo::floorDiv(dhlo::mul(size, static_cast<int64_t>(numerator)),
                            denominator);
  }
  constexpr int64_t kDenominator = 1 << 24;
  return dhlo::floorDiv(dhlo::mul(size, std::llround(scale * kDenominator)),
                        kDenominator);
}

/// The attributes of resampling.
struct Sampling {
  dhlo::ResizeMode mode;
  dhlo::ResizeCoord coord;
  dhlo::RoundMode round;
  double coefficient = -0.75;
};

Value emitResize(OpContext &c, Value x, ArrayRef<DimExpr> sizes,
                 ArrayRef<double> scales, const Sampling &s) {
  Emitter &e = c.e;
  bool same = true;
  for (auto [i, size] : llvm::enumerate(sizes))
    same &= e.dims.isEqual(size, e.dim(x, i));
  if (same && llvm::all_of(scales, [](double v) { return v == 0 || v == 1; }))
    return x;
  return dhlo::ResizeOp::create(
      e.builder, e.loc, e.type(sizes, e.elementType(x)), s.mode, s.coord,
      s.round, x, scales, llvm::APFloat(s.coefficient));
}

/// Nearest pixels of opset 10: those before positions along axes that grow,
/// those after them along axes that shrink.
Value emitFirstNearest(OpContext &c, Value x, ArrayRef<DimExpr> sizes,
                       ArrayRef<double> scales) {
  Sizes grown = c.e.sizes(x);
  SmallVector<double> growth(scales), shrinkage(scales);
  for (auto [i, scale] : llvm::enumerate(scales)) {
    (scale < 1 ? growth : shrinkage)[i] = 1;
    if (scale >= 1)
      grown[i] = sizes[i];
  }
  Sampling s{dhlo::ResizeMode::Nearest, dhlo::ResizeCoord::Asymmetric,
             dhlo::RoundMode::Floor};
  Value y = emitResize(c, x, grown, growth, s);
  s.round = dhlo::RoundMode::Ceil;
  return y ? emitResize(c, y, sizes, shrinkage, s) : y;
}

bool readScales(OpContext &c, Value x, ArrayRef<double> scales,
                SmallVectorImpl<int64_t> &axes, Sizes &sizes,
                SmallVectorImpl<double> &all) {
  if (scales.size() != axes.size()) {
    (void)c.error("expected one scale for each axis, found " +
                  Twine(scales.size()));
    return false;
  }
  for (auto [axis, scale] : llvm::zip_equal(axes, scales)) {
    if (!(scale > 0 && scale <= 1 << 20)) {
      (void)c.error("expected positive scales");
      return false;
    }
    sizes[axis] =
        c.e.dims.expand(scaleSize(c, c.e.dims.expand(c.e.dim(x, axis)), scale));
    all[axis] = scale;
  }
  return true;
}

std::optional<dhlo::ResizeMode> getMode(OpContext &c) {
  StringRef name = c.getString("mode", "nearest");
  if (name == "bilinear")
    name = "linear";
  auto mode = dhlo::symbolizeResizeMode(name);
  if (!mode)
    (void)c.error("expected mode nearest, linear or cubic, found '" + name +
                  "'");
  return mode;
}

/// The first resampler: only scales, coordinates from the corner.
LogicalResult importUpsample(OpContext &c) {
  Value x = c.in(0);
  auto mode = getMode(c);
  if (!x || !mode)
    return failure();
  SmallVector<double> scales;
  // An attribute up to opset 8, an input in 9; since 10 there is Resize.
  if (auto given = c.getFloats("scales")) {
    scales.assign(given->begin(), given->end());
  } else {
    auto constants = c.e.constantFloats(c.in(1));
    if (!constants)
      return c.error("expected constant scales");
    scales = *constants;
  }
  SmallVector<int64_t> axes;
  for (int64_t i = 0; i < c.e.rank(x); ++i)
    axes.push_back(i);
  Sizes sizes = c.e.sizes(x);
  SmallVector<double> all(sizes.size(), 1.0);
  if (!readScales(c, x, scales, axes, sizes, all))
    return failure();
  return c.result(emitResize(
      c, x, sizes, all,
      {*mode, dhlo::ResizeCoord::Asymmetric, dhlo::RoundMode::Floor}));
}

/// Imports a Resize: its attributes, then its result from scales or sizes.
class ResizeImport {
public:
  explicit ResizeImport(OpContext &c) : c(c), e(c.e) {}

  LogicalResult run();

private:
  LogicalResult readAttributes();
  LogicalResult readAxes();
  LogicalResult readRegions();
  LogicalResult fromScales(Value scales);
  LogicalResult fromSizes(ArrayRef<DimExpr> target);
  LogicalResult fromOneScale(ArrayRef<DimExpr> target, bool larger);
  LogicalResult fromRatios(ArrayRef<DimExpr> target, bool larger);
  LogicalResult emit();
  Value emitGeneral(Value common = {});

  /// An absent input may also be an empty tensor.
  bool isEmpty(Value v) const { return !v || e.product(e.sizes(v)).isConst(0); }
  DimExpr getSize(int64_t axis) { return e.dims.expand(e.dim(x, axis)); }
  /// Opset 10 has only scales, and the coordinates of Upsample.
  bool isOld() const { return c.version < 11; }

  OpContext &c;
  Emitter &e;
  Value x;
  Sampling sampling;
  Resampling general;
  /// Whether the operation does not support it.
  bool isGeneral = false;
  StringRef policy;
  SmallVector<int64_t> axes;
  SmallVector<ReadPart> regions;
  /// Of the result; a scale of 0 is the ratio of the sizes.
  Sizes sizes;
  SmallVector<double> scales;
};

LogicalResult ResizeImport::readAttributes() {
  auto mode = getMode(c);
  if (!mode)
    return failure();
  sampling = {*mode, dhlo::ResizeCoord::Asymmetric, dhlo::RoundMode::Floor};
  general.mode = *mode;
  if (isOld())
    return success();
  general.coord = c.getString("coordinate_transformation_mode", "half_pixel");
  auto symbol = dhlo::symbolizeResizeCoord(general.coord);
  isGeneral = !symbol;
  if (symbol)
    sampling.coord = *symbol;
  else if (general.coord != "tf_crop_and_resize" &&
           general.coord != "half_pixel_symmetric" &&
           general.coord != "tf_half_pixel_for_nn")
    return c.error("coordinate_transformation_mode '" + general.coord +
                   "' is not supported");
  StringRef round = c.getString("nearest_mode", "round_prefer_floor");
  auto rounding = dhlo::symbolizeRoundMode(round);
  if (!rounding)
    return c.error("nearest_mode '" + round + "' is not supported");
  sampling.round = general.round = *rounding;
  sampling.coefficient = general.coefficient =
      c.getFloat("cubic_coeff_a", -0.75);
  bool blends = *mode != dhlo::ResizeMode::Nearest;
  general.antialias = c.getInt("antialias", 0) != 0 && blends;
  general.excludesOutside = c.getInt("exclude_outside", 0) != 0 && blends;
  isGeneral |= general.antialias || general.excludesOutside;
  general.extrapolation = c.getFloat("extrapolation_value", 0);
  // Only sizes ask for it; exporters write it beside scales, too.
  policy = c.getString("keep_aspect_ratio_policy", "stretch");
  return success();
}

LogicalResult ResizeImport::readAxes() {
  auto given = c.getInts("axes");
  if (!given) {
    llvm::append_range(axes, llvm::seq<int64_t>(0, e.rank(x)));
    return success();
  }
  for (int64_t value : *given) {
    auto axis = e.axis(value, e.rank(x));
    if (!axis)
      return failure();
    axes.push_back(*axis);
  }
  return success();
}

/// The roi is [begins of all axes, ends of all axes], as shares of the input's
/// size.
LogicalResult ResizeImport::readRegions() {
  regions.resize(axes.size());
  if (general.coord != "tf_crop_and_resize")
    return success();
  Value region = c.in(1);
  if (!region)
    return failure();
  DimExpr count = e.size(static_cast<int64_t>(2 * axes.size()));
  if (e.rank(region) != 1 || !(region = e.reshape(region, {count})))
    return c.error("expected a vector of two numbers for each axis as roi");
  auto getShare = [&](size_t i) {
    Value share =
        e.sliceAxis(region, 0, e.size(static_cast<int64_t>(i)), e.size(1));
    return e.convert(e.reshape(share, {}), e.builder.getF64Type());
  };
  for (auto [i, part] : llvm::enumerate(regions))
    part = {getShare(i), getShare(i + axes.size())};
  return success();
}

/// Resamples axis after axis, by the scale `common` if it is given.
Value ResizeImport::emitGeneral(Value common) {
  Type f64 = e.builder.getF64Type();
  auto toFloat = [&](DimExpr expr) {
    return e.convert(e.fromSize(e.dims.expand(expr)), f64);
  };
  Value y = x;
  for (auto [i, axis] : llvm::enumerate(axes)) {
    DimExpr size = sizes[axis];
    bool isSame = scales[axis] == 1 && e.dims.isEqual(size, e.dim(x, axis));
    if (!y || (isSame && general.coord != "tf_crop_and_resize"))
      continue;
    Value scale = common ? common
                  : scales[axis] > 0
                      ? e.constant(f64, scales[axis])
                      : e.div(toFloat(size), toFloat(e.dim(x, axis)));
    y = resample(c, y, axis, size, scale, scales[axis], regions[i], general);
  }
  return y;
}

LogicalResult ResizeImport::emit() {
  return c.result(isGeneral ? emitGeneral()
                            : emitResize(c, x, sizes, scales, sampling));
}

LogicalResult ResizeImport::fromScales(Value given) {
  auto constants = e.constantFloats(given);
  if (!constants)
    return c.error("expected constant scales");
  if (!readScales(c, x, *constants, axes, sizes, scales))
    return failure();
  // Corners are aligned to those of a result that is not rounded.
  if (sampling.coord == dhlo::ResizeCoord::AlignCorners)
    for (int64_t axis : axes) {
      DimExpr size = getSize(axis);
      double exact = scales[axis] *
                     static_cast<double>(size.isConst() ? size.getValue() : 1);
      isGeneral |= exact != std::floor(exact);
    }
  if (isOld() && sampling.mode == dhlo::ResizeMode::Nearest)
    return c.result(emitFirstNearest(c, x, sizes, scales));
  return emit();
}

LogicalResult ResizeImport::fromSizes(ArrayRef<DimExpr> target) {
  if (target.size() != axes.size())
    return c.error("expected one size for each axis, found " +
                   Twine(target.size()));
  if (policy == "not_larger" || policy == "not_smaller")
    return fromOneScale(target, policy == "not_larger");
  if (policy != "stretch")
    return c.error("keep_aspect_ratio_policy '" + policy +
                   "' is not supported");
  for (auto [axis, size] : llvm::zip_equal(axes, target)) {
    scales[axis] = e.dims.isEqual(size, e.dim(x, axis)) ? 1.0 : 0.0;
    sizes[axis] = size;
  }
  return emit();
}

/// One scale for all axes: the minimum of the ratios, if the result must not be
/// larger than the sizes, or the maximum.
LogicalResult ResizeImport::fromOneScale(ArrayRef<DimExpr> target,
                                         bool larger) {
  double scale = 0;
  for (auto [axis, size] : llvm::zip_equal(axes, target)) {
    DimExpr own = getSize(axis);
    if (!own.isConst() || !size.isConst() || own.isConst(0))
      return fromRatios(target, larger);
    double ratio = static_cast<double>(size.getValue()) /
                   static_cast<double>(own.getValue());
    scale = scale == 0
                ? ratio
                : (larger ? std::min(scale, ratio) : std::max(scale, ratio));
  }
  for (int64_t axis : axes) {
    auto own = static_cast<double>(getSize(axis).getValue());
    sizes[axis] = e.size(std::llround(own * scale));
    scales[axis] = scale;
  }
  return emit();
}

/// The same where only a call knows the ratios: the sizes for each of them,
/// rounded, and of these the minimum or maximum.
LogicalResult ResizeImport::fromRatios(ArrayRef<DimExpr> target, bool larger) {
  Type f64 = e.builder.getF64Type();
  Value common;
  for (auto [axis, size] : llvm::zip_equal(axes, target)) {
    DimExpr own = getSize(axis);
    Value ratio = e.div(e.convert(e.fromSize(size), f64),
                        e.convert(e.fromSize(own), f64));
    common = !common  ? ratio
             : larger ? e.minimum(common, ratio)
                      : e.maximum(common, ratio);
    for (int64_t other : axes) {
      DimExpr twice = dhlo::mul(dhlo::mul(getSize(other), size), 2);
      DimExpr rounded =
          dhlo::floorDiv(dhlo::add(twice, own), dhlo::mul(own, 2));
      bool isFirst = axis == axes.front();
      sizes[other] = isFirst  ? rounded
                     : larger ? dhlo::min(sizes[other], rounded)
                              : dhlo::max(sizes[other], rounded);
    }
  }
  for (int64_t axis : axes) {
    sizes[axis] = e.dims.expand(sizes[axis]);
    scales[axis] = 0;
  }
  return c.result(emitGeneral(common));
}

LogicalResult ResizeImport::run() {
  x = c.in(0);
  if (!x || failed(readAttributes()) || failed(readAxes()) ||
      failed(readRegions()))
    return failure();
  sizes = e.sizes(x);
  scales.assign(sizes.size(), 1.0);
  Value given = isOld() ? c.in(1) : c.optional(2);
  if (!isEmpty(given))
    return fromScales(given);
  Value stated = c.optional(3);
  if (isEmpty(stated))
    return c.error("expected scales or sizes");
  auto target = e.sizesFrom(stated, "size");
  return target ? fromSizes(*target) : failure();
}

LogicalResult importResize(OpContext &c) { return ResizeImport(c).run(); }

} // namespace

void onnx::registerResize(OpRegistry &r) {
  r.add("Upsample", 7, importUpsample);
  r.add("Resize", 10, importResize);
}
