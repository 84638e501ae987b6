//===- Unroll.h - Loops that are unrolled when a model is imported
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_IMPORT_ONNX_OPS_UNROLL_H
#define DYN_LIB_IMPORT_ONNX_OPS_UNROLL_H

#include "../GraphImporter.h"

namespace dyn::onnx {

/// Imports the body of a Loop once for each iteration. How often it runs must
/// be known; carried values may change in any way, sequences among them.
mlir::LogicalResult importUnrolledLoop(OpContext &c, const Graph &body);

} // namespace dyn::onnx

#endif // DYN_LIB_IMPORT_ONNX_OPS_UNROLL_H
