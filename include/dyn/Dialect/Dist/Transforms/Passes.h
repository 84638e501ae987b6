//===- Passes.h - Passes inside dist --------------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DIST_TRANSFORMS_PASSES_H
#define DYN_DIALECT_DIST_TRANSFORMS_PASSES_H

#include "dyn/Dialect/Dist/IR/Dist.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace dyn::dist {

#define GEN_PASS_DECL
#include "dyn/Dialect/Dist/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "dyn/Dialect/Dist/Transforms/Passes.h.inc"

} // namespace dyn::dist

#endif // DYN_DIALECT_DIST_TRANSFORMS_PASSES_H
