//===- Quantization.cpp - Quantization operators of ONNX ------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Quantization.h"
#include "../TensorData.h"
#include "Contraction.h"
#include "Convolution.h"

#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;
using llvm::Twine;

Value onnx::alongAxis(OpContext &c, Value x, Value values, int64_t axis,
                      int64_t block) {
  Emitter &e = c.e;
  if (!x || !values)
    return {};
  if (block != 0) {
    auto at = e.axis(axis, e.rank(x));
    if (!at)
      return {};
    if (block < 0 || e.rank(values) != e.rank(x))
      return e.fail("expected a positive block_size, and a scale and zero "
                    "point of the data's rank");
    Sizes sizes = e.sizes(values), apart = sizes;
    apart.insert(apart.begin() + *at + 1, e.size(block));
    SmallVector<int64_t> axes;
    for (int64_t i = 0; i <= e.rank(x); ++i)
      if (i != *at + 1)
        axes.push_back(i);
    sizes[*at] = dhlo::mul(e.dims.expand(sizes[*at]), block);
    Value all = e.reshape(e.broadcast(values, axes, apart), sizes);
    // The last block may be partial.
    return e.sliceAxis(all, *at, e.size(0), e.dim(x, *at));
  }
  if (e.rank(values) == 0)
    return values;
  if (e.rank(values) != 1)
    return e.fail("expected a scalar or a vector as scale and zero point");
  if (e.isOne(e.dim(values, 0)) || e.rank(x) == 0)
    return e.reshape(values, {});
  auto at = e.axis(axis, e.rank(x));
  if (!at)
    return {};
  Sizes sizes(e.rank(x), e.size(1));
  sizes[*at] = e.dim(values, 0);
  return e.reshape(values, sizes);
}

/// Rounds floats to the integers of a type, nearest within its range. NaN
/// becomes the least one, as in other runtimes and ONNX's own.
static Value saturate(OpContext &c, Value x, Type type) {
  Emitter &e = c.e;
  unsigned width = type.getIntOrFloatBitWidth();
  bool isUnsigned = type.isUnsignedInteger();
  double least =
      isUnsigned ? 0 : -static_cast<double>(int64_t(1) << (width - 1));
  double most =
      static_cast<double>((int64_t(1) << (isUnsigned ? width : width - 1)) - 1);
  Value isAbove = e.compare(dhlo::CompareDirection::GT, x, least);
  if (!isAbove)
    return {};
  x = e.select(isAbove, x, e.constant(e.elementType(x), least));
  return e.convert(e.minimum(x, most), type);
}

Value onnx::quantize(OpContext &c, Value x, Value scale, Value zero,
                     Type type) {
  Emitter &e = c.e;
  if (!x || !scale)
    return {};
  Type precision = e.elementType(scale);
  Value y = e.unary<dhlo::RoundOp>(e.div(e.convert(x, precision), scale));
  // 16-bit floats do not represent every integer of the type.
  y = e.convert(y, e.wideType({y}));
  if (y && zero)
    y = e.add(y, e.convert(zero, e.elementType(y)));
  return y ? saturate(c, y, type) : y;
}

Value onnx::centre(OpContext &c, Value x, Value zero, Type wide) {
  Value y = c.e.convert(x, wide);
  return zero ? c.e.sub(y, c.e.convert(zero, wide)) : y;
}

Value onnx::scalar(Emitter &e, Value v) {
  return v && e.rank(v) == 1 && e.isOne(e.dim(v, 0)) ? e.reshape(v, {}) : v;
}

Value onnx::dequantize(Emitter &e, Value x, Value scale, Value zero) {
  Value y = e.convert(x, e.builder.getI32Type());
  if (zero)
    y = e.sub(y, e.convert(scalar(e, zero), e.builder.getI32Type()));
  scale = scalar(e, scale);
  return scale ? e.mul(e.convert(y, e.elementType(scale)), scale) : Value();
}

DynamicallyQuantized onnx::quantizeDynamically(OpContext &c, Value x) {
  Emitter &e = c.e;
  if (!x)
    return {};
  SmallVector<int64_t> axes;
  for (int64_t i = 0; i < e.rank(x); ++i)
    axes.push_back(i);
  Type ui8 = IntegerType::get(e.builder.getContext(), 8, IntegerType::Unsigned);
  Type f32 = e.elementType(x);
  // The range always includes 0, so that padding by zeros is exact.
  Value least = e.minimum(e.reduce(dhlo::ReduceKind::Min, x, axes), 0.0);
  Value most = e.maximum(e.reduce(dhlo::ReduceKind::Max, x, axes), 0.0);
  Value scale = e.div(e.sub(most, least), 255.0);
  // An input of zeros has no range.
  Value isZero = e.compare(dhlo::CompareDirection::EQ, scale, 0.0);
  if (!isZero)
    return {};
  Value divisor = e.select(isZero, e.constant(f32, 1), scale);
  Value zero = saturate(
      c, e.unary<dhlo::RoundOp>(e.div(e.unary<dhlo::NegOp>(least), divisor)),
      ui8);
  return {quantize(c, x, divisor, zero, ui8), scale, zero};
}

Value onnx::requantize(OpContext &c, Value dot, Value scale, Value outScale,
                       Value outZero) {
  Emitter &e = c.e;
  if (!dot || !scale || !outScale || !outZero)
    return {};
  Type f32 = e.builder.getF32Type(), type = e.elementType(outZero);
  Value factor = e.div(scale, e.convert(scalar(e, outScale), f32));
  Value y = e.unary<dhlo::RoundOp>(e.mul(e.convert(dot, f32), factor));
  return y ? saturate(c, e.add(y, e.convert(scalar(e, outZero), f32)), type)
           : y;
}

Value onnx::convolveQuantized(OpContext &c, Value x) {
  Emitter &e = c.e;
  if (!x)
    return {};
  for (unsigned i = 0; i < 8; ++i)
    if (!c.in(i))
      return {};
  Value xScale = c.in(1), w = c.in(3), wScale = c.in(4);
  Type f64 = e.builder.getF64Type(), f32 = e.builder.getF32Type();
  Value y = convolveBytes(c, x, e.reshape(c.in(2), {}), w, c.in(5));
  // The bias is quantized by x_scale * w_scale with a zero point of 0, as the
  // sums are.
  if (c.has(8))
    y = addChannelBias(c, y, e.convert(c.in(8), f64));
  if (!y)
    return {};
  Value scale = e.mul(e.convert(e.reshape(xScale, {}), f32),
                      e.convert(alongAxis(c, y, wScale, 1), f32));
  return requantize(c, y, scale, c.in(6), c.in(7));
}

namespace {

LogicalResult importQuantizeLinear(OpContext &c) {
  Emitter &e = c.e;
  Value x = c.in(0), scale = c.in(1), zero = c.optional(2);
  int64_t axis = c.getInt("axis", 1);
  int64_t stated = c.getInt("output_dtype", 0);
  int64_t precision = c.getInt("precision", 0);
  // Of floats of 8 bits; integers always saturate.
  c.ignore({"saturate"});
  int64_t block = c.getInt("block_size", 0);
  if (!x || !scale)
    return failure();
  // The zero point has the type of the result. Without one, output_dtype (opset
  // 21) says it.
  Type type =
      IntegerType::get(e.builder.getContext(), 8, IntegerType::Unsigned);
  if (stated)
    type = getElementType(e.builder.getContext(), static_cast<int32_t>(stated));
  if (zero)
    type = e.elementType(zero);
  if (!isa_and_nonnull<IntegerType>(type) || type.getIntOrFloatBitWidth() > 16)
    return c.error(
        "expected an integer type of at most 16 bits to quantize to");
  if (precision) {
    Type division = getElementType(e.builder.getContext(), precision);
    if (!isa_and_nonnull<FloatType>(division))
      return c.error("expected a float type as precision");
    scale = e.convert(scale, division);
  } else if (!isa<FloatType>(e.elementType(scale))) {
    scale = e.convert(scale, e.builder.getF32Type());
  }
  scale = alongAxis(c, x, scale, axis, block);
  if (zero && !(zero = alongAxis(c, x, zero, axis, block)))
    return failure();
  return c.result(quantize(c, x, scale, zero, type));
}

LogicalResult importDequantizeLinear(OpContext &c) {
  Emitter &e = c.e;
  Value x = c.in(0), scale = c.in(1), zero = c.optional(2);
  int64_t axis = c.getInt("axis", 1);
  int64_t stated = c.getInt("output_dtype", 0);
  int64_t block = c.getInt("block_size", 0);
  if (!x || !scale)
    return failure();
  Type type = stated ? getElementType(e.builder.getContext(),
                                      static_cast<int32_t>(stated))
                     : e.elementType(scale);
  if (!isa_and_nonnull<FloatType>(type))
    return c.error("output_dtype is not supported");
  scale = alongAxis(c, x, scale, axis, block);
  if (zero && !(zero = alongAxis(c, x, zero, axis, block)))
    return failure();
  // Neither integers nor their multiples by a scale fit 16-bit floats.
  Type wide = type.getIntOrFloatBitWidth() < 32 ? e.builder.getF32Type() : type;
  Value y = e.mul(e.convert(centre(c, x, zero, e.builder.getI32Type()), wide),
                  e.convert(scale, wide));
  return c.result(e.convert(y, type));
}

LogicalResult importDynamicQuantizeLinear(OpContext &c) {
  DynamicallyQuantized q = quantizeDynamically(c, c.in(0));
  c.out(0, q.value);
  c.out(1, q.scale);
  c.out(2, q.zero);
  return success(q.value != nullptr);
}

LogicalResult importQLinearConv(OpContext &c) {
  return c.result(convolveQuantized(c, c.in(0)));
}

LogicalResult importConvInteger(OpContext &c) {
  Emitter &e = c.e;
  Value xZero = c.has(2) ? e.reshape(c.in(2), {}) : Value();
  Value sums = convolveBytes(c, c.in(0), xZero, c.in(1), c.optional(3));
  return c.result(e.convert(sums, e.builder.getI32Type()));
}

LogicalResult importQLinearMatMul(OpContext &c) {
  Emitter &e = c.e;
  for (unsigned i = 0; i < 8; ++i)
    if (!c.in(i))
      return failure();
  Type i32 = e.builder.getI32Type(), f32 = e.builder.getF32Type();
  Value a = c.in(0), b = c.in(3);
  // A scale or zero point of more axes is broadcast as it is.
  auto along = [&](Value x, Value values, int64_t axis) {
    return e.rank(values) > 1 ? values : alongAxis(c, x, values, axis);
  };
  Value l = centre(c, a, along(a, c.in(2), -2), i32);
  Value r = centre(c, b, along(b, c.in(5), -1), i32);
  Value dot = matmul(c, l, r);
  if (!dot)
    return failure();
  Value scale = e.mul(e.convert(along(dot, c.in(1), -2), f32),
                      e.convert(along(dot, c.in(4), -1), f32));
  return c.result(requantize(c, dot, scale, c.in(6), c.in(7)));
}

} // namespace

void onnx::registerQuantization(OpRegistry &r) {
  r.add("QuantizeLinear", 10, importQuantizeLinear);
  r.add("DequantizeLinear", 10, importDequantizeLinear);
  r.addEquivalent("QuantizeLinear", 13, importQuantizeLinear);
  r.addEquivalent("DequantizeLinear", 13, importDequantizeLinear);
  r.add("DynamicQuantizeLinear", 11, importDynamicQuantizeLinear);
  r.add("QLinearConv", 10, importQLinearConv);
  r.add("QLinearMatMul", 10, importQLinearMatMul);
  r.add("ConvInteger", 10, importConvInteger);
}
