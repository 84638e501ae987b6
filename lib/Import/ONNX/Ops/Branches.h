//===- Branches.h - Values of two branches --------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_IMPORT_ONNX_OPS_BRANCHES_H
#define DYN_LIB_IMPORT_ONNX_OPS_BRANCHES_H

#include "Body.h"

namespace dyn::onnx {

/// One of two regions, with its values and facts.
struct Branch {
  Body &body;
  llvm::SmallVector<Value> values;
  llvm::ArrayRef<Fact> facts;
};

/// Whether a value represents a tensor of dynamic rank: one of the maximum
/// rank, which begins with axes of size 1, and the rank.
bool hasOpenRank(Value value);

/// Whether one operation can return either value: tensors of equal rank and
/// element type, or of any rank if `anyRank`, or sequences.
bool canMerge(Emitter &e, Value lhs, Value rhs, bool anyRank);

/// Emits a `dhlo.if` with the regions of two branches, whose values can be
/// merged one by one. Returns its values; nullopt after an error.
std::optional<llvm::SmallVector<Value>>
emitBranches(OpContext &c, Value condition, Branch &onTrue, Branch &onFalse,
             bool anyRank = false);

} // namespace dyn::onnx

#endif // DYN_LIB_IMPORT_ONNX_OPS_BRANCHES_H
