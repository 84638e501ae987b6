//===- Loops.h - Counted loops for operators that run step by step --------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_IMPORT_ONNX_OPS_LOOPS_H
#define DYN_LIB_IMPORT_ONNX_OPS_LOOPS_H

#include "../OpContext.h"

namespace dyn::onnx {

/// Computes the next states from the step's number (a scalar i64) and the
/// states; null values after an error.
using LoopBody = llvm::function_ref<llvm::SmallVector<Value>(
    Value step, llvm::ArrayRef<Value> states)>;

/// A `dhlo.while` that runs `count` times over states of constant types.
/// Returns the last states; empty after an error.
llvm::SmallVector<Value> emitCountedLoop(OpContext &c, DimExpr count,
                                         llvm::ArrayRef<Value> inits,
                                         LoopBody body);

/// Row `step` of `x`, without its first axis.
Value readRow(OpContext &c, Value x, Value step);
/// `x` with row `step` replaced.
Value writeRow(OpContext &c, Value x, Value step, Value row);

} // namespace dyn::onnx

#endif // DYN_LIB_IMPORT_ONNX_OPS_LOOPS_H
