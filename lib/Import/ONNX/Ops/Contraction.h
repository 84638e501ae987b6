//===- Contraction.h - Matmuls of ONNX ------------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_IMPORT_ONNX_OPS_CONTRACTION_H
#define DYN_LIB_IMPORT_ONNX_OPS_CONTRACTION_H

#include "../OpContext.h"

namespace dyn::onnx {

/// Numpy's matmul of tensors of any rank but 0.
Value matmul(OpContext &c, Value lhs, Value rhs);
/// The matmul of a node with the inputs and attributes of Gemm.
Value gemm(OpContext &c);

} // namespace dyn::onnx

#endif // DYN_LIB_IMPORT_ONNX_OPS_CONTRACTION_H
