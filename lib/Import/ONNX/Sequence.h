//===- Sequence.h - Sequences of tensors while a model is imported
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A sequence goes through the names of a graph as one value, a cast of tensors
// to a tuple; no operation uses it, so nothing is left of it after the import.
// Mostly the number of its tensors is known when a model is imported, and they
// are those of the cast. If only a run knows it, the sequence is ragged: its
// tensors lie one after the other in a buffer, see Ragged.h.

#ifndef DYN_LIB_IMPORT_ONNX_SEQUENCE_H
#define DYN_LIB_IMPORT_ONNX_SEQUENCE_H

#include "OpContext.h"

#include "mlir/IR/BuiltinTypes.h"

namespace dyn::onnx {

/// The most tensors of a sequence: a small file must not ask for many.
constexpr int64_t kMaxTensors = 4096;

/// Whether a value stands for a sequence.
inline bool isSequence(Value value) {
  return llvm::isa<mlir::TupleType>(value.getType());
}

/// The tensors of a sequence, or of the buffer of a ragged one; a tensor alone
/// if the value is one.
llvm::SmallVector<Value> getTensors(Value value);

/// A sequence; null, with an error, unless all are tensors of one element type.
Value makeSequence(OpContext &c, llvm::ArrayRef<Value> tensors);

/// Fails, with an error, if a graph within the node gives a sequence.
mlir::LogicalResult expectTensors(OpContext &c, llvm::ArrayRef<Value> values);

} // namespace dyn::onnx

#endif // DYN_LIB_IMPORT_ONNX_SEQUENCE_H
