//===- Ragged.h - Sequences with a dynamic number of tensors --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The tensors of a ragged sequence are consecutive in one buffer. If their
// sizes are equal, the buffer has a row for each. If they differ along one
// axis, that axis is the first of the buffer, which concatenates them, and a
// vector has their lengths. So operations on a sequence are slices, gathers and
// concatenations of one tensor or two, whose sizes are symbols like any others.

#ifndef DYN_LIB_IMPORT_ONNX_RAGGED_H
#define DYN_LIB_IMPORT_ONNX_RAGGED_H

#include "Sequence.h"

namespace dyn::onnx {

/// The common shape and type of the tensors of a sequence.
struct Form {
  /// Null if the sequence is empty, and so of any form.
  mlir::Type elementType;
  /// The size along `axis` is null.
  Sizes sizes;
  /// The axis along which they differ.
  std::optional<int64_t> axis;
};

struct Ragged {
  Value data;
  /// Of i64; null if there is no axis.
  Value lengths;
  std::optional<int64_t> axis;

  explicit operator bool() const { return data != nullptr; }
  DimExpr getNumber(Emitter &e) const {
    return e.dim(lengths ? lengths : data, 0);
  }
};

bool isRagged(Value value);
Ragged getRagged(Value value);
/// The value that represents it; null if it is null.
Value makeRagged(OpContext &c, const Ragged &ragged);

/// The form of tensors of either form, whose sizes are equal where `isEqual`
/// says so; nullopt if they differ in more than the size of one axis.
std::optional<Form>
joinForms(const Form &lhs, const Form &rhs,
          llvm::function_ref<bool(DimExpr, DimExpr)> isEqual);
/// As above, of sizes that are provably equal.
std::optional<Form> joinForms(Emitter &e, const Form &lhs, const Form &rhs);
/// The form of one tensor.
Form getTensorForm(Emitter &e, Value tensor);
/// The form of a sequence; nullopt if its tensors have none in common.
std::optional<Form> getForm(Emitter &e, Value sequence);
/// Reports that there is no form; always failure.
mlir::LogicalResult failForm(OpContext &c);
/// Any sequence in this form, which must be known; null after an error.
Ragged toRagged(OpContext &c, Value sequence, const Form &form);
/// A sequence as a ragged one of its own form; null after an error.
Ragged toRagged(OpContext &c, Value sequence);

/// A position of an input as a size, counted from the end if it is negative.
DimExpr getPosition(OpContext &c, Value position, DimExpr number);

/// The tensor at a position, any integer of one element.
Value getAt(OpContext &c, const Ragged &ragged, Value position);
/// With a tensor before a position; at the end if that is null.
Ragged insertAt(OpContext &c, const Ragged &ragged, Value tensor,
                Value position);
/// Without the tensor at a position; the last if that is null.
Ragged eraseAt(OpContext &c, const Ragged &ragged, Value position);
/// All tensors along an axis, a new one if `isNew`.
Value concat(OpContext &c, const Ragged &ragged, int64_t axis, bool isNew);

} // namespace dyn::onnx

#endif // DYN_LIB_IMPORT_ONNX_RAGGED_H
