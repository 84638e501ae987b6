//===- Unroll.h - Loops that are unrolled when a model is imported --------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_IMPORT_ONNX_OPS_UNROLL_H
#define DYN_LIB_IMPORT_ONNX_OPS_UNROLL_H

#include "../GraphImporter.h"

namespace dyn::onnx {

/// Imports the body of a Loop once for each iteration, whose carried values may
/// then change in any way. A failure without a message if the number of
/// iterations is dynamic or too large, or the body cannot be imported.
mlir::LogicalResult unrollLoop(OpContext &c, const Graph &graph);

} // namespace dyn::onnx

#endif // DYN_LIB_IMPORT_ONNX_OPS_UNROLL_H
