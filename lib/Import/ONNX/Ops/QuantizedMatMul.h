//===- QuantizedMatMul.h - Matrix products of 8-bit integers
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_IMPORT_ONNX_OPS_QUANTIZEDMATMUL_H
#define DYN_LIB_IMPORT_ONNX_OPS_QUANTIZEDMATMUL_H

#include "../OpContext.h"

namespace dyn::onnx {

/// Integers that stand for (value - zero) * scale; the zero point may be null.
struct Quantized {
  Value value, scale, zero;
};

/// The matrix product in floats, of which the sums are those of integers. The
/// right side may have a scale and a zero point for each column.
Value multiplyIntegers(OpContext &c, const Quantized &lhs,
                       const Quantized &rhs);

} // namespace dyn::onnx

#endif // DYN_LIB_IMPORT_ONNX_OPS_QUANTIZEDMATMUL_H
