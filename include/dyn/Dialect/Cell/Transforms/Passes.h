//===- Passes.h - Passes inside cell --------------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_CELL_TRANSFORMS_PASSES_H
#define DYN_DIALECT_CELL_TRANSFORMS_PASSES_H

#include "dyn/Dialect/Cell/IR/Cell.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace dyn::cell {

#define GEN_PASS_DECL
#include "dyn/Dialect/Cell/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "dyn/Dialect/Cell/Transforms/Passes.h.inc"

} // namespace dyn::cell

#endif // DYN_DIALECT_CELL_TRANSFORMS_PASSES_H
