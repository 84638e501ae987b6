//===- QuantizedMatMul.cpp - Matmuls of 8-bit integers --------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// ONNX Runtime's fusions of matmuls with the quantization around them:
// com.microsoft, set 1.

#include "QuantizedMatMul.h"
#include "Contraction.h"
#include "Quantization.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

/// A scale or zero point of a matrix; one of more axes is broadcast as it is.
static Value along(OpContext &c, Value x, Value values, int64_t axis) {
  return values && c.e.rank(values) > 1 ? values
                                        : alongAxis(c, x, values, axis);
}

Value onnx::multiplyIntegers(OpContext &c, const Quantized &lhs,
                             const Quantized &rhs) {
  Emitter &e = c.e;
  Type i32 = e.builder.getI32Type();
  if (!lhs.value || !lhs.scale || !rhs.value || !rhs.scale)
    return {};
  Value dot =
      matmul(c, centre(c, lhs.value, along(c, lhs.value, lhs.zero, -2), i32),
             centre(c, rhs.value, along(c, rhs.value, rhs.zero, -1), i32));
  if (!dot)
    return {};
  Value scale =
      e.mul(along(c, dot, lhs.scale, -2), along(c, dot, rhs.scale, -1));
  return scale ? e.mul(e.convert(dot, e.elementType(scale)), scale) : Value();
}

namespace {

LogicalResult importDynamicQuantizeMatMul(OpContext &c) {
  DynamicallyQuantized a = quantizeDynamically(c, c.in(0));
  Value y = multiplyIntegers(c, {a.value, a.scale, a.zero},
                             {c.in(1), c.in(2), c.optional(3)});
  return c.result(c.has(4) ? c.e.add(y, c.in(4)) : y);
}

LogicalResult importMatMulIntegerToFloat(OpContext &c) {
  Value y = multiplyIntegers(c, {c.in(0), c.in(2), c.optional(4)},
                             {c.in(1), c.in(3), c.optional(5)});
  return c.result(c.has(6) ? c.e.add(y, c.in(6)) : y);
}

LogicalResult importQGemm(OpContext &c) {
  Emitter &e = c.e;
  Value a = c.in(0), aScale = c.in(1), b = c.in(3), bScale = c.in(4);
  bool transA = c.getInt("transA", 0) != 0, transB = c.getInt("transB", 0) != 0;
  double alpha = c.getFloat("alpha", 1);
  if (!a || !aScale || !b || !bScale)
    return failure();
  if (e.rank(a) != 2 || e.rank(b) != 2 || c.has(7) != c.has(8))
    return c.error("expected matrices, and y_scale and y_zero_point together");
  Type i32 = e.builder.getI32Type();
  Value zero = alongAxis(c, b, c.optional(5), transB ? 0 : 1);
  Value y =
      e.dot(centre(c, a, scalar(e, c.optional(2)), i32),
            centre(c, b, zero, i32), 0, {transA ? 0 : 1}, {transB ? 1 : 0});
  if (c.has(6))
    y = e.add(y, c.in(6));
  if (!y)
    return failure();
  Value scale = e.mul(scalar(e, aScale), alongAxis(c, y, bScale, 1));
  if (alpha != 1)
    scale = e.mul(scale, alpha);
  if (c.has(7))
    return c.result(requantize(c, y, scale, c.in(7), c.in(8)));
  return c.result(e.mul(e.convert(y, e.builder.getF32Type()), scale));
}

/// Integers without their zero points, multiplied.
LogicalResult importMulInteger(OpContext &c) {
  Emitter &e = c.e;
  Type i32 = e.builder.getI32Type();
  return c.result(e.mul(centre(c, c.in(0), scalar(e, c.optional(1)), i32),
                        centre(c, c.in(2), scalar(e, c.optional(3)), i32)));
}

LogicalResult importMatMulInteger16(OpContext &c) {
  Type i32 = c.e.builder.getI32Type();
  return c.result(
      matmul(c, c.e.convert(c.in(0), i32), c.e.convert(c.in(1), i32)));
}

/// Weights [N, blocks, block] with a scale and a zero point for each block.
LogicalResult importMatMulNBits(OpContext &c) {
  Emitter &e = c.e;
  Value x = c.in(0), weights = c.in(1), scales = c.in(2);
  Value zeros = c.optional(3);
  int64_t depth = c.getInt("K", 0), columns = c.getInt("N", 0);
  int64_t block = c.getInt("block_size", 0);
  c.ignore({"accuracy_level"});
  if (c.getInt("bits", 4) != 8)
    return c.error("weights of less than eight bits are not supported");
  if (c.getInt("weight_prepacked", 0) != 0)
    return c.error("weight_prepacked is not supported");
  if (c.has(4))
    return c.error("input 'g_idx' is not supported");
  if (!x || !weights || !scales)
    return failure();
  constexpr int64_t kMost = 1 << 30;
  if (e.rank(x) < 1 || depth < 1 || columns < 1 || block < 1 || depth > kMost ||
      columns > kMost || block > kMost)
    return c.error("expected positive K, N and block_size");
  int64_t blocks = (depth + block - 1) / block;
  Type f32 = e.builder.getF32Type(), type = e.elementType(x);
  Sizes perBlock = e.sizes({columns, blocks, 1});
  Value wide =
      e.convert(e.reshape(weights, e.sizes({columns, blocks, block})), f32);
  wide = zeros ? e.sub(wide, e.convert(e.reshape(zeros, perBlock), f32))
               : e.sub(wide, 128.0);
  wide = e.mul(wide, e.convert(e.reshape(scales, perBlock), f32));
  wide = e.sliceAxis(e.reshape(wide, e.sizes({columns, blocks * block})), 1,
                     e.size(0), e.size(depth));
  Value y = e.dot(x, e.convert(wide, type), 0, {e.rank(x) - 1}, {1});
  return c.result(c.has(5) ? e.add(y, c.in(5)) : y);
}

} // namespace

void onnx::registerQuantizedMatMul(OpRegistry &r) {
  r.add(kMicrosoft, "DynamicQuantizeMatMul", {1, importDynamicQuantizeMatMul});
  r.add(kMicrosoft, "MatMulIntegerToFloat", {1, importMatMulIntegerToFloat});
  r.add(kMicrosoft, "MatMulNBits", {1, importMatMulNBits});
  r.add(kMicrosoft, "QGemm", {1, importQGemm});
  r.add(kMicrosoft, "MulInteger", {1, importMulInteger});
  r.add(kMicrosoft, "MatMulInteger16", {1, importMatMulInteger16});
}
