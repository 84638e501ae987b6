//===- Attention.h - What attention operators of ONNX share
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_IMPORT_ONNX_OPS_ATTENTION_H
#define DYN_LIB_IMPORT_ONNX_OPS_ATTENTION_H

#include "../OpContext.h"

namespace dyn::onnx {

/// What scores are multiplied by: the attribute 'scale', or else one over the
/// square root of the queries' last size. Where that is known at run time only,
/// the queries [B, H, S, D] are scaled, and the factor is 1.
double getScale(OpContext &c, Value &queries);

/// Keys or values [B, G, T, D] for each of the heads.
Value repeatGroups(OpContext &c, Value x, DimExpr heads);

/// The type of the softmax: the attribute 'softmax_precision', or else
/// `byDefault`; null, with an error, if it is no float type.
mlir::Type getSoftmaxType(OpContext &c, mlir::Type byDefault);

} // namespace dyn::onnx

#endif // DYN_LIB_IMPORT_ONNX_OPS_ATTENTION_H
