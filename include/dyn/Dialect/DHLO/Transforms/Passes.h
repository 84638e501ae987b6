//===- Passes.h - Passes inside dhlo --------------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DHLO_TRANSFORMS_PASSES_H
#define DYN_DIALECT_DHLO_TRANSFORMS_PASSES_H

#include "dyn/Dialect/DHLO/IR/DHLO.h"

#include "mlir/Pass/Pass.h"

namespace dyn::dhlo {

#define GEN_PASS_DECL
#include "dyn/Dialect/DHLO/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "dyn/Dialect/DHLO/Transforms/Passes.h.inc"

/// Checks the sizes of the program in `symbolTable`, a module or a kernel, as
/// the pass dhlo-verify-dims does for each. Reports every error.
llvm::LogicalResult verifyDims(mlir::Operation *symbolTable);

/// The same for each symbol table at or below an operation. Tools check
/// programs with it after reading them, before sizes are analysed.
llvm::LogicalResult verifyAllDims(mlir::Operation *root);

} // namespace dyn::dhlo

#endif // DYN_DIALECT_DHLO_TRANSFORMS_PASSES_H
