//===- Convolution.h - Convolutions of ONNX -------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_IMPORT_ONNX_OPS_CONVOLUTION_H
#define DYN_LIB_IMPORT_ONNX_OPS_CONVOLUTION_H

#include "../OpContext.h"

namespace dyn::onnx {

/// The convolution of a node with the attributes of Conv, with this number of
/// groups if one is given.
Value convolve(OpContext &c, Value x, Value filter,
               std::optional<int64_t> groups = std::nullopt);
/// As `convolve`, with the addition and the activation that ONNX Runtime fused;
/// bias and `more` may be null.
Value convolveFused(OpContext &c, Value x, Value filter, Value bias, Value more,
                    std::optional<int64_t> groups = std::nullopt);
/// `x` with a value added to each channel (axis 1).
Value addChannelBias(OpContext &c, Value x, Value bias);

} // namespace dyn::onnx

#endif // DYN_LIB_IMPORT_ONNX_OPS_CONVOLUTION_H
