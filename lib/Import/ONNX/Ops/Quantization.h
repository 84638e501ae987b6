//===- Quantization.h - Code that quantized operators of ONNX share -------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_IMPORT_ONNX_OPS_QUANTIZATION_H
#define DYN_LIB_IMPORT_ONNX_OPS_QUANTIZATION_H

#include "../OpContext.h"

namespace dyn::onnx {

/// A scale or zero point shaped to be broadcast over `x`: a scalar, a value for
/// each index along `axis`, or one for each block of `block` indices.
Value alongAxis(OpContext &c, Value x, Value values, int64_t axis,
                int64_t block = 0);

/// saturate(round(x / scale) + zero), divided in the type of the scale.
Value quantize(OpContext &c, Value x, Value scale, Value zero, mlir::Type type);

/// An integer minus its zero point, in a wider type.
Value centre(OpContext &c, Value x, Value zero, mlir::Type wide);

/// (x - zero) * scale in the scale's type, for one scale and zero point; the
/// latter may be null.
Value dequantize(Emitter &e, Value x, Value scale, Value zero);

/// A tensor of one element as a scalar; null stays null.
Value scalar(Emitter &e, Value v);

/// Floats as unsigned bytes, with the scale and zero point of their range.
struct DynamicallyQuantized {
  Value value, scale, zero;
};
DynamicallyQuantized quantizeDynamically(OpContext &c, Value x);

/// The integer results of a matmul or convolution, scaled by `scale / outScale`
/// and rounded to the type of `outZero`.
Value requantize(OpContext &c, Value dot, Value scale, Value outScale,
                 Value outZero);

/// The convolution of a node, of bytes less their zero points, which may be
/// null: exact sums, as f64.
Value convolveBytes(OpContext &c, Value x, Value xZero, Value w, Value wZero);

/// The convolution of a node with the inputs and attributes of QLinearConv,
/// with `x` as the first input.
Value convolveQuantized(OpContext &c, Value x);

} // namespace dyn::onnx

#endif // DYN_LIB_IMPORT_ONNX_OPS_QUANTIZATION_H
