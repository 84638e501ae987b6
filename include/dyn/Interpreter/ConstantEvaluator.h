//===- ConstantEvaluator.h - Bytes of constants from their recipes --------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_INTERPRETER_CONSTANTEVALUATOR_H
#define DYN_INTERPRETER_CONSTANTEVALUATOR_H

#include "dyn/Dialect/DLHLO/IR/DLHLO.h"

#include <string>

namespace dyn {

class WeightFiles;

/// Evaluates the recipe of a constant into `out`, which has
/// `dlhlo::getConstantBytes` bytes and may be part of a mapped file.
///
/// Operations that only move elements (reshape, transpose, slice, reverse,
/// broadcast and the final pack) are done in one pass from the mapped weights
/// to `out`, without additional memory. Other operations are run by the
/// interpreter, which holds the values of this one constant during the call.
/// Emits a diagnostic and fails if the recipe cannot be evaluated; `out` is
/// then undefined.
llvm::LogicalResult evaluateConstant(dlhlo::ConstantOp constant,
                                     WeightFiles &weights,
                                     llvm::MutableArrayRef<char> out);

/// The recipe as JSON, by which equal constants are found: the operations in
/// order, each with the indices of its operands, its attributes as text and
/// its type.
///
///   {"type": "tensor<2x3xf32>", "steps": [
///     {"op": "dhlo.weight", "source": {"file": "m.onnx", "offset": 64,
///      "length": 24, "key": "w"}, "type": "tensor<3x2xf32>"},
///     {"op": "dhlo.transpose", "operands": [0], "attributes":
///      {"permutation": "array<i64: 1, 0>"}, "type": "tensor<2x3xf32>"}]}
std::string getRecipe(dlhlo::ConstantOp constant);

} // namespace dyn

#endif // DYN_INTERPRETER_CONSTANTEVALUATOR_H
