//===- QuantizedMatMul.h - Matmuls of 8-bit integers ----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_IMPORT_ONNX_OPS_QUANTIZEDMATMUL_H
#define DYN_LIB_IMPORT_ONNX_OPS_QUANTIZEDMATMUL_H

#include "../OpContext.h"

namespace dyn::onnx {

/// Integers that represent (value - zero) * scale; the zero point may be null.
struct Quantized {
  Value value, scale, zero;
};

/// The matmul in floats, with integer sums. The RHS may have a scale and a zero
/// point for each column.
Value multiplyIntegers(OpContext &c, const Quantized &lhs,
                       const Quantized &rhs);

} // namespace dyn::onnx

#endif // DYN_LIB_IMPORT_ONNX_OPS_QUANTIZEDMATMUL_H
