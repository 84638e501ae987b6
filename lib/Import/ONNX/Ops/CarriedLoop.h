//===- CarriedLoop.h - Loops that carry tensors and sequences -------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_IMPORT_ONNX_OPS_CARRIEDLOOP_H
#define DYN_LIB_IMPORT_ONNX_OPS_CARRIEDLOOP_H

#include "Body.h"

namespace dyn::onnx {

/// The operands of a Loop. Trips and condition may be null.
struct CarriedLoop {
  Value trips, condition;
  llvm::SmallVector<Value> inits;
};

/// Imports an iteration, from its number, the condition and the carried values.
/// Returns the condition, the next values, and elements to collect. May be
/// called several times.
using Iteration = llvm::function_ref<mlir::LogicalResult(
    llvm::ArrayRef<Value> inputs, llvm::SmallVectorImpl<Value> &outputs)>;

/// A `dhlo.while` for the node, whose outputs are the last carried values and
/// the collected elements. Sequences are carried as ragged ones.
mlir::LogicalResult importCarriedLoop(OpContext &c, const CarriedLoop &loop,
                                      Iteration iteration);

} // namespace dyn::onnx

#endif // DYN_LIB_IMPORT_ONNX_OPS_CARRIEDLOOP_H
