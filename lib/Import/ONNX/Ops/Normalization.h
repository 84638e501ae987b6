//===- Normalization.h - Normalizations of ONNX ---------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_IMPORT_ONNX_OPS_NORMALIZATION_H
#define DYN_LIB_IMPORT_ONNX_OPS_NORMALIZATION_H

#include "../OpContext.h"

namespace dyn::onnx {

/// (x - mean) / sqrt(variance + eps) over axes; `inverse` receives
/// 1 / sqrt(variance + eps), `mean` the mean.
Value standardize(OpContext &c, Value x, llvm::ArrayRef<int64_t> axes,
                  double eps, Value *mean = nullptr, Value *inverse = nullptr);

/// Normalizes over the last axis, with a scale and a bias of its size; the bias
/// may be null.
Value normalizeRows(Emitter &e, Value x, Value scale, Value bias, double eps);
/// As `normalizeRows`, by the root of the mean square alone.
Value normalizeRowsByRoot(Emitter &e, Value x, Value scale, double eps);

} // namespace dyn::onnx

#endif // DYN_LIB_IMPORT_ONNX_OPS_NORMALIZATION_H
