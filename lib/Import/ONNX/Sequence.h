//===- Sequence.h - Sequences of tensors while a model is imported --------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A sequence is one value during the import, a cast of tensors to a tuple; no
// operation uses it, so it does not remain after the import. Usually the number
// of its tensors is static, and they are those of the cast. If it is dynamic,
// the sequence is ragged: its tensors are consecutive in a buffer, see
// Ragged.h.

#ifndef DYN_LIB_IMPORT_ONNX_SEQUENCE_H
#define DYN_LIB_IMPORT_ONNX_SEQUENCE_H

#include "OpContext.h"

#include "mlir/IR/BuiltinTypes.h"

namespace dyn::onnx {

/// The maximum number of tensors of a sequence: a small file must not ask for
/// many.
constexpr int64_t kMaxTensors = 4096;

/// Whether a value represents a sequence.
inline bool isSequence(Value value) {
  return llvm::isa<mlir::TupleType>(value.getType());
}

/// The tensors of a sequence, or of the buffer of a ragged one; the value
/// itself if it is a tensor.
llvm::SmallVector<Value> getTensors(Value value);

/// A sequence; null, with an error, unless all are tensors of one element type.
Value makeSequence(OpContext &c, llvm::ArrayRef<Value> tensors);

/// Fails, with an error, if a graph within the node returns a sequence.
mlir::LogicalResult expectTensors(OpContext &c, llvm::ArrayRef<Value> values);

} // namespace dyn::onnx

#endif // DYN_LIB_IMPORT_ONNX_SEQUENCE_H
