//===- SharedHeads.h - Repeated heads of keys and values ------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DIALECT_DHLO_TRANSFORMS_RECOGNIZE_SHAREDHEADS_H
#define DYN_LIB_DIALECT_DHLO_TRANSFORMS_RECOGNIZE_SHAREDHEADS_H

#include "dyn/Dialect/DHLO/Analysis/SymbolicDims.h"

namespace dyn::dhlo {

/// Replaces repeated heads of keys and values of an attention by their sources.
/// Returns whether there were any.
bool shareHeads(AttentionOp op, const SymbolicDims &dims);

} // namespace dyn::dhlo

#endif // DYN_LIB_DIALECT_DHLO_TRANSFORMS_RECOGNIZE_SHAREDHEADS_H
