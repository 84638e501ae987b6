//===- QuantizedLayers.cpp - Quantized layers -----------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Operators that ONNX Runtime's quantizer writes instead of those of floats:
// com.microsoft, set 1. Each is what its name says on the numbers that the
// integers represent.

#include "Activations.h"
#include "ChannelsLast.h"
#include "Pooling.h"
#include "Quantization.h"

#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;
using llvm::Twine;

namespace {

/// The number that input `i` represents; its scale and zero point follow it.
Value read(OpContext &c, unsigned i) {
  return dequantize(c.e, c.in(i), c.in(i + 1), c.optional(i + 2));
}

/// Sets the result: `y` with the scale of input `i` and the zero point after
/// it, as integers of the type of input `like`.
LogicalResult write(OpContext &c, Value y, unsigned i, unsigned like) {
  Value scale = scalar(c.e, c.in(i)), zero = scalar(c.e, c.optional(i + 1));
  Value x = c.in(like);
  return x ? c.result(quantize(c, y, scale, zero, c.e.elementType(x)))
           : failure();
}

LogicalResult importAdd(OpContext &c) {
  return write(c, c.e.add(read(c, 0), read(c, 3)), 6, 0);
}

/// The multiplication of integers has all their bits.
LogicalResult importMul(OpContext &c) {
  return write(c, c.e.mul(read(c, 0), read(c, 3)), 6, 0);
}

LogicalResult importLeakyRelu(OpContext &c) {
  double alpha = c.getFloat("alpha", 0.01);
  return write(c, leakyRelu(c.e, read(c, 0), alpha), 3, 0);
}

LogicalResult importSigmoid(OpContext &c) {
  return write(c, c.e.unary<dhlo::LogisticOp>(read(c, 0)), 3, 0);
}

/// Before set 13 the softmax is over all axes from `axis` on.
LogicalResult importSoftmax(OpContext &c) {
  Emitter &e = c.e;
  Value x = read(c, 0);
  bool flattens = c.getInt("opset", 13) < 13;
  if (!x)
    return failure();
  auto axis = c.getAxis("axis", flattens ? 1 : -1, e.rank(x));
  if (!axis)
    return failure();
  if (!flattens)
    return write(c, e.softmax(x, *axis), 3, 0);
  Sizes sizes = e.sizes(x);
  ArrayRef<DimExpr> all(sizes);
  Value flat = e.reshape(
      x, {e.product(all.take_front(*axis)), e.product(all.drop_front(*axis))});
  return write(c, e.reshape(e.softmax(flat, 1), sizes), 3, 0);
}

LogicalResult importWhere(OpContext &c) {
  Value condition = c.e.convert(c.in(0), c.e.builder.getI1Type());
  Value x = read(c, 1), y = read(c, 4);
  return condition && x && y ? write(c, c.e.select(condition, x, y), 7, 1)
                             : failure();
}

/// Scale and zero point of the result are the first inputs.
LogicalResult importConcat(OpContext &c) {
  Emitter &e = c.e;
  SmallVector<Value> parts;
  if (c.numInputs() < 5 || c.numInputs() % 3 != 2)
    return c.error("expected a scale and a zero point behind each tensor");
  for (unsigned i = 2; i < c.numInputs(); i += 3) {
    parts.push_back(read(c, i));
    if (!parts.back())
      return failure();
  }
  auto axis = c.getAxis("axis", 0, e.rank(parts.front()));
  return axis ? write(c, e.concat(parts, *axis), 0, 2) : failure();
}

LogicalResult importReduceMean(OpContext &c) {
  Emitter &e = c.e;
  Value x = read(c, 0);
  bool keeps = c.getInt("keepdims", 1) != 0, present;
  if (!x)
    return failure();
  auto axes = c.getAxes("axes", ~0u, e.rank(x), present);
  if (!axes)
    return failure();
  if (axes->empty())
    for (int64_t i = 0; i < e.rank(x); ++i)
      axes->push_back(i);
  return write(c, e.mean(x, *axes, keeps), 3, 0);
}

/// Pooling of the numbers, whose channels may be the last axis.
LogicalResult pool(OpContext &c, llvm::function_ref<Value(Value)> reduce) {
  bool isLast = c.getInt("channels_last", 0) != 0;
  Value x = read(c, 0);
  Value y = reduce(isLast ? toChannelsFirst(c.e, x) : x);
  return write(c, isLast ? toChannelsLast(c.e, y) : y, 3, 0);
}

LogicalResult importAveragePool(OpContext &c) {
  return pool(c, [&](Value x) { return averagePool(c, x); });
}

LogicalResult importGlobalAveragePool(OpContext &c) {
  return pool(c, [&](Value x) { return globalAveragePool(c, x); });
}

/// The sum of integers in 32 bits.
LogicalResult importReduceSumInteger(OpContext &c) {
  Emitter &e = c.e;
  Value x = c.in(0);
  bool keeps = c.getInt("keepdims", 1) != 0, present;
  if (!x)
    return failure();
  auto axes = c.getAxes("axes", ~0u, e.rank(x), present);
  if (!axes)
    return failure();
  bool isUnsigned = e.elementType(x).isUnsignedInteger();
  Type wide = isUnsigned ? IntegerType::get(e.builder.getContext(), 32,
                                            IntegerType::Unsigned)
                         : e.builder.getI32Type();
  return c.result(
      e.reduce(dhlo::ReduceKind::Sum, e.convert(x, wide), *axes, keeps));
}

} // namespace

void onnx::registerQuantizedLayers(OpRegistry &r) {
  r.add(kMicrosoft, "QLinearAdd", {1, importAdd});
  r.add(kMicrosoft, "QLinearMul", {1, importMul});
  r.add(kMicrosoft, "QLinearLeakyRelu", {1, importLeakyRelu});
  r.add(kMicrosoft, "QLinearSigmoid", {1, importSigmoid});
  r.add(kMicrosoft, "QLinearSoftmax", {1, importSoftmax});
  r.add(kMicrosoft, "QLinearWhere", {1, importWhere});
  r.add(kMicrosoft, "QLinearConcat", {1, importConcat});
  r.add(kMicrosoft, "QLinearReduceMean", {1, importReduceMean});
  r.add(kMicrosoft, "QLinearAveragePool", {1, importAveragePool});
  r.add(kMicrosoft, "QLinearGlobalAveragePool", {1, importGlobalAveragePool});
  r.add(kMicrosoft, "ReduceSumInteger", {1, importReduceSumInteger});
}
