//===- Fourier.cpp - Fourier transforms of ONNX ---------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The compiler chooses how a transform is computed.

#include "../OpContext.h"
#include "../TensorData.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;
using dhlo::CompareDirection;

namespace {

constexpr double kLogTen = 2.302585092994046;

struct Transform {
  DimExpr length;
  bool isInverse, isOneSided;

  /// Transforms an axis of [..., 1 or 2]: real and imaginary parts.
  Value apply(OpContext &c, Value x, int64_t axis) const;
};

Value Transform::apply(OpContext &c, Value x, int64_t axis) const {
  Emitter &e = c.e;
  int64_t rank = e.rank(x), parts = rank - 1;
  Type type = e.elementType(x);
  DimExpr one = e.size(1), number = e.dims.expand(e.dim(x, parts));
  if (!isa<FloatType>(type))
    return e.fail("expected floats");
  if (number.isConst() && !number.isConst(1) && !number.isConst(2))
    return e.fail("expected a last axis of size 1 or 2");
  DimExpr half = dhlo::add(dhlo::floorDiv(length, 2), 1);
  DimExpr given = e.dims.expand(e.dim(x, axis));
  bool isToReal = isInverse && isOneSided, isReal = number.isConst(1);
  DimExpr used = isToReal ? half : length;
  // Elements that are missing are zero, as is the imaginary part of real
  // numbers.
  if (!e.dims.isEqual(given, used))
    x = e.sliceAxis(x, axis, e.size(0), e.dims.expand(dhlo::min(given, used)));
  Sizes low(rank, e.size(0)), high(low);
  if (!e.dims.isEqual(given, used))
    high[axis] = e.dims.expand(dhlo::sub(used, e.dims.expand(e.dim(x, axis))));
  if (isToReal || (!isReal && !number.isConst())) {
    high[parts] = dhlo::sub(e.size(2), number);
    isReal = false;
  }
  if (llvm::any_of(high, [](DimExpr size) { return !size.isConst(0); }))
    x = e.pad(x, e.constant(type, 0), dhlo::PadMode::Constant, low, high);
  Type wide = type.isF64() ? type : e.builder.getF32Type();
  auto getPart = [&](int64_t i) {
    Value part = e.squeeze(e.sliceAxis(x, parts, e.size(i), one), {parts});
    return e.convert(part, wide);
  };
  Value real = getPart(0), imaginary = isReal ? Value() : getPart(1);
  if (!real || (!isReal && !imaginary))
    return {};
  bool isHalf = isToReal || (isOneSided && isReal);
  Sizes sizes = e.sizes(real);
  sizes[axis] = isHalf && !isToReal ? half : length;
  Type result = e.type(sizes, wide);
  auto fft =
      dhlo::FftOp::create(e.builder, e.loc, result, isToReal ? Type() : result,
                          real, imaginary, Value(), axis, isInverse, isHalf);
  // The inverse is divided by the number of elements.
  auto finish = [&](Value part) {
    if (isInverse)
      part = e.div(part, e.convert(e.fromSize(length), wide));
    return e.unsqueeze(e.convert(part, type), {parts});
  };
  if (isToReal)
    return finish(fft.getResult());
  Value y = e.concat(
      {finish(fft.getResult()), finish(fft.getResultImaginary())}, parts);
  // Of complex numbers, the other half is other numbers, and is cut.
  return isOneSided && !isHalf ? e.sliceAxis(y, axis, e.size(0), half) : y;
}

LogicalResult importDft(OpContext &c) {
  Emitter &e = c.e;
  Value x = c.in(0);
  bool isInverse = c.getInt("inverse", 0) != 0;
  bool isOneSided = c.getInt("onesided", 0) != 0;
  if (!x)
    return failure();
  int64_t rank = e.rank(x), stated = c.version < 20 ? c.getInt("axis", 1) : -2;
  if (c.version >= 20 && c.has(2)) {
    auto given = c.constantInput(2, "axis");
    if (!given || given->size() != 1)
      return failure();
    stated = given->front();
  }
  auto axis = e.axis(stated, rank);
  if (!axis)
    return failure();
  if (rank < 2 || *axis == rank - 1)
    return c.error("expected an axis before the last, which has the parts of "
                   "the numbers");
  DimExpr length = e.dims.expand(e.dim(x, *axis));
  if (c.has(1)) {
    auto sizes = e.sizesFrom(e.reshape(c.in(1), {}), "length");
    if (!sizes)
      return failure();
    length = sizes->front();
  } else if (isInverse && isOneSided) {
    length = dhlo::mul(dhlo::add(length, -1), 2);
  }
  if (length.isConst() && length.getValue() < 1)
    return c.error("expected a length of at least 1");
  return c.result(Transform{length, isInverse, isOneSided}.apply(c, x, *axis));
}

/// Transforms of real numbers along the last axis; the parts of complex ones
/// are an additional last axis.
template <bool isInverse> LogicalResult importRealDft(OpContext &c) {
  Emitter &e = c.e;
  Value x = c.in(0);
  if (c.getInt("onesided", 1) != 1 || c.getInt("normalized", 0) != 0 ||
      c.getInt("signal_ndim", 1) != 1)
    return c.error("expected one axis, one-sided and not normalized");
  if (!x || !e.hasAxes(x, isInverse ? 2 : 1))
    return failure();
  if (!isInverse) {
    x = e.unsqueeze(x, {e.rank(x)});
    DimExpr length = e.dims.expand(e.dim(x, e.rank(x) - 2));
    return c.result(Transform{length, false, true}.apply(c, x, e.rank(x) - 2));
  }
  int64_t axis = e.rank(x) - 2;
  DimExpr length = dhlo::mul(dhlo::add(e.dims.expand(e.dim(x, axis)), -1), 2);
  Value y = Transform{length, true, true}.apply(c, x, axis);
  return y ? c.result(e.squeeze(y, {e.rank(y) - 1})) : failure();
}

/// Frames of the signal, one each `frame_step` elements.
LogicalResult importStft(OpContext &c) {
  Emitter &e = c.e;
  Value x = c.in(0), window = c.optional(2);
  auto step = c.constantInput(1, "frame_step");
  bool isOneSided = c.getInt("onesided", 1) != 0;
  if (!x || !step)
    return failure();
  // PyTorch writes real signals without the axis of parts, and ONNX Runtime
  // accepts them.
  if (e.rank(x) == 2)
    x = e.unsqueeze(x, {2});
  if (e.rank(x) != 3 || step->size() != 1 || step->front() < 1 ||
      (window && e.rank(window) != 1))
    return c.error("expected a signal of rank 2 or 3, a step of at least 1 "
                   "and a vector as window");
  DimExpr length = window ? e.dims.expand(e.dim(window, 0)) : DimExpr();
  if (c.has(3)) {
    auto sizes = e.sizesFrom(e.reshape(c.in(3), {}), "frame");
    if (!sizes)
      return failure();
    length = sizes->front();
  } else if (!length) {
    length = e.dims.expand(e.dim(x, 1));
  }
  DimExpr one = e.size(1);
  DimExpr count = e.dims.expand(
      dhlo::add(dhlo::floorDiv(dhlo::sub(e.dims.expand(e.dim(x, 1)), length),
                               step->front()),
                1));
  Type i64 = e.builder.getI64Type();
  Value begin =
      e.mul(e.iota(0, {count, one}, i64), e.constantInt(i64, step->front()));
  Value frames = e.gather(x, e.add(begin, e.iota(1, {one, length}, i64)), 1);
  if (window)
    frames = e.mul(frames, e.reshape(window, {length, one}));
  return frames ? c.result(
                      Transform{length, false, isOneSided}.apply(c, frames, 2))
                : failure();
}

/// A matrix that sums the bins of a spectrum in triangles that are evenly
/// spaced on the mel scale.
LogicalResult importMelWeights(OpContext &c) {
  Emitter &e = c.e;
  Type wide = e.builder.getF64Type();
  Type type =
      getElementType(e.builder.getContext(),
                     static_cast<int32_t>(c.getInt("output_datatype", 1)));
  SmallVector<DimExpr> sizes;
  for (unsigned i : {0, 1}) {
    Value number = c.in(i);
    auto found =
        number ? e.sizesFrom(e.reshape(number, {}), "mel") : std::nullopt;
    if (!found)
      return failure();
    sizes.push_back(found->front());
  }
  Value rate = c.in(2), low = c.in(3), high = c.in(4);
  if (!rate || !low || !high)
    return failure();
  if (!type)
    return c.error("output_datatype is not supported");
  DimExpr bins = sizes[0], length = sizes[1], one = e.size(1);
  DimExpr rows = dhlo::add(dhlo::floorDiv(length, 2), 1);
  auto getScalar = [&](Value v) { return e.convert(e.reshape(v, {}), wide); };
  auto toMel = [&](Value hertz) {
    Value log = e.unary<dhlo::Log1pOp>(e.div(hertz, 700.0));
    return e.div(e.mul(log, 2595.0), kLogTen);
  };
  Value first = toMel(getScalar(low)), last = toMel(getScalar(high));
  Value step = e.div(e.sub(last, first),
                     e.convert(e.fromSize(dhlo::add(bins, 2)), wide));
  // The row of the edge of a triangle.
  auto getEdge = [&](int64_t shift) {
    Value mel = e.add(e.iota(1, {one, bins}, wide), shift);
    mel = e.add(e.mul(mel, step), first);
    Value power = e.unary<dhlo::Expm1Op>(e.mul(e.div(mel, 2595.0), kLogTen));
    Value hertz = e.mul(power, 700.0);
    Value row =
        e.div(e.mul(hertz, e.convert(e.fromSize(dhlo::add(length, 1)), wide)),
              getScalar(rate));
    return e.unary<dhlo::FloorOp>(row);
  };
  Value left = getEdge(0), top = getEdge(1), right = getEdge(2);
  Value row = e.iota(0, {rows, one}, wide);
  auto divide = [&](Value a, Value b) { return e.div(a, e.maximum(b, 1.0)); };
  Value up = divide(e.sub(row, left), e.sub(top, left));
  Value down = divide(e.sub(right, row), e.sub(right, top));
  // A triangle without a rising edge begins at its top.
  Value isUp = e.binary<dhlo::AndOp>(e.compare(CompareDirection::GE, row, left),
                                     e.compare(CompareDirection::LE, row, top));
  Value isTop = e.compare(CompareDirection::EQ, row, top);
  Value isFlat = e.compare(CompareDirection::EQ, top, left);
  Value isDown =
      e.binary<dhlo::AndOp>(e.compare(CompareDirection::GE, row, top),
                            e.compare(CompareDirection::LT, row, right));
  if (!isUp || !isDown || !isTop || !isFlat || !up || !down)
    return failure();
  Value y = e.select(isUp, up, e.constant(wide, 0));
  y = e.select(isDown, down, y);
  y = e.select(e.binary<dhlo::AndOp>(isTop, isFlat), e.constant(wide, 1), y);
  return c.result(e.convert(y, type));
}

} // namespace

void onnx::registerFourier(OpRegistry &r) {
  r.add("DFT", 17, importDft);
  r.add(kMicrosoft, "Rfft", {1, importRealDft<false>});
  r.add(kMicrosoft, "Irfft", {1, importRealDft<true>});
  r.add("STFT", 17, importStft);
  r.add("MelWeightMatrix", 17, importMelWeights);
}
