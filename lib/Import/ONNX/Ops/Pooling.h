//===- Pooling.h - Pools of ONNX ------------------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_IMPORT_ONNX_OPS_POOLING_H
#define DYN_LIB_IMPORT_ONNX_OPS_POOLING_H

#include "../OpContext.h"

namespace dyn::onnx {

// Pooling of `x` [N, C, spatial] by the attributes of a node.

Value maxPool(OpContext &c, Value x);
Value averagePool(OpContext &c, Value x);
Value globalAveragePool(OpContext &c, Value x);
Value globalMaxPool(OpContext &c, Value x);

} // namespace dyn::onnx

#endif // DYN_LIB_IMPORT_ONNX_OPS_POOLING_H
