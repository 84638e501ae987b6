//===- Passes.h - Passes of the dlhlo dialect -----------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DLHLO_TRANSFORMS_PASSES_H
#define DYN_DIALECT_DLHLO_TRANSFORMS_PASSES_H

#include "dyn/Dialect/DLHLO/IR/DLHLO.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"

namespace dyn::dlhlo {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "dyn/Dialect/DLHLO/Transforms/Passes.h.inc"

} // namespace dyn::dlhlo

#endif // DYN_DIALECT_DLHLO_TRANSFORMS_PASSES_H
